//! Random trees whose names are real and whose types are anything: the compiler takes what has a meaning, refuses the
//! rest, and leaves nothing for an engine to refuse.

use isogloss_compiler::expr::{
    AndExpr, CaseExpr, CastExpr, CommonTableExpr, DbType, DbValueType, Decimal, DeleteExpr, Distinct, Expr, Frame,
    FrameBound, FrameExclude, FrameUnit, FromExpr, FunctionExpr, GroupByExpr, HavingExpr, LockExpr, LockMode, LockWait,
    LogicBinaryExpr, LogicExpr, LogicOperator, NextSelect, NotExpr, Nulls, OrExpr, OrderByExpr, OrderByItemExpr,
    SectionExpr, SelectExpr, SelectItemExpr, SelectSetType, SqlSegment, TableJoinExpr, TableJoinType, UnaryExpr,
    UnaryOperator, UpdateExpr, Value, ValueBinaryExpr, ValueExpr, ValueJoinType, ValueOperator, ValueSet,
    ValueTypeExpr, WhereExpr, WindowExpr, exists, exists_related, from, prop, prop_of, table,
};
use isogloss_compiler::functions::{ArgKind, Class, Func};

use super::Choices;

const ENTITIES: &[&str] = &["Order", "OrderView", "Customer", "Product", "User", "Department", "Region"];

const COLUMNS: &[(&str, &[&str])] = &[
    (
        "Order",
        &[
            "Id",
            "Qty",
            "Amount",
            "Note",
            "OrderNo",
            "Status",
            "Paid",
            "CreatedTime",
            "ShipDate",
            "UpdatedTime",
            "Token",
            "Data",
            "CustomerId",
        ],
    ),
    ("OrderView", &["Id", "Qty", "Amount", "Note", "Paid", "ShipDate", "CustomerName", "CustomerCity"]),
    ("Customer", &["Id", "Name", "City", "Tier", "CreditLimit", "Active", "Birthday"]),
    ("Product", &["Id", "Name", "Price", "Weight", "CategoryId"]),
    ("User", &["Id", "Name", "Age", "Email", "IsAdmin", "DeptId"]),
    ("Department", &["Id", "Name", "ParentId"]),
    ("Region", &["Id", "Name", "Code", "ParentId"]),
];

/// A random statement.
pub fn garbage(choices: &mut Choices<'_>) -> Expr {
    let mut maker = Maker { choices, tables: Vec::new() };
    match maker.choices.below(12) {
        0 => {
            let entity = "Region";
            maker.tables.push((None, columns_of(entity)));
            let sets = vec![("Name".into(), maker.value(2)), ("ParentId".into(), maker.value(2))];
            let filter = Some(maker.logic(3));
            UpdateExpr { table: table(entity), sets, filter, all_rows: true, returning: Vec::new() }.into()
        }
        1 => {
            let entity = maker.choices.pick(&["Region", "Customer", "Product"]);
            maker.tables.push((None, columns_of(entity)));
            let filter = Some(maker.logic(3));
            DeleteExpr { table: table(entity), filter, all_rows: true, returning: Vec::new() }.into()
        }
        _ => Expr::Segment(maker.query(3)),
    }
}

fn columns_of(entity: &str) -> Vec<String> {
    let found = COLUMNS.iter().find(|(name, _)| *name == entity);
    found.map(|(_, columns)| columns.iter().map(|c| (*c).to_owned()).collect()).unwrap_or_default()
}

struct Maker<'m, 'c> {
    choices: &'m mut Choices<'c>,
    /// The tables in scope, the innermost last: an alias if it has one, and columns.
    tables: Vec<(Option<String>, Vec<String>)>,
}

impl Maker<'_, '_> {
    fn below(&mut self, count: usize) -> usize {
        self.choices.below(count)
    }

    fn some<T>(&mut self, most: usize, mut make: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let count = self.below(most + 1);
        (0..count).map(|_| make(self)).collect()
    }

    fn boxed(segment: SqlSegment) -> Option<SqlSegment> {
        Some(segment)
    }

