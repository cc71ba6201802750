//! What nothing is made of: sequences that are no column's own numbering.

use isogloss_driver::introspect::{ColumnPlace, Filled, SchemaReport, SequenceReport};

use crate::finding::{Finding, What};
use crate::model::{list, place};

/// What is to be known of a sequence; nothing if an entity says it as the numbering of a column.
pub(crate) fn finding(sequence: &SequenceReport, report: &SchemaReport) -> Option<Finding> {
    if sequence.serves.iter().any(|column| is_numbered(column, report)) && !sequence.cycles {
        return None;
    }
    let serves: Vec<String> =
        sequence.serves.iter().map(|of| format!("{}.{}", place(&of.schema, &of.table), of.column)).collect();
    let serves = if serves.is_empty() {
        "no default draws from it: a statement of yours may".to_owned()
    } else {
        format!("{} takes its numbers from it: where tables are made from this, make the sequence first", list(&serves))
    };
    let what = What::Sequence { numbers: numbers(sequence), serves };
    Some(Finding { table: place(&sequence.schema, &sequence.name), part: None, what })
}

/// Whether an entity has the column numbered.
fn is_numbered(column: &ColumnPlace, report: &SchemaReport) -> bool {
    let table = report.tables.iter().find(|table| table.schema == column.schema && table.name == column.table);
    let own = table.and_then(|table| table.column(&column.column));
    own.is_some_and(|own| matches!(own.filled, Filled::Identity { .. }))
}

/// `from 1 by 1, at least 1, at most 9, in a cycle`
fn numbers(sequence: &SequenceReport) -> String {
    let said =
        [("from", sequence.start), ("by", sequence.increment), ("at least", sequence.min), ("at most", sequence.max)];
    let mut words: Vec<String> =
        said.into_iter().filter_map(|(word, number)| Some(format!("{word} {}", number?))).collect();
    if sequence.cycles {
        words.push("in a cycle".to_owned());
    }
    words.join(", ")
}
