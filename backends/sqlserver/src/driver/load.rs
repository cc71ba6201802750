//! The bulk load of the protocol: rows as they lie in the table, without a statement.

use std::borrow::Cow;
use std::time::Duration;

use chrono::{NaiveDateTime, Timelike};
use isogloss_compiler::BulkInsert;
use isogloss_compiler::expr::Value;
use isogloss_driver::{ErrorKind, Result, RowSource};
use tiberius::numeric::Numeric;
use tiberius::xml::XmlData;
use tiberius::{
    ColumnData as D, FixedLenType as F, MetaDataColumn, SqlBulkCopyOption, TokenRow, TypeInfo, VarLenType as V,
};

use super::connection::within;
use super::error::error;
use super::raw::Raw;
use super::value::{FINEST, date, datetime, datetime_offset, time, time_of_day};

/// The longest value of a load, in the bytes that it has there: the driver takes the mark of a `(max)` type for its
/// length.
const LONGEST: usize = 0xffff;

/// Loads rows, up to the first that a load cannot carry: how many there were, and that row.
///
/// Of a table with a column that the driver's loads have no right form for, it takes no rows. The limit is for each step: as a
/// whole it may last for as long as its rows come.
pub(super) async fn load(
    raw: &mut Raw,
    into: &BulkInsert,
    rows: &mut dyn RowSource,
    limit: Option<Duration>,
) -> Result<(u64, Option<Vec<Value>>)> {
    let names: Vec<&str> = into.columns.iter().map(|column| &*column.name).collect();
    let (client, state) = raw.client().await?;
    let columns = within(limit, async { Ok(client.column_metadata(&into.table, &names).await) }).await?;
    let columns = columns.map_err(|found| state.ended(found))?;
    if columns.len() != names.len() || !columns.iter().all(is_loaded) {
        state.broken = false;
        return Ok((0, None));
    }
    // As INSERT does it: constraints hold, triggers run, and a NULL is a NULL.
    let options = SqlBulkCopyOption::CheckConstraints | SqlBulkCopyOption::FireTriggers | SqlBulkCopyOption::KeepNulls;
    let request = within(limit, async { Ok(client.bulk_insert_with_options(&into.table, &names, options, &[]).await) });
    let mut request = request.await?.map_err(|found| state.ended(found))?;
    let mut row = Vec::new();
    let rest = loop {
        row.clear();
        match rows.next(&mut row) {
            Ok(true) => {}
            Ok(false) => break Ok(None),
            Err(error) => break Err(error),
        }
        if let Err(error) = into.complete(&mut row) {
            break Err(error.into());
        }
        let Some(loaded) = loaded(&row, &columns) else { break Ok(Some(row)) };
        if let Err(found) = within(limit, async { Ok(request.send(loaded).await) }).await? {
            let error = error(found);
            if error.kind() == ErrorKind::ConnectionLost {
                return Err(error);
            }
            // It does not fit its column, and was not sent: an INSERT says so, or makes it fit.
            break Ok(Some(row));
        }
    };
    let done = within(limit, async { Ok(request.finalize().await) }).await?;
    let count = done.map_err(|found| state.ended(found))?.total();
    state.broken = false;
    Ok((count, rest?))
}

/// Whether the driver's loads write a column as INSERT would. They have no precision for times, write `datetime` in
/// another rounding, and some types of old not at all.
fn is_loaded(column: &MetaDataColumn<'_>) -> bool {
    let base = column.base();
    base.is_updateable()
        && !base.is_identity()
        && match base.ty() {
            TypeInfo::FixedLen(ty) => !matches!(ty, F::Null | F::Datetime | F::Datetime4),
            TypeInfo::VarLenSized(ty) => match ty.r#type() {
                V::Timen | V::DatetimeOffsetn => ty.len() == usize::from(FINEST),
                V::Datetimen | V::Text | V::NText | V::Image | V::SSVariant | V::Udt => false,
                _ => true,
            },
            TypeInfo::VarLenSizedPrecision { .. } | TypeInfo::Xml { .. } => true,
            TypeInfo::Udt(_) => false,
        }
}

