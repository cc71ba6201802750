//! `Display` of nodes: a text like SQL, for people who read a log.

mod query;

use std::fmt::{self, Write};

use query::Clause;

use crate::expr::{
    AndExpr, CaseExpr, CastExpr, CommonTableExpr, DeleteExpr, Expr, ForeignExpr, Frame, FrameBound, FrameExclude,
    FrameUnit, FromExpr, FunctionExpr, GenericSqlExpr, GroupByExpr, HavingExpr, InsertExpr, LockExpr, LogicBinaryExpr,
    LogicExpr, LogicOperator, Name, NotExpr, OrExpr, OrderByExpr, OrderByItemExpr, PropertyExpr, SectionExpr,
    SelectExpr, SelectItemExpr, SqlSegment, TableExpr, TableJoinExpr, UnaryExpr, UnaryOperator, UpdateExpr, Value,
    ValueBinaryExpr, ValueExpr, ValueJoinType, ValueOperator, ValueSet, ValueTypeExpr, WhereExpr, WindowExpr,
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
    use crate::expr::{TableJoinType, ValueOps, count_all, cte, exists_related, from, prop, prop_of, table};
    use crate::tests::{MILLION, levels, on_small_stack};

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
        on_small_stack(|| {
            let mut not = prop("A").eq(1);
            let mut chain = from("T");
            for _ in 0..levels(MILLION) {
                not = !not;
                chain = chain.skip(1);
            }
            assert!(not.to_string().len() < 1_000, "{not}");
            let chain = chain.to_string();
            assert!(chain.len() <= BYTES + 2 && chain.ends_with(".."), "{chain}");
            let wide = (0..levels(MILLION)).map(|n| prop("A").ne(n as i64)).collect::<OrExpr>().to_string();
            assert!(wide.starts_with("A <> 0 OR A <> 1 OR ") && wide.len() <= BYTES + 2, "{wide}");
        });
    }
}
