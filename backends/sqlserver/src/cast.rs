//! CAST.
//!
//! As text, a value is what it is on every engine: a decimal without zeros at its end, a time without a fraction of 0.
//! FORMAT is .NET's, which leaves out a digit `#` or `F` that is 0, and the point before them if all are.

use isogloss_compiler::Result;
use isogloss_compiler::dialect::Dialect;
use isogloss_compiler::expr::{DbType, DbValueType as T};
use isogloss_compiler::frame::Scalar;
use isogloss_compiler::render::{Prec, Writer};

use crate::dialect::SqlServer;

/// The digits that FORMAT takes: those of .NET's decimal, whatever they are.
const FORMAT_DIGITS: u8 = 28;

/// As many digits after the point as that.
const FRACTION: &str = "############################";

/// How a value becomes text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextForm {
    /// By CAST.
    Cast,
    /// By FORMAT, with a pattern.
    Format(&'static str),
    /// By FORMAT, with so many digits after the point.
    Digits(u8),
    /// A decimal of which nothing is known.
    Computed,
    /// A time, which FORMAT takes as a date and time only.
    Time,
    /// A UUID, in lower case.
    Lower,
}

impl TextForm {
    /// That of a value, unless its type is not known.
    pub(crate) fn of(value: &Scalar<'_, '_>) -> Option<TextForm> {
        Some(match value.ty.filter(|ty| !ty.array)?.base {
            T::Decimal | T::VarNumeric => match value.column.map(|column| (column.precision, column.scale)) {
                Some((_, Some(0))) => TextForm::Cast,
                Some((Some(..=FORMAT_DIGITS), Some(scale))) => TextForm::Digits(scale),
                _ => TextForm::Computed,
            },
            // CAST leaves it two digits only.
            T::Currency => TextForm::Digits(4),
            T::DateTime | T::DateTime2 => TextForm::Format("yyyy-MM-dd HH:mm:ss.FFFFFFF"),
            T::Time => TextForm::Time,
            T::Guid => TextForm::Lower,
            _ => TextForm::Cast,
        })
    }
}

/// Writes a CAST.
pub(crate) fn cast<'e>(dialect: &SqlServer, w: &mut Writer<'_, 'e>, value: &Scalar<'_, 'e>, to: DbType) -> Result<()> {
    let text = |ty: DbType| ty.base.is_text() || ty.base.is_json();
    let decimal = matches!(to.base, T::Decimal | T::VarNumeric);
    match value.ty.filter(|from| !from.array && !to.array) {
        Some(from) if text(from) && to.base == T::Binary => utf8(dialect, w, value),
        Some(from) if from.base == T::Binary && text(to) => {
            let reason = "SQL Server reads bytes in the code page of the database: select them, and read them as UTF-8";
            Err(w.refused("a CAST from bytes to text", reason))
        }
        Some(_) if to.base.is_text() => match TextForm::of(value) {
            Some(form) => as_text(w, value, form, to),
            None => w.standard_cast(value, to),
        },
        Some(DbType { base: T::DateTimeOffset, .. }) if matches!(to.base, T::DateTime | T::DateTime2) => {
            between(w, "CAST(SWITCHOFFSET(", value, ", '+00:00') AS datetime2)")
        }
        // It has its precision already.
        Some(from) if decimal && from.base.is_decimal() && !value.is_plain() => w.scalar(value, Prec::Atom),
        Some(from) if decimal => match digits(from.base) {
            // With digits after the point that it does not need, a product with it would have too many.
            Some(digits) => {
                between(w, "CAST(", value, " AS decimal(")?;
                w.quoted("", digits, ", 0))");
                Ok(())
            }
            None => w.standard_cast(value, to),
        },
        _ => w.standard_cast(value, to),
    }
}

fn between<'e>(w: &mut Writer<'_, 'e>, before: &str, value: &Scalar<'_, 'e>, after: &str) -> Result<()> {
    w.text(before);
    w.scalar(value, Prec::Lowest)?;
    w.text(after);
    Ok(())
}

fn as_text<'e>(w: &mut Writer<'_, 'e>, value: &Scalar<'_, 'e>, form: TextForm, to: DbType) -> Result<()> {
    match form {
        TextForm::Cast => w.standard_cast(value, to),
        TextForm::Format(pattern) => {
            between(w, "FORMAT(", value, ", '")?;
            w.text(pattern);
            w.text("', 'en-US')");
            Ok(())
        }
        TextForm::Digits(scale) => {
            between(w, "FORMAT(", value, ", '0.")?;
            w.text(FRACTION.get(..scale.into()).unwrap_or(FRACTION));
            w.text("', 'en-US')");
            Ok(())
        }
        // Behind the point, a whole number has no digit but 0, and another one has at least one that is not.
        TextForm::Computed => {
            w.text("CASE WHEN ");
            w.scalar(value, Prec::Concat)?;
            between(w, " = FLOOR(", value, ") THEN ")?;
            between(w, "CAST(FLOOR(", value, ") AS nvarchar(max)) ELSE ")?;
            between(w, "REPLACE(RTRIM(REPLACE(CAST(", value, " AS nvarchar(max)), '0', ' ')), ' ', '0') END")
        }
        TextForm::Time => between(w, "FORMAT(CAST(", value, " AS datetime2), 'HH:mm:ss.FFFFFFF', 'en-US')"),
        TextForm::Lower => between(w, "LOWER(CAST(", value, " AS nvarchar(36)))"),
    }
}

/// The bytes of a text in UTF-8: a text in a collation of that code page has them.
fn utf8<'e>(dialect: &SqlServer, w: &mut Writer<'_, 'e>, text: &Scalar<'_, 'e>) -> Result<()> {
    if dialect.version() < SqlServer::V2019.version() {
        return Err(w.refused("a CAST from text to bytes", "SQL Server has no UTF-8 before 2019"));
    }
    w.text("CAST(CAST(");
    w.scalar(text, Prec::Atom)?;
    w.text(" COLLATE Latin1_General_100_BIN2_UTF8 AS varchar(max)) AS varbinary(max))");
    Ok(())
}

/// How many digits a whole number has.
fn digits(ty: T) -> Option<u8> {
    Some(match ty {
        T::Byte | T::SByte => 3,
        T::Int16 | T::UInt16 => 5,
        T::Int32 | T::UInt32 => 10,
        T::Int64 => 19,
        T::UInt64 => 20,
        _ => return None,
    })
}
