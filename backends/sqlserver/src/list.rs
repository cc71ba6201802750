//! The type of a list's items, which `OPENJSON` reads from one parameter.
//!
//! The list is a JSON array that the compiler made, of texts or of plain numbers. A type with another length serves an
//! index as well; one of another family does not.

use isogloss_compiler::expr::DbType;
use isogloss_compiler::model::Column;
use isogloss_compiler::render::Writer;

/// A type with its numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ItemType {
    /// `nvarchar` or `varchar` of at most so many characters, or of any number.
    Text { name: &'static str, length: Option<usize> },
    /// `decimal` of so many digits, and so many of them after the point.
    Decimal { precision: usize, scale: usize },
}

impl ItemType {
    pub(crate) fn write(self, w: &mut Writer<'_, '_>) {
        match self {
            ItemType::Text { name, length: Some(length) } => w.quoted(name, format_args!("({length}"), ")"),
            ItemType::Text { name, length: None } => w.quoted(name, "(max", ")"),
            ItemType::Decimal { precision, scale } => w.quoted("decimal(", format_args!("{precision}, {scale}"), ")"),
        }
    }
}

/// The text type that holds every item: as long as the column if that is enough, else as long as a text may be that is
/// not a large object.
///
/// `varchar` beside a varchar column, as long as no item has a character that the code page may lack: it would become a
/// question mark, and be found as one.
pub(crate) fn text_type(json: &str, ty: DbType, column: Option<&Column>) -> ItemType {
    let (name, most) = if ty.base.is_ansi() && json.is_ascii() { ("varchar", 8_000) } else { ("nvarchar", 4_000) };
    let longest = longest_text(json);
    let own = column.and_then(|column| column.length).and_then(|length| usize::try_from(length).ok());
    let length = [own.unwrap_or(most).min(most), most].into_iter().find(|length| longest <= *length);
    ItemType::Text { name, length }
}

/// The longest text, in units of UTF-16. One that is escaped counts as long as it is written.
fn longest_text(json: &str) -> usize {
    let (mut longest, mut length) = (0, 0_usize);
    let (mut inside, mut escaped) = (false, false);
    for byte in json.bytes() {
        match byte {
            b'"' if !escaped => {
                longest = longest.max(length);
                length = 0;
                inside = !inside;
            }
            // The first byte of a character beyond the basic plane, which takes two units.
            0xF0.. => length += 2,
            0x80..0xC0 => {}
            _ if inside => length += 1,
            _ => {}
        }
        escaped = byte == b'\\' && !escaped;
    }
    longest
}

/// The decimal type that holds every item: the column's if that is enough, else one of 38 digits. None holds numbers
/// with both too many digits before and after the point.
pub(crate) fn decimal_type(json: &str, column: Option<&Column>) -> Option<ItemType> {
    let (mut whole, mut fraction) = (0, 0);
    for item in json.trim_matches(['[', ']']).split(',') {
        let item = if item == "null" { "" } else { item.trim_start_matches('-') };
        let (before, after) = item.split_once('.').unwrap_or((item, ""));
        whole = whole.max(before.trim_start_matches('0').len());
        fraction = fraction.max(after.trim_end_matches('0').len());
    }
    let own = column.and_then(|column| Some((usize::from(column.precision?), usize::from(column.scale?))));
    let wide = (38, own.map_or(10, |(_, scale)| scale).max(fraction));
    let fits = |(precision, scale): &(usize, usize)| fraction <= *scale && whole + scale <= *precision;
    let exact = (38, fraction);
    let (precision, scale) = own.into_iter().chain([wide, exact]).find(fits)?;
    Some(ItemType::Decimal { precision, scale })
}

#[cfg(test)]
mod tests {
    use isogloss_compiler::expr::DbValueType as T;

    use super::*;

    fn text(json: &str, base: T) -> ItemType {
        text_type(json, base.into(), None)
    }

    #[test]
    fn a_text_type_holds_the_longest_item() {
        assert_eq!(longest_text(r#"["a","",null,"bcd"]"#), 3);
        assert_eq!(longest_text(r#"["\"",null]"#), 2);
        assert_eq!(longest_text(r#"["\\","é","𝄞𝄞𝄞"]"#), 6);
        let long = format!("[\"{}\"]", "x".repeat(4_001));
        assert_eq!(text(&long, T::String), ItemType::Text { name: "nvarchar", length: None });
        assert_eq!(text(&long, T::AnsiString), ItemType::Text { name: "varchar", length: Some(8_000) });
        assert_eq!(text(r#"["ł"]"#, T::AnsiString), ItemType::Text { name: "nvarchar", length: Some(4_000) });
    }

    #[test]
    fn a_decimal_type_holds_every_digit() {
        let decimal = |precision, scale| Some(ItemType::Decimal { precision, scale });
        assert_eq!(decimal_type("[1.5,-20,null]", None), decimal(38, 10));
        assert_eq!(decimal_type("[0.123456789012,2]", None), decimal(38, 12));
        let whole = "9".repeat(30);
        assert_eq!(decimal_type(&format!("[{whole}]"), None), decimal(38, 0));
        assert_eq!(decimal_type(&format!("[{whole},0.123456789]"), None), None);
    }
}
