//! Two answers of one query: whether they are the same.

use isogloss_compiler::expr::{Decimal, Value};

/// The rows that a query gave.
pub type Answer = Vec<Vec<Value>>;

/// How far two doubles may be from each other, in parts of the greater one. SQLite keeps decimals as doubles, whose sums
/// depend on the order of the rows.
const TOLERANCE: f64 = 1e-9;

/// How far a number may be from the published one, that has two digits after the point, and how far in parts of it: the
/// published quotient of Q17 is off by three hundredths.
const PUBLISHED: (f64, f64) = (0.005, 1e-7);

/// How many digits after the point a quotient or an average has at least, where engines cut it: MySQL gives four more than
/// the dividend has, and fewer than our texts ask it for.
const CUT: u8 = 4;

/// The first row in which two answers differ, if they do: row for row, where rows that are equal in the columns of the
/// order stand in any order.
///
/// Numbers are compared by their value. Exact ones are the same to the last digit, but for one that the engine has cut to
/// four digits after the point or more; doubles are compared to nine digits. A date is its text, as SQLite has it.
#[must_use]
pub fn difference(expected: &Answer, actual: &Answer, order: &[usize]) -> Option<String> {
    first_difference(expected, actual, order, same)
}

/// The first row in which an answer differs from the one that the standard publishes, if it does. Numbers have two digits
/// after the point there; an empty text says nothing.
#[must_use]
pub fn difference_from_published(published: &[Vec<&str>], actual: &Answer, order: &[usize]) -> Option<String> {
    let texts = |row: &Vec<&str>| row.iter().map(|text| Value::from(*text)).collect();
    let published: Answer = published.iter().map(texts).collect();
    first_difference(&published, actual, order, |published, value| match (published, value) {
        (Value::Text(published), Value::Text(text)) => published.trim() == text.trim(),
        (Value::Text(published), Value::Date(date)) => *published == *date.to_string(),
        (Value::Text(published), _) if published.is_empty() => true,
        (Value::Text(published), number) => match (published.parse::<f64>(), double(number)) {
            (Ok(published), Some(number)) => (published - number).abs() <= PUBLISHED.0 + PUBLISHED.1 * number.abs(),
            _ => false,
        },
        _ => false,
    })
}

fn first_difference(
    expected: &Answer,
    actual: &Answer,
    order: &[usize],
    same: impl Fn(&Value, &Value) -> bool,
) -> Option<String> {
    if expected.len() != actual.len() {
        return Some(format!("{} rows expected, {} came", expected.len(), actual.len()));
    }
    let same_rows = |a: &[Value], b: &[Value]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b));
    let mut rest = actual.clone();
    for (index, wanted) in expected.iter().enumerate() {
        let same_at =
            |row: &Vec<Value>, key| matches!((wanted.get(key), row.get(key)), (Some(a), Some(b)) if same(a, b));
        let mut ties = rest.iter().take_while(|row| order.iter().all(|key| same_at(row, *key)));
        match ties.position(|row| same_rows(wanted, row)) {
            Some(at) => _ = rest.remove(at),
            None => return Some(format!("row {index}: {wanted:?} expected, {:?} came", rest.first())),
        }
    }
    None
}

fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Date(date), Value::Text(text)) | (Value::Text(text), Value::Date(date)) => *text == *date.to_string(),
        (Value::Float(_), _) | (_, Value::Float(_)) => match (double(a), double(b)) {
            (Some(a), Some(b)) => (a - b).abs() <= TOLERANCE * a.abs().max(b.abs()),
            _ => false,
        },
        (Value::Decimal(a), Value::Decimal(b)) => {
            let digits = a.scale().min(b.scale());
            a == b || digits >= CUT && a.scale() != b.scale() && cut(a, digits) == cut(b, digits)
        }
        _ => a == b,
    }
}

fn double(value: &Value) -> Option<f64> {
    value.to_decimal().map(|number| number.to_f64())
}

/// The number rounded to so many digits after the point, halves away from zero, as a whole number of them.
fn cut(number: &Decimal, digits: u8) -> i128 {
    let unit = 10_i128.pow(u32::from(number.scale().saturating_sub(digits)));
    let (whole, rest) = (number.mantissa() / unit, number.mantissa() % unit);
    if rest.abs() * 2 >= unit && unit > 1 { whole + rest.signum() } else { whole }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Value {
        Value::from(text.parse::<Decimal>().unwrap())
    }

    #[test]
    fn numbers_are_the_same_as_far_as_engines_give_them() {
        for (a, b, expected) in [
            (decimal("1.50"), decimal("1.5"), true),
            (decimal("1.50"), decimal("1.51"), false),
            (decimal("0.049985"), decimal("0.04998529583839761162"), true),
            (decimal("0.049986"), decimal("0.04998529583839761162"), false),
            (decimal("-0.0500"), decimal("-0.049985"), true),
            (decimal("0"), decimal("0.3"), false),
            (decimal("23512.75"), decimal("23512.752857"), false),
            (decimal("2"), Value::Int(2), true),
            (Value::Float(0.1 + 0.2), decimal("0.3"), true),
            (Value::Float(0.3001), decimal("0.3"), false),
            (Value::Float(1.0), Value::Null, false),
            (Value::Null, Value::Null, true),
            ("1995-03-15".into(), "1995-03-15".parse::<chrono::NaiveDate>().unwrap().into(), true),
            ("a".into(), "A".into(), false),
        ] {
            assert_eq!(same(&a, &b), expected, "{a:?} {b:?}");
        }
    }

    #[test]
    fn published_numbers_are_rounded() {
        let published = vec![vec!["25.52", "0.05", "17", "A"], vec!["3.00", "1", "1995-01-01", "29-520"]];
        let first = vec![decimal("25.5249"), Value::Float(0.049_985), 17.into(), "A  ".into()];
        let date = "1995-01-01".parse::<chrono::NaiveDate>().unwrap();
        let second = vec![decimal("3"), 1.into(), date.into(), "29-520".into()];
        let mut actual = vec![first, second];
        assert_eq!(difference_from_published(&published, &actual, &[]), None);
        actual[0][0] = decimal("25.5251");
        assert!(difference_from_published(&published, &actual, &[]).is_some());
    }

    #[test]
    fn rows_stand_in_order_but_for_ties() {
        let rows = |pairs: &[(i64, &str)]| -> Answer {
            pairs.iter().map(|(key, text)| vec![(*key).into(), (*text).into()]).collect()
        };
        let expected = rows(&[(1, "a"), (2, "b"), (2, "c"), (3, "d")]);
        assert_eq!(difference(&expected, &expected, &[0]), None);
        let tied = rows(&[(1, "a"), (2, "c"), (2, "b"), (3, "d")]);
        assert_eq!(difference(&expected, &tied, &[0]), None);
        assert!(difference(&expected, &tied, &[0, 1]).is_some());
        for wrong in [
            rows(&[(2, "b"), (1, "a"), (2, "c"), (3, "d")]),
            rows(&[(1, "a"), (2, "b"), (2, "b"), (3, "d")]),
            rows(&[(1, "a"), (2, "b"), (2, "c")]),
        ] {
            assert!(difference(&expected, &wrong, &[0]).is_some(), "{wrong:?}");
        }
    }
}
