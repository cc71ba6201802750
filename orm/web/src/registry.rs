//! The controllers of a host, by which rows of one are included in those of another.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock, Weak};

use isogloss::model::EntityId;

use crate::include::{Include, base_of};
use crate::routes::Endpoints;
use crate::{MountError, Mounted};

/// The controllers that a host serves, by their entities, as long as their routes are there.
#[derive(Default)]
pub(crate) struct Registry(RwLock<HashMap<EntityId, Vec<Weak<dyn Endpoints>>>>);

impl Registry {
    /// Adds a controller.
    ///
    /// # Errors
    /// Which of two controllers has the rules of rows that may be included is not known, or the controller of such rows reads
    /// them as a view from which a path does not go on.
    pub(crate) fn add(&self, controller: Arc<dyn Endpoints>) -> Result<Arc<dyn Endpoints>, MountError> {
        {
            let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
            all.values_mut().for_each(|known| known.retain(|known| known.strong_count() > 0));
            all.entry(controller.mounted().entity).or_default().push(Arc::downgrade(&controller));
        }
        for including in self.all() {
            let including = including.mounted();
            for (path, include) in including.includes.all() {
                let controllers = self.of(include.entity);
                if controllers.len() > 1 {
                    let related = including.catalog.get(include.entity).name.to_string();
                    return Err(MountError::IncludedTwice { path, related });
                }
                for related in controllers {
                    go_on(&path, include, related.mounted())?;
                }
            }
        }
        Ok(controller)
    }

    /// The controllers of an entity.
    pub(crate) fn of(&self, entity: EntityId) -> Vec<Arc<dyn Endpoints>> {
        let all = self.0.read().unwrap_or_else(PoisonError::into_inner);
        all.get(&entity).into_iter().flatten().filter_map(Weak::upgrade).collect()
    }

    fn all(&self) -> Vec<Arc<dyn Endpoints>> {
        let all = self.0.read().unwrap_or_else(PoisonError::into_inner);
        all.values().flatten().filter_map(Weak::upgrade).collect()
    }
}

/// Looks whether what is behind a relation is a relation of the view that its rows are read as, too, and of no other rows.
fn go_on(path: &str, include: &Include, related: &Mounted) -> Result<(), MountError> {
    let (catalog, view) = (&related.catalog, related.view());
    let is_there = |behind: &&Include| {
        view.relation(behind.relation.as_str()).is_some_and(|relation| {
            let through = relation.through.as_ref().map(|through| base_of(catalog, through.entity));
            let target = base_of(catalog, relation.target);
            (target, through, relation.kind.is_many()) == (behind.entity, behind.through, behind.is_many)
        })
    };
    include.behind.iter().find(|behind| !is_there(behind)).map_or(Ok(()), |behind| {
        let path = format!("{path}.{}", behind.member);
        Err(MountError::OtherRelation { path, view: view.name.to_string(), relation: behind.relation.to_string() })
    })
}
