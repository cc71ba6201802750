//! Loads the rows that rows relate to: one query for each relation, whatever the number of rows.

mod alike;
#[cfg(feature = "services")]
mod dynamic;
mod found;
mod keys;
mod query;
#[cfg(feature = "services")]
mod service;

#[cfg(feature = "services")]
pub use self::service::{RelatedQuery, RelatedRows};

use futures_core::future::BoxFuture;
use isogloss_compiler::ErrorKind as CompileKind;
use isogloss_compiler::expr::SqlSegment;
use isogloss_compiler::model::{Entity as Model, NamedRelation};
use isogloss_driver::{FromRow as _, Layout, ReadRow, Row};

use self::found::{Found, Keyed, Whose};
use self::keys::{Asked, Key};
use self::query::Level;
use super::access::Access;
use super::entity::model;
use crate::entity::{FieldError, Related, Relation, Table as _, Terms, View};
use crate::session::Session;
use crate::{OrmError, OrmResult};

impl Session {
    /// Loads what rows relate to into their fields: one query for the relation and one for each that is behind it by
    /// [`then`](Relation::then), whatever the number of rows. The rows are of the relation's entity, or of a view of it.
    ///
    /// A query is as any search: scopes, fixed filters and `soft_delete` of the loaded entity hold, it runs in the session's
    /// transaction if there is one, else where searches read. It is split in two as long as it needs more parameters than
    /// the engine takes, and keys of several columns are asked for by 1,000. Fields are set when everything is there; rows
    /// that are loaded already are loaded anew.
    ///
    /// A row whose key is NULL has no rows. Where the key's texts are compared by a collation that does not tell all texts apart,
    /// of several keys that it may take for one (`cafe`, `CAFE`, `café`) each is asked for in a query of its own, and each gets what
    /// the database finds for it. Texts that are compared by code points, as by `text = "exact"`, are asked for by one query.
    ///
    /// Where `has_one` finds several rows, it is the first by the order of the relation, and by the primary key after that.
    ///
    /// Several parents that have one row each get a clone of it, with all that is loaded behind it.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # use isogloss::config::DataSourceConfig;
    /// # use isogloss::entity::Linked as _;
    /// use isogloss::entity::{Many, One};
    /// use isogloss::prelude::*;
    ///
    /// #[derive(Debug, Clone, PartialEq, Default, Entity)]
    /// struct Order {
    ///     #[column(primary_key)]
    ///     id: i32,
    ///     #[has_many]
    ///     items: Many<Item>,
    /// }
    ///
    /// #[derive(Debug, Clone, PartialEq, Default, Entity)]
    /// struct Item {
    ///     #[column(primary_key)]
    ///     id: i32,
    ///     #[foreign(Order)]
    ///     order_id: i32,
    ///     #[foreign(Product)]
    ///     product_id: i32,
    ///     #[belongs_to]
    ///     product: One<Product>,
    /// }
    ///
    /// #[derive(Debug, Clone, PartialEq, Default, Entity)]
    /// struct Product {
    ///     #[column(primary_key)]
    ///     id: i32,
    ///     name: String,
    /// }
    /// # let catalog = Catalog::builder().entity::<Order>().entity::<Item>().entity::<Product>().build()?;
    /// # let context = OrmContext::new(catalog);
    /// # context.add_data_source(DataSourceConfig::new("main", "sqlite", ":memory:").sync_table(true))?;
    /// # let session = context.create_session()?;
    /// # ObjectDao::new(&session).batch_insert(&mut [Order { id: 1, ..Order::default() }]).await?;
    /// # ObjectDao::new(&session).batch_insert(&mut [Product { id: 7, name: "Tea".into() }]).await?;
    /// # let item = |id| Item { id, order_id: 1, product_id: 7, ..Item::default() };
    /// # ObjectDao::new(&session).batch_insert(&mut [item(1), item(2)]).await?;
    /// # session.clear_sql_stack();
    ///
    /// let mut orders = ObjectViewDao::<Order>::new(&session).search(()).all().await?;
    /// assert!(orders[0].items.get().is_err());
    ///
    /// session.load(&mut orders, Order::items().then(Item::product())).await?;
    /// for item in orders[0].items.get()? {
    ///     assert_eq!(item.product.get()?.map(|product| product.name.as_str()), Some("Tea"));
    /// }
    /// assert_eq!(session.sql_stack().len(), 3);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// A query that cannot be compiled or run, or a key that cannot be one of the related rows.
    pub async fn load<P, F>(&self, rows: &mut [P], relation: Relation<P::Of, F>) -> OrmResult<()>
    where
        P: View,
        F: Related<Row: Clone>,
    {
        fill(self, rows, &relation).await
    }

    /// Returns what each of the rows relates to, in their order, and leaves the rows as they are. It is otherwise as
    /// [`load`](Self::load).
    ///
    /// ```
    /// # use isogloss::entity::{Many, One};
    /// # use isogloss::prelude::*;
    /// # #[derive(Clone, Entity)]
    /// # struct Order { #[column(primary_key)] id: i32, #[has_many] items: Many<Item> }
    /// # #[derive(Clone, Entity)]
    /// # struct Item { #[column(primary_key)] id: i32, #[foreign(Order)] order_id: i32, price: i32 }
    /// async fn dearest(session: &Session, orders: &[Order]) -> OrmResult<Vec<Vec<Item>>> {
    ///     session.related(orders, Order::items().order_by(Item::PRICE.desc()).take(3)).await
    /// }
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// Those of [`load`](Self::load).
    pub async fn related<P, F>(&self, rows: &[P], relation: Relation<P::Of, F>) -> OrmResult<Vec<F::Found>>
    where
        P: View,
        F: Related<Row: Clone>,
    {
        find(self, rows, &relation).await
    }
}

