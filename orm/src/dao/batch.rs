//! Batches: writing many entities at once, all of them or none.

use std::collections::HashSet;

use isogloss_compiler::dialect::Feature;
use isogloss_compiler::expr::{LogicExpr, Name, Value, ValueOps, prop, row};
use isogloss_compiler::model::Entity as Model;
use isogloss_compiler::{ExprString, Request, identifier};
use isogloss_driver::{ErrorKind, RowSource, TransactionOptions};

use super::entity::{has_key, inserted, key_columns, key_of, keyed, model, table_of, take, value_of};
use super::failed_row::is_of_a_row;
use super::keys::key_order;
use super::made::made_by;
use super::object::is_new;
use super::plan::Plan;
use super::update::{Slot, Version, changes, filled, first};
use super::{Keys, ObjectDao, TableArgs, UpdateOrInsertResult};
use crate::entity::{FieldError, Table};
use crate::session::{Lease, RetryOptions, Session};
use crate::{OrmError, OrmResult};

/// How many keys of several columns a statement lists: PostgreSQL's parser goes as deep as there are.
pub(super) const MOST_ROWS: usize = 1_000;

/// Below how many rows one UPDATE or upsert for all of them is no quicker.
const FEWEST_TOGETHER: usize = 16;

/// The rows of one shard, by their places in the batch.
pub(super) type Group = (TableArgs, Vec<usize>);

/// What rows have got: the place of each in the batch, the column, and its value. They take it when all is written.
pub(super) type BatchGiven = Vec<(usize, usize, Value)>;

/// What is done to each row of a batch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Write {
    Insert,
    Update,
    Upsert,
    Delete,
}

impl<T: Table> ObjectDao<T> {
    /// Inserts rows by the engine's fastest way. Keys that the database generates are stored in the entities.
    ///
    /// # Errors
    /// A violated constraint, with the row in [`OrmError::Row`], or a statement that cannot be compiled or run. No row
    /// is inserted then.
    pub async fn batch_insert(&self, entities: &mut [T]) -> OrmResult<()> {
        let mut given = BatchGiven::new();
        self.hold_all(Write::Insert, entities).await?;
        self.write(Write::Insert, entities, &mut given).await?;
        give(entities, given)
    }

    /// Updates the rows with the entities' keys, and returns how many existed. If the entity has a version column,
    /// every row must have the entity's version, or no row is changed.
    ///
    /// # Errors
    /// A violated constraint, or another version, with the row in [`OrmError::Row`]; or a statement that cannot be
    /// compiled or run. No row is changed then.
    pub async fn batch_update(&self, entities: &mut [T]) -> OrmResult<u64> {
        let mut given = BatchGiven::new();
        self.hold_all(Write::Update, entities).await?;
        let hit = self.write(Write::Update, entities, &mut given).await?;
        give(entities, given)?;
        Ok(hit)
    }

    /// Deletes the rows with the entities' keys, and returns how many existed.
    ///
    /// # Errors
    /// A violated constraint, with the row in [`OrmError::Row`], or a statement that cannot be compiled or run. No row
    /// is deleted then.
    pub async fn batch_delete(&self, entities: &[T]) -> OrmResult<u64> {
        self.write(Write::Delete, entities, &mut BatchGiven::new()).await
    }

    /// Deletes the rows with these keys, and returns how many existed.
    ///
    /// # Errors
    /// A violated constraint, a key that does not have the entity's key columns, or a statement that cannot be compiled
    /// or run. No row is deleted then.
    pub async fn batch_delete_by_keys<K: Keys>(&self, keys: impl IntoIterator<Item = K> + Send) -> OrmResult<u64> {
        let mut keys = keys.into_iter().map(Keys::into_values).collect::<Result<Vec<Vec<Value>>, FieldError>>()?;
        if keys.is_empty() {
            return Ok(0);
        }
        keys.sort_by(|a, b| key_order(a, b));
        let (keys, retry) = (&keys, self.retry());
        let all = async |_: &Session| self.delete_keys(keys.clone(), &self.0.args).await;
        self.0.session.atomically_with(retry, all).await
    }

