//! Cases beside the evaluator: it holds their rows, and gives those that are not known yet.

use std::fs;
use std::path::Path;

use isogloss_compiler::expr::Expr;
use isogloss_compiler::{Request, json};
use serde_json::Value as Json;

use super::case::{By, Case, Check, Expect, Rows, Suite, UNKNOWN};
use super::error::SuiteError;
use super::run::LIMITS;
use super::{schema, value};
use crate::data::{Answer, Data};
use crate::evaluator::{self, Error};

/// What the evaluator says of a case.
#[derive(Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It gives the rows that the case has.
    Agrees,
    /// The case is about an error, or the evaluator does not know what is in it.
    Silent(String),
    /// It gives others.
    Differs(String),
}

impl Case {
    /// What the evaluator says of it. Quotients and averages of decimals, whose digits are each engine's own, agree to 12
    /// digits.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        match self.judge() {
            Ok(()) => Verdict::Agrees,
            Err(Error::Unsupported(why)) => Verdict::Silent(why),
            Err(error) => Verdict::Differs(error.to_string()),
        }
    }

    fn judge(&self) -> Result<(), Error> {
        let silent = |why: &str| Err(Error::Unsupported(why.to_owned()));
        let expr = json::from_str_with(&self.expr, &LIMITS).map_err(|error| Error::Unsupported(error.to_string()))?;
        let mut data = self.rows_before();
        match &self.expect {
            Expect::Refused(_) | Expect::Fails(_) => silent("an error is expected"),
            Expect::Rows(rows) => {
                let got = evaluator::evaluate(self.schema.catalog(), &data, &expr, &self.request())?;
                compare(rows, &got)
            }
            Expect::Write { affected, returning, check } => {
                let written = evaluator::execute(self.schema.catalog(), &mut data, &expr)?;
                if let Some(affected) = affected.filter(|affected| usize::try_from(*affected) != Ok(written.rows)) {
                    return Err(Error::Fault(format!("{affected} rows are expected, {} came", written.rows)));
                }
                if let Some(rows) = returning {
                    compare(rows, &written.returned)?;
                }
                self.share(&expr, &mut data);
                check.as_deref().map_or(Ok(()), |check| self.judge_check(check, &data))
            }
        }
    }

    fn judge_check(&self, check: &Check, data: &Data) -> Result<(), Error> {
        let expr = json::from_str_with(&check.expr, &LIMITS).map_err(|error| Error::Unsupported(error.to_string()))?;
        compare(&check.rows, &evaluator::evaluate(self.schema.catalog(), data, &expr, &Request::default())?)
    }

    /// What a write did to an entity's rows it did to those of every entity over the same table.
    fn share(&self, written: &Expr, data: &mut Data) {
        let table = match written {
            Expr::Insert(insert) => &insert.table,
            Expr::Update(update) => &update.table,
            Expr::Delete(delete) => &delete.table,
            _ => return,
        };
        let of = |name: &str| self.schema.catalog().entity(name).map(|(_, entity)| entity.table.clone());
        let Some(changed) = data.table(table.entity.as_str()).cloned() else { return };
        for other in &mut data.tables {
            if of(&other.entity) == of(&changed.entity) {
                other.rows.clone_from(&changed.rows);
            }
        }
    }

    /// The rows of its schema, and its own.
    pub(super) fn rows_before(&self) -> Data {
        let mut data = self.schema.data();
        for own in &self.data {
            if let Some(table) = data.table_mut(&own.data.entity)
                && table.columns == own.data.columns
            {
                table.rows.extend(own.data.rows.iter().cloned());
            }
        }
        data
    }
}

/// An engine names a column that has no alias as it likes, and so does the case.
fn compare(expected: &Rows, got: &Answer) -> Result<(), Error> {
    let got = Answer { columns: expected.answer.columns.clone(), ..got.clone() };
    expected.answer.near(&got).map_err(|difference| Error::Fault(difference.to_string()))
}

/// Gives the cases of a folder the rows that they lack: those with `"rows": "?"`. Gives how many there were.
///
/// # Errors
/// A file that cannot be read or written, or a case that the evaluator has no rows for.
pub fn bless(folder: &Path) -> Result<usize, SuiteError> {
    let suite = Suite::load(folder)?;
    let unknown = format!("\"{UNKNOWN}\"");
    let mut blessed = 0;
    for group in &suite.groups {
        let path = folder.join(format!("{}.json", group.name));
        let mut text = schema::read(&path)?;
        let lacking = group.cases.iter().filter(|case| case.by == By::Evaluator && case.rows_are_unknown);
        for case in lacking {
            let failed = |why: String| schema::content(&path, &format!("case `{}`: {why}", case.name));
            let expr = json::from_str_with(&case.expr, &LIMITS).map_err(|error| failed(error.to_string()))?;
            let answer = evaluator::evaluate(case.schema.catalog(), &case.rows_before(), &expr, &case.request());
            let rows = answer.map_err(|error| failed(error.to_string()))?.rows;
            let rows: Vec<Json> = rows.iter().map(|row| row.iter().map(value::write).collect()).collect();
            text = text.replacen(&format!("\"rows\": {unknown}"), &format!("\"rows\": {}", Json::from(rows)), 1);
            blessed += 1;
        }
        fs::write(&path, text).map_err(|source| SuiteError::File { path: path.clone(), source })?;
    }
    Ok(blessed)
}
