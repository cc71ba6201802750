//! Exact decimal numbers of up to 38 digits, as the engines store them.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

/// An exact decimal: `mantissa * 10^-scale`, at most 38 digits.
///
/// The widely used decimal crates hold either 28 digits or any number of them; the engines' `NUMERIC` holds 38.
/// Equality and hash go by value: `1.50 == 1.5`.
///
/// ```
/// use isogloss_compiler::expr::Decimal;
/// let price: Decimal = "1234.50".parse()?;
/// assert_eq!(price.to_string(), "1234.50");
/// assert_eq!(price, "1234.5".parse()?);
/// # Ok::<(), isogloss_compiler::expr::BadDecimal>(())
/// ```
#[derive(Clone, Copy, Default)]
pub struct Decimal {
    mantissa: i128,
    scale: u8,
}

/// The error for a text that is not a decimal number of at most 38 digits.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a decimal number of at most 38 digits")]
pub struct BadDecimal;

impl Decimal {
    /// The maximal number of digits.
    pub const DIGITS: u32 = 38;
    const LIMIT: i128 = 10_i128.pow(38);
    const SCALE: u8 = 38;

    /// The decimal `mantissa * 10^-scale`: 10.50 is `Decimal::new(1050, 2)?`. For a number in the program's text use
    /// [`dec!(10.50)`](crate::dec), and parse other texts by `"10.50".parse()?`.
    ///
    /// # Errors
    /// More than 38 digits, or more than 38 of them after the decimal point.
    pub const fn new(mantissa: i128, scale: u8) -> Result<Self, BadDecimal> {
        if mantissa <= -Self::LIMIT || mantissa >= Self::LIMIT || scale > Self::SCALE {
            return Err(BadDecimal);
        }
        Ok(Self { mantissa, scale })
    }

    /// Parses `[-+]digits[.digits][e[-+]digits]`. It can be used in constants.
    ///
    /// # Errors
    /// Another form of text, more than 38 digits, or more than 38 of them after the decimal point.
    pub const fn parse(text: &str) -> Result<Self, BadDecimal> {
        Self::read(text.as_bytes(), false)
    }

    /// Parses the digits of a Rust literal, which may contain `_`.
    #[doc(hidden)]
    pub const fn literal(text: &str) -> Result<Self, BadDecimal> {
        Self::read(text.as_bytes(), true)
    }

    // What is not `const` yet is written out: `?`, `for`, `From`.
    const fn read(bytes: &[u8], literal: bool) -> Result<Self, BadDecimal> {
        let (negative, mut rest) = sign(bytes);
        let (mut mantissa, mut scale, mut seen, mut point) = (0_i128, 0_i64, false, false);
        let mut exponent = 0;
        while let Some((byte, more)) = rest.split_first() {
            rest = more;
            match *byte {
                digit @ b'0'..=b'9' => {
                    seen = true;
                    mantissa = match mantissa.checked_mul(10) {
                        Some(tens) if tens < Self::LIMIT => tens + (digit - b'0') as i128,
                        _ => return Err(BadDecimal),
                    };
                    if point {
                        scale += 1;
                    }
                }
                b'.' if !point => point = true,
                b'_' if literal => {}
                b'e' | b'E' => {
                    exponent = match whole(rest) {
                        Some(exponent) => exponent,
                        None => return Err(BadDecimal),
                    };
                    rest = &[];
                }
                _ => return Err(BadDecimal),
            }
        }
        if !seen {
            return Err(BadDecimal);
        }
        scale -= exponent;
        while scale < 0 && mantissa != 0 {
            mantissa = match mantissa.checked_mul(10) {
                Some(tens) if tens < Self::LIMIT => tens,
                _ => return Err(BadDecimal),
            };
            scale += 1;
        }
        if scale > Self::SCALE as i64 {
            return Err(BadDecimal);
        }
        let scale = if scale < 0 { 0 } else { scale.unsigned_abs() };
        #[allow(clippy::cast_possible_truncation, reason = "it is at most 38")]
        Self::new(if negative { -mantissa } else { mantissa }, scale as u8)
    }

    /// The digits without the decimal point.
    pub fn mantissa(&self) -> i128 {
        self.mantissa
    }

    /// The number of digits after the decimal point.
    pub fn scale(&self) -> u8 {
        self.scale
    }

    /// Removes trailing zeros after the decimal point.
    #[must_use]
    pub fn normalize(mut self) -> Self {
        while self.scale > 0 && self.mantissa % 10 == 0 {
            self.mantissa /= 10;
            self.scale -= 1;
        }
        self
    }

    /// Rounds to at most `digits` digits after the decimal point, halves away from 0, as engines do when they store it
    /// in a column with fewer digits.
    #[must_use]
    pub fn round(self, digits: u8) -> Self {
        let cut = self.scale.saturating_sub(digits);
        let unit = 10_i128.pow(cut.into());
        if cut == 0 {
            return self;
        }
        // The rest is half a unit or more.
        let up = (self.mantissa % unit) / (unit / 2);
        Self { mantissa: self.mantissa / unit + up, scale: digits }
    }

