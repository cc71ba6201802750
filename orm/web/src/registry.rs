//! The controllers of a host, by which rows of one are included in those of another.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use isogloss::model::EntityId;

use crate::MountError;
use crate::routes::Endpoints;

/// The controllers that a host serves, as long as their routes are there.
#[derive(Default)]
pub(crate) struct Registry(Mutex<Vec<Weak<dyn Endpoints>>>);

impl Registry {
    /// Adds a controller.
    ///
    /// # Errors
    /// Which of two controllers has the rules of rows that may be included is not known.
    pub(crate) fn add(&self, controller: Arc<dyn Endpoints>) -> Result<Arc<dyn Endpoints>, MountError> {
        {
            let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            all.retain(|known| known.strong_count() > 0);
            all.push(Arc::downgrade(&controller));
        }
        for including in self.all() {
            for (path, include) in including.mounted().includes.all() {
                if self.of(include.entity).nth(1).is_some() {
                    let catalog = &including.mounted().catalog;
                    let related = catalog.get(include.entity).name.to_string();
                    return Err(MountError::IncludedTwice { path, related });
                }
            }
        }
        Ok(controller)
    }

    /// The controllers of an entity.
    pub(crate) fn of(&self, entity: EntityId) -> impl Iterator<Item = Arc<dyn Endpoints>> {
        self.all().into_iter().filter(move |controller| controller.mounted().entity == entity)
    }

    fn all(&self) -> Vec<Arc<dyn Endpoints>> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().filter_map(Weak::upgrade).collect()
    }
}
