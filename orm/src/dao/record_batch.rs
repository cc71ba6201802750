//! Rows as record batches of Arrow.

use std::sync::Arc;

use arrow_array::builder::PrimitiveBuilder;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Decimal128Type, DurationMicrosecondType, Float32Type, Float64Type, Int8Type,
    Int16Type, Int32Type, Int64Type, Time64MicrosecondType, TimestampMicrosecondType, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, FixedSizeBinaryArray, NullArray, RecordBatch, RecordBatchOptions, StringArray,
};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef, TimeUnit};
use chrono::{NaiveDate, Timelike as _};
use isogloss_compiler::expr::{DbType, DbValueType as T, Decimal, Value};

use super::DataTable;

/// The digits of a `Decimal128`.
const DIGITS: u8 = 38;
/// Whole numbers up to here are the same as a double.
const EXACT: u64 = 1 << 53;

/// Values that do not fit into columns of Arrow.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordBatchError {
    /// A value has another type than its column, or is out of its range.
    #[error("row {row} of the column `{column}` does not fit into {ty}")]
    Value {
        /// The name of the column.
        column: String,
        /// The number of the row, counted from 1.
        row: usize,
        /// The column's type in Arrow.
        ty: DataType,
    },
    /// A column holds lists or maps.
    #[error("the column `{column}` has lists or maps: select what can stand in a column")]
    Column {
        /// The name of the column.
        column: String,
    },
    /// A column has more bytes than Arrow's offsets can address.
    #[error("the column `{column}` has more than 2 GiB: search for fewer rows at a time")]
    Size {
        /// The name of the column.
        column: String,
    },
    /// Arrow refuses the batch.
    #[error("no record batch can be made of it: {0}")]
    Arrow(#[from] ArrowError),
}

impl DataTable {
    /// Converts the table to a record batch, with a column of Arrow for each. Its type is the catalog's, or that of the
    /// values if the catalog does not know it.
    ///
    /// Decimals are `Decimal128` with the largest scale of the column's values. Times and timestamps are in
    /// microseconds, with finer digits cut off; those with an offset are converted to UTC. A UUID is 16 bytes, JSON is
    /// text. Every column is nullable.
    ///
    /// # Errors
    /// A value that does not fit into its column, or a column of lists.
    pub fn to_record_batch(&self) -> Result<RecordBatch, RecordBatchError> {
        let mut fields = Vec::new();
        for (place, column) in self.columns.iter().enumerate() {
            let values: Vec<&Value> = self.rows().filter_map(|row| row.get(place)).collect();
            let ty = match column.ty {
                Some(DbType { array: true, .. }) => None,
                Some(DbType { base, .. }) => known(base, &values),
                None => of_values(&values),
            };
            let column = column.name.to_string();
            let Some(ty) = ty else { return Err(RecordBatchError::Column { column }) };
            fields.push(Field::new(column, ty, true));
        }
        record_batch(&Arc::new(Schema::new(fields)), &self.values)
    }
}

/// Converts rows to a record batch of a schema. `values` are the values of all rows, one row after the other. Use it
/// for rows that come in several batches.
///
/// ```
/// use std::sync::Arc;
/// use arrow_schema::{DataType, Field, Schema};
/// use isogloss::dao::record_batch;
/// let schema = Arc::new(Schema::new(vec![Field::new("Id", DataType::Int32, true), Field::new("Name", DataType::Utf8, true)]));
/// let batch = record_batch(&schema, &[1.into(), "Ann".into(), 2.into(), "Bob".into()])?;
/// assert_eq!((batch.num_rows(), batch.schema()), (2, schema));
/// # Ok::<(), isogloss::dao::RecordBatchError>(())
/// ```
///
/// # Errors
/// A value that does not fit into its column.
pub fn record_batch(schema: &SchemaRef, values: &[Value]) -> Result<RecordBatch, RecordBatchError> {
    let width = schema.fields().len();
    let rows = values.len().checked_div(width).unwrap_or(0);
    let arrays = schema.fields().iter().enumerate().map(|(place, field)| {
        let values = values.iter().skip(place).step_by(width).collect();
        ArrowColumn { name: field.name().clone(), ty: field.data_type().clone(), values }.array()
    });
    let arrays = arrays.collect::<Result<Vec<_>, _>>()?;
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    Ok(RecordBatch::try_new_with_options(Arc::clone(schema), arrays, &options)?)
}

