//! Writing one row, of a struct or by values.

use isogloss_compiler::dialect::{Feature, Support};
use isogloss_compiler::expr::{Expr, TableExpr, Value, prop};
use isogloss_compiler::model::Entity as Model;
use isogloss_driver::rows;

use super::access::Access;
use super::batch::Write;
use super::entity::{Placed, has_key, inserted, named, shard, take, value_of};
use super::made::{made, made_by};
#[cfg(feature = "services")]
use super::update::changeable;
use super::update::{Version, changes, first, renewing};
use super::{TableArgs, table_args};
use crate::OrmResult;
use crate::entity::Writable;
use crate::session::{Lease, Purpose, Session};

/// A column, and what a row gets there.
pub(super) type Got = (usize, Value);

/// What a row gets: its number, its next version, and what the database has made.
pub(super) type RowGiven = Vec<Got>;

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
        let model = self.model()?;
        // A transaction goes on by its own connection, also where the context was closed meanwhile.
        let target = if self.session.in_transaction() {
            let source = self.session.context().data_source_of(model)?;
            self.session.lease(Some(source.name()), Purpose::Write).await?.target().clone()
        } else {
            self.target().await?
        };
        let identity = model.identity.and_then(|place| Some((place, model.columns.get(place)?)));
        let left_out = made_by(Write::Insert, model);
        // An upsert that is expanded does not say what it has inserted.
        let returns = !matches!(target.support(Feature::InsertReturning), Support::Refuse(_))
            && (!leaves || matches!(target.support(Feature::Upsert), Support::Native));
        // A trigger may renew the version behind what RETURNING sees.
        let (returned, mut read): (Vec<Placed<'_>>, Vec<Placed<'_>>) = match (returns, made(model)) {
            (true, None) => (identity.into_iter().chain(left_out).collect(), Vec::new()),
            (true, Some(_)) => (identity.into_iter().collect(), left_out),
            (false, _) => (Vec::new(), left_out),
        };
        if leaves && !returns {
            read.extend(identity);
        }
        if read.is_empty() || model.keys.is_empty() {
            return self.insert_alone(entity, leaves, &returned).await;
        }
        self.session
            .atomically(async |_: &Session| {
                let (inserted, mut given) = self.insert_alone(entity, leaves, &returned).await?;
                if inserted {
                    let number = given.iter().find(|(place, _)| Some(*place) == model.identity);
                    let made = self.made_values(entity, number, &read).await?;
                    given.retain(|(place, _)| made.iter().all(|(other, _)| other != place));
                    given.extend(made);
                }
                Ok((inserted, given))
            })
            .await
    }

    /// Inserts a row. These columns come back from the INSERT; of none, but for a number that is no part of one that `leaves`
    /// rows alone.
    pub(super) async fn insert_alone<R: Writable + ?Sized>(
        &self,
        entity: &R,
        leaves: bool,
        returned: &[Placed<'_>],
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
        if let Some(identity) = model.identity.filter(|_| returned.is_empty() && !leaves) {
            let names: Vec<&str> = columns.iter().map(|(_, column)| column.name.as_str()).collect();
            let into = self.session.bulk_insert(&target, self.name.as_str(), &names, &args)?;
            let number = lease.bulk_insert_keys(&into, rows([values])).await?.into_iter().next();
            let given = number.into_iter().map(|number| (identity, number)).chain(version);
            let given: RowGiven = given.collect();
            return Ok((given.iter().any(|(place, _)| *place == identity), given));
        }
        let names = columns.iter().map(|(_, column)| column.name.clone());
        let insert = match self.shard(&args).insert(names, values) {
            insert if leaves => insert.on_conflict_do_nothing(model.key_columns().map(|column| column.name.clone())),
            insert => insert,
        };
        if returned.is_empty() {
            let insert = Expr::from(insert);
            return Ok((lease.execute(&self.compile(&target, &insert)?).await? > 0, version.into_iter().collect()));
        }
        let insert = Expr::from(insert.returning(returned.iter().map(|(_, column)| prop(column.name.clone()))));
        let got = self.written(&mut lease, &insert).await?;
        let values = got.rows().next().into_iter().flatten().cloned();
        let given = version.into_iter().chain(returned.iter().map(|(place, _)| *place).zip(values));
        Ok((!got.is_empty(), given.collect()))
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
            return Ok((hit, version.into_iter().collect()));
        }
        self.session
            .atomically(async |_: &Session| {
                let (hit, _) = self.update_alone(entity, version).await?;
                let version = model.version.and_then(|place| Some((place, model.columns.get(place)?)));
                let given = match version.filter(|_| hit) {
                    Some(version) => self.made_values(entity, None, &[version]).await?,
                    None => RowGiven::new(),
                };
                Ok((hit, given))
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
    given.into_iter().try_for_each(|(place, value)| take(entity, place, &value))
}

/// Whether a row says nothing of its version, so that it is written over any.
fn is_unread(entity: &(impl Writable + ?Sized), model: &Model, given: Option<&Value>) -> bool {
    given.is_none() && model.version.is_some_and(|place| !entity.has(place))
}
