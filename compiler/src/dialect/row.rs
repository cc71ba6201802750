//! Rows of a dialect's function table.

use super::{Spelling, Version};
use crate::expr::{DbType, Family};
use crate::functions::Func;
use crate::legalize::Rule;
use crate::render::Prec;

/// What the first argument must be for a row of the function table to fit, or with [`Row::every`] all of them.
///
/// Where a function treats several arguments alike (two dates, all arguments of `Greatest`), a row for one kind of them is
/// for [every](Row::every) one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it all")]
#[non_exhaustive]
pub enum On {
    Anything,
    Integer,
    /// A whole number of at most 32 bits.
    Int32,
    /// An exact number, whole or not.
    Exact,
    Float,
    Text,
    Date,
    /// A date and time without an offset.
    DateTime,
    DateTimeOffset,
    Time,
    Boolean,
    Guid,
    Binary,
    /// JSON, not text that holds it.
    Json,
}

impl On {
    /// Whether an argument of that type is of this kind.
    #[inline]
    pub(crate) fn takes(self, argument: Option<DbType>) -> bool {
        let Some(ty) = argument else { return self == On::Anything };
        let wanted = match self {
            On::Anything => return true,
            On::Int32 => return !ty.array && ty.base.fits_int32(),
            On::Exact => return !ty.array && (ty.base.is_integer() || ty.base.is_decimal()),
            On::Integer => Family::Integer,
            On::Float => Family::Float,
            On::Text => Family::Text,
            On::Date => Family::Date,
            On::DateTime => Family::DateTime,
            On::DateTimeOffset => Family::DateTimeOffset,
            On::Time => Family::Time,
            On::Boolean => Family::Boolean,
            On::Guid => Family::Guid,
            On::Binary => Family::Binary,
            On::Json => Family::Json,
        };
        ty.family() == Some(wanted)
    }
}

/// How a function is spelled.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Form {
    /// A text with holes, and how tight its outermost operator binds.
    ///
    /// `{0}` is an argument that stands between commas or parentheses, `{0^}` one that stands beside an operator (it
    /// gets parentheses unless it is an atom), `{*}` and `{1*}` all arguments, or those from a place on, with commas.
    /// `{1=}` is one whose value must stand in the text itself (a computed one is refused), `{1'}` the same for a text
    /// that nothing may stand before. `{:}` is all arguments in pairs: `a:b, c:d`; `{= AS }` are such pairs as items of a
    /// select: `b AS "a", d AS "c"`. A brace itself is doubled.
    ///
    /// A letter behind the place brings an argument to a type, by CAST unless it has that type already: `{0i}` a whole
    /// number of 32 bits, `{0f}` a number that is not exact (whole numbers stay), `{0t}` text, `{0s}` a date and time
    /// (one with an offset stays). `{0j}` is an item of JSON, see [`Dialect::json_item`](super::Dialect::json_item); `{*t}` and `{*j}` are all
    /// arguments as such. `{1p}` is the path to what holds the place of a JSON path, `{1k}`
    /// what that has to be: `'object'` or `'array'`, see [`Dialect::json_kind`](super::Dialect::json_kind); `{1n}` is the name or index of the place
    /// in it, as a text.
    /// `{1q}` and `{1r}` are the path and the one to what holds its place
    /// as [`Dialect::json_strict`](super::Dialect::json_strict) writes them.
    ///
    /// In an aggregate, `{o}` is its order as `ORDER BY ...` and `{w}` the same as `WITHIN GROUP (ORDER BY ...)`, each
    /// with the blank before it. `{d}` is where DISTINCT goes, if that is not before `{0}`, and `{v}` where
    /// `OVER (...)` goes (`{v=}` where it goes once more before that), `{f}` where FILTER and OVER go, if that is not the end.
    Text(Prec, Spelling<'static>),
    /// A rule makes something else of the call.
    Expand(Rule),
    /// The engine lacks it: why.
    Refuse(&'static str),
}

/// A row of the function table.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// The function.
    pub func: Func,
    /// How many arguments are given; any number if absent.
    pub args: Option<u8>,
    /// What the first of them is.
    pub on: On,
    /// Whether that holds for all of them.
    pub every: bool,
    /// Only where nothing can be out of range; see [`plain`](Self::plain).
    pub plain: bool,
    /// Which arguments must never be NULL: a bit for each of the first ones, `u8::MAX` for all.
    pub not_null: u8,
    /// Which argument must be a whole number that 32 bits hold.
    pub int32: Option<u8>,
    /// Which argument must be a known number other than 0.
    pub not_zero: Option<u8>,
    /// Whether the engine computes each argument but the last one twice.
    pub twice: bool,
    /// Only with DISTINCT.
    pub distinct: bool,
    /// Only over a window.
    pub over: bool,
    /// From which version on.
    pub since: Version,
    /// How it is spelled.
    pub form: Form,
    /// Whether the compiler has to see to it that the result is NULL where an argument is.
    pub guarded: bool,
    /// What the caller should know about the spelling.
    pub note: Option<Rule>,
}