/// A relation behind another one, of whatever entity.
pub(crate) trait Nested<P>: Send + Sync {
    /// Loads it into the rows.
    fn fill<'a>(&'a self, session: &'a Session, rows: &'a mut [P]) -> BoxFuture<'a, OrmResult<()>>;
}

impl<P: View, F: Related<Row: Clone>> Nested<P> for Relation<P::Of, F> {
    fn fill<'a>(&'a self, session: &'a Session, rows: &'a mut [P]) -> BoxFuture<'a, OrmResult<()>> {
        Box::pin(fill(session, rows, self))
    }
}

async fn fill<P, F>(session: &Session, rows: &mut [P], relation: &Relation<P::Of, F>) -> OrmResult<()>
where
    P: View,
    F: Related<Row: Clone>,
{
    let found = find(session, rows, relation).await?;
    for (row, found) in rows.iter_mut().zip(found) {
        (relation.field)(row.row_mut()).put(found);
    }
    Ok(())
}

async fn find<P, F>(session: &Session, rows: &[P], relation: &Relation<P::Of, F>) -> OrmResult<Vec<F::Found>>
where
    P: View,
    F: Related<Row: Clone>,
{
    let catalog = session.context().catalog();
    let owner = model::<P::Of>(catalog)?;
    let level = Level::new(catalog, named(owner, relation.name)?, &relation.terms);
    let texts = level.texts(session)?;
    let keys = rows.iter().map(|row| Ok(Key::new(level.own_keys().map(|place| row.row().value(place)))?));
    let asked = level.asked(owner, texts, keys)?;
    let mut layout = Layout::default();
    let read = move |row: &dyn Row| F::Row::from_next_row(row, &mut layout);
    let mut found = rows_of(session, &level, &asked, read).await?;
    for nested in &relation.then {
        nested.fill(session, &mut found.rows).await?;
    }
    Ok(found.share(&asked).map(F::found).collect())
}

/// The relation of that name.
fn named<'m>(owner: &'m Model, name: &str) -> OrmResult<&'m NamedRelation> {
    let unknown = || FieldError::new(format!("`{}` has no relation `{name}` in the catalog", owner.name));
    Ok(owner.relation(name).ok_or_else(unknown)?)
}

/// Reads the rows of all keys.
async fn rows_of<T, R>(session: &Session, level: &Level<'_>, asked: &Asked, read: R) -> OrmResult<Found<T>>
where
    T: Send + 'static,
    R: ReadRow<T> + Clone + Sync,
{
    let access = &Access::new(session, level.target.name.clone(), level.terms.args.clone());
    rows_by(level, asked, |search, whose| {
        let read = Keyed::new(whose, read.clone());
        async move { access.rows(search.into(), read).all().await }
    })
    .await
}

/// The rows of all keys, by whatever runs a query and says whose each row is.
async fn rows_by<T, F>(level: &Level<'_>, asked: &Asked, run: impl Fn(SqlSegment, Whose) -> F) -> OrmResult<Found<T>>
where
    F: Future<Output = OrmResult<Vec<(Option<usize>, T)>>>,
{
    let mut found = Found { rows: Vec::new(), keys: Vec::new() };
    let (mut keys_per_query, mut queries) = (level.keys_per_query(), 0_usize);
    for round in &asked.rounds {
        let mut due = vec![round.numbers.as_slice()];
        while let Some(numbers) = due.pop() {
            level.may_ask(queries)?;
            let (part, rest) = numbers.split_at(numbers.len().min(keys_per_query));
            due.extend(Some(rest).filter(|rest| !rest.is_empty()));
            let halves = || part.split_at(part.len().div_ceil(2));
            let left = level.row_limit.map(|limit| limit.saturating_sub(found.rows.len() as u64));
            let (search, places) = level.search(part.iter().filter_map(|key| asked.keys.get(*key)), left);
            let rows = match run(search, Whose::new(places, &round.index, part)).await {
                Ok(rows) => rows,
                Err(OrmError::Compile(error)) if part.len() > 1 && is_too_long(error.kind()) => {
                    keys_per_query = part.len().div_ceil(2);
                    due.extend([halves().1, halves().0]);
                    continue;
                }
                Err(error) => return Err(error),
            };
            queries += 1;
            if rows.iter().any(|(key, _)| key.is_none()) {
                // The database takes texts for one that are not even alike: whose rows they are is seen with fewer keys.
                due.extend([halves().1, halves().0]);
                continue;
            }
            found.rows.reserve(rows.len());
            found.keys.reserve(rows.len());
            for (key, row) in rows {
                found.keys.extend(key);
                found.rows.push(row);
            }
            if level.row_limit.is_some_and(|limit| found.rows.len() as u64 >= limit) {
                return Ok(found);
            }
        }
    }
    Ok(found)
}

/// Whether fewer keys would do.
fn is_too_long(error: &CompileKind) -> bool {
    matches!(error, CompileKind::TooManyParameters { .. } | CompileKind::TooLarge { .. })
}