    /// A source: a table, or a derived table, or a common one.
    fn source(&mut self, depth: usize) -> SqlSegment {
        let kind = if depth == 0 { 0 } else { self.below(8) };
        match kind {
            1 => {
                let (select, names) = self.select(depth - 1, None);
                let alias = self.choices.alias();
                self.tables.push((Some(alias.clone()), names));
                SelectExpr { alias: Some(alias.into()), ..select }.into()
            }
            2 => {
                let (select, names) = self.select(depth - 1, None);
                let alias = self.choices.alias();
                self.tables.push((None, names));
                CommonTableExpr { source: Some(select), alias: alias.into() }.into()
            }
            _ => {
                let entity = self.choices.pick(ENTITIES);
                let alias = (self.below(3) == 1).then(|| self.choices.alias());
                self.tables.push((alias.clone(), columns_of(entity)));
                match alias {
                    Some(alias) => from(entity).aliased(alias),
                    None => from(entity),
                }
            }
        }
    }

    /// Clauses over a source.
    fn chain(&mut self, depth: usize) -> SqlSegment {
        let mut segment = self.source(depth);
        if self.below(6) == 1 {
            let source = self.source(depth.saturating_sub(1));
            let on = (self.below(4) > 0).then(|| self.logic(2));
            let kinds = [TableJoinType::Left, TableJoinType::Inner, TableJoinType::Cross, TableJoinType::Full];
            let join_type = kinds.get(self.below(4)).copied().unwrap_or(TableJoinType::Left);
            let on = if join_type == TableJoinType::Cross { None } else { on };
            let join = TableJoinExpr { source, on, join_type, lateral: self.below(10) == 1 };
            segment = FromExpr { source: segment, joins: vec![join] }.into();
        }
        for _ in 0..self.below(4) {
            let source = Self::boxed(segment);
            segment = match self.below(9) {
                0 | 1 => WhereExpr { source, filter: self.logic(3) }.into(),
                2 | 3 => {
                    let order_by = self.some(2, |maker| maker.key(2));
                    OrderByExpr { source, order_by }.into()
                }
                4 => {
                    let group_by = self.some(2, |maker| maker.value(1));
                    GroupByExpr { source, group_by }.into()
                }
                5 => HavingExpr { source, having: self.logic(2) }.into(),
                6 => SectionExpr { source, skip: 0, take: Some(3), after: Vec::new() }.into(),
                7 => SectionExpr { source, skip: 2, take: Some(1), after: Vec::new() }.into(),
                _ => {
                    let mode = if self.below(2) == 0 { LockMode::Update } else { LockMode::Share };
                    LockExpr { source, mode, wait: LockWait::Wait }.into()
                }
            };
        }
        segment
    }

    /// A select, and the names of its columns.
    fn select(&mut self, depth: usize, count: Option<usize>) -> (SelectExpr, Vec<String>) {
        let before = self.tables.len();
        let source = if self.below(20) == 19 { None } else { Some(self.chain(depth)) };
        let count = count.unwrap_or_else(|| 1 + self.below(2));
        let mut names = Vec::new();
        let selects = (0..count).map(|at| {
            let value = self.value(3);
            let name = if self.below(12) == 1 { "c0".to_owned() } else { format!("c{at}") };
            names.push(name.clone());
            SelectItemExpr { value, alias: Some(name.into()) }
        });
        let selects = selects.collect();
        let distinct = match self.below(8) {
            1 => Distinct::Rows,
            2 => Distinct::On(self.some(2, |maker| maker.value(1))),
            _ => Distinct::No,
        };
        self.tables.truncate(before);
        let next_selects = if depth > 0 && self.below(8) == 1 {
            let kinds =
                [SelectSetType::UnionAll, SelectSetType::Union, SelectSetType::Intersect, SelectSetType::Except];
            let set_type = kinds.get(self.below(4)).copied().unwrap_or(SelectSetType::UnionAll);
            vec![NextSelect { set_type, select: self.select(depth - 1, Some(count)).0 }]
        } else {
            Vec::new()
        };
        (SelectExpr { source, selects, distinct, next_selects, alias: None }, names)
    }

    fn query(&mut self, depth: usize) -> SqlSegment {
        let (select, names) = self.select(depth, None);
        let mut segment = SqlSegment::from(select);
        if self.below(4) == 1 {
            self.tables.push((None, names));
            let order_by = self.some(2, |maker| maker.key(2));
            segment = OrderByExpr { source: Some(segment), order_by }.into();
            self.tables.pop();
        }
        match self.below(8) {
            1 => SectionExpr { source: Some(segment), skip: 1, take: Some(2), after: Vec::new() }.into(),
            2 => LockExpr { source: Some(segment), mode: LockMode::Update, wait: LockWait::NoWait }.into(),
            _ => segment,
        }
    }

