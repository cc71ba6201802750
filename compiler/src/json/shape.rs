//! What each node looks like in its canonical form: the one description that both writers follow.

use std::borrow::Cow;

use compact_str::CompactString;

use super::shape_plain::{plain, type_name, under_marker};
use super::words::{self, spell};
use crate::expr::{
    CaseExpr, CastExpr, CommonTableExpr, ConflictAction, DeleteExpr, Distinct, Expr, ForeignExpr, Frame, FrameBound,
    FrameExclude, FromExpr, FunctionExpr, GenericSqlExpr, GroupByExpr, HavingExpr, InsertExpr, InsertSource, LockExpr,
    LockWait, LogicBinaryExpr, LogicExpr, Name, NextSelect, Nulls, OnConflict, OrderByExpr, OrderByItemExpr,
    PropertyExpr, SectionExpr, SelectExpr, SelectItemExpr, SqlSegment, TableExpr, TableJoinExpr, TableJoinType,
    UnaryExpr, UpdateExpr, Value, ValueBinaryExpr, ValueExpr, ValueSet, ValueTypeExpr, WhereExpr, WindowExpr,
};

/// A part of a tree that is written.
#[derive(Clone, Copy)]
pub enum JsonPart<'a> {
    Null,
    Bool(bool),
    UInt(u64),
    Str(&'a str),
    /// The text of a value that is wrapped with its type.
    Wrapped(&'a Value),
    /// `Alias.Name`
    Dotted(&'a PropertyExpr),
    Plain(&'a Value),
    /// The entries of a dictionary that may have any keys.
    Entries(&'a [(CompactString, Value)]),
    Expr(&'a Expr),
    ValueType(&'a ValueTypeExpr),
    /// A value at a root, where it must not read as another node.
    RootValue(&'a ValueTypeExpr),
    Value(&'a ValueExpr),
    Property(&'a PropertyExpr),
    Unary(&'a UnaryExpr),
    Compute(&'a ValueBinaryExpr),
    Function(&'a FunctionExpr),
    Set(&'a ValueSet),
    Case(&'a CaseExpr),
    CaseArgs(&'a CaseExpr, usize),
    Cast(&'a CastExpr),
    CastArgs(&'a CastExpr, usize),
    TypeName(&'a CastExpr),
    Window(&'a WindowExpr),
    Frame(&'a Frame),
    Bound(FrameBound),
    Logic(&'a LogicExpr),
    Comparison(&'a LogicBinaryExpr),
    And(&'a [LogicExpr]),
    Or(&'a [LogicExpr]),
    Not(&'a LogicExpr),
    Foreign(&'a ForeignExpr),
    Exists(&'a SqlSegment),
    IsTrue(&'a ValueTypeExpr),
    Truth(&'a LogicExpr),
    Sql(&'a GenericSqlExpr),
    Segment(&'a SqlSegment),
    /// The source of a clause.
    Source(&'a Option<SqlSegment>),
    Table(&'a TableExpr),
    From(&'a FromExpr),
    Join(&'a TableJoinExpr),
    Where(&'a WhereExpr),
    GroupBy(&'a GroupByExpr),
    Having(&'a HavingExpr),
    OrderBy(&'a OrderByExpr),
    OrderItem(&'a OrderByItemExpr, bool),
    Section(&'a SectionExpr),
    Lock(&'a LockExpr),
    Select(&'a SelectExpr),
    Next(&'a NextSelect),
    SelectItem(&'a SelectItemExpr, bool),
    CommonTable(&'a CommonTableExpr),
    Insert(&'a InsertExpr),
    Conflict(&'a OnConflict),
    Assignment(&'a (Name, ValueTypeExpr)),
    Assignments(&'a [(Name, ValueTypeExpr)]),
    ConflictUpdate(&'a [(Name, ValueTypeExpr)]),
    Update(&'a UpdateExpr),
    Delete(&'a DeleteExpr),
    ValueTypes(&'a [ValueTypeExpr]),
    Logics(&'a [LogicExpr]),
    Plains(&'a [Value]),
    Values(&'a [ValueExpr]),
    Names(&'a [Name]),
    Strings(&'a [CompactString]),
    OrderItems(&'a [OrderByItemExpr]),
    SelectItems(&'a [SelectItemExpr]),
    Joins(&'a [TableJoinExpr]),
    Nexts(&'a [NextSelect]),
    PlainRows(&'a [Value], usize),
    ExprRows(&'a [ValueTypeExpr], usize),
}

/// What a part is in JSON.
#[allow(clippy::large_enum_variant, reason = "it lives on the stack, for one step")]
pub(super) enum JsonShape<'a> {
    Null,
    Bool(bool),
    Int(i64),
    UInt(u64),
    Float(f64),
    Str(Cow<'a, str>),
    Object(Fields<'a>),
    /// A common table expression, defined here or before: [`WrittenCtes`] knows.
    Definition(&'a CommonTableExpr),
    Entries(&'a [(CompactString, Value)]),
    /// Its items are taken by [`JsonPart::next_item`].
    List(JsonPart<'a>),
}

/// The fields of an object, in their order.
pub(super) struct Fields<'a> {
    fields: [(&'a str, JsonPart<'a>); 6],
    count: usize,
}

impl<'a> Fields<'a> {
    pub(super) fn new(key: &'a str, part: JsonPart<'a>) -> Self {
        let mut fields = Self { fields: [("", JsonPart::Null); 6], count: 0 };
        fields.push(key, part);
        fields
    }

    fn push(&mut self, key: &'a str, part: JsonPart<'a>) {
        debug_assert!(self.count < self.fields.len(), "no node has more fields");
        if let Some(field) = self.fields.get_mut(self.count) {
            *field = (key, part);
            self.count += 1;
        }
    }

    fn with(mut self, key: &'a str, part: JsonPart<'a>) -> Self {
        self.push(key, part);
        self
    }

    fn with_if(self, condition: bool, key: &'a str, part: JsonPart<'a>) -> Self {
        if condition { self.with(key, part) } else { self }
    }

    fn with_some<T>(self, key: &'a str, value: &'a Option<T>, part: impl FnOnce(&'a T) -> JsonPart<'a>) -> Self {
        match value {
            Some(value) => self.with(key, part(value)),
            None => self,
        }
    }

    pub(super) fn as_slice(&self) -> &[(&'a str, JsonPart<'a>)] {
        self.fields.get(..self.count).unwrap_or_default()
    }
}

/// The common table expressions that have been written.
#[derive(Default)]
pub(super) struct WrittenCtes<'a>(Vec<&'a CommonTableExpr>);

impl<'a> WrittenCtes<'a> {
    /// What a part is, where a definition that stands before it already is a reference to that.
    pub(super) fn shape(&mut self, part: JsonPart<'a>) -> JsonShape<'a> {
        let node = match part.shape() {
            JsonShape::Definition(node) => node,
            other => return other,
        };
        let mut named = self.0.iter().filter(|seen| seen.alias == node.alias).peekable();
        if named.peek().is_some() && named.all(|seen| seen.source == node.source) {
            return JsonShape::Object(Fields::new("$cte", JsonPart::Str(node.alias.as_str())));
        }
        self.0.push(node);
        JsonShape::Object(JsonPart::CommonTable(node).fields())
    }
}

impl<'a> JsonPart<'a> {
    fn shape(self) -> JsonShape<'a> {
        use JsonPart as P;
        match self {
            P::Null => JsonShape::Null,
            P::Bool(b) => JsonShape::Bool(b),
            P::UInt(n) => JsonShape::UInt(n),
            P::Str(text) => JsonShape::Str(text.into()),
            P::Wrapped(value) => under_marker(value),
            P::Dotted(property) => JsonShape::Str(dotted(property)),
            P::Plain(value) => plain(value),
            P::Entries(entries) => JsonShape::Entries(entries),
            P::Expr(expr) => root(expr).shape(),
            P::RootValue(value @ (ValueTypeExpr::Query(_) | ValueTypeExpr::Sql(_))) => {
                JsonShape::Object(Fields::new("$", P::Str("value")).with("Value", P::ValueType(value)))
            }
            P::RootValue(value) | P::ValueType(value) => value_type(value).shape(),
            P::Logic(logic) => logic_part(logic).shape(),
            P::Segment(segment) => segment_part(segment).shape(),
            P::Source(None) => JsonShape::Null,
            P::Source(Some(segment)) => segment_part(segment).shape(),
            P::Value(ValueExpr { value: Value::Map(entries), is_const: true }) => {
                JsonShape::Object(Fields::new("$map", P::Entries(entries)))
            }
            P::Value(ValueExpr { value, is_const: true }) => plain(value),
            P::Value(ValueExpr { value, .. }) => JsonShape::Object(Fields::new("@", P::Plain(value))),
            P::Bound(bound) => bound_shape(bound),
            P::CommonTable(CommonTableExpr { source: None, alias }) => {
                JsonShape::Object(Fields::new("$cte", P::Str(alias.as_str())))
            }
            P::CommonTable(node) => JsonShape::Definition(node),
            P::CaseArgs(..) | P::CastArgs(..) | P::ValueTypes(_) | P::Logics(_) | P::Plains(_) | P::Values(_) => {
                JsonShape::List(self)
            }
            P::Names(_) | P::Strings(_) | P::OrderItems(_) | P::SelectItems(_) | P::Joins(_) | P::Nexts(_) => {
                JsonShape::List(self)
            }
            P::PlainRows(..) | P::ExprRows(..) | P::Assignments(_) => JsonShape::List(self),
            P::TypeName(cast) => JsonShape::Str(type_name(cast)),
            other => JsonShape::Object(other.fields()),
        }
    }

    fn fields(self) -> Fields<'a> {
        use JsonPart as P;
        match self {
            P::Property(node) => Fields::new("#", P::Dotted(node)),
            P::Unary(node) => Fields::new("$", P::Str("unary"))
                .with(spell(words::UNARY_OPERATORS, node.operator), P::ValueType(&node.operand)),
            P::Compute(node) => Fields::new("$", P::Str(spell(words::VALUE_OPERATORS, node.operator)))
                .with("Left", P::ValueType(&node.left))
                .with("Right", P::ValueType(&node.right)),
            P::Function(node) => function(node),
            P::Set(node) => {
                Fields::new("$", P::Str("set")).with(spell(words::VALUE_JOINS, node.join), P::ValueTypes(&node.items))
            }
            P::Case(node) => Fields::new("$", P::Str("func")).with("CASE", P::CaseArgs(node, 0)),
            P::Cast(node) => Fields::new("$", P::Str("func")).with("CAST", P::CastArgs(node, 0)),
            P::Window(node) => Fields::new("$", P::Str("over"))
                .with("Func", P::Function(&node.function))
                .with_if(!node.partition_by.is_empty(), "PartitionBy", P::ValueTypes(&node.partition_by))
                .with_if(!node.order_by.is_empty(), "OrderBy", P::OrderItems(&node.order_by))
                .with_some("Frame", &node.frame, P::Frame),
            P::Frame(frame) => Fields::new("Unit", P::Str(spell(words::FRAME_UNITS, frame.unit)))
                .with("Start", P::Bound(frame.start))
                .with("End", P::Bound(frame.end))
                .with_if(
                    frame.exclude != FrameExclude::NoOthers,
                    "Exclude",
                    P::Str(spell(words::FRAME_EXCLUDES, frame.exclude)),
                ),
            P::Comparison(node) => Fields::new("$", P::Str(node.operator.sign()))
                .with("Left", P::ValueType(&node.left))
                .with("Right", P::ValueType(&node.right)),
            P::And(items) => Fields::new("$and", P::Logics(items)),
            P::Or(items) => Fields::new("$or", P::Logics(items)),
            P::Not(operand) => Fields::new("!", P::Logic(operand)),
            P::Exists(query) => Fields::new("$exists", P::Segment(query)),
            P::IsTrue(value) => Fields::new("$istrue", P::ValueType(value)),
            P::Truth(logic) => Fields::new("$truth", P::Logic(logic)),
            P::Foreign(node) => Fields::new("$foreign", P::Str(node.entity.as_str()))
                .with_some("Alias", &node.alias, |alias| P::Str(alias.as_str()))
                .with_if(node.auto_related, "AutoRelated", P::Bool(true))
                .with_some("InnerExpr", &node.inner, P::Logic)
                .with_if(!node.table_args.is_empty(), "TableArgs", P::Strings(&node.table_args)),
            P::Sql(node) => Fields::new("$", P::Str("sql")).with("Key", P::Str(node.key.as_str())).with_if(
                !node.arg.is_null(),
                "Arg",
                P::Plain(&node.arg),
            ),
            P::Insert(node) => insert(node),
            P::Conflict(node) => conflict(node),
            P::Assignment((name, value)) => Fields::new(name.as_str(), P::ValueType(value)),
            P::ConflictUpdate(sets) => Fields::new("Update", P::Assignments(sets)),
            P::Update(node) => Fields::new("$update", P::Table(&node.table))
                .with("Sets", P::Assignments(&node.sets))
                .with_some("Where", &node.filter, P::Logic)
                .with_if(node.all_rows, "AllRows", P::Bool(true))
                .with_if(!node.returning.is_empty(), "Returning", P::SelectItems(&node.returning)),
            P::Delete(node) => Fields::new("$delete", P::Table(&node.table))
                .with_some("Where", &node.filter, P::Logic)
                .with_if(node.all_rows, "AllRows", P::Bool(true))
                .with_if(!node.returning.is_empty(), "Returning", P::SelectItems(&node.returning)),
            other => other.segment_fields(),
        }
    }

    fn segment_fields(self) -> Fields<'a> {
        use JsonPart as P;
        match self {
            P::Table(node) => Fields::new("$table", P::Str(node.entity.as_str()))
                .with_if(!node.table_args.is_empty(), "TableArgs", P::Strings(&node.table_args))
                .with_some("Alias", &node.alias, |alias| P::Str(alias.as_str())),
            P::From(node) => Fields::new("$from", P::Segment(&node.source)).with("Joins", P::Joins(&node.joins)),
            P::Join(node) => Fields::new("$join", P::Segment(&node.source))
                .with_some("On", &node.on, P::Logic)
                .with_if(
                    node.join_type != TableJoinType::Left,
                    "JoinType",
                    P::Str(spell(words::TABLE_JOINS, node.join_type)),
                )
                .with_if(node.lateral, "Lateral", P::Bool(true)),
            P::Where(node) => Fields::new("$where", P::Source(&node.source)).with("Where", P::Logic(&node.filter)),
            P::GroupBy(node) => {
                Fields::new("$group", P::Source(&node.source)).with("GroupBys", P::ValueTypes(&node.group_by))
            }
            P::Having(node) => Fields::new("$having", P::Source(&node.source)).with("Having", P::Logic(&node.having)),
            P::OrderBy(node) => {
                Fields::new("$orderby", P::Source(&node.source)).with("OrderBys", P::OrderItems(&node.order_by))
            }
            P::OrderItem(node, alone) => {
                let field = P::ValueType(&node.field);
                let fields = if alone {
                    Fields::new("$", P::Str("orderbyitem")).with("Field", field)
                } else {
                    Fields::new("Field", field)
                };
                fields.with_if(alone || !node.ascending, "Asc", P::Bool(node.ascending)).with_if(
                    node.nulls != Nulls::Default,
                    "Nulls",
                    P::Str(spell(words::NULLS, node.nulls)),
                )
            }
            P::Section(node) => Fields::new("$section", P::Source(&node.source))
                .with_if(node.skip > 0, "Skip", P::UInt(node.skip))
                .with_if(node.take.unwrap_or_default() > 0, "Take", P::UInt(node.take.unwrap_or_default()))
                .with_if(node.take == Some(0), "NoRows", P::Bool(true))
                .with_if(!node.after.is_empty(), "After", P::Values(&node.after)),
            P::Lock(node) => Fields::new("$lock", P::Source(&node.source))
                .with("Mode", P::Str(spell(words::LOCK_MODES, node.mode)))
                .with_if(node.wait != LockWait::Wait, "Wait", P::Str(spell(words::LOCK_WAITS, node.wait))),
            P::Select(node) => select(Fields::new("$select", P::Source(&node.source)), node),
            P::Next(node) => select(
                Fields::new("SetType", P::Str(spell(words::SET_TYPES, node.set_type)))
                    .with("$select", P::Source(&node.select.source)),
                &node.select,
            ),
            P::SelectItem(node, alone) => {
                let mut fields = Fields { fields: [("", P::Null); 6], count: 0 };
                if alone {
                    fields.push("$", P::Str("selectitem"));
                }
                fields
                    .with_some("Alias", &node.alias, |alias| P::Str(alias.as_str()))
                    .with("Value", P::ValueType(&node.value))
            }
            P::CommonTable(CommonTableExpr { source: Some(source), alias }) => {
                Fields::new("$cte", P::Select(source)).with("Alias", P::Str(alias.as_str()))
            }
            // Every other part is no object.
            _ => Fields { fields: [("", P::Null); 6], count: 0 },
        }
    }

    /// The first item of a list, and the list without it.
    pub(super) fn next_item(self) -> Option<(JsonPart<'a>, JsonPart<'a>)> {
        use JsonPart as P;
        Some(match self {
            P::ValueTypes(list) => list.split_first().map(|(item, rest)| (P::ValueType(item), P::ValueTypes(rest)))?,
            P::Logics(list) => list.split_first().map(|(item, rest)| (P::Logic(item), P::Logics(rest)))?,
            P::Plains(list) => list.split_first().map(|(item, rest)| (P::Plain(item), P::Plains(rest)))?,
            P::Values(list) => list.split_first().map(|(item, rest)| (P::Value(item), P::Values(rest)))?,
            P::Names(list) => list.split_first().map(|(item, rest)| (P::Str(item.as_str()), P::Names(rest)))?,
            P::Strings(list) => list.split_first().map(|(item, rest)| (P::Str(item), P::Strings(rest)))?,
            P::OrderItems(list) => {
                list.split_first().map(|(item, rest)| (P::OrderItem(item, false), P::OrderItems(rest)))?
            }
            P::SelectItems(list) => {
                list.split_first().map(|(item, rest)| (P::SelectItem(item, false), P::SelectItems(rest)))?
            }
            P::Joins(list) => list.split_first().map(|(item, rest)| (P::Join(item), P::Joins(rest)))?,
            P::Nexts(list) => list.split_first().map(|(item, rest)| (P::Next(item), P::Nexts(rest)))?,
            P::Assignments(list) => {
                list.split_first().map(|(item, rest)| (P::Assignment(item), P::Assignments(rest)))?
            }
            P::CaseArgs(case, at) => (case_arg(case, at)?, P::CaseArgs(case, at + 1)),
            P::CastArgs(cast, 0) => (P::ValueType(&cast.value), P::CastArgs(cast, 1)),
            P::CastArgs(cast, 1) => (P::TypeName(cast), P::CastArgs(cast, 2)),
            P::PlainRows(values, width) if !values.is_empty() => {
                let (row, rest) = values.split_at(width.clamp(1, values.len()));
                (P::Plains(row), P::PlainRows(rest, width))
            }
            P::ExprRows(values, width) if !values.is_empty() => {
                let (row, rest) = values.split_at(width.clamp(1, values.len()));
                (P::ValueTypes(row), P::ExprRows(rest, width))
            }
            _ => return None,
        })
    }
}

fn root(expr: &Expr) -> JsonPart<'_> {
    match expr {
        Expr::Value(node) => JsonPart::RootValue(node),
        Expr::Logic(node) => JsonPart::Logic(node),
        Expr::Segment(node) => JsonPart::Segment(node),
        Expr::SelectItem(node) => JsonPart::SelectItem(node, true),
        Expr::OrderByItem(node) => JsonPart::OrderItem(node, true),
        Expr::TableJoin(node) => JsonPart::Join(node),
        Expr::Insert(node) => JsonPart::Insert(node),
        Expr::Update(node) => JsonPart::Update(node),
        Expr::Delete(node) => JsonPart::Delete(node),
    }
}

fn value_type(value: &ValueTypeExpr) -> JsonPart<'_> {
    match value {
        ValueTypeExpr::Value(node) => JsonPart::Value(node),
        ValueTypeExpr::Property(node) => JsonPart::Property(node),
        ValueTypeExpr::Unary(node) => JsonPart::Unary(node),
        ValueTypeExpr::Binary(node) => JsonPart::Compute(node),
        ValueTypeExpr::Function(node) => JsonPart::Function(node),
        ValueTypeExpr::Set(node) => JsonPart::Set(node),
        ValueTypeExpr::Case(node) => JsonPart::Case(node),
        ValueTypeExpr::Cast(node) => JsonPart::Cast(node),
        ValueTypeExpr::Window(node) => JsonPart::Window(node),
        ValueTypeExpr::Query(node) => JsonPart::Segment(node),
        ValueTypeExpr::Truth(node) => JsonPart::Truth(node),
        ValueTypeExpr::Sql(node) => JsonPart::Sql(node),
    }
}

fn logic_part(logic: &LogicExpr) -> JsonPart<'_> {
    match logic {
        LogicExpr::Binary(node) => JsonPart::Comparison(node),
        LogicExpr::And(node) => JsonPart::And(&node.items),
        LogicExpr::Or(node) => JsonPart::Or(&node.items),
        LogicExpr::Not(node) => JsonPart::Not(&node.operand),
        LogicExpr::Foreign(node) => JsonPart::Foreign(node),
        LogicExpr::Exists(node) => JsonPart::Exists(node),
        LogicExpr::IsTrue(node) => JsonPart::IsTrue(node),
        LogicExpr::Sql(node) => JsonPart::Sql(node),
    }
}

fn segment_part(segment: &SqlSegment) -> JsonPart<'_> {
    match segment {
        SqlSegment::Table(node) => JsonPart::Table(node),
        SqlSegment::From(node) => JsonPart::From(node),
        SqlSegment::Where(node) => JsonPart::Where(node),
        SqlSegment::GroupBy(node) => JsonPart::GroupBy(node),
        SqlSegment::Having(node) => JsonPart::Having(node),
        SqlSegment::OrderBy(node) => JsonPart::OrderBy(node),
        SqlSegment::Section(node) => JsonPart::Section(node),
        SqlSegment::Lock(node) => JsonPart::Lock(node),
        SqlSegment::Select(node) => JsonPart::Select(node),
        SqlSegment::CommonTable(node) => JsonPart::CommonTable(node),
    }
}

/// `{"$":"func","NAME":[..]}`; a name that is a key of the node itself needs the long form.
fn function(node: &FunctionExpr) -> Fields<'_> {
    let (name, args) = (node.name.as_str(), JsonPart::ValueTypes(&node.args));
    let fields = Fields::new("$", JsonPart::Str("func"));
    let fields = if words::FUNCTION_KEYS.contains(&name) {
        fields.with("FunctionName", JsonPart::Str(name)).with("Args", args)
    } else {
        fields.with(name, args)
    };
    fields
        .with_if(node.is_aggregate, "IsAggregate", JsonPart::Bool(true))
        .with_some("Filter", &node.filter, JsonPart::Logic)
        .with_if(!node.order_by.is_empty(), "OrderBy", JsonPart::OrderItems(&node.order_by))
}

fn select<'a>(fields: Fields<'a>, node: &'a SelectExpr) -> Fields<'a> {
    let fields = fields.with("Selects", JsonPart::SelectItems(&node.selects));
    match &node.distinct {
        Distinct::No => fields,
        Distinct::Rows => fields.with("Distinct", JsonPart::Bool(true)),
        Distinct::On(keys) => fields.with("Distinct", JsonPart::ValueTypes(keys)),
    }
    .with_if(!node.next_selects.is_empty(), "Next", JsonPart::Nexts(&node.next_selects))
    .with_some("As", &node.alias, |alias| JsonPart::Str(alias.as_str()))
}

fn insert(node: &InsertExpr) -> Fields<'_> {
    let fields = Fields::new("$insert", JsonPart::Table(&node.table)).with("Columns", JsonPart::Names(&node.columns));
    let width = node.columns.len();
    match &node.source {
        InsertSource::Values(values) => fields.with("Values", JsonPart::PlainRows(values, width)),
        InsertSource::Exprs(values) => fields.with("Rows", JsonPart::ExprRows(values, width)),
        InsertSource::Query(query) => fields.with("Query", JsonPart::Segment(query)),
    }
    .with_some("Conflict", &node.conflict, JsonPart::Conflict)
    .with_if(!node.returning.is_empty(), "Returning", JsonPart::SelectItems(&node.returning))
}

fn conflict(node: &OnConflict) -> Fields<'_> {
    let action = match &node.action {
        ConflictAction::DoNothing => JsonPart::Str("DoNothing"),
        ConflictAction::UpdateAll => JsonPart::Str("UpdateAll"),
        ConflictAction::Update(sets) => JsonPart::ConflictUpdate(sets),
    };
    if node.target.is_empty() {
        Fields::new("Action", action)
    } else {
        Fields::new("Target", JsonPart::Names(&node.target)).with("Action", action)
    }
}

fn case_arg(case: &CaseExpr, at: usize) -> Option<JsonPart<'_>> {
    match case.cases.get(at / 2) {
        Some((condition, _)) if at.is_multiple_of(2) => Some(JsonPart::Logic(condition)),
        Some((_, value)) => Some(JsonPart::ValueType(value)),
        None if at == case.cases.len() * 2 => case.otherwise.as_ref().map(JsonPart::ValueType),
        None => None,
    }
}

fn bound_shape<'a>(bound: FrameBound) -> JsonShape<'a> {
    match bound {
        FrameBound::UnboundedPreceding => JsonShape::Str("UnboundedPreceding".into()),
        FrameBound::CurrentRow => JsonShape::Str("CurrentRow".into()),
        FrameBound::UnboundedFollowing => JsonShape::Str("UnboundedFollowing".into()),
        FrameBound::Preceding(rows) => JsonShape::Object(Fields::new("Preceding", JsonPart::UInt(rows.into()))),
        FrameBound::Following(rows) => JsonShape::Object(Fields::new("Following", JsonPart::UInt(rows.into()))),
    }
}

fn dotted(property: &PropertyExpr) -> Cow<'_, str> {
    match &property.alias {
        None => property.name.as_str().into(),
        Some(alias) => format!("{alias}.{}", property.name).into(),
    }
}
