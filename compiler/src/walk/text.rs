//! `Display` of nodes: a text like SQL, for people who read a log.

use std::fmt::{self, Write};

use crate::expr::{
    AndExpr, CaseExpr, CastExpr, CommonTableExpr, ConflictAction, DeleteExpr, Distinct, Expr, ForeignExpr, Frame,
    FrameBound, FrameExclude, FrameUnit, FromExpr, FunctionExpr, GenericSqlExpr, GroupByExpr, HavingExpr, InsertExpr,
    InsertSource, LockExpr, LockMode, LockWait, LogicBinaryExpr, LogicExpr, LogicOperator, Name, NextSelect, NotExpr,
    Nulls, OrExpr, OrderByExpr, OrderByItemExpr, PropertyExpr, SectionExpr, SelectExpr, SelectItemExpr, SelectSetType,
    SqlSegment, TableExpr, TableJoinExpr, TableJoinType, UnaryExpr, UnaryOperator, UpdateExpr, Value, ValueBinaryExpr,
    ValueExpr, ValueJoinType, ValueOperator, ValueSet, ValueTypeExpr, WhereExpr, WindowExpr,
};

/// How many levels are shown, and so how deep this recurses.
const LEVELS: u32 = 32;

/// How many bytes are shown, more or less.
const BYTES: usize = 4_000;

/// The text of one node.
struct Text<'f, 'g> {
    out: &'f mut fmt::Formatter<'g>,
    /// How many bytes may still be written.
    left: usize,
    /// Whether they were not enough.
    full: bool,
    level: u32,
}

impl Write for Text<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if let Some(left) = self.left.checked_sub(text.len()) {
            self.left = left;
            return self.out.write_str(text);
        }
        self.full = true;
        self.out.write_str("..")?;
        Err(fmt::Error)
    }
}

