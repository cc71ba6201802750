//! A statement, on the thread that may wait for it.

use isogloss_compiler::Compiled;
use isogloss_driver::{Error, ErrorKind, Flow, Result, RowSink};
use oracle::sql_type::{OracleType, ToSql};
use oracle::{Connection, ResultSet, Row, Statement};

use super::error::error;
use super::row::{Kept, OracleRow, Returned};
use super::value::{Bind, Binder, bad, is_large};

/// A statement that owns everything that it needs.
#[derive(Debug)]
pub(super) struct Call {
    sql: String,
    pub(super) binds: Vec<Bind>,
    /// What it fills: by which names, as which types.
    outputs: Vec<OracleType>,
    names: Vec<String>,
}

impl Call {
    /// A call without parameters.
    pub(super) fn plain(sql: impl Into<String>) -> Self {
        Self::with(sql, Vec::new())
    }

    /// A call with parameters, and without outputs.
    pub(super) fn with(sql: impl Into<String>, binds: Vec<Bind>) -> Self {
        Self { sql: sql.into(), binds, outputs: Vec::new(), names: Vec::new() }
    }

    pub(super) fn new(statement: &Compiled<'_>, binder: Binder) -> Result<Self> {
        let binds = statement.params.iter().map(|param| binder.bind(&param.value, param.ty)).collect::<Result<_>>()?;
        let outputs = statement.outputs.iter().map(|output| binder.output(output.ty)).collect();
        let names = statement.outputs.iter().map(|output| output.name.clone()).collect();
        Ok(Self { sql: statement.sql.clone(), binds, outputs, names })
    }

    /// With an output behind the others.
    pub(super) fn output(mut self, name: &str, ty: OracleType) -> Self {
        self.outputs.push(ty);
        self.names.push(name.to_owned());
        self
    }

    /// Prepares it, or takes it from the crate's cache.
    pub(super) fn prepare(&self, connection: &Connection) -> Result<Statement> {
        let statement = connection.statement(&self.sql).build().map_err(error)?;
        let (given, wanted) = (self.binds.len() + self.outputs.len(), statement.bind_count());
        if given != wanted {
            return Err(bad(format!("{given} parameters are given, the statement has {wanted}")));
        }
        Ok(statement)
    }

    /// Binds its parameters, and places for its outputs.
    pub(super) fn bind(&self, statement: &mut Statement, binds: &[Bind]) -> Result<()> {
        let inputs = binds.iter().map(|bind| bind as &dyn ToSql);
        let outputs = self.outputs.iter().map(|ty| ty as &dyn ToSql);
        for (index, place) in inputs.chain(outputs).enumerate() {
            statement.bind(index + 1, place).map_err(error)?;
        }
        Ok(())
    }

    /// Runs it, and gives its rows, or what it has filled, to the sink. Gives how many rows it changed, or gave.
    pub(super) fn run(&self, connection: &Connection, sink: Option<&mut dyn RowSink>) -> Result<u64> {
        let mut statement = self.prepare(connection)?;
        self.bind(&mut statement, &self.binds)?;
        self.finish(&mut statement, sink).map_err(|error| of_large(error, &self.binds))
    }

    /// Runs what is bound.
    pub(super) fn finish(&self, statement: &mut Statement, sink: Option<&mut dyn RowSink>) -> Result<u64> {
        if statement.is_query() {
            let mut rows = statement.query(&[]).map_err(error)?;
            return Ok(match sink {
                Some(sink) => fill(&mut rows, sink)?.0,
                None => count(rows)?,
            });
        }
        statement.execute(&[]).map_err(error)?;
        let changed = statement.row_count().map_err(error)?;
        if let Some(sink) = sink {
            self.returned(statement, sink)?;
        }
        Ok(changed)
    }

    fn returned(&self, statement: &Statement, sink: &mut dyn RowSink) -> Result<()> {
        let places = self.binds.len() + 1..=self.binds.len() + self.outputs.len();
        let columns = places.map(|place| statement.returned_values::<usize, Kept>(place));
        let columns = columns.collect::<oracle::Result<Vec<_>>>().map_err(error)?;
        let rows = columns.first().map_or(0, Vec::len);
        for place in 0..rows {
            if sink.row(&OracleRow(Returned { names: &self.names, columns: &columns, place }))? == Flow::Enough {
                break;
            }
        }
        Ok(())
    }
}

/// A long value is bound as a large object, and Oracle calls a place that takes none an error of types: it is one of the value.
pub(super) fn of_large(found: Error, binds: &[Bind]) -> Error {
    // Inconsistent types; a LONG or LOB where it may not be; an argument of a wrong type.
    if !matches!(found.code(), Some("ORA-00932" | "ORA-22848" | "ORA-22849" | "ORA-06502")) {
        return found;
    }
    let Some(place) = binds.iter().position(is_large) else { return found };
    let message = format!(
        "parameter {} has over 4,000 bytes (bytes: 2,000), which Oracle binds as a large object, and this place takes none: {}",
        place + 1,
        found.message()
    );
    let code = found.code().unwrap_or_default().to_owned();
    Error::new(ErrorKind::BadValue, message).with_code(code).with_source(found)
}

/// Gives rows to a sink, until it has enough: how many, and whether there may be more.
pub(super) fn fill(rows: &mut ResultSet<'_, Row>, sink: &mut dyn RowSink) -> Result<(u64, bool)> {
    let mut count = 0;
    for row in rows {
        count += 1;
        if sink.row(&OracleRow(&row.map_err(error)?))? == Flow::Enough {
            return Ok((count, true));
        }
    }
    Ok((count, false))
}

fn count(rows: ResultSet<'_, Row>) -> Result<u64> {
    let mut count = 0;
    for row in rows {
        row.map_err(error)?;
        count += 1;
    }
    Ok::<u64, Error>(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_value_in_a_place_for_short_ones_is_a_bad_value() {
        let binder = Binder { booleans: false, value_bytes: 1 << 20 };
        let bind = |len: usize| binder.bind(&"x".repeat(len).into(), None).unwrap();
        let reported = |code: &str| Error::new(ErrorKind::Syntax, "inconsistent datatypes").with_code(code);
        let found = of_large(reported("ORA-00932"), &[bind(4_000), bind(4_001)]);
        assert_eq!((found.kind(), found.code()), (ErrorKind::BadValue, Some("ORA-00932")));
        assert!(found.message().starts_with("parameter 2 has over 4,000 bytes"), "{found}");
        assert_eq!(of_large(reported("ORA-00932"), &[bind(4_000)]).kind(), ErrorKind::Syntax);
        assert_eq!(of_large(reported("ORA-00904"), &[bind(4_001)]).kind(), ErrorKind::Syntax);
    }
}
