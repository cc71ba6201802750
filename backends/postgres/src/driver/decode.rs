//! Rows as the server sent them.

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Utc};
use isogloss_compiler::expr::{DbType, DbValueType as T, Decimal, Value};
use isogloss_driver::{Kind, Result, Row, float_number, whole_number};
use tokio_postgres::types::{FromSql, Type};
use uuid::Uuid;

use crate::wire::numeric::Numeric;
use crate::wire::{DAY, EPOCH, Scalar, Shape};

/// A row, with the shapes of its columns.
pub(super) struct PostgresRow<'r> {
    row: &'r tokio_postgres::Row,
    /// One a column.
    shapes: &'r [Shape],
}

/// A column's bytes, whatever its type; nothing for NULL.
struct Bytes<'b>(Option<&'b [u8]>);

impl<'b> FromSql<'b> for Bytes<'b> {
    fn from_sql(_: &Type, raw: &'b [u8]) -> Result<Self, Box<dyn std::error::Error + Sync + Send>> {
        Ok(Self(Some(raw)))
    }

    fn from_sql_nullable(_: &Type, raw: Option<&'b [u8]>) -> Result<Self, Box<dyn std::error::Error + Sync + Send>> {
        Ok(Self(raw))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

impl<'r> PostgresRow<'r> {
    /// A row of a result of those shapes. Where they are not its own, it has no columns.
    pub(super) fn new(row: &'r tokio_postgres::Row, shapes: &'r [Shape]) -> Self {
        Self { row, shapes: if row.len() == shapes.len() { shapes } else { &[] } }
    }

    fn shape(&self, index: usize) -> Result<Shape> {
        self.shapes.get(index).copied().ok_or_else(|| self.missing(index))
    }

    /// The bytes of a column that has a shape, so that there is one; nothing for NULL.
    // It is one call of the library, for each column of each row.
    #[inline(always)]
    fn raw(&self, index: usize) -> Option<&'r [u8]> {
        self.row.try_get::<_, Bytes<'r>>(index).ok().and_then(|bytes| bytes.0)
    }

    /// A column that is no array, by what reads it.
    #[inline(always)]
    fn read<V>(
        &self,
        index: usize,
        wanted: &str,
        read: impl FnOnce(Scalar, &'r [u8]) -> Option<V>,
    ) -> Result<Option<V>> {
        let shape = self.shape(index)?;
        let Some(bytes) = self.raw(index) else { return Ok(None) };
        let found = if shape.array { None } else { read(shape.scalar, bytes) };
        if found.is_some() { Ok(found) } else { Err(self.bad(index, wanted)) }
    }
}

impl Row for PostgresRow<'_> {
    fn len(&self) -> usize {
        self.shapes.len()
    }

    fn name(&self, index: usize) -> Option<&str> {
        self.row.columns().get(index).map(tokio_postgres::Column::name)
    }

    fn kind(&self, index: usize) -> Result<Kind> {
        let shape = self.shape(index)?;
        Ok(match self.raw(index) {
            None => Kind::Null,
            Some(_) if shape.array => Kind::Array,
            Some(_) => match shape.scalar {
                Scalar::Bool => Kind::Bool,
                Scalar::Int2 | Scalar::Int4 | Scalar::Int8 | Scalar::Oid => Kind::Int,
                Scalar::Float4 | Scalar::Float8 => Kind::Float,
                Scalar::Numeric => Kind::Decimal,
                Scalar::Text | Scalar::Padded => Kind::Text,
                Scalar::Bytes => Kind::Bytes,
                Scalar::Date => Kind::Date,
                Scalar::Time => Kind::Time,
                Scalar::Timestamp => Kind::DateTime,
                Scalar::TimestampTz => Kind::DateTimeOffset,
                Scalar::Uuid => Kind::Uuid,
                Scalar::Json | Scalar::Jsonb => Kind::Json,
                Scalar::Interval | Scalar::Other => Kind::Other,
            },
        })
    }

    fn bool(&self, index: usize) -> Result<Option<bool>> {
        self.read(index, "a truth value", truth)
    }

    fn i64(&self, index: usize) -> Result<Option<i64>> {
        self.read(index, "a whole number", whole)
    }

    fn u64(&self, index: usize) -> Result<Option<u64>> {
        self.read(index, "a whole number that is not negative", |scalar, bytes| {
            u64::try_from(number(scalar, bytes)?).ok()
        })
    }

    fn f64(&self, index: usize) -> Result<Option<f64>> {
        self.read(index, "a number", float)
    }

    fn decimal(&self, index: usize) -> Result<Option<Decimal>> {
        self.read(index, "a decimal of at most 38 digits", decimal)
    }

    fn text(&self, index: usize) -> Result<Option<&str>> {
        self.read(index, "text", text)
    }

    fn bytes(&self, index: usize) -> Result<Option<&[u8]>> {
        self.read(index, "bytes", octets)
    }

    fn date(&self, index: usize) -> Result<Option<NaiveDate>> {
        self.read(index, "a finite date", date)
    }

    fn time(&self, index: usize) -> Result<Option<NaiveTime>> {
        self.read(index, "a time", time)
    }

    fn datetime(&self, index: usize) -> Result<Option<NaiveDateTime>> {
        self.read(index, "a finite date and time", datetime)
    }

    fn datetime_offset(&self, index: usize) -> Result<Option<DateTime<FixedOffset>>> {
        self.read(index, "a finite date and time with an offset", instant)
    }

    fn uuid(&self, index: usize) -> Result<Option<Uuid>> {
        self.read(index, "a UUID", uuid)
    }

    fn own_value(&self, index: usize) -> Result<Value> {
        self.value(index, None)
    }

    /// Arrays are the server's own, with items of the type that is known. What is known as an array is one.
    fn value(&self, index: usize, ty: Option<DbType>) -> Result<Value> {
        let wanted = ty.map_or("a value that is known", |ty| ty.base.name());
        let shape = self.shape(index)?;
        let Some(bytes) = self.raw(index) else { return Ok(Value::Null) };
        let base = ty.map(|ty| ty.base);
        let found = match shape.array {
            true => list(shape.scalar, bytes, base),
            false if ty.is_some_and(|ty| ty.array) => None,
            false => value(shape.scalar, bytes, base),
        };
        found.ok_or_else(|| self.bad(index, wanted))
    }
}