impl Row {
    /// A spelling that is an atom: a call, or something in parentheses.
    ///
    /// ```
    /// use isogloss_compiler::dialect::Row;
    /// use isogloss_compiler::functions::Func;
    ///
    /// const LOWER: Row = Row::call(Func::Lower, "LOWER({0})");
    /// # let _ = LOWER;
    /// ```
    ///
    /// # Panics
    /// The text has a hole that means nothing, or is for an argument that the function has not. In a table, which is a `const`,
    /// that is an error of Rust's compiler:
    ///
    /// ```compile_fail,E0080
    /// use isogloss_compiler::dialect::Row;
    /// use isogloss_compiler::functions::Func;
    ///
    /// const LOWER: Row = Row::call(Func::Lower, "LOWER({7})");
    /// # let _ = LOWER;
    /// ```
    pub const fn call(func: Func, template: &'static str) -> Row {
        Row::operator(func, Prec::Atom, template)
    }

    /// A spelling whose outermost operator binds like that.
    ///
    /// # Panics
    /// As [`call`](Self::call).
    pub const fn operator(func: Func, prec: Prec, template: &'static str) -> Row {
        let spelling = Spelling::new(template);
        spelling.assert_fits(func.signature().most());
        Row::new(func, Form::Text(prec, spelling))
    }

    /// A spelling that a rule makes.
    pub const fn expand(func: Func, rule: Rule) -> Row {
        Row::new(func, Form::Expand(rule))
    }

    /// A function that the engine lacks.
    pub const fn refuse(func: Func, reason: &'static str) -> Row {
        Row::new(func, Form::Refuse(reason))
    }

    const fn new(func: Func, form: Form) -> Row {
        Row {
            func,
            args: None,
            on: On::Anything,
            every: false,
            plain: false,
            not_null: 0,
            int32: None,
            not_zero: None,
            twice: false,
            distinct: false,
            over: false,
            since: (0, 0, 0),
            form,
            guarded: false,
            note: None,
        }
    }

    /// Whether it fits any call of its function, in the versions from which it counts.
    pub(super) const fn is_for_all(&self) -> bool {
        matches!(self.on, On::Anything)
            && self.args.is_none()
            && self.not_null == 0
            && self.int32.is_none()
            && self.not_zero.is_none()
            && !(self.plain || self.distinct || self.over)
    }

    /// Leaves a note in the result: for a spelling that differs in what no other can mend.
    #[must_use]
    pub const fn noted(self, rule: Rule) -> Row {
        Row { note: Some(rule), ..self }
    }

    /// For a spelling that takes NULL for something else (`GREATEST` skips it): where an argument can be NULL, the
    /// compiler puts `CASE WHEN a IS NULL THEN NULL ELSE ... END` around it.
    #[must_use]
    pub const fn guarded(self) -> Row {
        Row { guarded: true, ..self }
    }

    /// Only for so many arguments.
    ///
    /// # Panics
    /// The spelling has a hole for one more; in a `const`, that is an error of Rust's compiler.
    #[must_use]
    pub const fn args(self, args: u8) -> Row {
        if let Form::Text(_, spelling) = &self.form {
            spelling.assert_fits(args as usize);
        }
        Row { args: Some(args), ..self }
    }

    /// Only if the first argument is of that kind.
    #[must_use]
    pub const fn on(self, on: On) -> Row {
        Row { on, ..self }
    }

    /// Only if every argument is of that kind.
    #[must_use]
    pub const fn every(self, on: On) -> Row {
        Row { on, every: true, ..self }
    }

    /// Only where nothing can be out of range: each whole number among the arguments is known, not negative and below 2^30, and
    /// each text behind the first argument is known and not empty, a JSON path is a [plain](super::Dialect::json_plain) one, and
    /// an exponent is a whole number that is known and not negative. For the short spelling of what takes a longer one
    /// in general.
    #[must_use]
    pub const fn plain(self) -> Row {
        Row { plain: true, ..self }
    }

    /// Only if none of so many first arguments, at most 7, can be NULL; `u8::MAX` for all.
    #[must_use]
    pub const fn not_null(self, count: u8) -> Row {
        Row { not_null: if count < 8 { (1 << count) - 1 } else { u8::MAX }, ..self }
    }

    /// Only if the argument at that place, 0 to 6, cannot be NULL.
    #[must_use]
    pub const fn not_null_at(self, index: u8) -> Row {
        Row { not_null: self.not_null | 1 << index, ..self }
    }

    /// Only if the argument at that place is a whole number that certainly fits 32 bits.
    #[must_use]
    pub const fn int32_at(self, index: u8) -> Row {
        Row { int32: Some(index), ..self }
    }

    /// Only if the argument at that place is a known number other than 0.
    #[must_use]
    pub const fn not_zero_at(self, index: u8) -> Row {
        Row { not_zero: Some(index), ..self }
    }

    /// For a spelling that the engine itself writes out so that each argument but the last one is computed twice.
    #[must_use]
    pub const fn computed_twice(self) -> Row {
        Row { twice: true, ..self }
    }

    /// Only with DISTINCT.
    #[must_use]
    pub const fn distinct(self) -> Row {
        Row { distinct: true, ..self }
    }

    /// Only over a window.
    #[must_use]
    pub const fn over(self) -> Row {
        Row { over: true, ..self }
    }

    /// Only from that version on. Rows of later versions stand before those of earlier ones.
    #[must_use]
    pub const fn since(self, version: Version) -> Row {
        Row { since: version, ..self }
    }
}
