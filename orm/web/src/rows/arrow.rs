//! Rows in columns: an Arrow IPC stream.

use std::fmt::{self, Display};
use std::sync::Arc;

use arrow_ipc::writer::StreamWriter;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use isogloss::dao::{arrow_type, record_batch};
use isogloss::driver::{Error, ErrorKind, Result, Row};
use isogloss::expr::{DbType, Value};

use super::plain::Plain;
use super::{RowWriter, Shape, ShapeColumn};
use crate::accept::Format;

/// How many rows a batch has at most.
const BATCH: usize = 1024;
/// How many bytes of texts a batch has, and those of one more row.
const BATCH_BYTES: usize = 1024 * 1024;

/// Writes rows as batches of columns.
///
/// A decimal has as many digits behind its point as the catalog says, and is a text where it does not say. An enumeration is
/// its names; what has no type in Arrow is a text, too.
pub(crate) struct ArrowRows {
    schema: SchemaRef,
    columns: Vec<ArrowCell>,
    /// The rows of the batch, one after the other.
    values: Vec<Value>,
    /// The bytes of their texts.
    bytes: usize,
    /// It is begun with the first batch, or at the end.
    stream: Option<StreamWriter<Vec<u8>>>,
}

/// How a column is read.
enum ArrowCell {
    Value(DbType),
    Text(Plain),
}

impl ArrowRows {
    /// One of rows of that shape.
    pub(crate) fn new(shape: &Shape) -> Self {
        let (fields, columns): (Vec<_>, Vec<_>) = shape.columns().iter().map(column).unzip();
        Self { schema: Arc::new(Schema::new(fields)), columns, values: Vec::new(), bytes: 0, stream: None }
    }

    fn batch(&mut self, out: &mut Vec<u8>) -> Result<()> {
        let batch = record_batch(&self.schema, &self.values).map_err(failed)?;
        self.values.clear();
        self.bytes = 0;
        let stream = match self.stream.take() {
            Some(stream) => stream,
            None => StreamWriter::try_new(Vec::new(), &self.schema).map_err(failed)?,
        };
        let stream = self.stream.insert(stream);
        if batch.num_rows() > 0 {
            stream.write(&batch).map_err(failed)?;
        }
        out.append(stream.get_mut());
        Ok(())
    }
}

impl RowWriter for ArrowRows {
    fn content_type(&self) -> &'static str {
        Format::Arrow.content_type()
    }

    fn row(&mut self, row: &dyn Row, out: &mut Vec<u8>) -> Result<()> {
        for (index, column) in self.columns.iter().enumerate() {
            let value = match column {
                ArrowCell::Value(ty) => row.typed_value(index, *ty)?,
                ArrowCell::Text(plain) => {
                    let mut text = String::new();
                    if plain.write(row, index, &mut text)? { Value::from(text) } else { Value::Null }
                }
            };
            self.bytes += match &value {
                Value::Text(text) => text.len(),
                Value::Json(text) => text.len(),
                Value::Bytes(bytes) => bytes.len(),
                _ => 0,
            };
            self.values.push(value);
        }
        let is_full = self.values.len() >= BATCH * self.columns.len() || self.bytes >= BATCH_BYTES;
        if is_full { self.batch(out) } else { Ok(()) }
    }

    fn end(&mut self, out: &mut Vec<u8>) -> Result<()> {
        self.batch(out)?;
        if let Some(stream) = &mut self.stream {
            stream.finish().map_err(failed)?;
            out.append(stream.get_mut());
        }
        Ok(())
    }
}

impl fmt::Debug for ArrowRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ArrowRows").field("schema", &self.schema).finish_non_exhaustive()
    }
}

fn column(column: &ShapeColumn) -> (Field, ArrowCell) {
    let known = column.ty.filter(|_| column.members.is_none()).and_then(|ty| Some((arrow_type(ty, column.scale)?, ty)));
    let (arrow, cell) = match known {
        Some((arrow, ty)) => (arrow, ArrowCell::Value(ty)),
        None => (DataType::Utf8, ArrowCell::Text(Plain::of(column))),
    };
    (Field::new(column.member.clone(), arrow, true), cell)
}

fn failed(error: impl Display) -> Error {
    Error::new(ErrorKind::Decode, error.to_string())
}
