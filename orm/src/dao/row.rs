//! Writing one row, of a struct or by values.

use isogloss_compiler::dialect::{Feature, Support};
use isogloss_compiler::expr::{TableExpr, Value, prop};
use isogloss_compiler::model::Entity as Model;
use isogloss_driver::rows;

use super::access::Access;
use super::batch::Write;
use super::entity::{has_key, inserted, named, shard, take, value_of};
use super::made::made;
#[cfg(feature = "services")]
use super::update::changeable;
use super::update::{Version, changes, first, renewing};
use super::{TableArgs, table_args};
use crate::OrmResult;
use crate::entity::Writable;
use crate::session::{Lease, Purpose, Session};

/// A column, and what a row gets there.
pub(super) type Got = (usize, Value);

/// What a row gets: its number, and its next version.
pub(super) type RowGiven = [Option<Got>; 2];

impl Access {
    /// Inserts a row, which takes what the scope fixes and what the database gives it.
    pub(crate) async fn insert<R: Writable + ?Sized>(&self, entity: &mut R) -> OrmResult<bool> {
        self.hold(Write::Insert, entity).await?;
        let (inserted, given) = self.insert_row(entity, false).await?;
        accept(entity, given)?;
        Ok(inserted)
    }

    /// Writes what a row has over the one with its key: that of its version, if it has one, or of the one that is given.
    pub(crate) async fn update<R: Writable + ?Sized>(&self, entity: &mut R, version: Option<Value>) -> OrmResult<bool> {
        self.hold(Write::Update, entity).await?;
        let (hit, given) = self.update_row(entity, version).await?;
        accept(entity, given)?;
        Ok(hit)
    }

    /// Inserts a row, and says whether it did, and what the row gets. Where it `leaves` a row with its key alone, that is
    /// no error.
    pub(super) async fn insert_row<R: Writable + ?Sized>(
        &self,
        entity: &R,
        leaves: bool,
    ) -> OrmResult<(bool, RowGiven)> {
        if made(self.model()?).is_none() {
            return self.insert_alone(entity, leaves).await;
        }
        self.session
            .transaction(async |_: &Session| {
                let (inserted, [number, _]) = self.insert_alone(entity, leaves).await?;
                let version = if inserted { self.made_version(entity, number.as_ref()).await? } else { None };
                Ok((inserted, [number, version]))
            })
            .await
    }

    pub(super) async fn insert_alone<R: Writable + ?Sized>(
        &self,
        entity: &R,
        leaves: bool,
    ) -> OrmResult<(bool, RowGiven)> {
        let args = self.args_of(entity);
        let mut lease = self.lease_to_write(&args).await?;
        let target = lease.target().clone();
        let (_, model) = named(target.catalog(), self.name.as_str())?;
        let version = first(entity, model)?;
        let mut columns = inserted(model);
        columns.retain(|(place, _)| entity.has(*place) || version.as_ref().is_some_and(|(first, _)| first == place));
        let mut values = Vec::with_capacity(columns.len());
        for (place, _) in &columns {
            let given = version.as_ref().filter(|(versioned, _)| versioned == place);
            values.push(given.map_or_else(|| value_of(entity, *place), |(_, version)| Ok(version.clone()))?);
        }
        let names = columns.iter().map(|(_, column)| column.name.clone());
        let of = |values| match self.shard(&args).insert(names, values) {
            insert if leaves => insert.on_conflict_do_nothing(model.key_columns().map(|column| column.name.clone())),
            insert => insert,
        };
        let Some(identity) = model.identity else {
            let insert = of(values);
            return Ok((lease.execute(&self.compile(&target, &insert)?).await? > 0, [None, version]));
        };
        let number: Option<Value> = if matches!(target.support(Feature::InsertReturning), Support::Refuse(_)) {
            let names: Vec<&str> = columns.iter().map(|(_, column)| column.name.as_str()).collect();
            let into = self.session.bulk_insert(&target, self.name.as_str(), &names, &args)?;
            lease.bulk_insert_keys(&into, rows([values])).await?.into_iter().next()
        } else {
            let name = model.columns.get(identity).map(|column| column.name.clone());
            let insert = of(values).returning(name.map(prop));
            let number = lease.fetch_first::<(i64,)>(&self.compile(&target, &insert)?).await?;
            number.map(|(number,)| number.into())
        };
        Ok((number.is_some(), [number.map(|number| (identity, number)), version]))
    }

