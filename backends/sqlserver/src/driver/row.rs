//! Rows of the server, in the driver's own memory.

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime};
use isogloss_compiler::expr::{Decimal, Value};
use isogloss_driver::{Kind, Result, Row};
use tiberius::{ColumnData as D, ColumnType, FromSql};
use uuid::Uuid;

/// A row of `tiberius`.
pub(super) struct SqlServerRow<'r>(pub(super) &'r tiberius::Row);

impl SqlServerRow<'_> {
    #[inline]
    fn column(&self, index: usize) -> Result<&D<'static>> {
        self.0.get_column_data(index).map_err(|_| self.missing(index))
    }

    /// A column, as the driver reads it as that type.
    fn read<'r, V: FromSql<'r>>(&'r self, index: usize, wanted: &str) -> Result<Option<V>> {
        let column = self.column(index)?;
        if is_null(column) {
            return Ok(None);
        }
        V::from_sql(column).map_err(|_| self.bad(index, wanted))
    }

    /// The digits of money, which the driver gives as a double: those of larger amounts are lost by then.
    fn money(number: f64) -> Option<Decimal> {
        const EXACT: f64 = 900_719_925_474.0;
        (number.abs() <= EXACT).then(|| format!("{number:.4}").parse().ok())?
    }

    /// Whether a column is money.
    fn is_money(&self, index: usize) -> bool {
        let column = self.0.columns().get(index);
        column.is_some_and(|column| matches!(column.column_type(), ColumnType::Money | ColumnType::Money4))
    }
}

fn is_null(column: &D<'_>) -> bool {
    matches!(
        column,
        D::U8(None)
            | D::I16(None)
            | D::I32(None)
            | D::I64(None)
            | D::F32(None)
            | D::F64(None)
            | D::Bit(None)
            | D::String(None)
            | D::Guid(None)
            | D::Binary(None)
            | D::Numeric(None)
            | D::Xml(None)
            | D::DateTime(None)
            | D::SmallDateTime(None)
            | D::Time(None)
            | D::Date(None)
            | D::DateTime2(None)
            | D::DateTimeOffset(None)
    )
}