fn loaded(row: &[Value], columns: &[MetaDataColumn<'_>]) -> Option<TokenRow<'static>> {
    let mut loaded = TokenRow::with_capacity(row.len());
    for (value, column) in row.iter().zip(columns) {
        loaded.push(data(value, column.base().ty())?);
    }
    Some(loaded)
}

/// A value in the form of its column; none if a load cannot carry it.
fn data(value: &Value, ty: &TypeInfo) -> Option<D<'static>> {
    // A column that is never NULL may have a type of its own, for the same form.
    let (form, len) = match ty {
        TypeInfo::FixedLen(F::Bit) => (V::Bitn, 1),
        TypeInfo::FixedLen(F::Int1) => (V::Intn, 1),
        TypeInfo::FixedLen(F::Int2) => (V::Intn, 2),
        TypeInfo::FixedLen(F::Int4) => (V::Intn, 4),
        TypeInfo::FixedLen(F::Int8) => (V::Intn, 8),
        TypeInfo::FixedLen(F::Float4) => (V::Floatn, 4),
        TypeInfo::FixedLen(F::Float8) => (V::Floatn, 8),
        TypeInfo::FixedLen(F::Money | F::Money4) => (V::Money, 8),
        TypeInfo::VarLenSized(ty) => (ty.r#type(), ty.len()),
        TypeInfo::VarLenSizedPrecision { ty, .. } => (*ty, 0),
        TypeInfo::Xml { .. } => (V::Xml, 0),
        _ => return None,
    };
    // Of a time, the length is the number of digits behind the point.
    let scale = u8::try_from(len).unwrap_or(FINEST);
    let text = |text: &str| (text.len() <= LONGEST / 2).then(|| D::String(Some(Cow::Owned(text.to_owned()))));
    Some(match (form, value) {
        (V::Bitn, Value::Null) => D::Bit(None),
        (V::Bitn, Value::Bool(truth)) => D::Bit(Some(*truth)),
        (V::Intn, Value::Null) => D::I64(None),
        (V::Intn, Value::Int(number)) => match len {
            1 => D::U8(Some(u8::try_from(*number).ok()?)),
            2 => D::I16(Some(i16::try_from(*number).ok()?)),
            4 => D::I32(Some(i32::try_from(*number).ok()?)),
            _ => D::I64(Some(*number)),
        },
        (V::Floatn, Value::Null) => D::F64(None),
        (V::Floatn, Value::Float(number)) if number.is_finite() => float(*number, len)?,
        (V::Decimaln | V::Numericn | V::Money, Value::Null) => D::Numeric(None),
        (V::Decimaln | V::Numericn | V::Money, value) => numeric(value)?,
        (V::Guid, Value::Null) => D::Guid(None),
        (V::Guid, Value::Uuid(uuid)) => D::Guid(Some(*uuid)),
        (V::Daten, Value::Null) => D::Date(None),
        (V::Daten, Value::Date(day)) => D::Date(Some(date(*day).ok()?)),
        (V::Timen, Value::Null) => D::Time(None),
        (V::Timen, Value::Time(at)) => D::Time(Some(time(*at, scale))),
        (V::Timen, Value::TimeSpan(span)) => D::Time(Some(time(time_of_day(*span).ok()?, scale))),
        (V::Datetime2, Value::Null) => D::DateTime2(None),
        (V::Datetime2, Value::DateTime(at)) if fits(*at, scale) => D::DateTime2(Some(datetime(*at, scale).ok()?)),
        (V::DatetimeOffsetn, Value::Null) => D::DateTimeOffset(None),
        (V::DatetimeOffsetn, Value::DateTimeOffset(at)) => D::DateTimeOffset(Some(datetime_offset(*at, scale).ok()?)),
        (V::BigVarBin | V::BigBinary, Value::Null) => D::Binary(None),
        (V::BigVarBin | V::BigBinary, Value::Bytes(bytes)) if bytes.len() <= LONGEST => {
            D::Binary(Some(Cow::Owned(bytes.to_vec())))
        }
        (V::Xml, Value::Null) => D::Xml(None),
        (V::Xml, Value::Text(text)) => D::Xml(Some(Cow::Owned(XmlData::new(text)))),
        (V::NVarchar | V::NChar | V::BigVarChar | V::BigChar, Value::Null) => D::String(None),
        (V::NVarchar | V::NChar | V::BigVarChar | V::BigChar, Value::Text(value)) => text(value)?,
        (V::NVarchar | V::NChar | V::BigVarChar | V::BigChar, Value::Json(value)) => text(value)?,
        _ => return None,
    })
}

/// Whether a time has no finer fraction than so many digits: an INSERT would round it.
fn fits(at: NaiveDateTime, scale: u8) -> bool {
    at.nanosecond() % 10_u32.pow(u32::from(FINEST.saturating_sub(scale)) + 2) < 100
}

#[allow(clippy::cast_possible_truncation, reason = "the column is a single")]
fn float(number: f64, len: usize) -> Option<D<'static>> {
    if len > 4 {
        return Some(D::F64(Some(number)));
    }
    let single = number as f32;
    single.is_finite().then_some(D::F32(Some(single)))
}

fn numeric(value: &Value) -> Option<D<'static>> {
    let (mantissa, scale) = match value {
        Value::Int(number) => (i128::from(*number), 0),
        Value::UInt(number) => (i128::from(*number), 0),
        Value::Decimal(decimal) => (decimal.mantissa(), decimal.scale()),
        _ => return None,
    };
    Some(D::Numeric(Some(Numeric::new_with_scale(mantissa, scale))))
}

