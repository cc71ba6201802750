//! PostgreSQL's `numeric` in its binary form: groups of four decimal digits, the highest first.
//!
//! `count, weight, sign, scale` and the groups, all of 16 bits. The weight is the place of the first group: 0 stands
//! right before the point. <https://github.com/postgres/postgres/blob/REL_15_STABLE/src/backend/utils/adt/numeric.c>,
//! `numeric_send`.

use bytes::{BufMut, BytesMut};
use isogloss_compiler::expr::Decimal;

const NEGATIVE: u16 = 0x4000;
const NAN: u16 = 0xc000;
const INFINITE: u16 = 0xd000;
const MINUS_INFINITE: u16 = 0xf000;

/// The most groups that 39 digits are in, wherever the point stands.
const GROUPS: usize = 11;

/// Writes `mantissa * 10^-scale`.
pub(crate) fn encode(mantissa: i128, scale: i32, out: &mut BytesMut) {
    // The groups from the last one on. It may have fewer digits before the number's end.
    let mut groups = [0_u16; GROUPS];
    let (mut rest, mut len) = (mantissa.unsigned_abs(), 0);
    let mut take = |unit: u128, fill: u128| {
        if let Some(group) = groups.get_mut(len) {
            // Below 10,000.
            *group = u16::try_from(rest % unit * fill).unwrap_or(0);
        }
        rest /= unit;
        len += 1;
        rest > 0
    };
    let digits = scale.rem_euclid(4).unsigned_abs();
    let mut more = mantissa != 0;
    if more && digits > 0 {
        more = take(10_u128.pow(digits), 10_u128.pow(4 - digits));
    }
    while more {
        more = take(10_000, 1);
    }
    let after_point = (scale + 3).div_euclid(4);
    let weight = i32::try_from(len).unwrap_or(0) - after_point - 1;
    let used = groups.get(..len).unwrap_or(&[]);
    let trailing = used.iter().take_while(|group| **group == 0).count();
    let used = used.get(trailing..).unwrap_or(&[]);
    let short = |number: i32| i16::try_from(number).unwrap_or(0);
    out.put_i16(i16::try_from(used.len()).unwrap_or(0));
    out.put_i16(if used.is_empty() { 0 } else { short(weight) });
    out.put_u16(if mantissa < 0 { NEGATIVE } else { 0 });
    out.put_i16(short(scale.max(0)));
    for group in used.iter().rev() {
        out.put_u16(*group);
    }
}

/// Writes what is no number.
pub(crate) fn encode_nan(out: &mut BytesMut) {
    for part in [0, 0, NAN, 0] {
        out.put_u16(part);
    }
}

/// A `numeric` as it came.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Numeric<'b> {
    weight: i32,
    sign: u16,
    scale: u16,
    groups: &'b [u8],
}

impl<'b> Numeric<'b> {
    /// Reads the head; nothing if the bytes are no `numeric`.
    pub(crate) fn read(bytes: &'b [u8]) -> Option<Self> {
        let (head, groups) = bytes.split_at_checked(8)?;
        let part = |at: usize| head.get(at..at + 2)?.try_into().ok().map(u16::from_be_bytes);
        let weight = i16::from_be_bytes(head.get(2..4)?.try_into().ok()?);
        let (count, sign, scale) = (part(0)?, part(4)?, part(6)?);
        (groups.len() == usize::from(count) * 2).then_some(Self { weight: weight.into(), sign, scale, groups })
    }

