//! Predicates.

use isogloss_compiler::expr::{
    LogicExpr, LogicOperator as Op, Value, ValueOps, ValueTypeExpr, exists, exists_query, exists_related, from, null,
    row, value,
};

use super::number::SizedNumber;
use super::scope::columns_of;
use super::{Choices, Scope, catalog, rows};
use crate::evaluator::Kind;

/// How many items a long list has: more than [`IN_LIST`](super::IN_LIST).
const LONG: usize = 8;

const COMPARISONS: [Op; 8] = [
    Op::Equal,
    Op::NotEqual,
    Op::LessThan,
    Op::LessThanOrEqual,
    Op::GreaterThan,
    Op::GreaterThanOrEqual,
    Op::IsDistinctFrom,
    Op::IsNotDistinctFrom,
];

const SEARCHES: [Op; 12] = [
    Op::Contains,
    Op::StartsWith,
    Op::EndsWith,
    Op::NotContains,
    Op::NotStartsWith,
    Op::NotEndsWith,
    Op::IContains,
    Op::IStartsWith,
    Op::IEndsWith,
    Op::NotIContains,
    Op::NotIStartsWith,
    Op::NotIEndsWith,
];

const PATTERNS: [Op; 4] = [Op::Like, Op::NotLike, Op::ILike, Op::NotILike];