    /// The value as an integer, if it is one that fits into an `i64`.
    pub fn to_i64(&self) -> Option<i64> {
        let n = self.normalize();
        if n.scale == 0 { i64::try_from(n.mantissa).ok() } else { None }
    }

    /// The nearest `f64`.
    pub fn to_f64(&self) -> f64 {
        self.to_string().parse().unwrap_or(f64::NAN)
    }
}

/// The sign before a number, and what is behind it.
const fn sign(bytes: &[u8]) -> (bool, &[u8]) {
    match bytes.split_first() {
        Some((b'-', rest)) => (true, rest),
        Some((b'+', rest)) => (false, rest),
        _ => (false, bytes),
    }
}

/// A whole number, as an exponent is one.
const fn whole(bytes: &[u8]) -> Option<i64> {
    let (negative, mut rest) = sign(bytes);
    if rest.is_empty() {
        return None;
    }
    let mut number = 0_i64;
    while let Some((digit, more)) = rest.split_first() {
        if !digit.is_ascii_digit() || number > i32::MAX as i64 {
            return None;
        }
        number = number * 10 + (*digit - b'0') as i64;
        rest = more;
    }
    Some(if negative { -number } else { number })
}

macro_rules! integers {
    ($($of:ty),*) => {$(
        impl From<$of> for Decimal {
            fn from(n: $of) -> Self {
                Self { mantissa: n.into(), scale: 0 }
            }
        }
    )*};
}

integers!(i8, i16, i32, i64, u8, u16, u32, u64);

#[cfg(feature = "rust_decimal")]
impl From<rust_decimal::Decimal> for Decimal {
    /// Exact: it has 28 digits.
    fn from(number: rust_decimal::Decimal) -> Self {
        // Its scale is at most 28.
        Self { mantissa: number.mantissa(), scale: u8::try_from(number.scale()).unwrap_or(u8::MAX) }
    }
}

#[cfg(feature = "rust_decimal")]
impl TryFrom<Decimal> for rust_decimal::Decimal {
    type Error = BadDecimal;

    /// Exact, or an error: it has 28 digits.
    fn try_from(number: Decimal) -> Result<Self, BadDecimal> {
        let fit = |n: Decimal| Self::try_from_i128_with_scale(n.mantissa, n.scale.into());
        fit(number).or_else(|_| fit(number.normalize())).map_err(|_| BadDecimal)
    }
}

#[cfg(feature = "bigdecimal")]
impl From<Decimal> for bigdecimal::BigDecimal {
    fn from(number: Decimal) -> Self {
        Self::new(number.mantissa.into(), number.scale.into())
    }
}

#[cfg(feature = "bigdecimal")]
impl TryFrom<&bigdecimal::BigDecimal> for Decimal {
    type Error = BadDecimal;

    /// Exact, or an error: more than 38 digits.
    fn try_from(number: &bigdecimal::BigDecimal) -> Result<Self, BadDecimal> {
        let (digits, scale) = number.normalized().into_bigint_and_exponent();
        let mut mantissa = i128::try_from(digits).map_err(|_| BadDecimal)?;
        // Zeros before the point.
        for _ in scale..0 {
            mantissa = mantissa.checked_mul(10).filter(|mantissa| mantissa.abs() < Self::LIMIT).ok_or(BadDecimal)?;
            if mantissa == 0 {
                break;
            }
        }
        Self::new(mantissa, u8::try_from(scale.max(0)).map_err(|_| BadDecimal)?)
    }
}

#[cfg(feature = "bigdecimal")]
impl TryFrom<bigdecimal::BigDecimal> for Decimal {
    type Error = BadDecimal;

    /// Exact, or an error: more than 38 digits.
    fn try_from(number: bigdecimal::BigDecimal) -> Result<Self, BadDecimal> {
        Self::try_from(&number)
    }
}

impl FromStr for Decimal {
    type Err = BadDecimal;

    /// As [`Decimal::parse`].
    fn from_str(text: &str) -> Result<Self, BadDecimal> {
        Self::parse(text)
    }
}

