//! Writing entities, one at a time.

use isogloss_compiler::Compiled;
use isogloss_compiler::expr::{DeleteExpr, Expr, Value};
use isogloss_compiler::model::Entity as Model;

use super::access::over_session;
use super::entity::{has_key, key_of, table_of, value_of};
use super::update::{renewing, restoring};
use super::{Keys, TableArgs, UpdateOf};
use crate::OrmResult;
use crate::entity::{Predicate, Table, Takes};
use crate::session::{Lease, Purpose};

over_session! {
    /// Writes the rows of an entity.
    ///
    /// All that it does is bound by what the catalog fixes for the entity: a row that is outside of the fixed filter is
    /// neither changed nor deleted, and a column that the filter fixes to a constant is written as that. Of a wider filter,
    /// a list or a range, what is written is not looked at.
    ///
    /// In a session with a scope, the same holds for the filters of that. Before an entity is written, it takes the values
    /// that the scope fixes where its own are NULL, and is held to each filter: what would be outside is
    /// [`OrmError::OutOfScope`](crate::OrmError::OutOfScope), and nothing is written.
    ObjectDao<T: Table>, "Over the shard with these arguments, whatever the rows say."
}

impl<T: Table> ObjectDao<T> {
    /// Inserts a row. It takes the number that the database gives it, and its version: that which the database makes, or the
    /// first one, 1 or the time, where the row says none (NULL, 0, the first moment of 1970). What else the database fills in, such as a default, is there when the row is read.
    ///
    /// # Errors
    /// A constraint is violated; or the statement does not compile or run.
    pub async fn insert(&self, entity: &mut T) -> OrmResult<bool> {
        self.0.insert(entity).await
    }

    /// Writes a row over the one with its key; `false` if there is none. Where the entity has a version, the row must be
    /// of that version, and gets the next one: a number is counted up, and begins again at 1 after the last of its type;
    /// a time is that of the program. Of one whose `mode` has no `update`, the database makes it, and it is read back.
    ///
    /// # Errors
    /// A constraint is violated; or the statement does not compile or run.
    pub async fn update(&self, entity: &mut T) -> OrmResult<bool> {
        self.0.update(entity, None).await
    }

    /// The same if the version in the database is that one, whatever the entity's own is.
    ///
    /// # Errors
    /// As [`update`](Self::update); or the entity has no version.
    pub async fn update_if(&self, entity: &mut T, version: impl Into<Value> + Send) -> OrmResult<bool> {
        self.0.update(entity, Some(version.into())).await
    }

    /// Deletes the row with the entity's key; `false` if there is none.
    ///
    /// # Errors
    /// A constraint is violated; or the statement does not compile or run.
    pub async fn delete(&self, entity: &T) -> OrmResult<bool> {
        let key = key_of(entity, self.0.model()?)?;
        self.0.delete_key(key, self.0.args_of(entity)).await
    }

    /// Deletes the row with that key; `false` if there is none.
    ///
    /// # Errors
    /// As [`delete`](Self::delete); or the key has other columns.
    pub async fn delete_by_keys(&self, key: impl Keys + Send) -> OrmResult<bool> {
        self.0.delete_key(key.into_values()?, self.0.args.clone()).await
    }

    /// Brings back the row with the entity's key that was deleted; `false` if there is none. The entity's column of type
    /// `soft_delete` and its version are those of the row when it is read again.
    ///
    /// # Errors
    /// The entity has no `soft_delete` column; a constraint is violated; or the statement does not compile or run.
    pub async fn restore(&self, entity: &T) -> OrmResult<bool> {
        let key = key_of(entity, self.0.model()?)?;
        self.restore_key(key, self.0.args_of(entity)).await
    }

    /// Brings back the deleted row with that key; `false` if there is none.
    ///
    /// # Errors
    /// As [`restore`](Self::restore); or the key has other columns.
    pub async fn restore_by_keys(&self, key: impl Keys + Send) -> OrmResult<bool> {
        self.restore_key(key.into_values()?, self.0.args.clone()).await
    }

    async fn restore_key(&self, key: Vec<Value>, args: TableArgs) -> OrmResult<bool> {
        let model = self.0.model()?;
        let update = restoring(table_of::<T>(&args), model)?.filter(has_key(model, key)?);
        let deleted = Self::new(&self.0.session.among_deleted(T::NAME)).with_args(args);
        Ok(deleted.update_where(update).await? > 0)
    }

    /// Deletes the rows that a filter finds, and says how many. Every row is meant by
    /// [`delete_all_rows`](Self::delete_all_rows) only.
    ///
    /// # Errors
    /// A constraint is violated; or the statement does not compile or run.
    pub async fn delete_where<C: Predicate + Send>(&self, filter: C) -> OrmResult<u64>
    where
        T: Takes<C::Entity>,
    {
        self.run(table_of::<T>(&self.0.args).delete().filter(filter.given())).await
    }

    /// Deletes every row, and says how many.
    ///
    /// # Errors
    /// A constraint is violated; or the statement does not run.
    pub async fn delete_all_rows(&self) -> OrmResult<u64> {
        self.run(table_of::<T>(&self.0.args).delete().all_rows()).await
    }

    /// Runs an UPDATE of the entity's rows, and says how many it changed: `update::<Order>(..).filter(..)`, or
    /// `table("Order").update(..).filter(..)`. Their versions are renewed, unless it sets them itself.
    ///
    /// # Errors
    /// It is of another entity; a constraint is violated; or the statement does not compile or run.
    pub async fn update_where(&self, update: impl UpdateOf<T> + Send) -> OrmResult<u64> {
        self.run(renewing(self.0.session.context().catalog(), update.into_update(), T::LAST_VERSION)).await
    }

    /// Runs a DELETE of the entity's rows, and says how many it deleted.
    ///
    /// # Errors
    /// As [`update_where`](Self::update_where).
    pub async fn delete_by(&self, delete: DeleteExpr) -> OrmResult<u64> {
        self.run(delete).await
    }

    /// Runs an UPDATE or a DELETE of the entity's rows.
    #[cfg(feature = "services")]
    pub(crate) async fn write_set(&self, statement: Expr) -> OrmResult<u64> {
        match statement {
            Expr::Update(update) => self.update_where(update.into_inner()).await,
            other => self.run(other).await,
        }
    }

    /// Whether a statement compiles.
    #[cfg(feature = "services")]
    pub(crate) async fn compiles(&self, statement: &Expr) -> OrmResult<()> {
        self.compiled(statement).await.map(drop)
    }

    async fn run(&self, statement: impl Into<Expr>) -> OrmResult<u64> {
        let statement = statement.into();
        let (mut lease, compiled) = self.compiled(&statement).await?;
        lease.execute(&compiled).await
    }

    /// A statement, with the connection that it is compiled for.
    async fn compiled<'s>(&'s self, statement: &'s Expr) -> OrmResult<(Lease, Compiled<'s>)> {
        let lease = self.0.lease(Purpose::Write, &self.0.args, Some(statement)).await?;
        let compiled = self.0.session.compile(lease.target(), statement, self.0.request())?;
        Ok((lease, compiled))
    }
}

/// Whether a row has no number yet: the database is to give it one.
pub(super) fn is_new<T: Table>(entity: &T, model: &Model) -> OrmResult<bool> {
    let Some(identity) = model.identity.filter(|identity| model.keys.contains(identity)) else { return Ok(false) };
    Ok(matches!(value_of(entity, identity)?, Value::Null | Value::Int(0)))
}