/// A value of the type that is known of it, else of the server's.
fn value(scalar: Scalar, bytes: &[u8], ty: Option<T>) -> Option<Value> {
    Some(match ty {
        None => return natural(scalar, bytes),
        Some(T::Boolean) => truth(scalar, bytes)?.into(),
        Some(T::Date) => date(scalar, bytes)?.into(),
        // What is longer than a day is a span.
        Some(T::Time) if scalar == Scalar::Interval => span(bytes)?.into(),
        Some(T::Time) => time(scalar, bytes)?.into(),
        Some(T::Binary) => octets(scalar, bytes)?.into(),
        Some(T::DateTime | T::DateTime2) => datetime(scalar, bytes)?.into(),
        Some(T::DateTimeOffset) => instant(scalar, bytes)?.into(),
        Some(T::Guid) => uuid(scalar, bytes)?.into(),
        Some(T::Json | T::Jsonb) => Value::Json(text(scalar, bytes)?.into()),
        Some(base) if base.is_decimal() => decimal(scalar, bytes)?.into(),
        Some(base) if base.is_float() => float_number(base, float(scalar, bytes)?)?,
        Some(base) if base.is_integer() => whole_number(base, number(scalar, bytes)?)?,
        Some(base) if base.is_text() => text(scalar, bytes)?.into(),
        Some(_) => return natural(scalar, bytes),
    })
}

fn natural(scalar: Scalar, bytes: &[u8]) -> Option<Value> {
    Some(match scalar {
        Scalar::Bool => truth(scalar, bytes)?.into(),
        Scalar::Int2 | Scalar::Int4 | Scalar::Int8 | Scalar::Oid => whole(scalar, bytes)?.into(),
        Scalar::Float4 | Scalar::Float8 => float(scalar, bytes)?.into(),
        Scalar::Numeric => match Numeric::read(bytes)? {
            number if number.is_finite() => number.decimal()?.into(),
            number => number.f64()?.into(),
        },
        Scalar::Text | Scalar::Padded => text(scalar, bytes)?.into(),
        Scalar::Bytes => bytes.into(),
        Scalar::Date => date(scalar, bytes)?.into(),
        Scalar::Time => time(scalar, bytes)?.into(),
        Scalar::Timestamp => datetime(scalar, bytes)?.into(),
        Scalar::TimestampTz => instant(scalar, bytes)?.into(),
        Scalar::Interval => span(bytes)?.into(),
        Scalar::Uuid => uuid(scalar, bytes)?.into(),
        Scalar::Json | Scalar::Jsonb => Value::Json(text(scalar, bytes)?.into()),
        Scalar::Other => return None,
    })
}