#[cfg(test)]
mod tests {
    use tiberius::VarLenContext;

    use super::*;

    fn sized(form: V, len: usize) -> TypeInfo {
        TypeInfo::VarLenSized(VarLenContext::new(form, len, None))
    }

    #[test]
    fn a_value_takes_the_form_of_its_column() {
        assert_eq!(data(&7.into(), &TypeInfo::FixedLen(F::Int4)), Some(D::I32(Some(7))));
        assert_eq!(data(&7.into(), &sized(V::Intn, 1)), Some(D::U8(Some(7))));
        assert_eq!(data(&0.1.into(), &sized(V::Floatn, 4)), Some(D::F32(Some(0.1))));
        let price = TypeInfo::VarLenSizedPrecision { ty: V::Decimaln, size: 9, precision: 18, scale: 2 };
        assert_eq!(data(&7.into(), &price), Some(D::Numeric(Some(Numeric::new_with_scale(7, 0)))));
        let at = chrono::NaiveTime::from_hms_milli_opt(0, 0, 1, 250).unwrap();
        assert_eq!(data(&at.into(), &sized(V::Timen, 3)), Some(D::Time(Some(tiberius::time::Time::new(1_250, 3)))));
        assert_eq!(data(&Value::Null, &sized(V::Xml, 0)), Some(D::Xml(None)));
    }

    #[test]
    fn what_a_load_cannot_carry_is_left_to_an_insert() {
        let long: Value = "x".repeat(40_000).into();
        assert_eq!(data(&long, &sized(V::NVarchar, LONGEST)), None);
        assert_eq!(data(&300.into(), &sized(V::Intn, 1)), None);
        assert_eq!(data(&true.into(), &sized(V::Intn, 4)), None);
        let at = chrono::NaiveDate::MIN.and_time(chrono::NaiveTime::MIN);
        assert!(fits(at + chrono::TimeDelta::milliseconds(1), 3) && !fits(at + chrono::TimeDelta::microseconds(1), 3));
        assert!(fits(at + chrono::TimeDelta::nanoseconds(1), FINEST));
        assert_eq!(data(&f64::NAN.into(), &sized(V::Floatn, 8)), None);
    }
}