    fn key(&mut self, depth: usize) -> OrderByItemExpr {
        let nulls = [Nulls::Default, Nulls::First, Nulls::Last].get(self.below(3)).copied().unwrap_or(Nulls::Default);
        OrderByItemExpr { field: self.value(depth), ascending: self.below(2) == 0, nulls }
    }

    fn property(&mut self) -> ValueTypeExpr {
        // The innermost table mostly.
        let back = if self.below(5) == 1 { self.below(self.tables.len().max(1)) } else { 0 };
        let Some((alias, columns)) = self.tables.iter().rev().nth(back).cloned() else { return prop("Id").into() };
        let at = self.below(columns.len());
        let column = columns.get(at).cloned().unwrap_or_else(|| "Id".to_owned());
        match alias {
            Some(alias) => prop_of(alias, column).into(),
            None => prop(column).into(),
        }
    }

    fn plain(&mut self) -> Value {
        match self.below(17) {
            0..=2 => Value::from(self.choices.between(-3, 9)),
            3 => Value::from("a"),
            4 => Value::from("12"),
            5 => Value::from("2024-01-31"),
            6 => Value::from("x%_'\"\\"),
            7 => Value::from(true),
            8 => Value::Null,
            9 => Value::from(2.5),
            10 => Decimal::new(1250, 2).map_or(Value::Null, Value::from),
            11 => chrono::NaiveDate::from_ymd_opt(2024, 2, 29).map_or(Value::Null, Value::from),
            12 => chrono::NaiveTime::from_hms_opt(10, 20, 30).map_or(Value::Null, Value::from),
            13 => {
                let time = chrono::NaiveDate::from_ymd_opt(2024, 2, 29).and_then(|d| d.and_hms_opt(10, 20, 30));
                time.map_or(Value::Null, Value::from)
            }
            14 => Value::from(vec![1_u8, 2]),
            15 => Value::from(uuid::Uuid::from_u128(7)),
            _ => Value::from(3_000_000_000_i64),
        }
    }

    fn literal(&mut self) -> ValueTypeExpr {
        ValueExpr { value: self.plain(), is_const: self.below(2) == 1 }.into()
    }

    fn value(&mut self, depth: usize) -> ValueTypeExpr {
        if depth == 0 {
            return if self.below(3) < 2 { self.property() } else { self.literal() };
        }
        let depth = depth - 1;
        match self.below(22) {
            0..=5 => self.property(),
            6..=8 => self.literal(),
            9 | 10 => {
                use ValueOperator as O;
                let operators = [O::Add, O::Subtract, O::Multiply, O::Divide, O::Modulo, O::Concat];
                let operator = operators.get(self.below(6)).copied().unwrap_or(O::Add);
                ValueBinaryExpr { left: self.value(depth), operator, right: self.value(depth) }.into()
            }
            11 => {
                let operator = if self.below(2) == 0 { UnaryOperator::Negative } else { UnaryOperator::BitwiseNot };
                UnaryExpr { operator, operand: self.value(depth) }.into()
            }
            12 => ValueSet { join: ValueJoinType::Concat, items: vec![self.value(depth), self.value(depth)] }.into(),
            13 => {
                let cases = vec![(self.logic(depth), self.value(depth))];
                let otherwise = (self.below(2) == 0).then(|| self.value(depth));
                CaseExpr { cases, otherwise }.into()
            }
            14 => {
                let base = self.below(DbValueType::ALL.len());
                let base = DbValueType::ALL.get(base).copied().unwrap_or(DbValueType::Int32);
                CastExpr { value: self.value(depth), to: DbType { base, array: false } }.into()
            }
            15..=17 => self.function(depth, &[Class::Scalar, Class::Aggregate]).into(),
            18 => self.function(depth, &[Class::Aggregate]).into(),
            19 => {
                let function = self.function(depth, &[Class::Aggregate, Class::Window]);
                let partition_by = self.some(1, |maker| maker.value(depth));
                let order_by = self.some(1, |maker| maker.key(depth));
                let frame = (self.below(4) == 1).then(|| self.frame());
                WindowExpr { function, partition_by, order_by, frame }.into()
            }
            20 => ValueTypeExpr::from(SqlSegment::from(self.select(depth.min(1), Some(1)).0)),
            _ => self.logic(depth).into(),
        }
    }

    fn frame(&mut self) -> Frame {
        let unit = [FrameUnit::Rows, FrameUnit::Range].get(self.below(2)).copied().unwrap_or(FrameUnit::Rows);
        let bounds = [FrameBound::UnboundedPreceding, FrameBound::Preceding(1), FrameBound::CurrentRow];
        let start = bounds.get(self.below(3)).copied().unwrap_or(FrameBound::CurrentRow);
        Frame { unit, start, end: FrameBound::CurrentRow, exclude: FrameExclude::NoOthers }
    }

