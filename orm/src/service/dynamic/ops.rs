//! What serves the rows of an entity by values.

use async_trait::async_trait;
use isogloss_compiler::expr::Value;

use super::DynamicObject;
use crate::OrmResult;
use crate::service::{AnyRow, EachRow, ReadAny, ServiceQuery};

/// What reads and writes the rows of an entity by values.
///
/// A [`DynamicService`](super::DynamicService) does it for whatever the catalog has; a
/// [`TypedService`](super::TypedService) through a service of the program's own.
#[async_trait]
pub trait DynamicServiceOps: Send + Sync {
    /// Inserts a row of the set columns. It takes the number that the database gives it, and its version.
    async fn insert(&self, object: &mut DynamicObject) -> OrmResult<bool>;

    /// Writes the set columns over the row with its key; `false` if there is none, or it has another version.
    async fn update(&self, object: &mut DynamicObject) -> OrmResult<bool>;

    /// Deletes the row with that key; `false` if there is none.
    async fn delete_key(&self, key: Vec<Value>) -> OrmResult<bool>;

    /// The row with that key.
    async fn get_key(&self, key: Vec<Value>) -> OrmResult<Option<DynamicObject>>;

    /// What a query finds, each row read by a closure.
    async fn find_any(&self, query: ServiceQuery, read: ReadAny) -> OrmResult<Vec<AnyRow>>;

    /// The rows that a query finds, each read by a closure, as they come.
    fn find_each_any(&self, query: ServiceQuery, read: ReadAny) -> EachRow<AnyRow>;

    /// Whether there is a row with that key.
    async fn has_key(&self, key: Vec<Value>) -> OrmResult<bool>;

    /// How many rows a query finds.
    async fn number_of(&self, query: ServiceQuery) -> OrmResult<u64>;
}