/// The type in Arrow of a column of this type, independent of its values; `None` if the type does not determine it.
///
/// A decimal needs its `scale`.
#[must_use]
pub fn arrow_type(ty: DbType, scale: Option<u8>) -> Option<DataType> {
    match ty.base {
        _ if ty.array => None,
        base if base.is_decimal() => Some(DataType::Decimal128(DIGITS, i8::try_from(scale?).ok()?)),
        base => known(base, &[]).filter(|ty| *ty != DataType::Null),
    }
}

/// What a column of the catalog is; none if it cannot be one.
fn known(ty: T, values: &[&Value]) -> Option<DataType> {
    Some(match ty {
        T::Boolean => DataType::Boolean,
        T::SByte => DataType::Int8,
        T::Int16 => DataType::Int16,
        T::Int32 => DataType::Int32,
        T::Int64 => DataType::Int64,
        T::Byte => DataType::UInt8,
        T::UInt16 => DataType::UInt16,
        T::UInt32 => DataType::UInt32,
        T::UInt64 => DataType::UInt64,
        T::Single => DataType::Float32,
        T::Double => DataType::Float64,
        T::Currency | T::Decimal | T::VarNumeric => decimal(values),
        T::Date => DataType::Date32,
        // A time of day, or a span.
        T::Time => {
            of_values(values).filter(|ty| *ty != DataType::Null).unwrap_or(DataType::Time64(TimeUnit::Microsecond))
        }
        T::DateTime | T::DateTime2 => DataType::Timestamp(TimeUnit::Microsecond, None),
        T::DateTimeOffset => utc(),
        T::Guid => DataType::FixedSizeBinary(16),
        T::Binary => DataType::Binary,
        T::AnsiString | T::AnsiStringFixedLength | T::String | T::StringFixedLength | T::Xml | T::Json | T::Jsonb => {
            DataType::Utf8
        }
        _ => return of_values(values),
    })
}

/// What values are that the catalog does not know; none if they cannot be in a column.
fn of_values(values: &[&Value]) -> Option<DataType> {
    let any = |is: fn(&Value) -> bool| values.iter().any(|value| is(value));
    let Some(first) = values.iter().find(|value| !value.is_null()) else { return Some(DataType::Null) };
    Some(match first {
        Value::Int(_) | Value::UInt(_) | Value::Float(_) | Value::Decimal(_) => {
            // The engine has given each number as it was.
            if any(|value| matches!(value, Value::Float(_))) {
                DataType::Float64
            } else if any(|value| matches!(value, Value::Decimal(_))) {
                decimal(values)
            } else if any(|value| matches!(value, Value::UInt(_))) {
                DataType::UInt64
            } else {
                DataType::Int64
            }
        }
        Value::Bool(_) => DataType::Boolean,
        Value::Text(_) | Value::Json(_) => DataType::Utf8,
        Value::Bytes(_) => DataType::Binary,
        Value::Date(_) => DataType::Date32,
        Value::Time(_) => DataType::Time64(TimeUnit::Microsecond),
        Value::DateTime(_) => DataType::Timestamp(TimeUnit::Microsecond, None),
        Value::DateTimeOffset(_) => utc(),
        Value::TimeSpan(_) => DataType::Duration(TimeUnit::Microsecond),
        Value::Uuid(_) => DataType::FixedSizeBinary(16),
        _ => return None,
    })
}

fn utc() -> DataType {
    DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()))
}

fn decimal(values: &[&Value]) -> DataType {
    let scales = values.iter().map(|value| if let Value::Decimal(decimal) = value { decimal.scale() } else { 0 });
    // No decimal has more than the 38 that fit.
    DataType::Decimal128(DIGITS, i8::try_from(scales.max().unwrap_or(0)).unwrap_or(i8::MAX))
}

/// A column on its way.
struct ArrowColumn<'t> {
    name: String,
    ty: DataType,
    values: Vec<&'t Value>,
}

