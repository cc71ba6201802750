//! Updates of some columns of one row.

use isogloss_compiler::expr::Value;
use isogloss_compiler::model::Entity as Model;

use super::ObjectDao;
use super::entity::value_of;
use super::update::changeable;
use crate::entity::{Columns, FieldError, Table, Writable};
use crate::{OrmError, OrmResult};

impl<T: Table> ObjectDao<T> {
    /// Updates some columns of the row with the entity's key, and leaves the others as they are; returns `false` if there
    /// is none. Versions, fixed filters and scopes are respected as by [`update`](Self::update).
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> isogloss::OrmResult<()> {
    /// # use isogloss::config::DataSourceConfig;
    /// # use isogloss::entity::Linked as _;
    /// use isogloss::prelude::*;
    ///
    /// #[derive(Debug, Clone, PartialEq, Default, Entity)]
    /// #[table(name = "tasks", columns = "snake_case")]
    /// struct Task {
    ///     #[column(primary_key, identity)]
    ///     id: i64,
    ///     title: String,
    ///     done_by: Option<String>,
    /// }
    /// # let context = OrmContext::new(Catalog::builder().entity::<Task>().build()?);
    /// # context.add_data_source(DataSourceConfig::new("main", "sqlite", ":memory:").sync_table(true))?;
    /// # let session = context.create_session()?;
    /// # let tasks = ObjectDao::<Task>::new(&session);
    /// # tasks.insert(&mut Task { title: "write".into(), ..Task::default() }).await?;
    ///
    /// let mut task = Task { id: 1, done_by: Some("Ann".into()), ..Task::default() };
    /// assert!(tasks.update_only(&mut task, Task::DONE_BY).await?);
    /// assert_eq!(session.sql_stack().pop().unwrap(), r#"UPDATE "tasks" AS "T0" SET "done_by" = ? WHERE "T0"."id" = ?"#);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// A column that no UPDATE writes, such as the key; and those of [`update`](Self::update).
    pub async fn update_only(&self, entity: &mut T, columns: impl Columns<T> + Send) -> OrmResult<bool> {
        let model = self.0.model()?;
        let places = places(model, &columns.names())?;
        self.0.update(&mut Only::new(entity, model, places), None).await
    }

    /// Updates the columns in which an entity differs from what was read; returns `false` if there is no row with its key.
    /// If it differs in none, nothing is written, and it is `true`.
    ///
    /// A version is not compared: the row must have the entity's own, as for [`update`](Self::update). Without a version,
    /// two programs that change one column of one row do not learn of each other, and the last one wins.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> isogloss::OrmResult<()> {
    /// # use isogloss::config::DataSourceConfig;
    /// # use isogloss::entity::Linked as _;
    /// # use isogloss::prelude::*;
    /// # #[derive(Debug, Clone, PartialEq, Default, Entity)]
    /// # #[table(name = "tasks", columns = "snake_case")]
    /// # struct Task {
    /// #     #[column(primary_key, identity)]
    /// #     id: i64,
    /// #     title: String,
    /// #     done_by: Option<String>,
    /// # }
    /// # let context = OrmContext::new(Catalog::builder().entity::<Task>().build()?);
    /// # context.add_data_source(DataSourceConfig::new("main", "sqlite", ":memory:").sync_table(true))?;
    /// # let session = context.create_session()?;
    /// # let tasks = ObjectDao::<Task>::new(&session);
    /// # let mut task = Task { title: "write".into(), ..Task::default() };
    /// # tasks.insert(&mut task).await?;
    /// let before = task.clone();
    /// task.title = "read".into();
    /// assert!(tasks.update_changed(&before, &mut task).await?);
    /// assert_eq!(session.sql_stack().pop().unwrap(), r#"UPDATE "tasks" AS "T0" SET "title" = ? WHERE "T0"."id" = ?"#);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Two entities with different keys; a difference in another column that no UPDATE writes; and those of
    /// [`update`](Self::update).
    pub async fn update_changed(&self, before: &T, entity: &mut T) -> OrmResult<bool> {
        let model = self.0.model()?;
        for key in &model.keys {
            if value_of(before, *key)? != value_of(entity, *key)? {
                let message = format!("these are two rows of `{}`: their keys differ", model.name);
                return Err(FieldError::new(message).into());
            }
        }
        let changeable = changeable(model);
        let mut places = Vec::new();
        for (place, column) in model.columns.iter().enumerate() {
            let is_compared = !model.keys.contains(&place) && Some(place) != model.version;
            if is_compared && differs(&value_of(before, place)?, &value_of(entity, place)?) {
                if !changeable.iter().any(|(changeable, _)| *changeable == place) {
                    return Err(unwritten(model, column.name.as_str()));
                }
                places.push(place);
            }
        }
        if places.is_empty() {
            return Ok(true);
        }
        self.0.update(&mut Only::new(entity, model, places), None).await
    }
}

/// The places of columns that an UPDATE writes.
fn places(model: &Model, names: &[&str]) -> OrmResult<Vec<usize>> {
    let changeable = changeable(model);
    let place = |name: &&str| {
        let found = changeable.iter().find(|(_, column)| column.name.as_str() == *name);
        found.map(|(place, _)| *place).ok_or_else(|| unwritten(model, name))
    };
    names.iter().map(place).collect()
}

fn unwritten(model: &Model, name: &str) -> OrmError {
    let why = "it is of the key, fixed, computed, inserted only, or renewed";
    FieldError::new(format!("`{}.{name}` is not written by an UPDATE: {why}", model.name)).into()
}

/// Whether two values of a column are stored differently. One point in time at two offsets is equal, and is stored with
/// its offset where the engine has such a type.
fn differs(before: &Value, after: &Value) -> bool {
    match (before, after) {
        (Value::DateTimeOffset(before), Value::DateTimeOffset(after)) => {
            before != after || before.offset() != after.offset()
        }
        _ => before != after,
    }
}

/// Some columns of a row, with its key and its version.
struct Only<'a, T> {
    entity: &'a mut T,
    places: Vec<usize>,
}

impl<'a, T> Only<'a, T> {
    fn new(entity: &'a mut T, model: &Model, mut places: Vec<usize>) -> Self {
        places.extend(model.version);
        Self { entity, places }
    }
}

impl<T: Table> Writable for Only<'_, T> {
    fn has(&self, column: usize) -> bool {
        self.places.contains(&column)
    }

    fn stored(&self, column: usize) -> Result<Value, FieldError> {
        self.entity.value(column)
    }

    fn store(&mut self, column: usize, value: &Value) -> Result<(), FieldError> {
        self.entity.set(column, value)
    }

    fn shard(&self) -> Vec<String> {
        self.entity.table_args()
    }

    fn last_version(&self) -> i64 {
        T::LAST_VERSION
    }
}
