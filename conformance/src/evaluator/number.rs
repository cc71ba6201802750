//! Numbers: exact for whole numbers and decimals, IEEE 754 for floats.

use std::cmp::Ordering;

use bigdecimal::num_bigint::BigInt;
use bigdecimal::{BigDecimal, RoundingMode, Signed, ToPrimitive, Zero};
use isogloss_compiler::expr::{Decimal, Value};

use super::scope::Kind;
use super::{Result, fault, unsupported};

/// A number.
#[derive(Debug, Clone)]
pub(crate) enum Number {
    Int(i128),
    Decimal(BigDecimal),
    Float(f64),
}

/// How many digits after the point a quotient has.
const QUOTIENT: i64 = 30;

impl Number {
    /// The number that a value is.
    pub(crate) fn of(value: &Value) -> Result<Number> {
        Ok(match value {
            Value::Int(number) => Number::Int((*number).into()),
            Value::UInt(number) => Number::Int((*number).into()),
            Value::Float(number) => Number::Float(*number),
            Value::Decimal(number) => {
                Number::Decimal(BigDecimal::new(BigInt::from(number.mantissa()), number.scale().into()))
            }
            other => return unsupported(format!("arithmetic on {}", other.kind())),
        })
    }

    /// The value, if a column can hold it.
    pub(crate) fn value(self) -> Result<Value> {
        match self {
            Number::Int(number) => match (i64::try_from(number), u64::try_from(number)) {
                (Ok(number), _) => Ok(number.into()),
                (_, Ok(number)) => Ok(Value::UInt(number)),
                _ => fault("a whole number over 64 bits"),
            },
            Number::Float(number) if number.is_finite() => Ok(number.into()),
            Number::Float(_) => fault("a float out of range"),
            Number::Decimal(number) => decimal(&number),
        }
    }

    pub(crate) fn to_decimal(&self) -> Result<BigDecimal> {
        match self {
            Number::Int(number) => Ok(BigDecimal::from(*number)),
            Number::Decimal(number) => Ok(number.clone()),
            // The shortest text that reads as the float again.
            Number::Float(number) => match number.to_string().parse() {
                Ok(number) => Ok(number),
                Err(_) => fault("a float that is no number, as a decimal"),
            },
        }
    }

    #[allow(clippy::cast_precision_loss, reason = "a float is asked for")]
    pub(crate) fn to_float(&self) -> f64 {
        match self {
            Number::Int(number) => *number as f64,
            Number::Decimal(number) => number.to_f64().unwrap_or(f64::NAN),
            Number::Float(number) => *number,
        }
    }

    pub(crate) fn is_zero(&self) -> bool {
        match self {
            Number::Int(number) => *number == 0,
            Number::Decimal(number) => number.is_zero(),
            Number::Float(number) => *number == 0.0,
        }
    }

    /// Both in the wider kind of the two.
    fn alike(self, other: Number) -> Result<(Number, Number)> {
        Ok(match (&self, &other) {
            (Number::Float(_), _) | (_, Number::Float(_)) => {
                (Number::Float(self.to_float()), Number::Float(other.to_float()))
            }
            (Number::Decimal(_), _) | (_, Number::Decimal(_)) => {
                (Number::Decimal(self.to_decimal()?), Number::Decimal(other.to_decimal()?))
            }
            _ => (self, other),
        })
    }

    pub(crate) fn negate(self) -> Result<Number> {
        Ok(match self {
            Number::Int(number) if number == i128::from(i64::MIN) => return fault("the least whole number, negated"),
            Number::Int(number) => Number::Int(-number),
            Number::Decimal(number) => Number::Decimal(-number),
            Number::Float(number) => Number::Float(-number),
        })
    }

    pub(crate) fn absolute(self) -> Result<Number> {
        match self {
            Number::Int(number) if number < 0 => self.negate(),
            Number::Int(_) => Ok(self),
            Number::Decimal(number) => Ok(Number::Decimal(number.abs())),
            Number::Float(number) => Ok(Number::Float(number.abs())),
        }
    }

    pub(crate) fn compare(self, other: Number) -> Result<Ordering> {
        Ok(match self.alike(other)? {
            (Number::Int(a), Number::Int(b)) => a.cmp(&b),
            (Number::Decimal(a), Number::Decimal(b)) => a.cmp(&b),
            // -0 is 0.
            (a, b) => a.to_float().partial_cmp(&b.to_float()).unwrap_or(Ordering::Equal),
        })
    }