    fn function(&mut self, depth: usize, classes: &[Class]) -> FunctionExpr {
        let known: Vec<Func> =
            Func::ALL.iter().copied().filter(|func| classes.contains(&func.signature().class)).collect();
        let func = known.get(self.below(known.len())).copied().unwrap_or(Func::Lower);
        let signature = func.signature();
        let (least, most) = signature.arity();
        let count = least + self.below(most.min(3).saturating_sub(least) + 1);
        let mut args: Vec<ValueTypeExpr> = (0..count)
            .map(|at| match signature.arg(at) {
                ArgKind::Literal if func == Func::Format => {
                    ValueExpr { value: "yyyy-MM-dd".into(), is_const: false }.into()
                }
                ArgKind::Literal => ValueExpr { value: "$.a[0]".into(), is_const: false }.into(),
                _ => self.value(depth),
            })
            .collect();
        let aggregate = signature.class == Class::Aggregate;
        if aggregate
            && self.below(6) == 1
            && let Some(first) = args.first_mut()
        {
            let operand = first.clone();
            *first = UnaryExpr { operator: UnaryOperator::Distinct, operand }.into();
        }
        let filter = (aggregate && self.below(6) == 1).then(|| self.logic(depth));
        let order_by = if aggregate && self.below(6) == 1 { vec![self.key(depth)] } else { Vec::new() };
        FunctionExpr { name: signature.name.into(), args, is_aggregate: aggregate, filter, order_by }
    }

    fn list(&mut self, depth: usize) -> ValueTypeExpr {
        match self.below(5) {
            0 => ValueTypeExpr::from(SqlSegment::from(self.select(depth.min(1), Some(1)).0)),
            1 => ValueSet { join: ValueJoinType::List, items: self.some(3, |maker| maker.value(1)) }.into(),
            2 => {
                let rows = self.some(2, |maker| {
                    let items = vec![maker.value(0), maker.value(0)];
                    ValueSet { join: ValueJoinType::List, items }.into()
                });
                ValueSet { join: ValueJoinType::List, items: rows }.into()
            }
            _ => {
                let items = self.some(3, Self::plain);
                ValueExpr { value: Value::List(items.into()), is_const: false }.into()
            }
        }
    }

    fn logic(&mut self, depth: usize) -> LogicExpr {
        if depth == 0 {
            let operator = if self.below(2) == 0 { LogicOperator::Equal } else { LogicOperator::GreaterThan };
            return LogicBinaryExpr { left: self.value(0), operator, right: self.value(0) }.into();
        }
        let depth = depth - 1;
        match self.below(14) {
            0..=5 => {
                let at = self.below(LogicOperator::ALL.len());
                let operator = LogicOperator::ALL.get(at).copied().unwrap_or(LogicOperator::Equal);
                let in_list = operator.positive() == LogicOperator::In;
                let left = match self.below(12) {
                    1 if in_list => {
                        let items = vec![self.value(0), self.value(0)];
                        ValueSet { join: ValueJoinType::List, items }.into()
                    }
                    _ => self.value(depth),
                };
                let right = if in_list { self.list(depth) } else { self.value(depth) };
                LogicBinaryExpr { left, operator, right }.into()
            }
            6 | 7 => {
                let operator = if self.below(2) == 0 { LogicOperator::In } else { LogicOperator::NotIn };
                LogicBinaryExpr { left: self.value(depth), operator, right: self.list(depth) }.into()
            }
            8 => AndExpr { items: vec![self.logic(depth), self.logic(depth)] }.into(),
            9 => OrExpr { items: vec![self.logic(depth), self.logic(depth)] }.into(),
            10 => NotExpr { operand: self.logic(depth) }.into(),
            11 => LogicExpr::IsTrue(self.value(depth).into()),
            12 => {
                let (select, _) = self.select(depth.min(1), None);
                LogicExpr::Exists(SqlSegment::from(select).into())
            }
            _ => {
                let entity = self.choices.pick(&["Customer", "Product", "Department"]);
                self.tables.push((None, columns_of(entity)));
                let inner = self.logic(depth);
                self.tables.pop();
                if self.below(2) == 0 { exists(entity, inner).into() } else { exists_related(entity, inner).into() }
            }
        }
    }
}