    /// Writes a row over the one with its key, and says whether there is one, and what the row gets.
    pub(super) async fn update_row<R: Writable + ?Sized>(
        &self,
        entity: &R,
        version: Option<Value>,
    ) -> OrmResult<(bool, RowGiven)> {
        let model = self.model()?;
        if made(model).is_none() && !is_unread(entity, model, version.as_ref()) {
            let (hit, version) = self.update_alone(entity, version).await?;
            return Ok((hit, [None, version]));
        }
        self.session
            .transaction(async |_: &Session| {
                let (hit, _) = self.update_alone(entity, version).await?;
                let version = if hit { self.made_version(entity, None).await? } else { None };
                Ok((hit, [None, version]))
            })
            .await
    }

    async fn update_alone<R: Writable + ?Sized>(
        &self,
        entity: &R,
        version: Option<Value>,
    ) -> OrmResult<(bool, Option<Got>)> {
        let args = self.args_of(entity);
        let mut lease = self.lease_to_write(&args).await?;
        let target = lease.target().clone();
        let (_, model) = named(target.catalog(), self.name.as_str())?;
        let unread = is_unread(entity, model, version.as_ref());
        let version = if unread { None } else { Version::of(entity, model, version)? };
        let update = changes(self.shard(&args), entity, model, version.as_ref())?;
        let update = if unread { renewing(target.catalog(), update, entity.last_version()) } else { update };
        let hit = lease.execute(&self.compile(&target, &update)?).await? > 0;
        Ok((hit, version.filter(|_| hit).and_then(Version::given)))
    }

    /// Whether a row has anything that an UPDATE writes.
    #[cfg(feature = "services")]
    pub(crate) fn is_changed<R: Writable + ?Sized>(&self, entity: &R) -> OrmResult<bool> {
        Ok(changeable(self.model()?).into_iter().any(|(place, _)| entity.has(place)))
    }

    /// Deletes the row with that key; `false` if there is none.
    pub(crate) async fn delete_key(&self, key: Vec<Value>, args: TableArgs) -> OrmResult<bool> {
        let mut lease = self.lease_to_write(&args).await?;
        let target = lease.target().clone();
        let (_, model) = named(target.catalog(), self.name.as_str())?;
        let delete = self.shard(&args).delete().filter(has_key(model, key)?);
        Ok(lease.execute(&self.compile(&target, &delete)?).await? > 0)
    }

    /// A connection to where the rows of a shard are written.
    pub(super) async fn lease_to_write(&self, args: &TableArgs) -> OrmResult<Lease> {
        self.lease(Purpose::Write, args, None).await
    }

    /// The shard of a row: that of this object, else its own.
    pub(super) fn args_of<R: Writable + ?Sized>(&self, entity: &R) -> TableArgs {
        if self.args.is_empty() { table_args(entity.shard()) } else { self.args.clone() }
    }

    /// The table of a shard in a statement.
    fn shard(&self, args: &TableArgs) -> TableExpr {
        shard(self.name.clone(), args)
    }
}

/// A row takes what it gets.
pub(super) fn accept(entity: &mut (impl Writable + ?Sized), given: RowGiven) -> OrmResult<()> {
    given.into_iter().flatten().try_for_each(|(place, value)| take(entity, place, &value))
}

/// Whether a row says nothing of its version, so that it is written over any.
fn is_unread(entity: &(impl Writable + ?Sized), model: &Model, given: Option<&Value>) -> bool {
    given.is_none() && model.version.is_some_and(|place| !entity.has(place))
}
