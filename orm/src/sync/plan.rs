//! What a sync would run, and what it would leave alone.

use std::collections::{BTreeSet, HashSet};

use isogloss_driver::ErrorKind;
use isogloss_driver::ddl::{DiffOptions, Difference, Part, differences};
use isogloss_driver::introspect::{IntrospectOptions, introspect};

use super::TableSync;
use crate::OrmResult;
use crate::context::OrmContext;

impl OrmContext {
    /// Returns what [`sync_all`](Self::sync_all) would run, without running it, and [what it would leave
    /// alone](TableSync::differences) on an engine whose catalog is read.
    ///
    /// # Errors
    /// Those of [`sync_all`](Self::sync_all).
    pub async fn sync_plan(&self) -> OrmResult<Vec<TableSync>> {
        let _under_way = self.begin_lease()?;
        let mut plan = self.all(false).await?;
        let named =
            |table: &TableSync| self.catalog().entity(&table.entity).and_then(|(_, own)| own.data_source.clone());
        let sources: BTreeSet<_> = plan.iter().map(named).collect();
        let planned: HashSet<String> = plan.iter().flat_map(|table| table.statements.iter().cloned()).collect();
        for source in sources {
            let mut tables: Vec<&mut TableSync> = plan.iter_mut().filter(|table| named(table) == source).collect();
            let mut found = self.differences(source.as_deref(), &tables).await?;
            for table in &mut tables {
                // Two entities of one table have the differences once.
                let own = found.extract_if(.., |told| told.table == table.table);
                table.differences = left(own.collect(), table.statements.is_empty(), &planned);
            }
        }
        plan.retain(|table| !table.statements.is_empty() || !table.differences.is_empty());
        Ok(plan)
    }

    /// What the tables of a data source have otherwise than their entities say.
    async fn differences(&self, source: Option<&str>, tables: &[&mut TableSync]) -> OrmResult<Vec<Difference>> {
        let place = match tables.first().and_then(|table| self.catalog().entity(&table.entity)) {
            Some((_, entity)) => self.data_source_of(entity)?,
            None => return Ok(Vec::new()),
        };
        let backend = place.backend().await?;
        if backend.ddl().introspection().is_none() {
            return Ok(Vec::new());
        }
        let schemas: BTreeSet<&str> =
            tables.iter().map(|table| table.table.rsplit_once('.').map_or("", |(schema, _)| schema)).collect();
        let read = schemas.into_iter().fold(IntrospectOptions::default(), IntrospectOptions::schema);
        let mut options = DiffOptions::default();
        options.data_source = source.map(str::to_owned);
        let mut connection = place.primary().await?.connection;
        let report = introspect(&mut *connection, backend.ddl(), &read).await.map_err(|error| place.failed(error))?;
        match differences(backend.ddl(), &report, self.catalog(), &options) {
            Ok(found) => Ok(found),
            // An entity whose table this engine cannot have, and that may not be synced at all.
            Err(error) if error.kind() == ErrorKind::Compile => {
                tracing::warn!(target: "isogloss", %error, "no differences are told");
                Ok(Vec::new())
            }
            Err(error) => Err(place.failed(error)),
        }
    }
}

/// The differences of a table that a sync which runs these statements leaves as they are. A foreign key may be among those of the
/// table that it refers to.
fn left(mut found: Vec<Difference>, is_whole: bool, planned: &HashSet<String>) -> Vec<Difference> {
    let is_missing = |told: &Difference| told.part == Part::Table && told.now.is_none();
    // It is there, under a name that introspection does not read: that of another database.
    if is_whole && found.iter().any(is_missing) {
        return Vec::new();
    }
    found.retain(|told| match &told.part {
        _ if told.wanted.is_none() => false,
        Part::Table | Part::Column(_) => told.now.is_some(),
        Part::Index(_) | Part::ForeignKey(_) if told.now.is_none() => !told.up.iter().all(|sql| planned.contains(sql)),
        _ => true,
    });
    found
}