fn truth(scalar: Scalar, bytes: &[u8]) -> Option<bool> {
    match (scalar, bytes) {
        (Scalar::Bool, [truth]) => Some(*truth != 0),
        _ => None,
    }
}

#[inline]
fn whole(scalar: Scalar, bytes: &[u8]) -> Option<i64> {
    match scalar {
        Scalar::Int2 => Some(i16::from_be_bytes(bytes.try_into().ok()?).into()),
        Scalar::Int4 => Some(i32::from_be_bytes(bytes.try_into().ok()?).into()),
        Scalar::Int8 => Some(i64::from_be_bytes(bytes.try_into().ok()?)),
        Scalar::Oid => Some(u32::from_be_bytes(bytes.try_into().ok()?).into()),
        Scalar::Numeric => i64::try_from(exact(bytes)?).ok(),
        _ => None,
    }
}

/// A whole number of any length, as SUM makes one of a BIGINT.
fn number(scalar: Scalar, bytes: &[u8]) -> Option<i128> {
    if scalar == Scalar::Numeric { exact(bytes) } else { whole(scalar, bytes).map(i128::from) }
}

#[cold]
fn exact(bytes: &[u8]) -> Option<i128> {
    let number = Numeric::read(bytes)?.decimal()?.normalize();
    (number.scale() == 0).then(|| number.mantissa())
}

fn octets(scalar: Scalar, bytes: &[u8]) -> Option<&[u8]> {
    (scalar == Scalar::Bytes).then_some(bytes)
}

#[allow(clippy::cast_precision_loss, reason = "a double is asked for")]
fn float(scalar: Scalar, bytes: &[u8]) -> Option<f64> {
    match scalar {
        Scalar::Float8 => Some(f64::from_be_bytes(bytes.try_into().ok()?)),
        Scalar::Float4 => Some(f32::from_be_bytes(bytes.try_into().ok()?).into()),
        Scalar::Numeric => Numeric::read(bytes)?.f64(),
        _ => Some(whole(scalar, bytes)? as f64),
    }
}

fn decimal(scalar: Scalar, bytes: &[u8]) -> Option<Decimal> {
    match scalar {
        Scalar::Numeric => Numeric::read(bytes)?.decimal(),
        // The shortest text that reads as the number again.
        Scalar::Float4 => f32::from_be_bytes(bytes.try_into().ok()?).to_string().parse().ok(),
        Scalar::Float8 => f64::from_be_bytes(bytes.try_into().ok()?).to_string().parse().ok(),
        _ => Some(Decimal::from(whole(scalar, bytes)?)),
    }
}

#[inline]
fn text(scalar: Scalar, bytes: &[u8]) -> Option<&str> {
    let bytes = match scalar {
        Scalar::Text | Scalar::Json => bytes,
        Scalar::Padded => return std::str::from_utf8(bytes).ok().map(|text| text.trim_end_matches(' ')),
        // Behind the version of the form.
        Scalar::Jsonb => bytes.strip_prefix(&[1])?,
        _ => return None,
    };
    std::str::from_utf8(bytes).ok()
}

/// A date; it may be infinite, which is none.
fn date(scalar: Scalar, bytes: &[u8]) -> Option<NaiveDate> {
    match scalar {
        Scalar::Date => day(i32::from_be_bytes(bytes.try_into().ok()?)),
        _ => None,
    }
}

fn day(days: i32) -> Option<NaiveDate> {
    NaiveDate::from_num_days_from_ce_opt(days.checked_add(EPOCH)?)
}

fn time(scalar: Scalar, bytes: &[u8]) -> Option<NaiveTime> {
    match scalar {
        Scalar::Time => of_day(i64::from_be_bytes(bytes.try_into().ok()?)),
        _ => None,
    }
}