    /// Updates rows that exist, by their keys, and inserts the others. An entity with a version column that has no
    /// version yet is only inserted, as by [`update_or_insert`](Self::update_or_insert).
    ///
    /// # Errors
    /// A violated constraint other than the key's, with the row in [`OrmError::Row`], or a statement that cannot be
    /// compiled or run. No row is written then.
    pub async fn batch_update_or_insert(&self, entities: &mut [T]) -> OrmResult<()> {
        let mut given = BatchGiven::new();
        self.hold_all(Write::Upsert, entities).await?;
        self.write(Write::Upsert, entities, &mut given).await?;
        give(entities, given)
    }

    /// How a batch is run: in a transaction of the session once, and by the options of that.
    pub(crate) fn retry(&self) -> RetryOptions {
        match self.0.session.in_transaction() {
            true => RetryOptions::attempts(1),
            false => self.0.session.context().settings().batch_retry,
        }
    }

    /// Writes all rows or none. The error of a row says which it is.
    async fn write(&self, write: Write, entities: &[T], given: &mut BatchGiven) -> OrmResult<u64> {
        let model = self.0.model()?;
        let mut groups = self.groups(entities);
        // Writers that meet in several shards come to them in one order, whichever the rows are in.
        groups.sort_by(|(a, _), (b, _)| a.cmp(b));
        if write != Write::Insert {
            for (_, places) in &mut groups {
                in_order_of_keys(entities, places, model)?;
            }
        }
        let made = made_by(write, model);
        let retry = self.retry();
        let written = match groups.as_slice() {
            [] => Ok((0, BatchGiven::new())),
            // The fast path is all or nothing by itself, and leaves a transaction around it usable by a savepoint only.
            [(args, places)]
                if write == Write::Insert
                    && made.is_empty()
                    && !self.0.session.in_transaction()
                    && retry.transaction == TransactionOptions::default() =>
            {
                let mut attempt = 1;
                loop {
                    let mut given = BatchGiven::new();
                    match self.write_group(write, entities, args, places, &mut given).await {
                        Err(error) if retry.again(&mut attempt, &error).await => {}
                        done => break done.map(|written| (written, given)),
                    }
                }
            }
            groups => {
                let all = async |_: &Session| {
                    let (mut written, mut given) = (0, BatchGiven::new());
                    for (args, places) in groups {
                        written += self.write_group(write, entities, args, places, &mut given).await?;
                        self.made_values(&made, entities, args, places, &mut given).await?;
                    }
                    OrmResult::Ok((written, given))
                };
                self.0.session.atomically_with(retry, all).await
            }
        };
        match written {
            Ok((written, got)) => {
                *given = got;
                Ok(written)
            }
            // Of several rows that fail, the first of the batch is told.
            Err(error) => Err(self.with_row(error, write, entities, &self.groups(entities)).await),
        }
    }

    /// Writes rows of one shard.
    pub(super) async fn write_group(
        &self,
        write: Write,
        entities: &[T],
        args: &TableArgs,
        places: &[usize],
        given: &mut BatchGiven,
    ) -> OrmResult<u64> {
        match write {
            Write::Insert => self.insert_group(entities, args, places, given).await,
            Write::Update => self.update_group(entities, args, places, given).await,
            Write::Upsert => self.upsert_group(entities, args, places, given).await,
            Write::Delete => {
                let model = self.0.model()?;
                let keys = each(entities, places).map(|entity| key_of(entity, model));
                self.delete_keys(keys.collect::<OrmResult<_>>()?, args).await
            }
        }
    }