/// A clause with its source.
#[derive(Clone, Copy)]
enum Clause<'a> {
    Where(&'a WhereExpr),
    GroupBy(&'a GroupByExpr),
    Having(&'a HavingExpr),
    OrderBy(&'a OrderByExpr),
    Section(&'a SectionExpr),
    Lock(&'a LockExpr),
}

impl<'a> Clause<'a> {
    fn of(segment: &'a SqlSegment) -> Option<Self> {
        Some(match segment {
            SqlSegment::Where(node) => Clause::Where(node),
            SqlSegment::GroupBy(node) => Clause::GroupBy(node),
            SqlSegment::Having(node) => Clause::Having(node),
            SqlSegment::OrderBy(node) => Clause::OrderBy(node),
            SqlSegment::Section(node) => Clause::Section(node),
            SqlSegment::Lock(node) => Clause::Lock(node),
            _ => return None,
        })
    }

    fn source(self) -> Option<&'a SqlSegment> {
        match self {
            Clause::Where(node) => node.source.as_ref(),
            Clause::GroupBy(node) => node.source.as_ref(),
            Clause::Having(node) => node.source.as_ref(),
            Clause::OrderBy(node) => node.source.as_ref(),
            Clause::Section(node) => node.source.as_ref(),
            Clause::Lock(node) => node.source.as_ref(),
        }
    }
}

impl Text<'_, '_> {
    /// What stands one level below; what is too deep is left out.
    fn inner(&mut self, write: impl FnOnce(&mut Self) -> fmt::Result) -> fmt::Result {
        if self.level == LEVELS {
            return self.write_str("..");
        }
        self.level += 1;
        let written = write(self);
        self.level -= 1;
        written
    }

    fn parenthesized(&mut self, write: impl FnOnce(&mut Self) -> fmt::Result) -> fmt::Result {
        self.write_str("(")?;
        self.inner(write)?;
        self.write_str(")")
    }

    fn list<T>(
        &mut self,
        between: &str,
        items: impl IntoIterator<Item = T>,
        mut write: impl FnMut(&mut Self, T) -> fmt::Result,
    ) -> fmt::Result {
        for (index, item) in items.into_iter().enumerate() {
            if index > 0 {
                self.write_str(between)?;
            }
            write(self, item)?;
        }
        Ok(())
    }

    fn named(&mut self, alias: Option<&Name>) -> fmt::Result {
        alias.map_or(Ok(()), |alias| write!(self, " AS {alias}"))
    }

    fn value(&mut self, value: &ValueTypeExpr) -> fmt::Result {
        self.inner(|text| match value {
            ValueTypeExpr::Value(node) => text.plain(node),
            ValueTypeExpr::Property(node) => text.property(node),
            ValueTypeExpr::Unary(node) => text.unary(node),
            ValueTypeExpr::Binary(node) => text.binary(node),
            ValueTypeExpr::Function(node) => text.function(node),
            ValueTypeExpr::Set(node) => text.set(node),
            ValueTypeExpr::Case(node) => text.case(node),
            ValueTypeExpr::Cast(node) => text.cast(node),
            ValueTypeExpr::Window(node) => text.window(node),
            ValueTypeExpr::Query(node) => text.parenthesized(|text| text.segment(node)),
            ValueTypeExpr::Truth(node) => text.parenthesized(|text| text.logic(node)),
            ValueTypeExpr::Sql(node) => text.fragment(node),
        })
    }

    fn values(&mut self, values: &[ValueTypeExpr]) -> fmt::Result {
        self.list(", ", values, Self::value)
    }

    fn plain(&mut self, node: &ValueExpr) -> fmt::Result {
        write!(self, "{}", node.value)
    }

    fn property(&mut self, PropertyExpr { alias, name }: &PropertyExpr) -> fmt::Result {
        match alias {
            Some(alias) => write!(self, "{alias}.{name}"),
            None => write!(self, "{name}"),
        }
    }

    fn unary(&mut self, UnaryExpr { operator, operand }: &UnaryExpr) -> fmt::Result {
        self.write_str(match operator {
            UnaryOperator::Negative => "-",
            UnaryOperator::BitwiseNot => "~",
            UnaryOperator::Distinct => return self.write_str("DISTINCT ").and_then(|()| self.value(operand)),
        })?;
        match operand {
            ValueTypeExpr::Unary(_) | ValueTypeExpr::Binary(_) => self.parenthesized(|text| text.value(operand)),
            _ => self.value(operand),
        }
    }

    fn binary(&mut self, node: &ValueBinaryExpr) -> fmt::Result {
        let rank = |operator: ValueOperator| match operator {
            ValueOperator::Multiply | ValueOperator::Divide | ValueOperator::Modulo => 3,
            ValueOperator::Add | ValueOperator::Subtract => 2,
            ValueOperator::Concat => 1,
        };
        let side = |text: &mut Self, value: &ValueTypeExpr, least: u8| match value {
            ValueTypeExpr::Binary(inner) if rank(inner.operator) < least => {
                text.parenthesized(|text| text.value(value))
            }
            _ => text.value(value),
        };
        let own = rank(node.operator);
        side(self, &node.left, own)?;
        self.write_str(match node.operator {
            ValueOperator::Add => " + ",
            ValueOperator::Subtract => " - ",
            ValueOperator::Multiply => " * ",
            ValueOperator::Divide => " / ",
            ValueOperator::Modulo => " % ",
            ValueOperator::Concat => " || ",
        })?;
        side(self, &node.right, own + 1)
    }

    fn function(&mut self, node: &FunctionExpr) -> fmt::Result {
        write!(self, "{}(", node.name)?;
        if node.args.is_empty() && node.is_aggregate {
            self.write_str("*")?;
        }
        self.values(&node.args)?;
        self.order(" ORDER BY ", &node.order_by)?;
        self.write_str(")")?;
        match &node.filter {
            Some(filter) => {
                self.write_str(" FILTER (WHERE ")?;
                self.logic(filter)?;
                self.write_str(")")
            }
            None => Ok(()),
        }
    }

    fn set(&mut self, node: &ValueSet) -> fmt::Result {
        match node.join {
            ValueJoinType::List => self.parenthesized(|text| text.values(&node.items)),
            ValueJoinType::Concat => self.parenthesized(|text| text.list(" || ", &node.items, Self::value)),
            ValueJoinType::Blank => self.parenthesized(|text| text.list(" ", &node.items, Self::value)),
        }
    }

    fn case(&mut self, node: &CaseExpr) -> fmt::Result {
        self.write_str("CASE")?;
        for (condition, then) in &node.cases {
            self.write_str(" WHEN ")?;
            self.logic(condition)?;
            self.write_str(" THEN ")?;
            self.value(then)?;
        }
        if let Some(otherwise) = &node.otherwise {
            self.write_str(" ELSE ")?;
            self.value(otherwise)?;
        }
        self.write_str(" END")
    }

    fn cast(&mut self, node: &CastExpr) -> fmt::Result {
        self.write_str("CAST(")?;
        self.value(&node.value)?;
        write!(self, " AS {}{})", node.to.base.name(), if node.to.array { "[]" } else { "" })
    }

    fn window(&mut self, node: &WindowExpr) -> fmt::Result {
        self.function(&node.function)?;
        self.write_str(" OVER (")?;
        let mut blank = "";
        if !node.partition_by.is_empty() {
            self.write_str("PARTITION BY ")?;
            self.values(&node.partition_by)?;
            blank = " ";
        }
        if !node.order_by.is_empty() {
            self.write_str(blank)?;
            self.order("ORDER BY ", &node.order_by)?;
            blank = " ";
        }
        if let Some(frame) = &node.frame {
            self.write_str(blank)?;
            self.frame(frame)?;
        }
        self.write_str(")")
    }

    fn frame(&mut self, frame: &Frame) -> fmt::Result {
        self.write_str(match frame.unit {
            FrameUnit::Rows => "ROWS BETWEEN ",
            FrameUnit::Range => "RANGE BETWEEN ",
            FrameUnit::Groups => "GROUPS BETWEEN ",
        })?;
        self.bound(frame.start)?;
        self.write_str(" AND ")?;
        self.bound(frame.end)?;
        self.write_str(match frame.exclude {
            FrameExclude::NoOthers => "",
            FrameExclude::CurrentRow => " EXCLUDE CURRENT ROW",
            FrameExclude::Group => " EXCLUDE GROUP",
            FrameExclude::Ties => " EXCLUDE TIES",
        })
    }

    fn bound(&mut self, bound: FrameBound) -> fmt::Result {
        match bound {
            FrameBound::UnboundedPreceding => self.write_str("UNBOUNDED PRECEDING"),
            FrameBound::Preceding(rows) => write!(self, "{rows} PRECEDING"),
            FrameBound::CurrentRow => self.write_str("CURRENT ROW"),
            FrameBound::Following(rows) => write!(self, "{rows} FOLLOWING"),
            FrameBound::UnboundedFollowing => self.write_str("UNBOUNDED FOLLOWING"),
        }
    }

    /// A registered fragment has no text here, but its key and argument.
    fn fragment(&mut self, node: &GenericSqlExpr) -> fmt::Result {
        match &node.arg {
            Value::Null => write!(self, "[{}]", node.key),
            arg => write!(self, "[{}: {arg}]", node.key),
        }
    }

    fn logic(&mut self, logic: &LogicExpr) -> fmt::Result {
        self.inner(|text| match logic {
            LogicExpr::Binary(node) => text.comparison(node),
            LogicExpr::And(node) => text.and(node),
            LogicExpr::Or(node) => text.or(node),
            LogicExpr::Not(node) => text.not(node),
            LogicExpr::Foreign(node) => text.foreign(node),
            LogicExpr::Exists(node) => {
                text.write_str("EXISTS ")?;
                text.parenthesized(|text| text.segment(node))
            }
            LogicExpr::IsTrue(node) => text.value(node),
            LogicExpr::Sql(node) => text.fragment(node),
        })
    }

    fn comparison(&mut self, node: &LogicBinaryExpr) -> fmt::Result {
        use LogicOperator as O;
        self.value(&node.left)?;
        let null = matches!(&node.right, ValueTypeExpr::Value(value) if value.value.is_null());
        self.write_str(match node.operator {
            O::Equal if null => return self.write_str(" IS NULL"),
            O::NotEqual if null => return self.write_str(" IS NOT NULL"),
            O::Equal => " = ",
            O::NotEqual => " <> ",
            O::GreaterThan => " > ",
            O::GreaterThanOrEqual => " >= ",
            O::LessThan => " < ",
            O::LessThanOrEqual => " <= ",
            O::In => " IN ",
            O::NotIn => " NOT IN ",
            O::Like => " LIKE ",
            O::NotLike => " NOT LIKE ",
            O::ILike => " ILIKE ",
            O::NotILike => " NOT ILIKE ",
            O::Contains => " CONTAINS ",
            O::NotContains => " NOT CONTAINS ",
            O::StartsWith => " STARTS WITH ",
            O::NotStartsWith => " NOT STARTS WITH ",
            O::EndsWith => " ENDS WITH ",
            O::NotEndsWith => " NOT ENDS WITH ",
            O::IContains => " ICONTAINS ",
            O::NotIContains => " NOT ICONTAINS ",
            O::IStartsWith => " ISTARTS WITH ",
            O::NotIStartsWith => " NOT ISTARTS WITH ",
            O::IEndsWith => " IENDS WITH ",
            O::NotIEndsWith => " NOT IENDS WITH ",
            O::RegexpLike => " MATCHES ",
            O::NotRegexpLike => " NOT MATCHES ",
            O::IsDistinctFrom => " IS DISTINCT FROM ",
            O::IsNotDistinctFrom => " IS NOT DISTINCT FROM ",
        })?;
        self.value(&node.right)
    }

    fn and(&mut self, node: &AndExpr) -> fmt::Result {
        match &*node.items {
            [] => self.write_str("TRUE"),
            items => self.list(" AND ", items, |text, item| match item {
                LogicExpr::Or(or) if or.items.len() > 1 => text.parenthesized(|text| text.logic(item)),
                _ => text.logic(item),
            }),
        }
    }

    fn or(&mut self, node: &OrExpr) -> fmt::Result {
        match &*node.items {
            [] => self.write_str("FALSE"),
            items => self.list(" OR ", items, Self::logic),
        }
    }

    fn not(&mut self, node: &NotExpr) -> fmt::Result {
        self.write_str("NOT ")?;
        match &node.operand {
            LogicExpr::Foreign(_) | LogicExpr::Exists(_) | LogicExpr::Sql(_) => self.logic(&node.operand),
            operand => self.parenthesized(|text| text.logic(operand)),
        }
    }

    fn foreign(&mut self, node: &ForeignExpr) -> fmt::Result {
        self.write_str(if node.auto_related { "EXISTS RELATED " } else { "EXISTS " })?;
        write!(self, "{}", node.entity)?;
        self.args(node.table_args.iter())?;
        self.named(node.alias.as_ref())?;
        match &node.inner {
            Some(inner) => {
                self.write_str(" WITH ")?;
                self.parenthesized(|text| text.logic(inner))
            }
            None => Ok(()),
        }
    }

    fn args<'a>(&mut self, args: impl ExactSizeIterator<Item = &'a compact_str::CompactString>) -> fmt::Result {
        if args.len() == 0 {
            return Ok(());
        }
        self.write_str("[")?;
        self.list(", ", args, |text, arg| write!(text, "{}", Value::Text(arg.clone())))?;
        self.write_str("]")
    }

    fn segment(&mut self, segment: &SqlSegment) -> fmt::Result {
        self.inner(|text| match segment {
            SqlSegment::Select(node) => text.select(node),
            SqlSegment::Table(_) | SqlSegment::From(_) | SqlSegment::CommonTable(_) => {
                text.write_str("FROM ")?;
                text.source(Some(segment))
            }
            _ => text.chain(Some(segment)),
        })
    }

    /// A source and the clauses over it, however many there are.
    fn chain(&mut self, segment: Option<&SqlSegment>) -> fmt::Result {
        let mut clauses = Vec::new();
        let mut at = segment;
        while let Some(clause) = at.and_then(Clause::of) {
            clauses.push(clause);
            at = clause.source();
        }
        self.write_str("FROM ")?;
        self.source(at)?;
        clauses.into_iter().rev().try_for_each(|clause| self.clause(clause))
    }

    /// What stands behind FROM or JOIN.
    fn source(&mut self, source: Option<&SqlSegment>) -> fmt::Result {
        self.inner(|text| match source {
            None => text.write_str("the root"),
            Some(SqlSegment::Table(table)) => text.table(table),
            Some(SqlSegment::From(node)) => text.from(node),
            Some(SqlSegment::CommonTable(node)) => text.common_table(node),
            Some(SqlSegment::Select(node)) => {
                text.parenthesized(|text| text.select(node))?;
                text.named(node.alias.as_ref())
            }
            Some(other) => text.parenthesized(|text| text.chain(Some(other))),
        })
    }

    fn table(&mut self, node: &TableExpr) -> fmt::Result {
        write!(self, "{}", node.entity)?;
        self.args(node.table_args.iter())?;
        self.named(node.alias.as_ref())
    }

    fn from(&mut self, node: &FromExpr) -> fmt::Result {
        self.source(Some(&node.source))?;
        node.joins.iter().try_for_each(|join| self.write_str(" ").and_then(|()| self.join(join)))
    }

    fn join(&mut self, node: &TableJoinExpr) -> fmt::Result {
        self.write_str(match node.join_type {
            TableJoinType::Inner => "JOIN ",
            TableJoinType::Left => "LEFT JOIN ",
            TableJoinType::Right => "RIGHT JOIN ",
            TableJoinType::Full => "FULL JOIN ",
            TableJoinType::Cross => "CROSS JOIN ",
        })?;
        self.write_str(if node.lateral { "LATERAL " } else { "" })?;
        self.source(Some(&node.source))?;
        match &node.on {
            Some(on) => {
                self.write_str(" ON ")?;
                self.logic(on)
            }
            None => Ok(()),
        }
    }

    fn common_table(&mut self, node: &CommonTableExpr) -> fmt::Result {
        write!(self, "{}", node.alias)?;
        match &node.source {
            Some(select) => {
                self.write_str(" AS ")?;
                self.parenthesized(|text| text.select(select))
            }
            None => Ok(()),
        }
    }

    fn clause(&mut self, clause: Clause<'_>) -> fmt::Result {
        match clause {
            Clause::Where(node) => self.write_str(" WHERE ").and_then(|()| self.logic(&node.filter)),
            Clause::GroupBy(node) => self.write_str(" GROUP BY ").and_then(|()| self.values(&node.group_by)),
            Clause::Having(node) => self.write_str(" HAVING ").and_then(|()| self.logic(&node.having)),
            Clause::OrderBy(node) => self.order(" ORDER BY ", &node.order_by),
            Clause::Section(node) => {
                if let Some(take) = node.take {
                    write!(self, " LIMIT {take}")?;
                }
                if node.skip > 0 {
                    write!(self, " OFFSET {}", node.skip)?;
                }
                if node.after.is_empty() {
                    return Ok(());
                }
                self.write_str(" AFTER ")?;
                self.parenthesized(|text| text.list(", ", &node.after, Self::plain))
            }
            Clause::Lock(node) => {
                self.write_str(if node.mode == LockMode::Share { " FOR SHARE" } else { " FOR UPDATE" })?;
                self.write_str(match node.wait {
                    LockWait::Wait => "",
                    LockWait::NoWait => " NOWAIT",
                    LockWait::SkipLocked => " SKIP LOCKED",
                })
            }
        }
    }

    fn order(&mut self, before: &str, keys: &[OrderByItemExpr]) -> fmt::Result {
        if keys.is_empty() {
            return Ok(());
        }
        self.write_str(before)?;
        self.list(", ", keys, Self::key)
    }

    fn key(&mut self, key: &OrderByItemExpr) -> fmt::Result {
        self.value(&key.field)?;
        self.write_str(if key.ascending { "" } else { " DESC" })?;
        self.write_str(match key.nulls {
            Nulls::Default => "",
            Nulls::First => " NULLS FIRST",
            Nulls::Last => " NULLS LAST",
        })
    }

    fn select(&mut self, node: &SelectExpr) -> fmt::Result {
        self.write_str("SELECT ")?;
        match &node.distinct {
            Distinct::No => {}
            Distinct::Rows => self.write_str("DISTINCT ")?,
            Distinct::On(keys) => {
                self.write_str("DISTINCT ON (")?;
                self.values(keys)?;
                self.write_str(") ")?;
            }
        }
        if node.selects.is_empty() {
            self.write_str("*")?;
        }
        self.list(", ", &node.selects, Self::item)?;
        self.write_str(" ")?;
        self.chain(node.source.as_ref())?;
        node.next_selects.iter().try_for_each(|next| self.next(next))
    }

    fn next(&mut self, next: &NextSelect) -> fmt::Result {
        self.write_str(match next.set_type {
            SelectSetType::UnionAll => " UNION ALL ",
            SelectSetType::Union => " UNION ",
            SelectSetType::Intersect => " INTERSECT ",
            SelectSetType::Except => " EXCEPT ",
        })?;
        if next.select.next_selects.is_empty() {
            return self.inner(|text| text.select(&next.select));
        }
        self.parenthesized(|text| text.select(&next.select))
    }

    fn item(&mut self, node: &SelectItemExpr) -> fmt::Result {
        self.value(&node.value)?;
        self.named(node.alias.as_ref())
    }

    fn assignments(&mut self, sets: &[(Name, ValueTypeExpr)]) -> fmt::Result {
        self.list(", ", sets, |text, (name, value)| {
            write!(text, "{name} = ")?;
            text.value(value)
        })
    }

    fn insert(&mut self, node: &InsertExpr) -> fmt::Result {
        self.write_str("INSERT INTO ")?;
        self.table(&node.table)?;
        self.write_str(" (")?;
        self.list(", ", &node.columns, |text, name| write!(text, "{name}"))?;
        self.write_str(") ")?;
        let width = node.columns.len().max(1);
        match &node.source {
            InsertSource::Values(values) => {
                self.write_str("VALUES ")?;
                self.list(", ", values.chunks(width), |text, row| {
                    text.parenthesized(|text| text.list(", ", row, |text, value| write!(text, "{value}")))
                })?;
            }
            InsertSource::Exprs(values) => {
                self.write_str("VALUES ")?;
                self.list(", ", values.chunks(width), |text, row| text.parenthesized(|text| text.values(row)))?;
            }
            InsertSource::Query(query) => self.segment(query)?,
        }
        if let Some(conflict) = &node.conflict {
            self.write_str(" ON CONFLICT (")?;
            self.list(", ", &conflict.target, |text, name| write!(text, "{name}"))?;
            match &conflict.action {
                ConflictAction::DoNothing => self.write_str(") DO NOTHING")?,
                ConflictAction::UpdateAll => self.write_str(") DO UPDATE")?,
                ConflictAction::Update(sets) => {
                    self.write_str(") DO UPDATE SET ")?;
                    self.assignments(sets)?;
                }
            }
        }
        self.returning(&node.returning)
    }

    fn update(&mut self, node: &UpdateExpr) -> fmt::Result {
        self.write_str("UPDATE ")?;
        self.table(&node.table)?;
        self.write_str(" SET ")?;
        self.assignments(&node.sets)?;
        self.rows(node.filter.as_ref(), &node.returning)
    }

    fn delete(&mut self, node: &DeleteExpr) -> fmt::Result {
        self.write_str("DELETE FROM ")?;
        self.table(&node.table)?;
        self.rows(node.filter.as_ref(), &node.returning)
    }

    fn rows(&mut self, filter: Option<&LogicExpr>, returning: &[SelectItemExpr]) -> fmt::Result {
        if let Some(filter) = filter {
            self.write_str(" WHERE ")?;
            self.logic(filter)?;
        }
        self.returning(returning)
    }

    fn returning(&mut self, items: &[SelectItemExpr]) -> fmt::Result {
        if items.is_empty() {
            return Ok(());
        }
        self.write_str(" RETURNING ")?;
        self.list(", ", items, Self::item)
    }

    fn expr(&mut self, expr: &Expr) -> fmt::Result {
        match expr {
            Expr::Value(node) => self.value(node),
            Expr::Logic(node) => self.logic(node),
            Expr::Segment(node) => self.segment(node),
            Expr::SelectItem(node) => self.item(node),
            Expr::OrderByItem(node) => self.key(node),
            Expr::TableJoin(node) => self.join(node),
            Expr::Insert(node) => self.insert(node),
            Expr::Update(node) => self.update(node),
            Expr::Delete(node) => self.delete(node),
        }
    }

    /// A clause by itself: its source, and it.
    fn over(&mut self, clause: Clause<'_>) -> fmt::Result {
        self.chain(clause.source())?;
        self.clause(clause)
    }
}

macro_rules! display {
    ($($node:ident: |$text:ident, $this:ident| $write:expr;)*) => {$(
        /// A text like SQL, for people: names as the tree has them, values cut, of a tree of any depth and size the
        /// beginning. It is no SQL to run: compile the tree for that.
        impl fmt::Display for $node {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let $this = self;
                let mut text = Text { out: f, left: BYTES, full: false, level: 0 };
                let $text = &mut text;
                let written: fmt::Result = $write;
                if text.full { Ok(()) } else { written }
            }
        }
    )*};
}

display! {
    Expr: |text, this| text.expr(this);
    LogicExpr: |text, this| text.logic(this);
    ValueTypeExpr: |text, this| text.value(this);
    SqlSegment: |text, this| text.segment(this);
    SelectExpr: |text, this| text.select(this);
    ValueExpr: |text, this| text.plain(this);
    PropertyExpr: |text, this| text.property(this);
    UnaryExpr: |text, this| text.unary(this);
    ValueBinaryExpr: |text, this| text.binary(this);
    FunctionExpr: |text, this| text.function(this);
    ValueSet: |text, this| text.set(this);
    CaseExpr: |text, this| text.case(this);
    CastExpr: |text, this| text.cast(this);
    WindowExpr: |text, this| text.window(this);
    LogicBinaryExpr: |text, this| text.comparison(this);
    AndExpr: |text, this| text.and(this);
    OrExpr: |text, this| text.or(this);
    NotExpr: |text, this| text.not(this);
    ForeignExpr: |text, this| text.foreign(this);
    GenericSqlExpr: |text, this| text.fragment(this);
    TableExpr: |text, this| text.table(this);
    FromExpr: |text, this| text.from(this);
    TableJoinExpr: |text, this| text.join(this);
    WhereExpr: |text, this| text.over(Clause::Where(this));
    GroupByExpr: |text, this| text.over(Clause::GroupBy(this));
    HavingExpr: |text, this| text.over(Clause::Having(this));
    OrderByExpr: |text, this| text.over(Clause::OrderBy(this));
    SectionExpr: |text, this| text.over(Clause::Section(this));
    LockExpr: |text, this| text.over(Clause::Lock(this));
    OrderByItemExpr: |text, this| text.key(this);
    SelectItemExpr: |text, this| text.item(this);
    CommonTableExpr: |text, this| text.common_table(this);
    InsertExpr: |text, this| text.insert(this);
    UpdateExpr: |text, this| text.update(this);
    DeleteExpr: |text, this| text.delete(this);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::{ValueOps, count_all, cte, exists_related, from, prop, prop_of, table};

    #[test]
    fn a_tree_reads_like_sql() {
        let either = prop("Age").ge(18) & (prop("City").eq("Rome") | prop("Name").is_null());
        assert_eq!(either.to_string(), "Age >= 18 AND (City = 'Rome' OR Name IS NULL)");
        let not = !prop_of("d", "Name").starts_with("R'D") & exists_related("Dept", prop("Id").in_list([1, 2]));
        assert_eq!(not.to_string(), "NOT (d.Name STARTS WITH 'R''D') AND EXISTS RELATED Dept WITH (Id IN [1, 2])");
        let query = from("Order")
            .filter(prop("Total").gt(100))
            .group_by(["City"])
            .having(count_all().gt(3))
            .order_by([prop("City").desc().nulls_last()])
            .section(20, 10)
            .select([prop("City").into(), count_all().alias("n")]);
        assert_eq!(
            query.to_string(),
            "SELECT City, Count(*) AS n FROM Order WHERE Total > 100 GROUP BY City HAVING Count(*) > 3 \
             ORDER BY City DESC NULLS LAST LIMIT 10 OFFSET 20"
        );
        let sum = (prop("A") + 1) * prop("B") - (prop("C") - 2);
        assert_eq!(sum.to_string(), "(A + 1) * B - (C - 2)");
        let big = from("Order").select(["Id"]).with("big");
        let joined = big.join(TableJoinType::Left, cte("big").aliased("b"), prop_of("b", "Id").eq(prop("Id")));
        assert_eq!(
            joined.to_string(),
            "FROM big AS (SELECT Id FROM Order) LEFT JOIN (SELECT * FROM big) AS b ON b.Id = Id"
        );
        let update = table("User").update([("Points", prop("Points") + 1)]).filter(prop("Id").eq(7)).returning(["Id"]);
        assert_eq!(update.to_string(), "UPDATE User SET Points = Points + 1 WHERE Id = 7 RETURNING Id");
        let insert = table("User").insert_rows(["Id", "Name"], [(1, "Ann"), (2, "Bob")]).on_conflict_update(["Id"]);
        assert_eq!(
            insert.to_string(),
            "INSERT INTO User (Id, Name) VALUES (1, 'Ann'), (2, 'Bob') ON CONFLICT (Id) DO UPDATE"
        );
    }

    #[test]
    fn a_tree_of_any_size_is_cut() {
        let deep = || {
            let mut not = prop("A").eq(1);
            let mut chain = from("T");
            for _ in 0..1_000_000 {
                not = !not;
                chain = chain.skip(1);
            }
            assert!(not.to_string().len() < 1_000, "{not}");
            let chain = chain.to_string();
            assert!(chain.len() <= BYTES + 2 && chain.ends_with(".."), "{chain}");
            let wide = (0..1_000_000).map(|n| prop("A").ne(n)).collect::<OrExpr>().to_string();
            assert!(wide.starts_with("A <> 0 OR A <> 1 OR ") && wide.len() <= BYTES + 2, "{wide}");
        };
        std::thread::Builder::new().stack_size(512 * 1024).spawn(deep).unwrap().join().unwrap();
    }
}