impl<'t> ArrowColumn<'t> {
    fn array(&self) -> Result<ArrayRef, RecordBatchError> {
        match &self.ty {
            DataType::Null => Ok(Arc::new(NullArray::new(self.values.len()))),
            DataType::Boolean => Ok(Arc::new(BooleanArray::from(self.each(|value| match value {
                Value::Bool(value) => Some(*value),
                Value::Int(0) => Some(false),
                Value::Int(1) => Some(true),
                _ => None,
            })?))),
            DataType::Int8 => self.primitive::<Int8Type>(whole),
            DataType::Int16 => self.primitive::<Int16Type>(whole),
            DataType::Int32 => self.primitive::<Int32Type>(whole),
            DataType::Int64 => self.primitive::<Int64Type>(whole),
            DataType::UInt8 => self.primitive::<UInt8Type>(whole),
            DataType::UInt16 => self.primitive::<UInt16Type>(whole),
            DataType::UInt32 => self.primitive::<UInt32Type>(whole),
            DataType::UInt64 => self.primitive::<UInt64Type>(whole),
            DataType::Float32 => self.primitive::<Float32Type>(|value| double(value).map(single)),
            DataType::Float64 => self.primitive::<Float64Type>(double),
            DataType::Decimal128(_, scale) => self.primitive::<Decimal128Type>(|value| scaled(value, *scale)),
            DataType::Date32 => self.primitive::<Date32Type>(|value| {
                let Value::Date(date) = value else { return None };
                i32::try_from(date.signed_duration_since(NaiveDate::default()).num_days()).ok()
            }),
            DataType::Time64(_) => self.primitive::<Time64MicrosecondType>(|value| {
                let Value::Time(time) = value else { return None };
                let seconds = i64::from(time.num_seconds_from_midnight());
                Some(seconds * 1_000_000 + i64::from(time.nanosecond() / 1_000))
            }),
            DataType::Duration(_) => self.primitive::<DurationMicrosecondType>(|value| {
                let Value::TimeSpan(span) = value else { return None };
                span.num_microseconds()
            }),
            DataType::Timestamp(_, zone) => self.primitive::<TimestampMicrosecondType>(|value| match value {
                Value::DateTime(at) if zone.is_none() => Some(at.and_utc().timestamp_micros()),
                Value::DateTimeOffset(at) if zone.is_some() => Some(at.timestamp_micros()),
                _ => None,
            }),
            DataType::FixedSizeBinary(size) => {
                let all =
                    self.each(|value| if let Value::Uuid(uuid) = value { Some(uuid.as_bytes()) } else { None })?;
                Ok(Arc::new(FixedSizeBinaryArray::try_from_sparse_iter_with_size(all.into_iter(), *size)?))
            }
            DataType::Utf8 => {
                let all = self.each(|value| match value {
                    Value::Text(text) => Some(text.as_str()),
                    Value::Json(text) => Some(&**text),
                    _ => None,
                })?;
                self.countable(all.iter().flatten().map(|text| text.len()))?;
                Ok(Arc::new(StringArray::from(all)))
            }
            DataType::Binary => {
                let all = self.each(|value| if let Value::Bytes(bytes) = value { Some(&**bytes) } else { None })?;
                self.countable(all.iter().flatten().map(|bytes| bytes.len()))?;
                Ok(Arc::new(BinaryArray::from(all)))
            }
            _ => Err(RecordBatchError::Column { column: self.name.clone() }),
        }
    }