impl Choices<'_> {
    fn operator(&mut self, operators: &[Op]) -> Op {
        operators.get(self.below(operators.len())).copied().unwrap_or(Op::Equal)
    }

    /// A predicate.
    pub(crate) fn logic(&mut self, scope: &Scope<'_>, depth: usize) -> LogicExpr {
        // What is compared is compared to the last digit.
        let scope = &Scope { loose: false, ..scope.clone() };
        if depth == 0 {
            return self.comparison(scope, 0);
        }
        match self.below(16) {
            0..=4 => self.comparison(scope, depth),
            5 => self.logic(scope, depth - 1) & self.logic(scope, depth - 1),
            6 => self.logic(scope, depth - 1) | self.logic(scope, depth - 1),
            7 => !self.logic(scope, depth - 1),
            8 => {
                let kind = self.kind();
                let tested = self.of(scope, kind, depth - 1);
                if self.chance(50) { tested.is_null() } else { tested.is_not_null() }
            }
            9 => self.of(scope, Kind::Bool, depth - 1).is_true(),
            10 | 11 => self.in_list(scope, depth),
            12 => {
                let Some(text) = self.compared_text(scope, depth - 1) else { return self.comparison(scope, depth) };
                let operator = self.operator(&SEARCHES);
                let part = if self.chance(30) { self.text(scope, depth - 1) } else { self.beside(Kind::Text, &text) };
                text.compare(operator, part)
            }
            13 => {
                let Some(text) = self.compared_text(scope, depth - 1) else { return self.comparison(scope, depth) };
                let operator = self.operator(&PATTERNS);
                let pattern = self.pattern(&text);
                text.compare(operator, pattern)
            }
            _ if scope.depth < 3 && scope.grouped.is_none() => self.exists(scope, depth),
            _ => self.comparison(scope, depth),
        }
    }

    /// A value that is compared: a text has a column in it, if there is one to be had. Engines compare texts of the
    /// statement alone by the connection's collation, and MariaDB those that are bound by yet another one.
    fn compared(&mut self, scope: &Scope<'_>, kind: Kind, depth: usize) -> Option<ValueTypeExpr> {
        if kind == Kind::Text { self.compared_text(scope, depth) } else { Some(self.of(scope, kind, depth)) }
    }

    fn compared_text(&mut self, scope: &Scope<'_>, depth: usize) -> Option<ValueTypeExpr> {
        let text = self.text(scope, depth);
        if scope.has_text_column(&text) {
            return Some(text);
        }
        scope.column(self, Kind::Text).map(|column| column.prop().into())
    }

    fn comparison(&mut self, scope: &Scope<'_>, depth: usize) -> LogicExpr {
        let kind = match self.kind() {
            Kind::Text if scope.column(self, Kind::Text).is_none() => Kind::Int,
            // Two constants: MySQL refuses a write where a subquery over the written table is known to be empty by them.
            Kind::Guid if scope.column(self, Kind::Guid).is_none() => Kind::Int,
            kind => kind,
        };
        let operator = match kind {
            _ if kind.is_ordered() => self.operator(&COMPARISONS),
            _ => self.operator(&[Op::Equal, Op::NotEqual, Op::IsDistinctFrom, Op::IsNotDistinctFrom]),
        };
        let depth = depth.saturating_sub(1);
        if self.chance(8) {
            // Rows of two, with one order for both.
            let mut first = || self.compared(scope, kind, 0).unwrap_or_else(|| null().into());
            let left = row([first(), first()]);
            let right = row([self.of(scope, kind, 0), self.of(scope, kind, 0)]);
            let operator =
                if matches!(operator, Op::IsDistinctFrom | Op::IsNotDistinctFrom) { Op::Equal } else { operator };
            return left.compare(operator, right);
        }
        let column = if kind == Kind::Guid { scope.column(self, kind) } else { None };
        let left = column.map_or_else(|| self.compared(scope, kind, depth), |column| Some(column.prop().into()));
        let Some(left) = left else { return self.of(scope, Kind::Bool, 0).is_true() };
        let right = match (self.below(5), kind) {
            (0 | 1, _) => self.beside(kind, &left),
            (2, Kind::Date) => match scope.column(self, Kind::DateTime) {
                Some(column) => column.prop().into(),
                None => self.literal(kind),
            },
            // A plain number with digits fits no whole column.
            (2, Kind::Decimal | Kind::Float) if !matches!(left, ValueTypeExpr::Value(_)) => {
                self.of(scope, Kind::Int, depth)
            }
            _ => self.of(scope, kind, depth),
        };
        if self.chance(10) { right.compare(operator, left) } else { left.compare(operator, right) }
    }

    fn in_list(&mut self, scope: &Scope<'_>, depth: usize) -> LogicExpr {
        let kind = self.kind();
        let Some(left) = self.compared(scope, kind, depth - 1) else { return self.comparison(scope, depth) };
        let negated = self.chance(40);
        let operator = if negated { Op::NotIn } else { Op::In };
        match self.below(4) {
            0 => {
                let count = self.below(4);
                let items = (0..count).map(|_| if self.chance(20) { Value::Null } else { rows::value(self, kind) });
                let items: Vec<Value> = items.collect();
                left.compare(operator, value(items))
            }
            // Long enough to become one parameter. MariaDB compares a constant text with what JSON gives by two collations
            // of the same rank, which it refuses where neither is the coarser one.
            1 if self.chance(40) => {
                let Some(column) = scope.column(self, kind) else { return self.comparison(scope, depth) };
                let items = (0..LONG).map(|_| if self.chance(15) { Value::Null } else { rows::value(self, kind) });
                let items: Vec<Value> = items.collect();
                column.prop().compare(operator, value(items))
            }
            1 => {
                let items = [self.of(scope, kind, 0), self.of(scope, kind, 0)];
                let items =
                    if self.chance(20) { items.into_iter().chain([null().into()]).collect() } else { items.to_vec() };
                left.compare(operator, row(items))
            }
            _ if scope.depth < 3 && scope.grouped.is_none() => {
                // MariaDB 10.11 looks a number that a column has no room for up among the column's values, and forgets
                // about the NULLs between them.
                let left = match kind {
                    Kind::Int => Some(self.number(scope, kind, depth - 1)).filter(|number| number.bits < 31),
                    _ => Some(SizedNumber { node: left, bits: 0 }),
                };
                let Some(SizedNumber { node: left, .. }) = left else { return self.comparison(scope, depth) };
                let alias = self.alias();
                let entity = self.entity();
                let inner = scope.over(entity, Some(&alias), true);
                let own = scope.catalog.entity(entity).map(|(id, _)| columns_of(scope.catalog, id, Some(&alias)));
                let own = Scope { columns: own.unwrap_or_default(), ..inner.clone() };
                let item = self.of(&own, kind, 0);
                let rows = from(entity).aliased(alias.as_str());
                let rows = if self.chance(70) { rows.filter(self.logic(&inner, depth - 1)) } else { rows };
                left.compare(operator, ValueTypeExpr::from(rows.select([item])))
            }
            _ => {
                let items: Vec<Value> = (0..2).map(|_| rows::value(self, kind)).collect();
                left.compare(operator, value(items))
            }
        }
    }

    pub(crate) fn entity(&mut self) -> &'static str {
        let all = [catalog::TABLES.as_slice(), catalog::VIEWS.as_slice()].concat();
        self.pick(&all)
    }

    fn exists(&mut self, scope: &Scope<'_>, depth: usize) -> LogicExpr {
        let related: &[&str] = match scope.entity.map(|id| scope.catalog.get(id).name.as_str()) {
            Some("Team") => &["Person"],
            Some("Task" | "TaskView") => &["Person", "PersonView"],
            Some("Person" | "PersonView") => &["Team", "Task"],
            _ => &[],
        };
        let alias = self.alias();
        match self.below(3) {
            0 if !related.is_empty() => {
                let entity = self.pick(related);
                // Bare names mean the inner table.
                let inner = scope.over(entity, None, false);
                let condition = self.chance(70).then(|| self.logic(&inner, depth - 1));
                exists_related(entity, condition).into()
            }
            1 => {
                let entity = self.entity();
                let inner = scope.over(entity, Some(&alias), true);
                exists(entity, self.logic(&inner, depth - 1)).aliased(alias.as_str()).into()
            }
            _ => {
                let entity = self.entity();
                let inner = scope.over(entity, Some(&alias), true);
                let rows = from(entity).aliased(alias.as_str()).filter(self.logic(&inner, depth - 1));
                exists_query(rows.select(["Id"]))
            }
        }
    }
}