impl Row for SqlServerRow<'_> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn name(&self, index: usize) -> Option<&str> {
        self.0.columns().get(index).map(tiberius::Column::name)
    }

    fn kind(&self, index: usize) -> Result<Kind> {
        Ok(match self.column(index)? {
            column if is_null(column) => Kind::Null,
            D::Bit(_) => Kind::Bool,
            D::U8(_) | D::I16(_) | D::I32(_) | D::I64(_) => Kind::Int,
            D::F64(_) if self.is_money(index) => Kind::Decimal,
            D::F32(_) | D::F64(_) => Kind::Float,
            D::Numeric(_) => Kind::Decimal,
            D::String(_) | D::Xml(_) => Kind::Text,
            D::Binary(_) => Kind::Bytes,
            D::Date(_) => Kind::Date,
            D::Time(_) => Kind::Time,
            D::DateTime(_) | D::SmallDateTime(_) | D::DateTime2(_) => Kind::DateTime,
            D::DateTimeOffset(_) => Kind::DateTimeOffset,
            D::Guid(_) => Kind::Uuid,
        })
    }

    /// A bit; or a 0 or 1, which a CASE without a cast gives.
    fn bool(&self, index: usize) -> Result<Option<bool>> {
        if let D::Bit(truth) = self.column(index)? {
            return Ok(*truth);
        }
        match self.i64(index) {
            Ok(None) => Ok(None),
            Ok(Some(0)) => Ok(Some(false)),
            Ok(Some(1)) => Ok(Some(true)),
            _ => Err(self.bad(index, "a truth value: a bit, 0 or 1")),
        }
    }

    #[inline]
    fn i64(&self, index: usize) -> Result<Option<i64>> {
        Ok(match self.column(index)? {
            D::I64(number) => *number,
            D::I32(number) => number.map(i64::from),
            D::I16(number) => number.map(i64::from),
            D::U8(number) => number.map(i64::from),
            column if is_null(column) => None,
            D::Numeric(_) => {
                let whole = self.decimal(index)?.and_then(|decimal| decimal.to_i64());
                Some(whole.ok_or_else(|| self.bad(index, "a whole number of 64 bits"))?)
            }
            _ => return Err(self.bad(index, "a whole number")),
        })
    }

    fn u64(&self, index: usize) -> Result<Option<u64>> {
        let wanted = "a whole number that is not negative";
        let number = match self.column(index)? {
            D::Numeric(Some(_)) => {
                let number = self.decimal(index)?.map(|decimal| decimal.normalize());
                let whole = number.filter(|number| number.scale() == 0).map(|number| number.mantissa());
                Some(whole.ok_or_else(|| self.bad(index, wanted))?)
            }
            _ => self.i64(index)?.map(i128::from),
        };
        number.map(|number| u64::try_from(number).map_err(|_| self.bad(index, wanted))).transpose()
    }

    #[inline]
    #[allow(clippy::cast_precision_loss, reason = "a double is asked for")]
    fn f64(&self, index: usize) -> Result<Option<f64>> {
        Ok(match self.column(index)? {
            D::F64(number) => *number,
            D::F32(number) => number.map(f64::from),
            D::Numeric(_) => self.decimal(index)?.map(|decimal| decimal.to_f64()),
            column if is_null(column) => None,
            D::U8(_) | D::I16(_) | D::I32(_) | D::I64(_) => self.i64(index)?.map(|number| number as f64),
            _ => return Err(self.bad(index, "a number")),
        })
    }

    fn decimal(&self, index: usize) -> Result<Option<Decimal>> {
        let decimal = match self.column(index)? {
            column if is_null(column) => return Ok(None),
            D::Numeric(Some(number)) => Decimal::new(number.value(), number.scale()).ok(),
            D::F64(Some(number)) if self.is_money(index) => Self::money(*number),
            // The shortest text that reads as the same number again.
            D::F64(Some(number)) => number.to_string().parse().ok(),
            D::F32(Some(number)) => number.to_string().parse().ok(),
            _ => self.i64(index)?.map(Decimal::from),
        };
        let wanted = match self.is_money(index) {
            true => "a decimal: money over 900,719,925,474 is read after a cast to decimal(19, 4)",
            false => "a decimal of at most 38 digits",
        };
        decimal.map(Some).ok_or_else(|| self.bad(index, wanted))
    }

    #[inline]
    fn text(&self, index: usize) -> Result<Option<&str>> {
        Ok(match self.column(index)? {
            D::String(text) => text.as_deref(),
            D::Xml(xml) => xml.as_deref().map(AsRef::as_ref),
            column if is_null(column) => None,
            _ => return Err(self.bad(index, "text")),
        })
    }

    fn bytes(&self, index: usize) -> Result<Option<&[u8]>> {
        self.read(index, "bytes")
    }

    fn date(&self, index: usize) -> Result<Option<NaiveDate>> {
        self.read(index, "a date")
    }

    fn time(&self, index: usize) -> Result<Option<NaiveTime>> {
        self.read(index, "a time")
    }

    /// A `datetime2`, `datetime` or `smalldatetime`; a `date` at midnight.
    fn datetime(&self, index: usize) -> Result<Option<NaiveDateTime>> {
        match self.column(index)? {
            D::Date(_) => Ok(self.date(index)?.map(|day| day.and_time(NaiveTime::MIN))),
            _ => self.read(index, "a date and time"),
        }
    }

    fn datetime_offset(&self, index: usize) -> Result<Option<DateTime<FixedOffset>>> {
        self.read(index, "a date and time with an offset")
    }

    /// A `uniqueidentifier`, or the text of one.
    fn uuid(&self, index: usize) -> Result<Option<Uuid>> {
        match self.column(index)? {
            D::String(Some(text)) => Uuid::parse_str(text).map(Some).map_err(|_| self.bad(index, "a UUID")),
            _ => self.read(index, "a UUID"),
        }
    }

    fn own_value(&self, index: usize) -> Result<Value> {
        Ok(match self.kind(index)? {
            Kind::Bool => self.bool(index)?.into(),
            Kind::Int => self.i64(index)?.into(),
            Kind::Float => self.f64(index)?.into(),
            Kind::Decimal => self.decimal(index)?.into(),
            Kind::Text => self.text(index)?.into(),
            Kind::Bytes => self.bytes(index)?.into(),
            Kind::Date => self.date(index)?.into(),
            Kind::Time => self.time(index)?.into(),
            Kind::DateTime => self.datetime(index)?.into(),
            Kind::DateTimeOffset => self.datetime_offset(index)?.into(),
            Kind::Uuid => self.uuid(index)?.into(),
            _ => Value::Null,
        })
    }
}