fn of_day(micros: i64) -> Option<NaiveTime> {
    let seconds = u32::try_from(micros.div_euclid(1_000_000)).ok()?;
    let nanos = u32::try_from(micros.rem_euclid(1_000_000)).ok()? * 1_000;
    NaiveTime::from_num_seconds_from_midnight_opt(seconds, nanos)
}

/// A date and time; of an instant, what the clock shows in UTC. It may be infinite, which is none.
#[inline]
fn datetime(scalar: Scalar, bytes: &[u8]) -> Option<NaiveDateTime> {
    match scalar {
        Scalar::Timestamp | Scalar::TimestampTz => {
            let micros = i64::from_be_bytes(bytes.try_into().ok()?);
            let date = day(i32::try_from(micros.div_euclid(DAY)).ok()?)?;
            Some(date.and_time(of_day(micros.rem_euclid(DAY))?))
        }
        _ => Some(date(scalar, bytes)?.and_time(NaiveTime::MIN)),
    }
}

fn instant(scalar: Scalar, bytes: &[u8]) -> Option<DateTime<FixedOffset>> {
    match scalar {
        Scalar::TimestampTz => Some(DateTime::<Utc>::from_naive_utc_and_offset(datetime(scalar, bytes)?, Utc).into()),
        _ => None,
    }
}

/// An interval without months, which have no length of their own.
fn span(bytes: &[u8]) -> Option<TimeDelta> {
    let micros = i64::from_be_bytes(bytes.get(..8)?.try_into().ok()?);
    let days = i32::from_be_bytes(bytes.get(8..12)?.try_into().ok()?);
    let months = i32::from_be_bytes(bytes.get(12..16)?.try_into().ok()?);
    TimeDelta::microseconds(micros).checked_add(&TimeDelta::days(days.into())).filter(|_| months == 0)
}

fn uuid(scalar: Scalar, bytes: &[u8]) -> Option<Uuid> {
    match scalar {
        Scalar::Uuid => Uuid::from_slice(bytes).ok(),
        Scalar::Text | Scalar::Padded => Uuid::try_parse(text(scalar, bytes)?).ok(),
        _ => None,
    }
}

/// How many dimensions an array has at most, as the server's `MAXDIM`.
const DIMENSIONS: usize = 6;

/// An array, with a list in it for each further dimension.
fn list(element: Scalar, bytes: &[u8], ty: Option<T>) -> Option<Value> {
    let mut rest = bytes;
    let dimensions = usize::try_from(int(&mut rest)?).ok().filter(|dimensions| *dimensions <= DIMENSIONS)?;
    let _has_nulls = int(&mut rest)?;
    let _element = int(&mut rest)?;
    let mut lengths = Vec::with_capacity(dimensions);
    for _ in 0..dimensions {
        lengths.push(usize::try_from(int(&mut rest)?).ok()?);
        let _first_index = int(&mut rest)?;
    }
    if lengths.is_empty() {
        return Some(Value::List([].into()));
    }
    // Each item has its length in four bytes: what claims more items than that is no array.
    let count = lengths.iter().try_fold(1_usize, |count, length| count.checked_mul(*length))?;
    if count > rest.len() / 4 || lengths.contains(&0) {
        return None;
    }
    items(element, &mut rest, &lengths, ty)
}

fn items(element: Scalar, rest: &mut &[u8], lengths: &[usize], ty: Option<T>) -> Option<Value> {
    let (len, inner) = lengths.split_first()?;
    let mut items = Vec::new();
    for _ in 0..*len {
        items.push(if inner.is_empty() {
            match usize::try_from(int(rest)?) {
                Ok(size) => {
                    let (bytes, after) = rest.split_at_checked(size)?;
                    *rest = after;
                    value(element, bytes, ty)?
                }
                // -1 bytes.
                Err(_) => Value::Null,
            }
        } else {
            self::items(element, rest, inner, ty)?
        });
    }
    Some(items.into())
}

fn int(rest: &mut &[u8]) -> Option<i32> {
    let (bytes, after) = rest.split_first_chunk()?;
    *rest = after;
    Some(i32::from_be_bytes(*bytes))
}