    /// The rows by their shards, in the order of the first of each.
    pub(super) fn groups(&self, entities: &[T]) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        for (place, entity) in entities.iter().enumerate() {
            let args = self.0.args_of(entity);
            match groups.iter_mut().find(|(known, _)| *known == args) {
                Some((_, places)) => places.push(place),
                None => groups.push((args, vec![place])),
            }
        }
        groups
    }

    async fn insert_group(
        &self,
        entities: &[T],
        args: &TableArgs,
        places: &[usize],
        given: &mut BatchGiven,
    ) -> OrmResult<u64> {
        let mut lease = self.0.lease_to_write(args).await?;
        let target = lease.target().clone();
        let model = model::<T>(target.catalog())?;
        let columns = inserted(model);
        if columns.is_empty() {
            drop(lease);
            return self.insert_numbers(entities, places, given).await;
        }
        let names: Vec<&str> = columns.iter().map(|(_, column)| column.name.as_str()).collect();
        let columns: Vec<usize> = columns.iter().map(|(place, _)| *place).collect();
        let into = self.0.session.bulk_insert(&target, T::NAME, &names, args)?;
        let mut values = Vec::with_capacity(places.len() * columns.len());
        for (place, entity) in placed(entities, places) {
            let version = first(entity, model)?;
            for column in &columns {
                let first = version.as_ref().filter(|(versioned, _)| versioned == column);
                values.push(first.map_or_else(|| value_of(entity, *column), |(_, version)| Ok(version.clone()))?);
            }
            given.extend(version.map(|(column, version)| (place, column, version)));
        }
        let values = Box::new(Flat { values: values.into_iter(), width: columns.len() });
        let Some(identity) = model.identity else {
            return lease.bulk_insert(&into, values).await;
        };
        let numbers = lease.bulk_insert_keys(&into, values).await?;
        given.extend(places.iter().zip(numbers).map(|(place, number)| (*place, identity, number)));
        Ok(places.len() as u64)
    }

    /// Inserts rows that have nothing but what the database numbers: no engine takes many of them at once.
    async fn insert_numbers(&self, entities: &[T], places: &[usize], given: &mut BatchGiven) -> OrmResult<u64> {
        let numbers = self.0.session.atomically(async |_: &Session| {
            let mut numbers = Vec::with_capacity(places.len());
            for place in places {
                if let Some(entity) = entities.get(*place) {
                    let (_, got) = self.0.insert_row(entity, false).await?;
                    numbers.extend(got.into_iter().map(|(column, value)| (*place, column, value)));
                }
            }
            OrmResult::Ok(numbers)
        });
        given.extend(numbers.await?);
        Ok(places.len() as u64)
    }

    async fn update_group(
        &self,
        entities: &[T],
        args: &TableArgs,
        places: &[usize],
        given: &mut BatchGiven,
    ) -> OrmResult<u64> {
        let mut lease = self.0.lease_to_write(args).await?;
        let target = lease.target().clone();
        let model = model::<T>(target.catalog())?;
        let mut versions = Vec::new();
        for entity in each(entities, places) {
            versions.extend(Version::of(entity, model, None)?);
        }
        let mut hit = 0;
        let rows: Vec<Versioned<'_, T>> =
            each(entities, places).enumerate().map(|(at, entity)| (entity, versions.get(at))).collect();
        match Plan::update(&self.0.session, &target, model, args, rows.iter().copied())? {
            Some(plan) => {
                let alone = lease.opened().writes_alone(T::NAME, false);
                // What is run in a transaction of its own takes the connection itself.
                drop(lease);
                let together = if alone { Err(None) } else { self.together(&plan, args, model, &rows).await? };
                hit += match together {
                    Ok(hit) => hit,
                    Err(why) => {
                        let values = plan.rows(model, rows.iter().copied())?;
                        let mut lease = self.0.lease_to_write(args).await?;
                        let hit = lease.execute_many(&plan.statement, values).await?;
                        if let Some(error) = why {
                            lease.opened().write_alone(T::NAME, false, &error);
                        }
                        hit
                    }
                };
            }
            None => {
                for (entity, version) in rows {
                    let statement = changes(table_of::<T>(args), entity, model, version)?;
                    hit += lease.execute(&self.0.compile(&target, &statement)?).await?;
                }
            }
        }
        if !versions.is_empty() && hit != places.len() as u64 {
            let message = format!("a row of `{}` is not there in its version: nothing is changed", model.name);
            return Err(FieldError::new(message).into());
        }
        for (place, version) in places.iter().zip(versions) {
            given.extend(version.given().map(|(column, new)| (*place, column, new)));
        }
        Ok(hit)
    }

    /// All rows by one statement, or a few, where the engine has one for them. If it fails because of a row, it is taken
    /// back and there is no answer: it may fail where another one would not, and does not say which row it was. With an
    /// error, the statement itself may be why.
    async fn together(
        &self,
        plan: &Plan,
        args: &TableArgs,
        model: &Model,
        rows: &[Versioned<'_, T>],
    ) -> OrmResult<Result<u64, Option<OrmError>>> {
        if rows.len() < FEWEST_TOGETHER || !plan.has_together() {
            return Ok(Err(None));
        }
        let values = plan.rows(model, rows.iter().copied())?;
        let Some(statements) = plan.together(model, values) else { return Ok(Err(None)) };
        let done = self.0.session.atomically(async |_: &Session| {
            let mut lease = self.0.lease_to_write(args).await?;
            if plan.meets_in_any_order() {
                let keys = rows.iter().map(|(row, _)| key_of(*row, model)).collect::<OrmResult<Vec<_>>>()?;
                lock_in_order::<T>(&self.0.session, &mut lease, args, model, keys).await?;
            }
            let mut hit = 0;
            for statement in &statements {
                hit += lease.execute(statement).await?;
            }
            OrmResult::Ok(hit)
        });
        match done.await {
            Ok(hit) => Ok(Ok(hit)),
            Err(error) if is_of_a_row(&error) => Ok(Err(None)),
            Err(error) if may_be_the_statement(&error) => Ok(Err(Some(error))),
            Err(error) => Err(error),
        }
    }

    async fn delete_keys(&self, keys: Vec<Vec<Value>>, args: &TableArgs) -> OrmResult<u64> {
        let mut lease = self.0.lease_to_write(args).await?;
        let target = lease.target().clone();
        let model = model::<T>(target.catalog())?;
        let most = match keyed(model)?.len() {
            // However long it is, a list of single values is one parameter, where the engine reads it once.
            1 if target.has(Feature::ArrayInChange) => keys.len(),
            width => {
                // The values of a scope's filters want room, too.
                let one = table_of::<T>(args).delete().filter(among(model, keys.iter().take(1).cloned().collect())?);
                let filters = self.0.compile(&target, &one)?.params.len().saturating_sub(width);
                (lease.param_limit().saturating_sub(filters) / width).clamp(1, MOST_ROWS)
            }
        };
        let (mut deleted, mut keys) = (0, keys.into_iter());
        loop {
            let part: Vec<Vec<Value>> = keys.by_ref().take(most).collect();
            if part.is_empty() {
                return Ok(deleted);
            }
            let delete = table_of::<T>(args).delete().filter(among(model, part)?);
            deleted += lease.execute(&self.0.compile(&target, &delete)?).await?;
        }
    }

    async fn upsert_group(
        &self,
        entities: &[T],
        args: &TableArgs,
        places: &[usize],
        given: &mut BatchGiven,
    ) -> OrmResult<u64> {
        let (mut new, mut known) = (Vec::new(), Vec::new());
        let model = self.0.model()?;
        for place in places {
            let Some(entity) = entities.get(*place) else { continue };
            if is_new(entity, model)? { new.push(*place) } else { known.push(*place) }
        }
        // Of a version or a filter that keeps a row from being written, one statement for all would say nothing; and
        // numbers of the database do not come back from it; nor does it change a column that only UPDATE writes.
        let whole = model.columns.iter().all(|column| column.is_insertable() || !column.is_updatable());
        let natively = whole && model.version.is_none() && model.identity.is_none();
        if natively && !self.0.is_filtered(model).await? {
            self.upsert_natively(entities, args, &known).await?;
        } else {
            let one = Self::new(&self.0.session).with_args(args.iter().cloned());
            for place in known {
                let Some(entity) = entities.get(place) else { continue };
                let row = |error: OrmError| error.of_row(T::NAME, place);
                let (done, got) = one.update_or_insert_row(entity).await.map_err(row)?;
                if done == UpdateOrInsertResult::Failed {
                    let message = match first(entity, model)? {
                        Some(_) => "it is there, and the entity says no version: read it first",
                        None => {
                            "it is there in another version, or outside of the fixed filter or of the scope: nothing is written"
                        }
                    };
                    return Err(row(FieldError::new(message).into()));
                }
                given.extend(got.into_iter().map(|(column, value)| (place, column, value)));
            }
        }
        if !new.is_empty() {
            self.insert_group(entities, args, &new, given).await?;
        }
        Ok(places.len() as u64)
    }

    /// INSERT ... ON CONFLICT: one statement for all rows, one after the other, or of as many as a text takes.
    async fn upsert_natively(&self, entities: &[T], args: &TableArgs, places: &[usize]) -> OrmResult<()> {
        if places.is_empty() {
            return Ok(());
        }
        let mut lease = self.0.lease_to_write(args).await?;
        let target = lease.target().clone();
        let model = model::<T>(target.catalog())?;
        let columns = inserted(model);
        let names: Vec<Name> = columns.iter().map(|(_, column)| column.name.clone()).collect();
        let columns: Vec<usize> = columns.iter().map(|(place, _)| *place).collect();
        let keys: Vec<Name> = model.key_columns().map(|column| column.name.clone()).collect();
        let rows = target.dialect().sheet().limits.rows_in_values;
        let most = (lease.param_limit() / columns.len().max(1)).clamp(1, rows);
        // One statement refuses a key that its rows hold twice; several would write it twice.
        no_key_twice(entities, places, model)?;
        let upsert = |places: &[usize]| {
            let mut values = Vec::with_capacity(places.len() * columns.len());
            for place in places {
                let Some(entity) = entities.get(*place) else { continue };
                for column in &columns {
                    let value = filled(&Slot::Column(*column), entity, model, None);
                    values.push(value.map_err(|error| error.of_row(T::NAME, *place))?);
                }
            }
            let insert = table_of::<T>(args).insert(names.iter().cloned(), values);
            OrmResult::Ok(insert.on_conflict_update(keys.iter().cloned()))
        };
        let many = places.len() >= FEWEST_TOGETHER && lease.connection()?.runs_many_at_once();
        let plan = match places.first_chunk() {
            Some(first @ [_]) if many => Plan::upsert(&self.0.session, &target, &upsert(first)?, &columns)?,
            _ => None,
        };
        let mut why = None;
        if let Some(plan) = &plan {
            let rows: Vec<Versioned<'_, T>> = each(entities, places).map(|entity| (entity, None)).collect();
            if !plan.has_together() {
                lease.execute_many(&plan.statement, plan.rows(model, rows.into_iter())?).await?;
                return Ok(());
            }
            let alone = lease.opened().writes_alone(T::NAME, true);
            drop(lease);
            let together = if alone { Err(None) } else { self.together(plan, args, model, &rows).await? };
            let Err(found) = together else { return Ok(()) };
            why = found;
            lease = self.0.lease_to_write(args).await?;
        }
        for part in places.chunks(most) {
            lease.execute(&self.0.compile(&target, &upsert(part)?)?).await?;
        }
        if let Some(error) = why {
            lease.opened().write_alone(T::NAME, true, &error);
        }
        Ok(())
    }
}

