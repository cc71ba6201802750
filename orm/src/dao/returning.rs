//! Statements that return what they wrote, and INSERT of a query's rows.

use isogloss_compiler::expr::{Expr, InsertExpr};
use isogloss_driver::FromRow;

use super::entity::table_of;
use super::update::renewing;
use super::{ObjectDao, UpdateOf};
use crate::OrmResult;
use crate::entity::{Insert, Predicate, Selection, Table, Takes};

impl<T: Table> ObjectDao<T> {
    /// Runs an UPDATE as [`update_where`](Self::update_where) does, and returns items of each row that it wrote, with
    /// their new values: one, a tuple, a struct by [`expr!`](macro@crate::expr), or [`all`](crate::entity::all) columns as
    /// the entity. Engines without RETURNING refuse it.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/src/shop.rs"));
    /// use isogloss::entity::update;
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> OrmResult<()> {
    /// # let session = filled().await?;
    /// let orders = ObjectDao::<Order>::new(&session);
    /// let raise = update::<Order>([Order::AMOUNT.set(Order::AMOUNT * 2)]).filter(expr!(|o: Order| o.amount < 100));
    /// let raised: Vec<(i64, Decimal)> = orders.update_returning(raise, (Order::ID, Order::AMOUNT)).await?;
    /// assert_eq!(raised, [(2, 60.into())]);
    ///
    /// #[derive(Debug, PartialEq, FromRow)]
    /// struct Line {
    ///     id: i64,
    ///     half: Option<Decimal>,
    /// }
    /// let pay = update::<Order>([Order::STATUS.set(Status::Paid)]).filter(expr!(|o: Order| o.amount > 200));
    /// let paid = orders.update_returning(pay, expr!(|o: Order| Line { id: o.id, half: o.amount / 2 })).await?;
    /// assert_eq!(paid, [Line { id: 3, half: Some(125.into()) }]);
    ///
    /// let deleted: Vec<i64> = orders.delete_returning(expr!(|o: Order| o.id > 1), Order::ID).await?;
    /// assert_eq!(deleted.len(), 2);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Those of [`update_where`](Self::update_where), and a row that does not fit.
    pub async fn update_returning<I>(&self, update: impl UpdateOf<T> + Send, items: I) -> OrmResult<Vec<I::Row>>
    where
        I: Selection<T, Row: FromRow + Send + 'static> + Send,
    {
        let update = renewing(self.0.session.context().catalog(), update.into_update(), T::LAST_VERSION);
        self.returned(update.returning(items.selection())).await
    }

    /// Deletes the rows that a filter finds, as [`delete_where`](Self::delete_where) does, and returns items of each.
    /// Engines without RETURNING refuse it.
    ///
    /// # Errors
    /// Those of [`delete_where`](Self::delete_where), and a row that does not fit.
    pub async fn delete_returning<C, I>(&self, filter: C, items: I) -> OrmResult<Vec<I::Row>>
    where
        C: Predicate + Send,
        T: Takes<C::Entity>,
        I: Selection<T, Row: FromRow + Send + 'static> + Send,
    {
        let delete = table_of::<T>(&self.0.args).delete().filter(filter.given());
        self.returned(delete.returning(items.selection())).await
    }

    /// Inserts the rows of a query, and returns how many there were.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/src/shop.rs"));
    /// use isogloss::entity::insert;
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> OrmResult<()> {
    /// # let session = filled().await?;
    /// let orders = ObjectDao::<Order>::new(&session);
    /// let again = query!(|o: Order| o.filter(o.amount > 100).select((o.customer_id, o.amount, o.status, o.version)));
    /// let columns = (Order::CUSTOMER_ID, Order::AMOUNT, Order::STATUS, Order::VERSION);
    /// assert_eq!(orders.insert_from(insert(columns, again)).await?, 2);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// A violated constraint, or a statement that cannot be compiled or run.
    pub async fn insert_from(&self, insert: Insert<T>) -> OrmResult<u64> {
        self.run(self.sharded(insert)).await
    }

    /// Inserts the rows of a query, and returns items of each row that was inserted. Engines without RETURNING refuse it.
    ///
    /// # Errors
    /// Those of [`insert_from`](Self::insert_from), and a row that does not fit.
    pub async fn insert_from_returning<I>(&self, insert: Insert<T>, items: I) -> OrmResult<Vec<I::Row>>
    where
        I: Selection<T, Row: FromRow + Send + 'static> + Send,
    {
        self.returned(self.sharded(insert).returning(items.selection())).await
    }

    /// The INSERT into the shard of this object.
    fn sharded(&self, insert: Insert<T>) -> InsertExpr {
        InsertExpr { table: table_of::<T>(&self.0.args), ..insert.into() }
    }

    async fn returned<R: FromRow + Send + 'static>(&self, statement: impl Into<Expr>) -> OrmResult<Vec<R>> {
        let statement = statement.into();
        let (mut lease, compiled) = self.compiled(&statement).await?;
        lease.fetch(&compiled).await
    }
}