    pub(crate) fn add(self, other: Number) -> Result<Number> {
        Ok(match self.alike(other)? {
            (Number::Int(a), Number::Int(b)) => Number::Int(a + b),
            (Number::Decimal(a), Number::Decimal(b)) => Number::Decimal(a + b),
            (a, b) => Number::Float(a.to_float() + b.to_float()),
        })
    }

    pub(crate) fn subtract(self, other: Number) -> Result<Number> {
        self.add(other.negate()?)
    }

    pub(crate) fn multiply(self, other: Number) -> Result<Number> {
        Ok(match self.alike(other)? {
            (Number::Int(a), Number::Int(b)) => match a.checked_mul(b) {
                Some(product) => Number::Int(product),
                None => return fault("a product over 64 bits"),
            },
            (Number::Decimal(a), Number::Decimal(b)) => Number::Decimal(a * b),
            (a, b) => Number::Float(a.to_float() * b.to_float()),
        })
    }

    /// The quotient; of whole numbers cut toward zero, none if the divisor is zero.
    pub(crate) fn divide(self, other: Number) -> Result<Option<Number>> {
        if other.is_zero() {
            return Ok(None);
        }
        Ok(Some(match self.alike(other)? {
            (Number::Int(a), Number::Int(b)) => Number::Int(a / b),
            (Number::Decimal(a), Number::Decimal(b)) => {
                Number::Decimal((a / b).with_scale_round(QUOTIENT, RoundingMode::HalfUp))
            }
            (a, b) => Number::Float(a.to_float() / b.to_float()),
        }))
    }

    /// The remainder with the dividend's sign; none if the divisor is zero.
    pub(crate) fn remainder(self, other: Number) -> Result<Option<Number>> {
        if other.is_zero() {
            return Ok(None);
        }
        Ok(Some(match self.alike(other)? {
            (Number::Int(a), Number::Int(b)) => Number::Int(a % b),
            (Number::Decimal(a), Number::Decimal(b)) => Number::Decimal(a % b),
            _ => return unsupported("a remainder of floats"),
        }))
    }

    /// Rounded to so many digits after the point.
    pub(crate) fn round(self, digits: i64, mode: RoundingMode) -> Result<Number> {
        Ok(match self {
            Number::Int(number) if digits >= 0 => Number::Int(number),
            Number::Int(number) => {
                let rounded = BigDecimal::from(number).with_scale_round(digits, mode);
                Number::Int(rounded.to_i128().unwrap_or(i128::MAX))
            }
            Number::Decimal(number) => Number::Decimal(number.with_scale_round(digits, mode)),
            Number::Float(_) => {
                let rounded = self.to_decimal()?.with_scale_round(digits, mode);
                Number::Float(rounded.to_f64().unwrap_or(f64::NAN))
            }
        })
    }

    /// As a number of another kind: toward a whole one it is cut.
    pub(crate) fn into_kind(self, kind: Kind) -> Result<Number> {
        Ok(match (kind, &self) {
            (Kind::Int, Number::Int(_)) => self,
            (Kind::Int, _) => {
                let whole = self.to_decimal()?.with_scale_round(0, RoundingMode::Down);
                match whole.to_i128() {
                    Some(whole) => Number::Int(whole),
                    None => return fault("a number too large for a whole one"),
                }
            }
            (Kind::Decimal, _) => Number::Decimal(self.to_decimal()?),
            (Kind::Float, _) => Number::Float(self.to_float()),
            _ => return unsupported("a number as another kind of value"),
        })
    }
}

/// A decimal of at most 38 digits; digits after the point that have no room are rounded away.
fn decimal(number: &BigDecimal) -> Result<Value> {
    let number = number.normalized();
    let (digits, scale) = number.as_bigint_and_exponent();
    let count = i64::try_from(digits.abs().to_string().len()).unwrap_or(i64::MAX);
    let whole = (count - scale).max(0);
    let room = i64::from(Decimal::DIGITS) - whole;
    if room < 0 {
        return fault("a decimal over 38 digits");
    }
    let fitted = number.with_scale_round(scale.clamp(0, room), RoundingMode::HalfUp);
    let (digits, scale) = fitted.as_bigint_and_exponent();
    match (digits.to_i128(), u8::try_from(scale)) {
        (Some(mantissa), Ok(scale)) => match Decimal::new(mantissa, scale) {
            Ok(decimal) => Ok(decimal.into()),
            Err(_) => fault("a decimal over 38 digits"),
        },
        _ => fault("a decimal over 38 digits"),
    }
}