/// A row with the version that it must have.
type Versioned<'e, T> = (&'e T, Option<&'e Version>);

/// Whether a statement of many rows may have failed where one for each would not.
pub(super) fn may_be_the_statement(error: &OrmError) -> bool {
    matches!(error.kind(), Some(ErrorKind::Syntax | ErrorKind::Other))
}

/// Locks the rows with these keys in their order, as an UPDATE of them does: two writers whose statements would meet them in
/// different orders wait here. Rows that refer to them can still be written meanwhile.
async fn lock_in_order<T: Table>(
    session: &Session,
    lease: &mut Lease,
    args: &TableArgs,
    model: &Model,
    keys: Vec<Vec<Value>>,
) -> OrmResult<()> {
    let columns = key_columns(model)?;
    let most = if columns.len() == 1 { keys.len() } else { MOST_ROWS };
    let target = lease.target().clone();
    for keys in keys.chunks(most.max(1)) {
        let mut lock = ExprString::new().text("SELECT 1 FROM {Table} [T0] WHERE {FixedFilter} AND {keys} ORDER BY ");
        for (index, column) in columns.iter().enumerate() {
            let owner = if index > 0 { ", [T0]." } else { "[T0]." };
            lock = lock.text(owner).hole(identifier(column.column.clone()));
        }
        let lock = lock.text(" FOR NO KEY UPDATE").bind("keys", among(model, keys.to_vec())?);
        let request = Request::of(T::NAME).table_args(args);
        lease.execute(&session.compile(&target, &lock, request)?).await?;
    }
    Ok(())
}