#[cfg(test)]
#[path = "../../../driver/testing/decoding.rs"]
mod decoding;

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use isogloss_compiler::expr::DbValueType as T;
    use tiberius::numeric::Numeric;

    use super::super::value::{FINEST, date, datetime, datetime_offset, decimal_data, time};
    use super::*;

    fn row(column: D<'static>, ty: ColumnType) -> tiberius::Row {
        tiberius::Row::builder().column("c", ty, column).build()
    }

    #[test]
    fn every_spelling_of_a_number_is_read() {
        let numeric = D::Numeric(Some(Numeric::new_with_scale(4_200, 2)));
        let all = [D::U8(Some(42)), D::I16(Some(42)), D::I32(Some(42)), D::I64(Some(42)), numeric];
        for column in all {
            let row = row(column, ColumnType::Int8);
            let row = SqlServerRow(&row);
            assert_eq!(row.i64(0).unwrap(), Some(42));
            assert_eq!(row.f64(0).unwrap(), Some(42.0));
            assert_eq!(row.decimal(0).unwrap(), Some(42.into()));
        }
        let money = row(D::F64(Some(1234.5678)), ColumnType::Money);
        assert_eq!(SqlServerRow(&money).decimal(0).unwrap(), Some("1234.5678".parse().unwrap()));
        let lost = row(D::F64(Some(922_337_203_685_477.5)), ColumnType::Money);
        assert!(SqlServerRow(&lost).decimal(0).is_err() && SqlServerRow(&lost).value(0, None).is_err());
        let big = row(D::Numeric(Some(Numeric::new_with_scale(i128::from(u64::MAX), 0))), ColumnType::Numericn);
        assert_eq!(SqlServerRow(&big).u64(0).unwrap(), Some(u64::MAX));
        assert!(SqlServerRow(&big).i64(0).is_err());
        let one = row(D::I32(Some(1)), ColumnType::Int4);
        assert_eq!(SqlServerRow(&one).bool(0).unwrap(), Some(true));
    }

    #[test]
    fn times_come_back_as_they_were_sent() {
        let day = NaiveDate::from_ymd_opt(2024, 2, 29).unwrap();
        let at = day.and_hms_micro_opt(23, 59, 59, 999_999).unwrap();
        let zoned = DateTime::parse_from_rfc3339("2024-02-29T23:59:59.999999+05:30").unwrap();
        let sent = row(D::Date(Some(date(day).unwrap())), ColumnType::Daten);
        assert_eq!(SqlServerRow(&sent).date(0).unwrap(), Some(day));
        assert_eq!(SqlServerRow(&sent).datetime(0).unwrap(), day.and_hms_opt(0, 0, 0));
        let sent = row(D::Time(Some(time(at.time(), FINEST))), ColumnType::Timen);
        assert_eq!(SqlServerRow(&sent).time(0).unwrap(), Some(at.time()));
        let sent = row(D::DateTime2(Some(datetime(at, FINEST).unwrap())), ColumnType::Datetime2);
        assert_eq!(SqlServerRow(&sent).datetime(0).unwrap(), Some(at));
        assert_eq!(SqlServerRow(&sent).value(0, None).unwrap(), at.into());
        let sent = row(D::DateTimeOffset(Some(datetime_offset(zoned, FINEST).unwrap())), ColumnType::DatetimeOffsetn);
        assert_eq!(SqlServerRow(&sent).datetime_offset(0).unwrap(), Some(zoned));
        assert_eq!(SqlServerRow(&sent).datetime_offset(0).unwrap().map(|at| *at.offset()), Some(*zoned.offset()));
    }

    #[test]
    fn null_is_none_of_every_type_and_a_mismatch_says_what_is_there() {
        let nothing = row(D::DateTime2(None), ColumnType::Datetime2);
        let nothing = SqlServerRow(&nothing);
        assert_eq!(nothing.kind(0).unwrap(), Kind::Null);
        assert_eq!((nothing.i64(0).unwrap(), nothing.text(0).unwrap(), nothing.uuid(0).unwrap()), (None, None, None));
        assert_eq!((nothing.bool(0).unwrap(), nothing.bytes(0).unwrap(), nothing.time(0).unwrap()), (None, None, None));
        assert_eq!(nothing.value(0, Some(T::Decimal.into())).unwrap(), Value::Null);
        let text = row(D::String(Some(Cow::Borrowed("x"))), ColumnType::NVarchar);
        let error = SqlServerRow(&text).i64(0).unwrap_err();
        assert_eq!(error.to_string(), "cannot decode: column `c` (index 0) holds text, not a whole number");
        assert!(SqlServerRow(&text).i64(1).unwrap_err().to_string().contains("there is no column of index 1"));
    }

    /// Every type of the server, asked as every type.
    #[test]
    fn a_cell_is_its_value_in_the_type_that_is_asked_or_an_error() {
        use super::decoding::{Truth, check, decimals, floats, number, text, whole_numbers};
        let mut cells: Vec<(ColumnType, D<'static>, Truth)> = Vec::new();
        for whole in whole_numbers() {
            if let Ok(n) = u8::try_from(whole) {
                cells.push((ColumnType::Int1, D::U8(Some(n)), number(whole)));
            }
            if let Ok(n) = i16::try_from(whole) {
                cells.push((ColumnType::Int2, D::I16(Some(n)), number(whole)));
            }
            if let Ok(n) = i32::try_from(whole) {
                cells.push((ColumnType::Int4, D::I32(Some(n)), number(whole)));
            }
            if let Ok(n) = i64::try_from(whole) {
                cells.push((ColumnType::Int8, D::I64(Some(n)), number(whole)));
            }
        }
        for digits in decimals().into_iter().chain(["9".repeat(38), format!("0.{}", "7".repeat(37))]) {
            let decimal: Decimal = digits.parse().unwrap();
            cells.push((ColumnType::Numericn, decimal_data(&decimal), number(digits)));
        }
        for float in floats() {
            cells.push((ColumnType::Float8, D::F64(Some(float)), Truth::Double(float)));
            #[allow(clippy::cast_possible_truncation, reason = "the nearest one is meant")]
            let single = float as f32;
            if single.is_finite() {
                cells.push((ColumnType::Float4, D::F32(Some(single)), Truth::Single(single)));
            }
        }
        let mut other = |ty, data, truth| cells.push((ty, data, truth));
        other(ColumnType::Bit, D::Bit(Some(true)), Truth::Bool(true));
        for word in ["", "12abc", "1.5", "2024-02-29", "00000000-0000-0000-0000-000000001234", "abcdefghijklmnop"] {
            other(ColumnType::NVarchar, D::String(Some(word.into())), text(word));
        }
        other(
            ColumnType::BigVarBin,
            D::Binary(Some(Cow::Borrowed(b"abcdefghijklmnop"))),
            Truth::Bytes(b"abcdefghijklmnop".into()),
        );
        let uuid = Uuid::from_u128(0x1234);
        other(ColumnType::Guid, D::Guid(Some(uuid)), Truth::Uuid(uuid));
        for day in ["0001-01-01", "1582-10-10", "2024-02-29", "9999-12-31"] {
            let day: NaiveDate = day.parse().unwrap();
            other(ColumnType::Daten, D::Date(Some(date(day).unwrap())), Truth::Date(day));
            for at in [day.and_time(NaiveTime::MIN), day.and_hms_micro_opt(23, 59, 59, 999_999).unwrap()] {
                let data = D::DateTime2(Some(datetime(at, FINEST).unwrap()));
                other(ColumnType::Datetime2, data, Truth::DateTime(at));
                let there = at.and_local_timezone(FixedOffset::east_opt(0).unwrap()).unwrap();
                let data = D::DateTimeOffset(Some(datetime_offset(there, FINEST).unwrap()));
                other(ColumnType::DatetimeOffsetn, data, Truth::Instant(there));
            }
        }
        let last = NaiveTime::from_hms_micro_opt(23, 59, 59, 999_999).unwrap();
        other(ColumnType::Timen, D::Time(Some(time(last, FINEST))), Truth::Time(last));
        for null in [D::I32(None), D::String(None), D::Numeric(None), D::Date(None), D::Bit(None), D::Binary(None)] {
            other(ColumnType::Null, null, Truth::Null);
        }
        let wrong: Vec<String> = cells
            .into_iter()
            .flat_map(|(ty, data, truth)| {
                let made = format!("{ty:?} {data:?}");
                let row = row(data, ty);
                check(&SqlServerRow(&row), 0, &truth).into_iter().map(move |wrong| format!("{made}: {wrong}"))
            })
            .collect();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn decimals_keep_their_digits() {
        for text in ["0.00", "-1234567890.123456789", "0.1234567890123456789012345678901234567"] {
            let decimal: Decimal = text.parse().unwrap();
            let sent = row(decimal_data(&decimal), ColumnType::Numericn);
            assert_eq!(SqlServerRow(&sent).decimal(0).unwrap().map(|d| d.to_string()), Some(text.into()));
        }
    }
}