    fn groups(&self) -> impl ExactSizeIterator<Item = u16> + use<'b> {
        self.groups.chunks_exact(2).map(|pair| pair.try_into().map_or(0, u16::from_be_bytes))
    }

    /// The exact number, if it is one of at most 38 digits.
    pub(crate) fn decimal(&self) -> Option<Decimal> {
        if !matches!(self.sign, 0 | NEGATIVE) {
            return None;
        }
        let groups = self.groups();
        // How many digits behind the point the groups have, the last of which may be filled up with zeros.
        let mut scale = (i32::try_from(groups.len()).ok()? - self.weight - 1) * 4;
        let last = groups.len().checked_sub(1);
        let mut mantissa = 0_i128;
        for (index, group) in groups.enumerate() {
            let (mut digits, mut group) = (4, i128::from(group));
            if Some(index) == last {
                while digits > 0 && group % 10 == 0 && scale > self.scale.into() {
                    (digits, group, scale) = (digits - 1, group / 10, scale - 1);
                }
            }
            mantissa = mantissa.checked_mul(10_i128.pow(digits))?.checked_add(group)?;
        }
        if mantissa == 0 {
            scale = 0;
        }
        while scale < 0 {
            (mantissa, scale) = (mantissa.checked_mul(10)?, scale + 1);
        }
        while scale > 38 && mantissa % 10 == 0 {
            (mantissa, scale) = (mantissa / 10, scale - 1);
        }
        // Zeros at the end that the column has are the number's, as far as there is room.
        let room = 10_i128.pow(37);
        while scale < i32::from(self.scale).min(38) && mantissa.abs() < room {
            (mantissa, scale) = (mantissa * 10, scale + 1);
        }
        if self.sign == NEGATIVE {
            mantissa = -mantissa;
        }
        Decimal::new(mantissa, u8::try_from(scale).ok()?).ok()
    }

    /// The nearest double; nothing for a number that is larger than any.
    pub(crate) fn f64(&self) -> Option<f64> {
        Some(match self.sign {
            0 | NEGATIVE => {
                let mut text = String::with_capacity(self.groups.len() * 2 + 8);
                text.push_str(if self.sign == NEGATIVE { "-0" } else { "0" });
                for group in self.groups() {
                    text.push_str(&format!("{group:04}"));
                }
                let exponent = (self.weight + 1) * 4 - i32::try_from(self.groups.len() * 2).unwrap_or(0);
                text.push_str(&format!("e{exponent}"));
                return text.parse().ok().filter(|double: &f64| double.is_finite());
            }
            INFINITE => f64::INFINITY,
            MINUS_INFINITE => f64::NEG_INFINITY,
            _ => f64::NAN,
        })
    }

    /// Whether it is a number.
    pub(crate) fn is_finite(&self) -> bool {
        matches!(self.sign, 0 | NEGATIVE)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn there_and_back(mantissa: i128, scale: i32) -> Option<Decimal> {
        let mut out = BytesMut::new();
        encode(mantissa, scale, &mut out);
        Numeric::read(&out)?.decimal()
    }

    #[test]
    fn a_number_is_written_as_the_server_writes_it() {
        // `SELECT numeric_send(n)`
        for (text, hex) in [
            ("0", "0000000000000000"),
            ("1", "00010000000000000001"),
            ("-12345.678", "0003000140000003000109291a7c"),
            ("10000", "00010001000000000001"),
            ("0.0001", "0001ffff000000040001"),
            ("1.50", "000200000000000200011388"),
        ] {
            let number: Decimal = text.parse().unwrap();
            let mut out = BytesMut::new();
            encode(number.mantissa(), number.scale().into(), &mut out);
            let written: String = out.iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(written, hex, "{text}");
            let read = Numeric::read(&out).unwrap();
            assert_eq!(read.decimal().unwrap().to_string(), text);
            assert_eq!(read.f64(), text.parse::<f64>().ok());
        }
        assert_eq!(there_and_back(5, -37).unwrap().to_string(), format!("5{}", "0".repeat(37)));
        assert!(there_and_back(5, -38).is_none(), "39 digits");
    }

    proptest! {
        #[test]
        fn decimals_are_lossless(mantissa in -(10_i128.pow(38) - 1)..10_i128.pow(38), cut in 0..38_u32, scale in 0..=38_u8) {
            let mantissa = mantissa / 10_i128.pow(cut);
            let number = Decimal::new(mantissa, scale).unwrap();
            let back = there_and_back(mantissa, scale.into()).unwrap();
            prop_assert_eq!(back, number);
            prop_assert_eq!(back.to_string(), number.to_string());
        }
    }
}
