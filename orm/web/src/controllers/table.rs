//! The mounted controllers.

use std::fmt;
use std::sync::Arc;

use axum::Router;
use isogloss::model::Entity;

use super::LeftOut;
use crate::routes::{self, Endpoints};
use crate::{MountError, Mounted, Problem, ProblemKind};

/// The controllers of a program, as they are served. `Display` formats them as a table:
///
/// ```text
/// /Invoice  Invoice                generated
/// /Order    Order as OrderView     by hand
/// -         Secret                 left out: clients may see no property of it
/// ```
#[derive(Default)]
pub struct MountedControllers {
    controllers: Vec<Controller>,
    left_out: Vec<LeftOut>,
}

struct Controller {
    endpoints: Arc<dyn Endpoints>,
    /// Whether the program has written it.
    own: bool,
}

impl MountedControllers {
    /// The served entities: first those with controllers of the program's own, then the others in the order of the
    /// catalog.
    pub fn mounted(&self) -> impl Iterator<Item = &Arc<Mounted>> {
        self.controllers.iter().map(|controller| controller.endpoints.mounted())
    }

    /// The entities that no generated controller serves.
    #[must_use]
    pub fn left_out(&self) -> &[LeftOut] {
        &self.left_out
    }

    /// The routes, below the controllers' names: `/Order`, `/Order/{id}` and so on. Any other path is answered by a
    /// problem.
    pub fn router(&self) -> Router {
        let all = self
            .controllers
            .iter()
            .fold(Router::new(), |all, controller| all.merge(routes::router(Arc::clone(&controller.endpoints))));
        all.fallback(async || Problem::of(ProblemKind::NotFound))
    }

    /// Whether the program has a controller of that entity, or of that name.
    pub(super) fn has_own(&self, entity: &Entity, name: &str) -> bool {
        let is_it = |known: &Mounted| known.entity().name == entity.name || known.name().eq_ignore_ascii_case(name);
        self.controllers.iter().any(|controller| controller.own && is_it(controller.endpoints.mounted()))
    }

    pub(super) fn add(&mut self, endpoints: Arc<dyn Endpoints>, own: bool) -> Result<(), MountError> {
        let added = endpoints.mounted();
        if let Some(known) = self.mounted().find(|known| known.name().eq_ignore_ascii_case(added.name())) {
            let entity = |mounted: &Mounted| mounted.entity().name.to_string();
            let (name, entities) = (added.name().to_owned(), [entity(known), entity(added)]);
            return Err(MountError::NameTwice { name, entities });
        }
        self.controllers.push(Controller { endpoints, own });
        Ok(())
    }

    pub(super) fn leave_out(&mut self, left_out: LeftOut) {
        self.left_out.push(left_out);
    }

    /// The lines of the table: where, what, and how.
    fn lines(&self) -> Vec<[String; 3]> {
        let served = self.controllers.iter().map(|controller| {
            let mounted = controller.endpoints.mounted();
            let (entity, view) = (&mounted.entity().name, &mounted.view().name);
            let what = if entity == view { entity.to_string() } else { format!("{entity} as {view}") };
            [format!("/{}", mounted.name()), what, if controller.own { "by hand" } else { "generated" }.to_owned()]
        });
        let left_out = self.left_out.iter().filter(|left| left.why != super::WhyLeftOut::Own);
        served
            .chain(left_out.map(|left| ["-".to_owned(), left.entity.clone(), format!("left out: {}", left.why)]))
            .collect()
    }
}

impl fmt::Display for MountedControllers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = self.lines();
        let widest = |text: fn(&[String; 3]) -> &String| lines.iter().map(|line| text(line).len()).max().unwrap_or(0);
        let (path, what) = (widest(|[path, ..]| path), widest(|[_, what, _]| what));
        for (place, [at, entity, how]) in lines.iter().enumerate() {
            let end = if place > 0 { "\n" } else { "" };
            write!(f, "{end}{at:path$}  {entity:what$}  {how}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for MountedControllers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.lines()).finish()
    }
}
