//! Rows that a written row refers to: a client may not refer to what it does not see.
//!
//! The foreign key of a table asks whether a row is there, not whose it is. Where the scope of the request filters the rows of
//! that table, they are looked for within it; one outside is answered for as one that is not there.

use isogloss::driver::ErrorKind;
use isogloss::expr::{LogicExpr, SqlSegment, Value, ValueOps as _, constant, from, prop};
use isogloss::model::Entity;
use isogloss::service::DynamicObject;
use isogloss::session::Purpose;
use isogloss::{Compiled, OrmError, OrmResult, Request, Session};

use crate::names::camel;
use crate::{Call, Problem, ProblemKind, WebResult};

/// A row that a client refers to.
pub(super) struct Reference<'c> {
    data_source: Option<&'c str>,
    /// Asks for it, within the scope.
    query: Compiled<'static>,
    /// What clients call the columns that refer to it.
    fields: Vec<String>,
}

/// Why a write is taken back.
enum Failed {
    Orm(OrmError),
    /// What these fields refer to is not there, as far as the client sees.
    Refers(Vec<String>),
}

impl From<OrmError> for Failed {
    fn from(error: OrmError) -> Self {
        Self::Orm(error)
    }
}

impl Call {
    /// The rows that a client's row refers to, of tables whose rows the scope of the request filters.
    pub(super) async fn references(&self, object: &DynamicObject) -> WebResult<Vec<Reference<'_>>> {
        let (mounted, session) = (&*self.mounted, self.session());
        let mut references = Vec::new();
        if session.current_scope().is_none() {
            return Ok(references);
        }
        let entity = mounted.entity();
        for relation in &entity.relations {
            let target = mounted.catalog.get(relation.target);
            let Some((row, fields)) = referred(object, entity, target, &relation.keys) else { continue };
            let source = mounted.host.context.data_source_of(target)?.target().await?;
            let query = session.compile(&source, &row, Request::of(target.name.as_str()))?;
            if query.filters.iter().any(|filter| filter.off.is_none()) {
                references.push(Reference {
                    data_source: target.data_source.as_deref(),
                    query: query.into_owned(),
                    fields,
                });
            }
        }
        Ok(references)
    }

    /// Does a write of a row that refers to others, and takes it back where one of those is not there. The service has asked by
    /// then whether the caller may write at all.
    pub(super) async fn referring(
        &self,
        references: &[Reference<'_>],
        write: impl Future<Output = OrmResult<bool>>,
    ) -> WebResult<bool> {
        if references.is_empty() {
            return self.written(write).await;
        }
        let session = self.session();
        let done = session.transaction(async |session: &Session| -> Result<bool, Failed> {
            let written = write.await?;
            let missing = if written { missing(session, references).await? } else { Vec::new() };
            if missing.is_empty() { Ok(written) } else { Err(Failed::Refers(missing)) }
        });
        let fields = match self.in_time(done).await? {
            Ok(written) => return Ok(written),
            Err(Failed::Refers(fields)) => fields,
            // An engine may not say which field it is about.
            Err(Failed::Orm(error)) if error.kind() == Some(ErrorKind::ForeignKeyViolation) => {
                let fields = missing(session, references).await?;
                if fields.is_empty() {
                    return Err(self.refused(error));
                }
                fields
            }
            Err(Failed::Orm(error)) => return Err(self.refused(error)),
        };
        Err(Problem::of(ProblemKind::ForeignKeyViolation).about(fields))
    }
}

/// The row that an object's columns refer to, with their names; nothing where not all of them are set to a value.
fn referred(
    object: &DynamicObject,
    entity: &Entity,
    target: &Entity,
    keys: &[(usize, usize)],
) -> Option<(SqlSegment, Vec<String>)> {
    // Which table of several it would be is not known.
    target.table.plain()?;
    let (mut terms, mut fields) = (Vec::with_capacity(keys.len()), Vec::with_capacity(keys.len()));
    for (own, other) in keys {
        let value = object.value(*own).filter(|value| !matches!(value, Value::Null))?;
        let column = entity.columns.get(*own)?;
        // What is the program's to set refers to what it may.
        if column.writable {
            fields.push(camel(column.name.as_str()));
        }
        terms.push(prop(target.columns.get(*other)?.name.clone()).eq(value.clone()));
    }
    if fields.is_empty() {
        return None;
    }
    let rows = from(target.name.clone()).filter(LogicExpr::all(terms)).take(1);
    Some((rows.select([constant(1).alias("One")]).into_segment(), fields))
}

/// The fields of the references to rows that are not there.
async fn missing(session: &Session, references: &[Reference<'_>]) -> OrmResult<Vec<String>> {
    let mut fields = Vec::new();
    for Reference { data_source, query, fields: own } in references {
        let mut lease = session.lease(*data_source, Purpose::Write).await?;
        if lease.fetch_first::<(i64,)>(query).await?.is_none() {
            fields.extend_from_slice(own);
        }
    }
    Ok(fields)
}