/// A decimal constant, whose digits are read when the program is compiled.
///
/// ```
/// use isogloss_compiler::dec;
/// use isogloss_compiler::expr::Decimal;
/// const RATE: Decimal = dec!(0.19);
/// assert_eq!(dec!(-12.50).to_string(), "-12.50");
/// assert_eq!((dec!(1_000), RATE), (Decimal::from(1000), "0.19".parse()?));
/// # Ok::<(), isogloss_compiler::expr::BadDecimal>(())
/// ```
///
/// A literal that is not a decimal of at most 38 digits does not compile:
///
/// ```compile_fail
/// isogloss_compiler::dec!(0.123456789012345678901234567890123456789);
/// ```
#[macro_export]
macro_rules! dec {
    ($number:literal) => {{
        // An item, so that `cargo check` evaluates it, too.
        const NUMBER: $crate::expr::Decimal = match $crate::expr::Decimal::literal(::core::stringify!($number)) {
            ::core::result::Result::Ok(number) => number,
            ::core::result::Result::Err(_) => ::core::panic!("not a decimal number of at most 38 digits"),
        };
        NUMBER
    }};
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.mantissa.unsigned_abs();
        let unit = 10_u128.pow(self.scale.into());
        let sign = if self.mantissa < 0 { "-" } else { "" };
        if self.scale == 0 {
            write!(f, "{sign}{digits}")
        } else {
            write!(f, "{sign}{}.{:0width$}", digits / unit, digits % unit, width = usize::from(self.scale))
        }
    }
}

impl fmt::Debug for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl PartialEq for Decimal {
    fn eq(&self, other: &Self) -> bool {
        let (a, b) = (self.normalize(), other.normalize());
        (a.mantissa, a.scale) == (b.mantissa, b.scale)
    }
}

impl Eq for Decimal {}

impl Hash for Decimal {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let n = self.normalize();
        (n.mantissa, n.scale).hash(state);
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        let unit = |d: &Self| 10_i128.pow(d.scale.into());
        let whole = |d: &Self| d.mantissa / unit(d);
        let part = |d: &Self| (d.mantissa % unit(d)) * 10_i128.pow(Self::DIGITS - u32::from(d.scale));
        whole(self).cmp(&whole(other)).then_with(|| part(self).cmp(&part(other)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(feature = "rust_decimal")]
    fn it_is_a_number_of_rust_decimal_where_that_has_room() {
        for text in ["0", "-0.00", "12.50", "79228162514264337593543950335", "0.0000000000000000000000000001"] {
            let theirs: rust_decimal::Decimal = text.parse().unwrap();
            let ours = Decimal::from(theirs);
            assert_eq!(ours, text.parse().unwrap());
            assert_eq!(rust_decimal::Decimal::try_from(ours).unwrap(), theirs);
        }
        let trailing: Decimal = "1.00000000000000000000000000000000000".parse().unwrap();
        assert_eq!(rust_decimal::Decimal::try_from(trailing).unwrap(), 1.into());
        for text in ["79228162514264337593543950336", "0.00000000000000000000000000001"] {
            assert!(rust_decimal::Decimal::try_from(text.parse::<Decimal>().unwrap()).is_err(), "{text}");
        }
    }

    #[test]
    #[cfg(feature = "bigdecimal")]
    fn it_is_a_number_of_bigdecimal_of_up_to_38_digits() {
        for text in [
            "0",
            "-12.50",
            "1e37",
            "99999999999999999999999999999999999999",
            "0.00000000000000000000000000000000000001",
        ] {
            let theirs: bigdecimal::BigDecimal = text.parse().unwrap();
            let ours = Decimal::try_from(&theirs).unwrap();
            assert_eq!(ours, text.parse().unwrap());
            assert_eq!(bigdecimal::BigDecimal::from(ours), theirs);
        }
        for text in ["1e38", "1e1000000000", "1e-39", "123456789012345678901234567890123456789"] {
            let theirs: bigdecimal::BigDecimal = text.parse().unwrap();
            assert!(Decimal::try_from(theirs).is_err(), "{text}");
        }
    }

    fn dec(text: &str) -> Decimal {
        text.parse().unwrap()
    }

    #[test]
    fn reads_and_prints() {
        for text in ["0", "-1", "12.50", "0.001", "-0.5", "99999999999999999999999999999999999999"] {
            assert_eq!(dec(text).to_string(), text);
        }
        assert_eq!(dec("1.5e3").to_string(), "1500");
        assert_eq!(dec("15E-1").to_string(), "1.5");
    }

    #[test]
    fn refuses_what_is_no_number_or_too_long() {
        for text in ["", "-", ".", "1..2", "1e", "abc", "1e99999999999", "1e2147483647", "1e-2147483648", "1e39"] {
            assert!(text.parse::<Decimal>().is_err(), "{text}");
        }
        assert!("999999999999999999999999999999999999999".parse::<Decimal>().is_err());
    }

    #[test]
    fn literals_are_constants() {
        const LEAST: Decimal = dec!(-1_234.50);
        assert_eq!((LEAST.mantissa(), LEAST.scale()), (-123_450, 2));
        assert_eq!((dec!(7), dec!(1.5e3), dec!(25e-1)), (Decimal::from(7_u8), dec("1500"), dec("2.5")));
        assert!(Decimal::parse("1_000").is_err());
        assert_eq!(dec("0e99").to_string(), "0");
    }

    #[test]
    fn compares_by_value() {
        assert_eq!(dec("1.50"), dec("1.5"));
        assert!(dec("-1.5") < dec("-1.25"));
        assert!(dec("99999999999999999999999999999999999999") > dec("0.00000000000000000000000000000000000001"));
    }
}
