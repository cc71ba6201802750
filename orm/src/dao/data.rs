//! Writing some properties of rows, without a struct.

use isogloss_compiler::expr::{Expr, Name, Value, ValueTypeExpr};

use super::Keys;
use super::access::over_session;
use super::entity::{has_key, table_of};
use super::update::renewing;
use crate::OrmResult;
use crate::entity::{Predicate, Table, Takes};
use crate::session::Purpose;

over_session! {
    /// Writes single properties of an entity's rows, and renews their versions, unless a value is given for them.
    ///
    /// A value is as its column stores it. It is not led through the converter of the property's field: of a field with
    /// `#[column(converter = Cents)]` give what [`Converter::store`](crate::entity::Converter::store) makes of it.
    DataDao<T: Table>, "Over the shard with these arguments."
}

impl<T: Table> DataDao<T> {
    /// Sets properties of all rows that a filter finds, and says how many there were.
    ///
    /// # Errors
    /// There is no such property, or a value does not fit it; or the statement does not compile or run.
    pub async fn update_all_values<N: Into<Name>, V: Into<Value>, C: Predicate + Send>(
        &self,
        values: impl IntoIterator<Item = (N, V)> + Send,
        filter: C,
    ) -> OrmResult<u64>
    where
        T: Takes<C::Entity>,
    {
        let sets: Vec<(Name, ValueTypeExpr)> =
            values.into_iter().map(|(name, value)| (name.into(), ValueTypeExpr::from(value.into()))).collect();
        let update = table_of::<T>(&self.0.args).update(sets).filter(filter.given());
        let update = Expr::from(renewing(self.0.session.context().catalog(), update, T::LAST_VERSION));
        let mut lease = self.0.lease(Purpose::Write, &self.0.args, Some(&update)).await?;
        let target = lease.target().clone();
        lease.execute(&self.0.compile(&target, &update)?).await
    }

    /// Sets properties of the row with that key; `false` if there is none.
    ///
    /// # Errors
    /// As [`update_all_values`](Self::update_all_values); or the key has other columns.
    pub async fn update_values<N: Into<Name>, V: Into<Value>>(
        &self,
        values: impl IntoIterator<Item = (N, V)> + Send,
        key: impl Keys + Send,
    ) -> OrmResult<bool> {
        let filter = has_key(self.0.model()?, key.into_values()?)?;
        Ok(self.update_all_values(values, filter).await? > 0)
    }
}
