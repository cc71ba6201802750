//! Numbers, each with how many bits it may need.

use isogloss_compiler::args;
use isogloss_compiler::expr::{
    FunctionExpr, UnaryExpr, UnaryOperator, ValueBinaryExpr, ValueOperator as Op, ValueOps, ValueTypeExpr, constant,
    count_all, from, func, value,
};

use super::scope::columns_of;
use super::{Choices, Scope, rows};
use crate::evaluator::Kind;

/// A number, and its bits: the magnitude of a whole number, and all of the digits of another in the double that SQLite
/// has for it.
pub(crate) struct SizedNumber {
    pub(crate) node: ValueTypeExpr,
    pub(crate) bits: u32,
}

impl SizedNumber {
    fn new(node: impl Into<ValueTypeExpr>, bits: u32) -> Self {
        Self { node: node.into(), bits }
    }
}

/// The most bits that arithmetic may give.
fn limit(kind: Kind) -> u32 {
    if kind == Kind::Int { 30 } else { 50 }
}

impl Choices<'_> {
    /// A number of a kind.
    pub(crate) fn number(&mut self, scope: &Scope<'_>, kind: Kind, depth: usize) -> SizedNumber {
        if depth == 0 {
            return self.plain_number(scope, kind);
        }
        match self.below(12) {
            0 | 1 => self.plain_number(scope, kind),
            2..=4 => self.arithmetic(scope, kind, depth),
            5 => {
                let inner = self.number(scope, kind, depth - 1);
                let node = match self.below(3) {
                    0 => UnaryExpr { operator: UnaryOperator::Negative, operand: inner.node }.into(),
                    1 => func("Abs", [inner.node]).into(),
                    _ if kind == Kind::Int && inner.bits <= 30 => {
                        ValueTypeExpr::from(UnaryExpr { operator: UnaryOperator::BitwiseNot, operand: inner.node })
                    }
                    _ => inner.node,
                };
                // -(-2^63) has no room.
                if inner.bits > 60 { self.plain_number(scope, kind) } else { SizedNumber::new(node, inner.bits + 1) }
            }
            6 => {
                let (a, b) = (self.number(scope, kind, depth - 1), self.number(scope, kind, depth - 1));
                let bits = a.bits.max(b.bits);
                let name = self.pick(&["Coalesce", "NullIf", "Greatest", "Least"]);
                SizedNumber::new(func(of_column(name, &a.node), [a.node, b.node]), bits)
            }
            7 => {
                let (a, b) = (self.number(scope, kind, depth - 1), self.number(scope, kind, depth - 1));
                let bits = a.bits.max(b.bits);
                SizedNumber::new(self.case(scope, depth, a.node, b.node), bits)
            }
            8 if scope.depth < 3 && scope.grouped.is_none() => self.counted(scope, kind, depth),
            _ => match kind {
                Kind::Int => self.whole(scope, depth),
                Kind::Decimal => self.decimal(scope, depth),
                _ => self.float(scope, depth),
            },
        }
    }

    /// A column, a literal, or an aggregate where there are groups.
    fn plain_number(&mut self, scope: &Scope<'_>, kind: Kind) -> SizedNumber {
        if let Some(columns) = &scope.grouped
            && self.chance(70)
        {
            let inner = Scope { columns: columns.clone(), grouped: None, ..scope.clone() };
            let mut number = self.number(&inner, kind, 1);
            // MariaDB takes an aggregate of a constant for one, also where there are no rows.
            if !has_column(&number.node) {
                let Some(column) = inner.column(self, kind) else { return SizedNumber::new(self.literal(kind), 12) };
                number = SizedNumber::new(column.prop(), column.bits);
            }
            let name = self.pick(&["Max", "Min", "Sum", "Count"]);
            return match name {
                "Count" if kind == Kind::Int => {
                    let distinct = self.chance(30);
                    let call = match (self.chance(40), distinct) {
                        (true, _) => count_all(),
                        (false, true) => number.node.count_distinct(),
                        (false, false) => number.node.count(),
                    };
                    SizedNumber::new(self.filtered(&inner, call), 5)
                }
                // A sum of whole numbers has 64 bits.
                "Sum" if number.bits < 45 => {
                    let bits = number.bits + 5;
                    let call = number.node.sum();
                    let call = if self.chance(20) { call.distinct() } else { call };
                    let bits = if kind == Kind::Int { bits.max(31) } else { bits };
                    SizedNumber::new(self.filtered(&inner, call), bits)
                }
                "Min" => SizedNumber::new(self.filtered(&inner, number.node.min()), number.bits),
                _ => SizedNumber::new(self.filtered(&inner, number.node.max()), number.bits),
            };
        }
        match scope.column(self, kind).filter(|_| !self.chance(30)) {
            Some(column) => SizedNumber::new(column.prop(), column.bits),
            None => SizedNumber::new(self.literal(kind), 12),
        }
    }

    /// An aggregate with a FILTER, now and then.
    pub(crate) fn filtered(&mut self, rows: &Scope<'_>, call: FunctionExpr) -> FunctionExpr {
        if self.chance(15) { call.filter(self.logic(rows, 1)) } else { call }
    }

    /// A plain value of a kind, bound or written into the text. A text is always written: MariaDB compares what is bound
    /// by another collation than the database's, unless there is a column beside it.
    pub(crate) fn literal(&mut self, kind: Kind) -> ValueTypeExpr {
        let plain = rows::value(self, kind);
        if kind == Kind::Text || self.chance(25) { constant(plain).into() } else { value(plain).into() }
    }

    /// A plain value beside another.
    pub(crate) fn beside(&mut self, kind: Kind, other: &ValueTypeExpr) -> ValueTypeExpr {
        if kind == Kind::Text && has_column(other) && self.chance(80) {
            let text = if self.chance(2) { rows::LONG_TEXT } else { rows::text(self) };
            return value(text).into();
        }
        self.literal(kind)
    }

    fn arithmetic(&mut self, scope: &Scope<'_>, kind: Kind, depth: usize) -> SizedNumber {
        let left = self.number(scope, kind, depth - 1);
        // A whole number beside one with digits.
        let other = if kind != Kind::Int && self.chance(25) { Kind::Int } else { kind };
        let right = self.number(scope, other, depth - 1);
        let operators: &[Op] = match kind {
            Kind::Int => &[Op::Add, Op::Subtract, Op::Multiply, Op::Divide, Op::Modulo],
            _ if scope.loose => &[Op::Add, Op::Subtract, Op::Multiply, Op::Divide],
            _ => &[Op::Add, Op::Subtract, Op::Multiply],
        };
        let operator = operators.get(self.below(operators.len())).copied().unwrap_or(Op::Add);
        let bits = match operator {
            Op::Multiply => left.bits + right.bits,
            Op::Divide | Op::Modulo if kind == Kind::Int => left.bits.max(right.bits),
            Op::Divide => 50,
            // Their points may have to be moved.
            _ => left.bits.max(right.bits) + if kind == Kind::Int { 1 } else { 3 },
        };
        if bits > limit(kind) || left.bits.max(right.bits) > limit(kind) {
            return left;
        }
        let node = ValueBinaryExpr { left: left.node, operator, right: right.node };
        match (operator, kind) {
            // A quotient has as many digits as the engine likes, some of them more than 38.
            (Op::Divide, Kind::Decimal) => SizedNumber::new(func("Round", args![node, 10]), bits),
            _ => SizedNumber::new(node, bits),
        }
    }

    /// What a subquery counts or finds.
    fn counted(&mut self, scope: &Scope<'_>, kind: Kind, depth: usize) -> SizedNumber {
        let alias = self.alias();
        let entity = self.pick(&["Task", "Person", "Team"]);
        let inner = scope.over(entity, Some(&alias), true);
        let filter = self.logic(&inner, depth - 1);
        let rows = from(entity).aliased(alias.as_str()).filter(filter);
        let own = scope.catalog.entity(entity).map(|(id, _)| columns_of(scope.catalog, id, Some(&alias)));
        let own = Scope { columns: own.unwrap_or_default(), ..inner.clone() };
        if kind == Kind::Int && self.chance(50) {
            return SizedNumber::new(rows.select([count_all()]), 31);
        }
        let number = self.number(&own, kind, 0);
        let bits = number.bits.max(if kind == Kind::Int { 31 } else { 0 });
        let found = if self.chance(50) { number.node.max() } else { number.node.min() };
        SizedNumber::new(rows.select([found]), bits)
    }

    fn whole(&mut self, scope: &Scope<'_>, depth: usize) -> SizedNumber {
        match self.below(9) {
            0 => SizedNumber::new(func("Length", [self.text(scope, depth - 1)]), 12),
            1 => {
                let needle = self.pick(&["a", "b", " ", "%", "日"]);
                let text = self.text(scope, depth - 1);
                match self.below(3) {
                    0 => SizedNumber::new(func("IndexOf", args![text, needle, self.between(0, 3)]), 12),
                    1 if scope.has_text_column(&text) => {
                        SizedNumber::new(func("IndexOf", args![text, self.plain(scope, Kind::Text)]), 12)
                    }
                    _ => SizedNumber::new(func("IndexOf", args![text, needle]), 12),
                }
            }
            2 => {
                let part = self.pick(&["Year", "Month", "Day", "Quarter", "Week", "DayOfYear", "DayOfWeek"]);
                let kind = if self.chance(50) { Kind::DateTime } else { Kind::Date };
                SizedNumber::new(func(part, [self.of(scope, kind, depth - 1)]), 12)
            }
            3 => {
                let part = self.pick(&["Hour", "Minute", "Second", "Millisecond"]);
                SizedNumber::new(func(part, [self.of(scope, Kind::DateTime, depth - 1)]), 10)
            }
            4 => {
                let kind = if self.chance(50) { Kind::DateTime } else { Kind::Date };
                let name = self.pick(&[
                    "DateDiffDays",
                    "DateDiffMonths",
                    "DateDiffYears",
                    "DateDiffHours",
                    "DateDiffMinutes",
                    "DateDiffSeconds",
                ]);
                let (a, b) = (self.of(scope, kind, depth - 1), self.of(scope, kind, depth - 1));
                SizedNumber::new(func(name, [a, b]), 40)
            }
            5 => {
                let kind = if self.chance(50) { Kind::Decimal } else { Kind::Float };
                let inner = self.number(scope, kind, depth - 1);
                if inner.bits > 25 {
                    return self.plain_number(scope, Kind::Int);
                }
                SizedNumber::new(inner.node.cast(Kind::Int.cast_type()), inner.bits)
            }
            6 => {
                let truth = self.of(scope, Kind::Bool, depth - 1);
                SizedNumber::new(truth.cast(Kind::Int.cast_type()), 1)
            }
            7 => {
                let name = self.pick(&["BitAnd", "BitOr", "BitXor", "Mod"]);
                let (a, b) = (self.number(scope, Kind::Int, depth - 1), self.number(scope, Kind::Int, depth - 1));
                let bits = a.bits.max(b.bits);
                if bits > 30 { a } else { SizedNumber::new(func(name, [a.node, b.node]), bits) }
            }
            _ => {
                let kind = self.pick_number();
                let inner = self.number(scope, kind, depth - 1);
                SizedNumber::new(func("Sign", [inner.node]), 1)
            }
        }
    }

    pub(crate) fn pick_number(&mut self) -> Kind {
        match self.below(3) {
            0 => Kind::Int,
            1 => Kind::Decimal,
            _ => Kind::Float,
        }
    }

    fn decimal(&mut self, scope: &Scope<'_>, depth: usize) -> SizedNumber {
        match self.below(4) {
            0 => {
                let inner = self.number(scope, Kind::Int, depth - 1);
                if inner.bits > 30 {
                    return self.plain_number(scope, Kind::Decimal);
                }
                SizedNumber::new(inner.node.cast(Kind::Decimal.cast_type()), inner.bits)
            }
            1 if scope.loose && scope.grouped.is_some() => {
                let columns = scope.grouped.clone().unwrap_or_default();
                let rows = Scope { columns, grouped: None, ..scope.clone() };
                let inner = self.number(&rows, Kind::Decimal, 0);
                SizedNumber::new(self.filtered(&rows, inner.node.avg()), 50)
            }
            _ => {
                let inner = self.number(scope, Kind::Decimal, depth - 1);
                let call = match self.below(5) {
                    0 => func("Round", args![inner.node, self.between(0, 3)]),
                    1 => func("Truncate", args![inner.node, self.between(0, 3)]),
                    2 => func("Floor", [inner.node]),
                    3 => func("Ceiling", [inner.node]),
                    _ => func("Round", [inner.node]),
                };
                // A rounded number is none of quarters: it needs all of a double's bits.
                let bits = if scope.loose { 50 } else { inner.bits + 1 };
                SizedNumber::new(call, bits)
            }
        }
    }

    fn float(&mut self, scope: &Scope<'_>, depth: usize) -> SizedNumber {
        if scope.loose && self.chance(60) {
            let kind = self.pick_number();
            let inner = self.number(scope, kind, depth - 1);
            if let Some(columns) = &scope.grouped
                && self.chance(50)
            {
                let rows = Scope { columns: columns.clone(), grouped: None, ..scope.clone() };
                let inner = self.number(&rows, Kind::Int, 0);
                // Some engines average as doubles.
                if inner.bits > 53 {
                    return self.plain_number(scope, Kind::Float);
                }
                return SizedNumber::new(self.filtered(&rows, inner.node.avg()), 50);
            }
            let name = self.pick(&["Sqrt", "Log", "Log10", "Atan", "Sin", "Cos", "Degrees", "Radians"]);
            let far = matches!(name, "Sin" | "Cos") && inner.bits > 20;
            return if far { inner } else { SizedNumber::new(func(name, [inner.node]), 50) };
        }
        let inner = self.number(scope, Kind::Float, depth - 1);
        match self.below(3) {
            0 => {
                let inner = self.number(scope, Kind::Int, depth - 1);
                if inner.bits > 30 {
                    return self.plain_number(scope, Kind::Float);
                }
                SizedNumber::new(inner.node.cast(Kind::Float.cast_type()), inner.bits)
            }
            1 => SizedNumber::new(func("Floor", [inner.node]), inner.bits + 1),
            _ => SizedNumber::new(func("Ceiling", [inner.node]), inner.bits + 1),
        }
    }
}

/// The function by that name if it can be had: MySQL takes NULLIF of a constant for NULL in a WHERE, where it is compared
/// and that is asked to be unknown.
pub(crate) fn of_column(name: &'static str, first: &ValueTypeExpr) -> &'static str {
    if name == "NullIf" && !has_column(first) { "Coalesce" } else { name }
}

/// Whether a value has a column in it.
pub(crate) fn has_column(node: &ValueTypeExpr) -> bool {
    match node {
        ValueTypeExpr::Property(_) => true,
        ValueTypeExpr::Function(node) => node.args.iter().any(has_column),
        ValueTypeExpr::Set(node) => node.items.iter().any(has_column),
        ValueTypeExpr::Unary(node) => has_column(&node.operand),
        ValueTypeExpr::Binary(node) => has_column(&node.left) || has_column(&node.right),
        ValueTypeExpr::Cast(node) => has_column(&node.value),
        ValueTypeExpr::Case(node) => {
            node.cases.iter().any(|(_, value)| has_column(value)) || node.otherwise.as_ref().is_some_and(has_column)
        }
        _ => false,
    }
}
