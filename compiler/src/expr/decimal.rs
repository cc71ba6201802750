//! Exact decimal numbers of up to 38 digits, as the five engines store them.

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

/// A text that is no decimal number of at most 38 digits.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a decimal number of at most 38 digits")]
pub struct BadDecimal;

impl Decimal {
    /// The most digits that a decimal holds.
    pub const DIGITS: u32 = 38;
    const LIMIT: i128 = 10_i128.pow(38);

    /// `mantissa * 10^-scale`: 10.50 is `Decimal::new(1050, 2)?`. From text it is `"10.50".parse()?`.
    ///
    /// # Errors
    /// When it has more than 38 digits, or more than 38 of them after the point.
    pub fn new(mantissa: i128, scale: u8) -> Result<Self, BadDecimal> {
        if mantissa <= -Self::LIMIT || mantissa >= Self::LIMIT || u32::from(scale) > Self::DIGITS {
            return Err(BadDecimal);
        }
        Ok(Self { mantissa, scale })
    }

    /// The digits, without the point.
    pub fn mantissa(&self) -> i128 {
        self.mantissa
    }

    /// How many of the digits stand after the point.
    pub fn scale(&self) -> u8 {
        self.scale
    }

    /// The same value without trailing zeros after the point.
    #[must_use]
    pub fn normalize(mut self) -> Self {
        while self.scale > 0 && self.mantissa % 10 == 0 {
            self.mantissa /= 10;
            self.scale -= 1;
        }
        self
    }

    /// The value with at most so many digits after the point, a half rounded away from 0: as engines store one in a
    /// column of fewer digits.
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

    /// The value as an integer, if it is one that fits.
    pub fn to_i64(&self) -> Option<i64> {
        let n = self.normalize();
        if n.scale == 0 { i64::try_from(n.mantissa).ok() } else { None }
    }

    /// The nearest double.
    pub fn to_f64(&self) -> f64 {
        self.to_string().parse().unwrap_or(f64::NAN)
    }
}

impl From<i64> for Decimal {
    fn from(n: i64) -> Self {
        Self { mantissa: n.into(), scale: 0 }
    }
}

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

    /// Reads `[-+]digits[.digits][e[-+]digits]`.
    fn from_str(text: &str) -> Result<Self, BadDecimal> {
        let (number, exponent) = match text.find(['e', 'E']) {
            Some(at) => {
                let (number, rest) = text.split_at(at);
                (number, rest.get(1..).unwrap_or("").parse::<i32>().map_err(|_| BadDecimal)?)
            }
            None => (text, 0),
        };
        let (negative, digits) = match number.as_bytes().first() {
            Some(b'-') => (true, number.get(1..).unwrap_or("")),
            Some(b'+') => (false, number.get(1..).unwrap_or("")),
            _ => (false, number),
        };
        let (mut mantissa, mut scale, mut seen, mut point) = (0_i128, 0_i32, false, false);
        for byte in digits.bytes() {
            match byte {
                b'0'..=b'9' => {
                    seen = true;
                    mantissa = mantissa.checked_mul(10).ok_or(BadDecimal)? + i128::from(byte - b'0');
                    if mantissa >= Self::LIMIT {
                        return Err(BadDecimal);
                    }
                    scale += i32::from(point);
                }
                b'.' if !point => point = true,
                _ => return Err(BadDecimal),
            }
        }
        if !seen {
            return Err(BadDecimal);
        }
        scale = scale.checked_sub(exponent).ok_or(BadDecimal)?;
        while scale < 0 {
            if mantissa == 0 {
                scale = 0;
                break;
            }
            mantissa = mantissa.checked_mul(10).ok_or(BadDecimal)?;
            scale += 1;
        }
        Self::new(if negative { -mantissa } else { mantissa }, u8::try_from(scale).map_err(|_| BadDecimal)?)
    }
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
    fn compares_by_value() {
        assert_eq!(dec("1.50"), dec("1.5"));
        assert!(dec("-1.5") < dec("-1.25"));
        assert!(dec("99999999999999999999999999999999999999") > dec("0.00000000000000000000000000000000000001"));
    }
}
