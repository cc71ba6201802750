//! The interface of services that read and write by values.

use async_trait::async_trait;
use isogloss_compiler::expr::Value;

use super::DynamicObject;
use crate::OrmResult;
use crate::service::{AnyRow, EachRow, ReadAny, ServiceQuery};

/// Reads and writes the rows of an entity by values.
///
/// [`DynamicService`](super::DynamicService) implements it for every entity of the catalog,
/// [`TypedService`](super::TypedService) by a service of the program's own.
#[async_trait]
pub trait DynamicServiceOps: Send + Sync {
    /// Inserts a row with the columns that are set, and stores in the object the generated key and the version.
    async fn insert(&self, object: &mut DynamicObject) -> OrmResult<bool>;

    /// Updates the columns that are set in the row with the object's key; returns `false` if there is none, or it has
    /// another version.
    async fn update(&self, object: &mut DynamicObject) -> OrmResult<bool>;

    /// Deletes the row with a key; returns `false` if there is none.
    async fn delete_key(&self, key: Vec<Value>) -> OrmResult<bool>;

    /// Returns the row with a key.
    async fn get_key(&self, key: Vec<Value>) -> OrmResult<Option<DynamicObject>>;

    /// Returns the rows that a query finds, each read by a closure.
    async fn find_any(&self, query: ServiceQuery, read: ReadAny) -> OrmResult<Vec<AnyRow>>;

    /// Returns the rows that a query finds as they arrive, each read by a closure.
    fn find_each_any(&self, query: ServiceQuery, read: ReadAny) -> EachRow<AnyRow>;

    /// Returns whether there is a row with a key.
    async fn has_key(&self, key: Vec<Value>) -> OrmResult<bool>;

    /// Returns how many rows a query finds.
    async fn number_of(&self, query: ServiceQuery) -> OrmResult<u64>;
}