fn no_key_twice<T: Table>(entities: &[T], places: &[usize], model: &Model) -> OrmResult<()> {
    let mut seen = HashSet::with_capacity(places.len());
    for place in places {
        let Some(entity) = entities.get(*place) else { continue };
        if !seen.insert(key_of(entity, model)?) {
            let message = "its key is that of another row of the batch: give each row once";
            return Err(OrmError::from(FieldError::new(message)).of_row(T::NAME, *place));
        }
    }
    Ok(())
}

/// The rows take what they have got.
fn give<T: Table>(entities: &mut [T], given: BatchGiven) -> OrmResult<()> {
    for (place, column, value) in given {
        if let Some(entity) = entities.get_mut(place) {
            take(entity, column, &value)?;
        }
    }
    Ok(())
}

fn each<'e, T>(entities: &'e [T], places: &'e [usize]) -> impl Iterator<Item = &'e T> + Clone {
    places.iter().filter_map(|place| entities.get(*place))
}

/// The places of rows by their keys: writers that meet wait for each other, and do not deadlock.
fn in_order_of_keys<T: Table>(entities: &[T], places: &mut Vec<usize>, model: &Model) -> OrmResult<()> {
    let mut keyed = Vec::with_capacity(places.len());
    for (place, entity) in placed(entities, places) {
        keyed.push((key_of(entity, model)?, place));
    }
    if !keyed.is_sorted_by(|(a, _), (b, _)| key_order(a, b).is_le()) {
        keyed.sort_by(|(a, _), (b, _)| key_order(a, b));
        *places = keyed.into_iter().map(|(_, place)| place).collect();
    }
    Ok(())
}

