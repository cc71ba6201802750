//! How long a concatenation can be.

use isogloss_compiler::Result;
use isogloss_compiler::expr::{DbValueType as T, Value};
use isogloss_compiler::frame::{Literal, Scalar, ScalarKind};
use isogloss_compiler::functions::Func;
use isogloss_compiler::render::{Prec, Writer};

use crate::cast::TextForm;

/// Whether a concatenation is at most 4,000 characters long, or of a type without that limit: else what is beyond it
/// would be lost without an error.
pub(crate) fn fits_in_place(w: &Writer<'_, '_>, items: &[Scalar<'_, '_>]) -> bool {
    let mut sum = 0_usize;
    for item in items {
        match longest(w, item) {
            // What stands before it is put together first, in the shorter type.
            Longest::Unlimited => return sum <= 4_000,
            Longest::Characters(n) => sum = sum.saturating_add(n),
            Longest::Unknown => sum = usize::MAX,
        }
    }
    sum <= 4_000
}

/// Whether `+` keeps all of a text beside an `nvarchar(max)`: it makes a `varchar(8000)` an `nvarchar(4000)` first.
pub(crate) fn fits_beside_wide(w: &Writer<'_, '_>, item: &Scalar<'_, '_>) -> bool {
    let narrow = item.ty.is_some_and(|ty| matches!(ty.base, T::AnsiString | T::AnsiStringFixedLength));
    !narrow
        || match longest(w, item) {
            Longest::Characters(n) => n <= 4_000,
            Longest::Unlimited => true,
            Longest::Unknown => false,
        }
}

/// Whether a text may have all the 4,000 characters that its type has room for, so that nothing can be put behind it.
pub(crate) fn fills_wide(w: &Writer<'_, '_>, text: &Scalar<'_, '_>) -> bool {
    matches!(longest(w, text), Longest::Characters(4_000))
}

/// An item of a concatenation, as `nvarchar(max)` where it is to be.
pub(crate) fn unlimited<'e>(w: &mut Writer<'_, 'e>, item: &Scalar<'_, 'e>, cast: bool) -> Result<()> {
    if !cast {
        return w.scalar(item, Prec::Atom);
    }
    w.text("CAST(");
    w.scalar(item, Prec::Lowest)?;
    w.text(" AS nvarchar(max))");
    Ok(())
}

/// How long a text can be.
enum Longest {
    /// So many characters.
    Characters(usize),
    /// As long as it likes: its type is nvarchar(max).
    Unlimited,
    /// That is not known.
    Unknown,
}

fn longest(w: &Writer<'_, '_>, text: &Scalar<'_, '_>) -> Longest {
    let of_value = |value: &Value| match value {
        // A driver binds more than 4,000 as nvarchar(max).
        Value::Text(text) => match text.chars().map(char::len_utf16).sum() {
            n if n > 4_000 => Longest::Unlimited,
            n => Longest::Characters(n),
        },
        _ => Longest::Unknown,
    };
    match text.kind {
        ScalarKind::Column(_) => match text.column.and_then(|column| column.length) {
            Some(length) => usize::try_from(length).map_or(Longest::Unknown, Longest::Characters),
            None => Longest::Unknown,
        },
        ScalarKind::Param(param) => w.value_of(&param).map_or(Longest::Unknown, of_value),
        ScalarKind::Literal(Literal::Tree(value)) => of_value(value),
        ScalarKind::Literal(Literal::Text(text)) => Longest::Characters(text.len()),
        ScalarKind::Cast(value, ty) if ty.base.is_text() => match TextForm::of(value) {
            Some(TextForm::Cast | TextForm::Computed) | None => Longest::Unlimited,
            // What FORMAT gives is as long as it is.
            Some(_) => Longest::Characters(40),
        },
        ScalarKind::Case(case) => {
            let mut most = 0;
            for value in case.cases.iter().map(|(_, value)| value).chain(&case.otherwise) {
                match longest(w, value) {
                    Longest::Characters(n) => most = n.max(most),
                    other => return other,
                }
            }
            Longest::Characters(most)
        }
        // These make nothing longer.
        ScalarKind::Call(call) => match (call.func, call.args.first()) {
            (
                Some(Func::Lower | Func::Upper | Func::Trim | Func::TrimStart | Func::TrimEnd | Func::Reverse)
                | Some(Func::Substring | Func::Left | Func::Right),
                Some(first),
            ) => longest(w, first),
            _ => Longest::Unknown,
        },
        _ => Longest::Unknown,
    }
}
