//! Texts, truth values, dates and identifiers.

use isogloss_compiler::args;
use isogloss_compiler::expr::{
    FunctionExpr, ValueOps, ValueTypeExpr, aggregate, case, concat, constant, func, if_else, null, value,
};

use super::number::{has_column, of_column};
use super::{Choices, Scope};
use crate::evaluator::Kind;

/// The kinds that are compared.
pub(crate) const KINDS: [Kind; 8] =
    [Kind::Int, Kind::Text, Kind::Decimal, Kind::Bool, Kind::Date, Kind::DateTime, Kind::Float, Kind::Guid];

impl Choices<'_> {
    pub(crate) fn kind(&mut self) -> Kind {
        KINDS.get(self.below(KINDS.len())).copied().unwrap_or(Kind::Int)
    }

    /// A value of a kind.
    pub(crate) fn of(&mut self, scope: &Scope<'_>, kind: Kind, depth: usize) -> ValueTypeExpr {
        match kind {
            _ if kind.is_number() => self.number(scope, kind, depth).node,
            Kind::Text => self.text(scope, depth),
            _ if depth == 0 => self.plain(scope, kind),
            _ => match self.below(8) {
                0..=2 => self.plain(scope, kind),
                3 => {
                    let (a, b) = (self.of(scope, kind, depth - 1), self.of(scope, kind, depth - 1));
                    self.case(scope, depth, a, b)
                }
                4 => {
                    let (a, b) = (self.of(scope, kind, depth - 1), self.of(scope, kind, depth - 1));
                    let names: &[&str] = match kind {
                        _ if kind.is_ordered() => &["Coalesce", "NullIf", "Greatest", "Least"],
                        _ => &["Coalesce", "NullIf"],
                    };
                    func(of_column(self.pick(names), &a), [a, b]).into()
                }
                _ => match kind {
                    Kind::Bool => self.logic(scope, depth - 1).into(),
                    Kind::Date => self.date(scope, depth),
                    Kind::DateTime => self.datetime(scope, depth),
                    _ => self.plain(scope, kind),
                },
            },
        }
    }

    /// A column, a literal, or an aggregate where there are groups.
    pub(crate) fn plain(&mut self, scope: &Scope<'_>, kind: Kind) -> ValueTypeExpr {
        if let Some(columns) = &scope.grouped
            && kind.has_one_order()
            && self.chance(60)
        {
            let inner = Scope { columns: columns.clone(), grouped: None, ..scope.clone() };
            let names: &[&str] = if kind == Kind::Bool { &["BoolAnd", "BoolOr"] } else { &["Max", "Min"] };
            let Some(column) = inner.column(self, kind) else { return self.literal(kind) };
            let call: FunctionExpr = aggregate(self.pick(names), column.prop());
            return self.filtered(&inner, call).into();
        }
        match scope.column(self, kind).filter(|_| !self.chance(25)) {
            Some(column) => column.prop().into(),
            None => self.literal(kind),
        }
    }

    /// A CASE of two values.
    pub(crate) fn case(
        &mut self,
        scope: &Scope<'_>,
        depth: usize,
        a: ValueTypeExpr,
        b: ValueTypeExpr,
    ) -> ValueTypeExpr {
        let condition = self.logic(scope, depth - 1);
        match self.below(4) {
            0 => if_else(condition, a, b).into(),
            1 => case([(condition, a)], None).into(),
            2 => if_else(condition, null(), b).into(),
            _ => {
                let second = self.logic(scope, 0);
                case([(condition, a), (second, null().into())], Some(b)).into()
            }
        }
    }

    /// A text.
    pub(crate) fn text(&mut self, scope: &Scope<'_>, depth: usize) -> ValueTypeExpr {
        if depth == 0 {
            return self.plain(scope, Kind::Text);
        }
        let inner = |choices: &mut Self| choices.text(scope, depth - 1);
        match self.below(16) {
            0..=2 => self.plain(scope, Kind::Text),
            3 | 4 => {
                let other = self.as_text(scope, depth);
                concat(inner(self), other).into()
            }
            5 => {
                let (a, b) = (inner(self), inner(self));
                let name = self.pick(&["Coalesce", "NullIf", "Greatest", "Least"]);
                // What compares has a column in it, as in a predicate.
                let name = if scope.has_text_column(&a) || scope.has_text_column(&b) { name } else { "Coalesce" };
                func(name, [a, b]).into()
            }
            6 => {
                let (a, b) = (inner(self), inner(self));
                self.case(scope, depth, a, b)
            }
            7 => {
                let (name, text) = (self.pick(&["Lower", "Upper", "Reverse"]), inner(self));
                // MySQL folds constants, and changes the letters of the folded one in its place when it is looked at again.
                if has_column(&text) { func(name, [text]).into() } else { text }
            }
            8 => func(self.pick(&["Trim", "TrimStart", "TrimEnd"]), [inner(self)]).into(),
            9 => {
                let (name, text) = (self.pick(&["TrimStart", "TrimEnd", "Trim"]), inner(self));
                func(name, args![text, self.pick(&["a", "ab", " "])]).into()
            }
            10 => {
                let (text, from) = (inner(self), self.place(scope, depth));
                match self.below(4) {
                    0 => func("Substring", args![text, from]).into(),
                    1 => func("Substring", args![text, from, self.place(scope, depth)]).into(),
                    2 => func("Remove", args![text, from]).into(),
                    _ => func("Remove", args![text, from, self.place(scope, depth)]).into(),
                }
            }
            11 => {
                let (name, text) = (self.pick(&["Left", "Right"]), inner(self));
                func(name, args![text, self.place(scope, depth)]).into()
            }
            12 => {
                let (old, new) =
                    (self.pick(&["a", "b", "%", "a ", "\\", "'", "''", "\n"]), self.pick(&["", "x", "aa", "'", "\\"]));
                let text = inner(self);
                if self.chance(30) && scope.has_text_column(&text) {
                    // In place of the empty text there is nothing to be found.
                    func("Replace", args![text, old, self.plain(scope, Kind::Text)]).into()
                } else {
                    func("Replace", args![text, old, new]).into()
                }
            }
            13 => {
                let name = self.pick(&["PadLeft", "PadRight"]);
                let length: ValueTypeExpr =
                    if self.chance(30) { self.place(scope, depth) } else { value(self.between(0, 6)).into() };
                let text = inner(self);
                if self.chance(50) { func(name, args![text, length, "-"]) } else { func(name, args![text, length]) }
                    .into()
            }
            14 => match self.below(3) {
                // MySQL repeats the text of an aggregate in its place, once more each time that it is looked at.
                0 if scope.grouped.is_some() => self.plain(scope, Kind::Text),
                0 => func("Repeat", args![self.plain(scope, Kind::Text), self.between(-1, 3)]).into(),
                1 => func("Insert", args![inner(self), self.place(scope, depth), self.pick(&["x", "", "%"])]).into(),
                _ => func("ConcatWs", args![self.pick(&[",", "", " "]), inner(self), inner(self)]).into(),
            },
            _ => self.as_text(scope, depth),
        }
    }

    /// A position or a length, also one that is negative or beyond the end.
    fn place(&mut self, scope: &Scope<'_>, depth: usize) -> ValueTypeExpr {
        if self.chance(20) {
            let number = self.number(scope, Kind::Int, depth - 1);
            if number.bits <= 30 {
                return number.node;
            }
        }
        value(self.pick(&[0_i64, 1, 2, 3, -1, 100])).into()
    }

    /// The text of something.
    fn as_text(&mut self, scope: &Scope<'_>, depth: usize) -> ValueTypeExpr {
        let kind = match self.below(8) {
            0..=2 => return self.plain(scope, Kind::Text),
            3 => Kind::Int,
            4 => Kind::Date,
            5 => Kind::Bool,
            6 => Kind::Guid,
            // A literal or a column: what is computed has more digits than SQLite's double shows.
            _ => return self.plain(scope, Kind::Decimal).cast(Kind::Text.cast_type()).into(),
        };
        self.of(scope, kind, depth - 1).cast(Kind::Text.cast_type()).into()
    }

    /// So many units, few enough for any date.
    fn units(&mut self, scope: &Scope<'_>) -> ValueTypeExpr {
        match scope.column(self, Kind::Int).filter(|column| column.bits <= 10 && self.chance(40)) {
            Some(column) if self.chance(40) => column.prop() + self.between(0, 3),
            Some(column) => column.prop().into(),
            None => value(self.pick(&[1_i64, 0, -1, 31, -13, 400])).into(),
        }
    }

    fn date(&mut self, scope: &Scope<'_>, depth: usize) -> ValueTypeExpr {
        let date = self.of(scope, Kind::Date, depth - 1);
        match self.below(5) {
            0 | 1 => {
                let name = self.pick(&["AddDays", "AddMonths", "AddYears", "AddWeeks", "AddQuarters"]);
                let date = self.plain(scope, Kind::Date);
                // Years so many that there is no such date are left out.
                let count = if name == "AddDays" || name == "AddWeeks" {
                    self.units(scope)
                } else {
                    value(self.pick(&[1_i64, -1, 0, 12, -11])).into()
                };
                func(name, [date, count]).into()
            }
            2 => func(self.pick(&["TruncMonth", "TruncYear", "TruncQuarter", "TruncWeek"]), [date]).into(),
            3 => func("LastDay", [date]).into(),
            _ => {
                let time = self.of(scope, Kind::DateTime, depth - 1);
                if self.chance(50) { func("Date", [time]).into() } else { time.cast(Kind::Date.cast_type()).into() }
            }
        }
    }

    fn datetime(&mut self, scope: &Scope<'_>, depth: usize) -> ValueTypeExpr {
        let time = self.of(scope, Kind::DateTime, depth - 1);
        match self.below(5) {
            0 | 1 => {
                let name = self.pick(&["AddHours", "AddMinutes", "AddSeconds", "AddMilliseconds", "AddDays"]);
                let time = self.plain(scope, Kind::DateTime);
                func(name, [time, self.units(scope)]).into()
            }
            2 => {
                let name = self.pick(&["AddMonths", "AddYears"]);
                let time = self.plain(scope, Kind::DateTime);
                func(name, args![time, self.pick(&[1_i64, -1, 0, 12])]).into()
            }
            3 => {
                let name = self.pick(&["TruncDay", "TruncHour", "TruncMinute", "TruncMonth", "TruncWeek", "TruncYear"]);
                func(name, [time]).into()
            }
            _ => {
                let date = self.of(scope, Kind::Date, depth - 1);
                if self.chance(50) {
                    date.cast(Kind::DateTime.cast_type()).into()
                } else {
                    func("AddHours", args![date, self.between(0, 50)]).into()
                }
            }
        }
    }

    /// A pattern of LIKE beside a text.
    pub(crate) fn pattern(&mut self, text: &ValueTypeExpr) -> ValueTypeExpr {
        let patterns =
            ["a%", "%", "_", "%a", "a_b", "a\\%", "%\\_%", "\\\\", "", "%b%", "A%", "_日", "[a]", "a\\", "*"];
        let pattern = self.pick(&patterns);
        if !has_column(text) || self.chance(30) { constant(pattern).into() } else { value(pattern).into() }
    }
}
