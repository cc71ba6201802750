//! The sequences of a schema, and the columns that take their numbers from them.

use super::{ColumnPlace, Filled, Introspection, SchemaReport, SequenceReport};
use crate::ddl::asked;
use crate::{Connection, ConnectionExt, ErrorKind, Result};

type Number = Option<i64>;
type Text = Option<String>;
type SequenceRow = (String, String, Number, Number, Number, Number, Number, Text, Text, Text, Number);

/// Reads the sequences of a schema.
pub(super) async fn read(
    connection: &mut dyn Connection,
    questions: &Introspection,
    schema: &str,
    report: &mut SchemaReport,
) -> Result<()> {
    let Some(sql) = questions.sequences else { return Ok(()) };
    let mut found: Vec<SequenceReport> = Vec::new();
    for row in connection.fetch::<SequenceRow>(&asked(sql, &[schema])).await? {
        let (schema, name, start, increment, min, max, cycles, of_schema, of_table, of_column, owned) = row;
        let cycles = cycles == Some(1);
        let place = of_schema.zip(of_table).zip(of_column);
        let place = place.map(|((schema, table), column)| ColumnPlace { schema, table, column });
        if found.last().is_none_or(|last| last.name != name) {
            let (serves, owned) = (Vec::new(), false);
            found.push(SequenceReport { schema, name, start, increment, min, max, cycles, serves, owned });
        }
        if let Some(sequence) = found.last_mut() {
            sequence.owned |= owned == Some(1);
            sequence.serves.extend(place);
        }
    }
    if let Some(numbers) = questions.numbers {
        for sequence in &mut found {
            let asked = asked(numbers(&sequence.schema, &sequence.name), &[]);
            match connection.fetch_one::<(Number, Number, Number, Number, i64)>(&asked).await {
                Ok((start, increment, min, max, cycles)) => {
                    (sequence.start, sequence.increment) = (start, increment);
                    (sequence.min, sequence.max, sequence.cycles) = (min, max, cycles != 0);
                }
                // It is there, and the user may not read it.
                Err(error) if error.kind() == ErrorKind::Permission => {}
                Err(error) => return Err(error),
            }
        }
    }
    report.sequences.append(&mut found);
    Ok(())
}

/// Finds the columns that a sequence serves by their defaults.
pub(super) fn serve(report: &mut SchemaReport, draws: fn(&str, &str, &str) -> bool) {
    for sequence in &mut report.sequences {
        for table in &report.tables {
            for column in &table.columns {
                let Filled::Default(text) = &column.filled else { continue };
                if draws(text, &sequence.schema, &sequence.name) {
                    let (schema, table, column) = (table.schema.clone(), table.name.clone(), column.name.clone());
                    sequence.serves.push(ColumnPlace { schema, table, column });
                }
            }
        }
    }
}
