//! Controllers of the program's own.

use std::future::Future;

use bytes::Bytes;
use isogloss::OrmResult;
use isogloss::entity::{Table, View};
use isogloss::service::{EntityService, EntityServiceOps};

use crate::{Call, Rules, WebResult};

/// The HTTP API of an entity, whose rows are read as a view: eight endpoints, each a method with a default.
pub trait EntityController: Send + Sync + Sized + 'static {
    /// The entity that is written.
    type Entity: Table + Clone + Default;

    /// What its rows are read as: the entity itself, or a view of it.
    type View: View<Of = Self::Entity>;

    /// What its clients may do.
    fn rules(&self) -> Rules {
        Rules::new()
    }

    /// The service that a request is done by.
    ///
    /// # Errors
    /// It cannot be made.
    fn service(&self, call: &Call) -> OrmResult<Box<dyn EntityServiceOps<Self::Entity, Self::View>>> {
        Ok(Box::new(EntityService::new(call.session())))
    }

    /// `GET /{id}`
    fn get(&self, call: &Call, id: &str) -> impl Future<Output = WebResult> + Send {
        call.get(id)
    }

    /// `GET /`
    fn list(&self, call: &Call) -> impl Future<Output = WebResult> + Send {
        call.list()
    }

    /// `POST /`
    fn insert(&self, call: &Call, body: Bytes) -> impl Future<Output = WebResult> + Send {
        call.insert(body)
    }

    /// `PUT /`
    fn update(&self, call: &Call, body: Bytes) -> impl Future<Output = WebResult> + Send {
        call.update(body)
    }

    /// `DELETE /{id}`
    fn delete(&self, call: &Call, id: &str) -> impl Future<Output = WebResult> + Send {
        call.delete(id)
    }

    /// `POST /page`
    fn page(&self, call: &Call, body: Bytes) -> impl Future<Output = WebResult> + Send {
        call.page(body)
    }

    /// `GET /count`
    fn count(&self, call: &Call, keyword: Option<&str>) -> impl Future<Output = WebResult> + Send {
        call.count(keyword)
    }

    /// `GET /exists/{id}`
    fn exists(&self, call: &Call, id: &str) -> impl Future<Output = WebResult> + Send {
        call.exists(id)
    }
}