    /// The values, none of which is left over.
    fn each<V>(&self, get: impl Fn(&'t Value) -> Option<V>) -> Result<Vec<Option<V>>, RecordBatchError> {
        let mut all = Vec::with_capacity(self.values.len());
        for (row, value) in (1..).zip(&self.values) {
            let got = get(value);
            if got.is_none() && !value.is_null() {
                return Err(RecordBatchError::Value { column: self.name.clone(), row, ty: self.ty.clone() });
            }
            all.push(got);
        }
        Ok(all)
    }

    fn primitive<P: ArrowPrimitiveType>(
        &self,
        get: impl Fn(&'t Value) -> Option<P::Native>,
    ) -> Result<ArrayRef, RecordBatchError> {
        let mut array = PrimitiveBuilder::<P>::with_capacity(self.values.len()).with_data_type(self.ty.clone());
        for value in self.each(get)? {
            array.append_option(value);
        }
        Ok(Arc::new(array.finish()))
    }

    /// Offsets are of 32 bits.
    fn countable(&self, sizes: impl Iterator<Item = usize>) -> Result<(), RecordBatchError> {
        match i32::try_from(sizes.sum::<usize>()) {
            Ok(_) => Ok(()),
            Err(_) => Err(RecordBatchError::Size { column: self.name.clone() }),
        }
    }
}

fn whole<N: TryFrom<i64> + TryFrom<u64>>(value: &Value) -> Option<N> {
    match value {
        Value::Int(value) => N::try_from(*value).ok(),
        Value::UInt(value) => N::try_from(*value).ok(),
        _ => None,
    }
}

fn double(value: &Value) -> Option<f64> {
    match value {
        Value::Float(value) => Some(*value),
        Value::Int(value) if value.unsigned_abs() <= EXACT => Some(*value as f64),
        Value::UInt(value) if *value <= EXACT => Some(*value as f64),
        Value::Decimal(value) => Some(value.to_f64()),
        _ => None,
    }
}

#[allow(clippy::cast_possible_truncation, reason = "such a column holds no more than that")]
fn single(value: f64) -> f32 {
    value as f32
}

fn scaled(value: &Value, scale: i8) -> Option<i128> {
    let (mantissa, own) = match value {
        Value::Decimal(decimal) => (decimal.mantissa(), decimal.scale()),
        Value::Int(value) => (i128::from(*value), 0),
        Value::UInt(value) => (i128::from(*value), 0),
        _ => return None,
    };
    let scale = u8::try_from(scale).ok()?;
    let mantissa = mantissa.checked_mul(10_i128.checked_pow(u32::from(scale.checked_sub(own)?))?)?;
    // It has no more digits than that.
    Decimal::new(mantissa, scale).ok().map(|decimal| decimal.mantissa())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops where it fails")]
mod tests {
    use super::super::DataColumn;
    use super::*;
    use arrow_array::Array as _;
    use arrow_array::cast::AsArray as _;

    fn table(ty: Option<T>, values: Vec<Value>) -> DataTable {
        let columns = vec![DataColumn { name: "Total".into(), ty: ty.map(DbType::from) }];
        DataTable { columns, values }
    }

    fn made(ty: Option<T>, values: Vec<Value>) -> ArrayRef {
        Arc::clone(table(ty, values).to_record_batch().unwrap().column(0))
    }

    fn decimal(text: &str) -> Value {
        Value::from(text.parse::<Decimal>().unwrap())
    }

    #[test]
    fn numbers_keep_their_width_and_their_nulls() {
        let array = made(Some(T::Int32), vec![1.into(), Value::Null, 3.into()]);
        let array = array.as_primitive::<Int32Type>();
        assert_eq!(array.iter().collect::<Vec<_>>(), [Some(1), None, Some(3)]);
        assert_eq!(made(Some(T::UInt64), vec![Value::UInt(u64::MAX)]).as_primitive::<UInt64Type>().value(0), u64::MAX);
        // SQLite gives 1.0 as it was written.
        let mixed = made(None, vec![1.into(), 2.5.into()]);
        assert_eq!(mixed.as_primitive::<Float64Type>().values().as_ref(), [1.0, 2.5]);
    }

    #[test]
    fn batches_have_the_schema_that_is_given() {
        let fields = vec![
            Field::new("Id", arrow_type(T::Int32.into(), None).unwrap(), true),
            Field::new("Total", arrow_type(T::Decimal.into(), Some(2)).unwrap(), true),
        ];
        let schema = Arc::new(Schema::new(fields));
        let batch = record_batch(&schema, &[1.into(), decimal("1.5"), 2.into(), Value::Null]).unwrap();
        assert_eq!((batch.num_rows(), batch.schema()), (2, Arc::clone(&schema)));
        assert_eq!(batch.column(1).as_primitive::<Decimal128Type>().value(0), 150);
        let error = record_batch(&schema, &[1.into(), decimal("1.555")]).unwrap_err();
        assert_eq!(error.to_string(), "row 1 of the column `Total` does not fit into Decimal128(38, 2)");
        assert_eq!(record_batch(&schema, &[]).unwrap().num_rows(), 0);
        for unknown in [DbType::array_of(T::Int32), T::Object.into(), T::Decimal.into()] {
            assert_eq!(arrow_type(unknown, None), None);
        }
    }

    #[test]
    fn a_table_without_rows_has_a_schema() {
        let batch = table(Some(T::Int32), Vec::new()).to_record_batch().unwrap();
        assert_eq!((batch.num_rows(), batch.schema().field(0).data_type()), (0, &DataType::Int32));
    }

    #[test]
    fn decimals_have_the_places_of_the_longest() {
        let array = made(Some(T::Decimal), vec![decimal("1.5"), decimal("-2.125"), 7.into(), Value::Null]);
        assert_eq!(array.data_type(), &DataType::Decimal128(38, 3));
        let values: Vec<_> = array.as_primitive::<Decimal128Type>().iter().collect();
        assert_eq!(values, [Some(1_500), Some(-2_125), Some(7_000), None]);
        // Together they need 76 digits.
        let wide = decimal("99999999999999999999999999999999999999");
        let small = decimal("0.00000000000000000000000000000000000001");
        let error = table(Some(T::Decimal), vec![small, wide]).to_record_batch().unwrap_err();
        assert_eq!(error.to_string(), "row 2 of the column `Total` does not fit into Decimal128(38, 38)");
    }

    #[test]
    fn dates_count_from_1970() {
        let day = NaiveDate::from_ymd_opt(1970, 1, 3).unwrap();
        let at = day.and_hms_micro_opt(0, 0, 1, 5).unwrap();
        assert_eq!(made(Some(T::Date), vec![day.into()]).as_primitive::<Date32Type>().value(0), 2);
        let micros = 2 * 86_400_000_000 + 1_000_005;
        let array = made(Some(T::DateTime2), vec![at.into(), Value::Null]);
        assert_eq!(array.as_primitive::<TimestampMicrosecondType>().value(0), micros);
        assert!(array.is_null(1));
        let offset = made(Some(T::DateTimeOffset), vec![at.and_utc().into()]);
        assert_eq!(offset.data_type(), &utc());
        assert_eq!(made(None, vec![at.time().into()]).as_primitive::<Time64MicrosecondType>().value(0), 1_000_005);
        let span = Value::TimeSpan(chrono::TimeDelta::seconds(-2));
        let spans = made(Some(T::Time), vec![span]);
        assert_eq!(spans.as_primitive::<DurationMicrosecondType>().value(0), -2_000_000);
    }

    #[test]
    fn texts_bytes_uuids_and_truths() {
        assert_eq!(made(Some(T::String), vec!["a".into(), Value::Null]).as_string::<i32>().value(0), "a");
        assert_eq!(made(Some(T::Json), vec![Value::Json("{}".into())]).as_string::<i32>().value(0), "{}");
        assert_eq!(made(Some(T::Binary), vec![Value::Bytes([1, 2].into())]).as_binary::<i32>().value(0), [1, 2]);
        let uuid = uuid::Uuid::from_u128(7);
        assert_eq!(made(Some(T::Guid), vec![Value::Uuid(uuid)]).as_fixed_size_binary().value(0), uuid.as_bytes());
        // Engines without booleans give 0 and 1.
        let truths = made(Some(T::Boolean), vec![true.into(), 1.into(), 0.into(), Value::Null]);
        let truths: Vec<_> = truths.as_boolean().iter().collect();
        assert_eq!(truths, [Some(true), Some(true), Some(false), None]);
        assert!(table(Some(T::Boolean), vec![2.into()]).to_record_batch().is_err());
        assert_eq!(made(None, vec![Value::Null]).data_type(), &DataType::Null);
    }

    #[test]
    fn what_does_not_fit_is_told_by_its_column() {
        let error = table(Some(T::SByte), vec![1.into(), 300.into()]).to_record_batch().unwrap_err();
        assert_eq!(error.to_string(), "row 2 of the column `Total` does not fit into Int8");
        let error = table(None, vec![1.into(), "a".into()]).to_record_batch().unwrap_err();
        assert_eq!(error.to_string(), "row 2 of the column `Total` does not fit into Int64");
        let list = Value::List(vec![Value::from(1)].into());
        let error = table(None, vec![list]).to_record_batch().unwrap_err();
        assert!(matches!(error, RecordBatchError::Column { column } if column == "Total"));
    }

    #[test]
    fn nothing_is_an_empty_batch() {
        let batch = DataTable::default().to_record_batch().unwrap();
        assert_eq!((batch.num_rows(), batch.num_columns()), (0, 0));
        assert_eq!(made(Some(T::Int64), Vec::new()).len(), 0);
    }
}