/// Rows with their places in the batch.
fn placed<'e, T>(entities: &'e [T], places: &'e [usize]) -> impl Iterator<Item = (usize, &'e T)> {
    places.iter().filter_map(|place| Some((*place, entities.get(*place)?)))
}

/// Rows of so many values each.
pub(super) struct Flat {
    pub(super) values: std::vec::IntoIter<Value>,
    pub(super) width: usize,
}

impl RowSource for Flat {
    fn next(&mut self, row: &mut Vec<Value>) -> isogloss_driver::Result<bool> {
        row.extend(self.values.by_ref().take(self.width));
        Ok(!row.is_empty())
    }
}

/// That the key is one of these.
pub(super) fn among(model: &Model, keys: Vec<Vec<Value>>) -> OrmResult<LogicExpr> {
    if let [place] = keyed(model)? {
        let name = model.columns.get(*place).map(|column| column.name.clone()).unwrap_or_default();
        let mut values = Vec::with_capacity(keys.len());
        for key in keys {
            match <[Value; 1]>::try_from(key) {
                Ok([value]) if !value.is_null() => values.push(value),
                Ok(_) => {
                    return Err(FieldError::new(format!("`{}.{name}` is the key and never NULL", model.name)).into());
                }
                // It says what the key is.
                Err(key) => return has_key(model, key),
            }
        }
        return Ok(prop(name).in_list(values));
    }
    let columns = row(key_columns(model)?.into_iter().map(|column| prop(column.name.clone())));
    let mut rows = Vec::with_capacity(keys.len());
    for key in keys {
        has_key(model, key.clone())?;
        rows.push(row(key).into());
    }
    Ok(columns.in_list(row::<isogloss_compiler::expr::ValueTypeExpr>(rows)))
}
