//! What rows relate to, read by the service of the related entity.

use std::sync::Arc;

use isogloss_compiler::expr::{Name, Value};
use isogloss_compiler::model::{Entity as Model, NamedRelation};
use isogloss_driver::Row;

use super::found::{Found, Whose};
use super::keys::Key;
use super::query::Level;
use super::rows_by;
use crate::OrmResult;
use crate::entity::{FieldError, Terms};
use crate::service::{AnyRow, DynamicServiceOps, QueryOf, ReadAny, known};
use crate::session::Session;

/// The rows that rows of an entity relate to, read by the service of the related entity, so that its permissions and logs
/// hold for them. It is one query, as that of [`Session::load`](crate::Session::load).
///
/// The service is asked even if no parent has a key, by a query that finds nothing: whether a caller is refused does not
/// depend on the keys of rows. Of a many-to-many relation, it is the service of the entity at its end. The rows of the
/// entity between are joined: its scope, fixed filters and `soft_delete` hold, the permissions of its service do not.
///
/// ```
/// use std::sync::Arc;
///
/// use isogloss::dao::RelatedQuery;
/// use isogloss::driver::Row;
/// use isogloss::prelude::*;
/// use isogloss::service::{DynamicService, ReadAny};
/// # #[derive(Debug, Clone, Default, Entity)]
/// # struct Order { #[column(primary_key)] id: i64, #[has_many] items: isogloss::entity::Many<Item> }
/// # #[derive(Debug, Clone, Default, Entity)]
/// # struct Item { #[column(primary_key)] id: i64, #[foreign(Order)] order_id: i64 }
///
/// /// The numbers of the items of two orders.
/// async fn items(session: &Session) -> OrmResult<Vec<i64>> {
///     let service = DynamicService::new(session, "Item", "Item")?;
///     let query = RelatedQuery::new(session, "Order", "items", "Item", ["Id"])?.at_most(100);
///     let read: ReadAny = Arc::new(|row: &dyn Row| Ok(Box::new(row.i64(0)?)));
///     let found = query.find(&service, vec![vec![1.into()], vec![2.into()]], read).await?;
///     Ok(found.rows.into_iter().filter_map(|row| row.downcast().ok()).flat_map(|id: Box<Option<i64>>| *id).collect())
/// }
/// # fn main() {}
/// ```
#[derive(Debug, Clone)]
pub struct RelatedQuery<'c> {
    session: &'c Session,
    owner: &'c Model,
    relation: &'c NamedRelation,
    view: &'c Model,
    names: Vec<Name>,
    most: Option<u64>,
    most_queries: Option<usize>,
}

/// The rows that a [`RelatedQuery`] finds, and whose they are.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct RelatedRows {
    /// The rows, each once; of a many-to-many relation, once for each link.
    pub rows: Vec<AnyRow>,
    /// The rows of each key, by their numbers.
    groups: Vec<Vec<usize>>,
    /// The key of each parent; a key with a NULL in it is none.
    of: Vec<Option<usize>>,
}

impl RelatedRows {
    /// The numbers of the rows of a parent, by its number, in the order of their primary key. Where `has_one` finds several,
    /// the row of the parent is the first.
    #[must_use]
    pub fn of(&self, parent: usize) -> &[usize] {
        let group = self.of.get(parent).copied().flatten().and_then(|key| self.groups.get(key));
        group.map_or(&[], Vec::as_slice)
    }
}

impl<'c> RelatedQuery<'c> {
    /// The rows that the relation of an entity or a view finds, read as the related entity or as a view of it, and of them
    /// these properties.
    ///
    /// # Errors
    /// A name that the catalog does not have, or a view of another entity than the related one.
    pub fn new<N: Into<Name>>(
        session: &'c Session,
        owner: &str,
        relation: &str,
        view: &str,
        properties: impl IntoIterator<Item = N>,
    ) -> OrmResult<Self> {
        let catalog = session.context().catalog();
        let (_, owner) = super::super::entity::named(catalog, owner)?;
        let (id, view) = super::super::entity::named(catalog, view)?;
        let relation = super::named(owner, relation)?;
        let target = catalog.get(relation.target);
        if view.base.unwrap_or(id) != target.base.unwrap_or(relation.target) {
            let (owner, name, view, target) = (&owner.name, &relation.name, &view.name, &target.name);
            let why = format!(
                "`{owner}.{name}` finds rows of `{target}`: they are not read as `{view}`, which is no view of it"
            );
            return Err(FieldError::new(why).into());
        }
        let names = properties.into_iter().map(Into::into).collect();
        Ok(Self { session, owner, relation, view, names, most: None, most_queries: None })
    }

    /// Finds no more rows than that, of all parents together.
    #[must_use]
    pub fn at_most(self, rows: u64) -> Self {
        Self { most: Some(rows), ..self }
    }

    /// Asks no more queries than that. It is one as a rule; more where the keys are too many for one, or where a collation
    /// does not tell their texts apart, as [`Session::load`](crate::Session::load) says.
    #[must_use]
    pub fn at_most_queries(self, queries: usize) -> Self {
        Self { most_queries: Some(queries), ..self }
    }

    /// The columns of the owner that are the key of the relation: what [`find`](Self::find) takes of each row.
    pub fn keys(&self) -> impl Iterator<Item = &'c isogloss_compiler::model::Column> + use<'c> {
        let owner = self.owner;
        self.relation.keys.iter().filter_map(|(own, _)| owner.columns.get(*own))
    }

    /// Finds the rows of parents with these keys.
    ///
    /// # Errors
    /// Those of the service and of [`Session::load`](crate::Session::load), and [`OrmError::TooManyQueries`](crate::OrmError::TooManyQueries).
    pub async fn find(
        &self,
        service: &dyn DynamicServiceOps,
        keys: Vec<Vec<Value>>,
        read: ReadAny,
    ) -> OrmResult<RelatedRows> {
        let terms = Terms::default();
        let names = self.names.clone();
        let mut level = Level::read_as(self.session.context().catalog(), self.relation, &terms, self.view, names);
        level.row_limit = self.most;
        level.most_queries = self.most_queries;
        let texts = level.texts(self.session)?;
        let asked = level.asked(self.owner, texts, keys.into_iter().map(|key| Key::new(key.into_iter().map(Ok))))?;
        if asked.rounds.is_empty() {
            let (nothing, _) = level.search(std::iter::empty(), None);
            service.find_any(QueryOf::<()>::into_query(nothing), read).await?;
            return Ok(RelatedRows { of: asked.of_rows, ..RelatedRows::default() });
        }
        let Found { rows, keys } = rows_by(&level, &asked, |search, whose: Whose| {
            let read = Arc::clone(&read);
            let read: ReadAny = Arc::new(move |row: &dyn Row| Ok(Box::new((whose.number(row)?, read(row)?))));
            async move {
                let rows = service.find_any(QueryOf::<()>::into_query(search), read).await?;
                rows.into_iter().map(known::<(Option<usize>, AnyRow)>).collect()
            }
        })
        .await?;
        let mut groups = vec![Vec::new(); asked.keys.len()];
        for (row, key) in keys.into_iter().enumerate() {
            if let Some(group) = groups.get_mut(key) {
                group.push(row);
            }
        }
        Ok(RelatedRows { rows, groups, of: asked.of_rows })
    }
}
