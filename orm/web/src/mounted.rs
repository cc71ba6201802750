//! A served entity: what is determined once, when the program starts.

use std::sync::Arc;

use axum::http::Method;
use isogloss::expr::{Name, OrderByItemExpr, SqlSegment, ValueOps as _, ValueTypeExpr, from, prop};
use isogloss::model::{Catalog, Column, Entity, EntityId};
use isogloss::walk::{Guard, QueryPolicy};

use crate::include::Includes;
use crate::rows::{JsonRow, Shape};
use crate::{Host, MountError, Rules, names};

/// An entity that a controller serves, with the view that its rows are read as.
#[derive(Debug)]
pub struct Mounted {
    pub(crate) host: Host,
    pub(crate) catalog: Catalog,
    pub(crate) entity: EntityId,
    pub(crate) view: EntityId,
    pub(crate) rules: Rules,
    pub(crate) guard: Guard,
    /// The part of the path that is the controller's: `Order`.
    pub(crate) name: String,
    /// What clients see of a row.
    pub(crate) shape: Shape,
    /// What clients call each column of the entity.
    pub(crate) members: Vec<String>,
    /// The relations that clients may include.
    pub(crate) includes: Includes,
    json: Arc<JsonRow>,
}

impl Mounted {
    /// Looks whether all of it fits together.
    pub(crate) fn new(host: &Host, entity: &str, view: &str, rules: Rules) -> Result<Self, MountError> {
        let catalog = host.context.catalog().clone();
        let find = |name: &str| {
            let found = catalog.entity(name).map(|(id, _)| id);
            found.ok_or_else(|| MountError::UnknownEntity { name: name.to_owned() })
        };
        let (entity, view) = (find(entity)?, find(view)?);
        let (written, read) = (catalog.get(entity), catalog.get(view));
        if view != entity && read.base != Some(entity) {
            return Err(MountError::NotAView { view: read.name.to_string(), entity: written.name.to_string() });
        }
        check(&rules).map_err(|why| MountError::BadRules { entity: written.name.to_string(), why })?;
        let policy = rules.policy.clone().unwrap_or_else(|| QueryPolicy::new(read.name.clone()));
        if *policy.root() != read.name {
            let root = policy.root().to_string();
            return Err(MountError::PolicyRoot { entity: written.name.to_string(), view: read.name.to_string(), root });
        }
        let guard = Guard::new(policy, catalog.clone());
        let guard = guard.map_err(|source| MountError::Policy { entity: written.name.to_string(), source })?;
        let name = rules.name.clone().unwrap_or_else(|| last_segment(&written.name).to_owned());
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')) {
            return Err(MountError::BadName { name });
        }
        let shape = visible(&guard, read, &rules)?;
        let json = Arc::new(JsonRow::new(&shape, rules.int64));
        let members = names::members(written);
        let includes = Includes::new(&catalog, read, &rules.includes)?;
        Ok(Self { host: host.clone(), entity, view, rules, guard, name, shape, members, includes, json, catalog })
    }

    /// The controller's name in the path.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The definition of the entity that is written.
    #[must_use]
    pub fn entity(&self) -> &Entity {
        self.catalog.get(self.entity)
    }

    /// The definition of the entity or view that is read.
    #[must_use]
    pub fn view(&self) -> &Entity {
        self.catalog.get(self.view)
    }

    /// What clients may do.
    #[must_use]
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// What a client's tree may contain.
    #[must_use]
    pub fn policy(&self) -> &QueryPolicy {
        self.guard.policy()
    }

    /// The properties of the view that clients see.
    pub fn visible(&self) -> impl Iterator<Item = &Name> {
        self.shape.properties()
    }

    /// Whether clients may insert and update rows: a column is writable, and the rules are not
    /// [read-only](Rules::read_only).
    #[must_use]
    pub fn is_writable(&self) -> bool {
        let seen = |name: &Name| self.visible().any(|visible| visible == name);
        let may_set = |column: &Column| column.writable && column.is_insertable() | column.is_updatable();
        !self.rules.read_only && self.entity().columns.iter().any(|column| may_set(column) && seen(&column.name))
    }

    /// Whether clients may delete rows: if they may write them, or rows are [deletable](Rules::deletable).
    #[must_use]
    pub fn is_deletable(&self) -> bool {
        let may = self.is_writable() || self.rules.deletable && !self.rules.read_only;
        may && !self.entity().keys.is_empty()
    }

    /// The methods of `/`.
    pub(crate) fn methods_of_all(&self) -> Vec<Method> {
        let mut methods = vec![Method::GET, Method::HEAD];
        if self.is_writable() {
            methods.push(Method::POST);
            methods.extend((!self.entity().keys.is_empty()).then_some(Method::PUT));
        }
        methods
    }

    /// The methods of `/{id}`.
    pub(crate) fn methods_of_one(&self) -> Vec<Method> {
        let mut methods = vec![Method::GET, Method::HEAD];
        methods.extend(self.is_deletable().then_some(Method::DELETE));
        methods
    }

    /// All rows of the view.
    pub(crate) fn rows(&self) -> SqlSegment {
        from(self.view().name.clone())
    }

    /// What writes what clients see of a row.
    pub(crate) fn json(&self) -> Arc<JsonRow> {
        Arc::clone(&self.json)
    }

    /// Rows in the order of their key, if they have one.
    pub(crate) fn in_key_order(&self, rows: SqlSegment) -> SqlSegment {
        match self.key_order() {
            keys if keys.is_empty() => rows,
            keys => rows.order_by(keys),
        }
    }

    /// The order by the primary key.
    pub(crate) fn key_order(&self) -> Vec<OrderByItemExpr> {
        self.entity().key_columns().map(|column| prop(column.name.clone()).asc()).collect()
    }

    /// A query with what clients see of its rows.
    pub(crate) fn seen(&self, query: SqlSegment) -> SqlSegment {
        query.select(self.visible().map(|name| prop(name.clone()))).into_segment()
    }
}

/// What is behind the last dot of an entity's name.
fn last_segment(name: &Name) -> &str {
    name.as_str().rsplit('.').next().unwrap_or_default()
}

fn check(rules: &Rules) -> Result<(), &'static str> {
    match rules {
        _ if rules.page_size == 0 => Err("`Rules::page_sizes`: give a usual size of at least 1"),
        _ if rules.page_size > rules.max_page_size => {
            Err("`Rules::page_sizes`: the usual size is above the largest one")
        }
        _ if rules.max_list == Some(0) => Err("`Rules::max_list`: give at least 1, or `None` for no bound"),
        _ if rules.max_answer == 0 => Err("`Rules::max_answer`: give at least 1 byte"),
        _ if rules.timeout.is_zero() => Err("`Rules::timeout`: give more than no time"),
        _ => Ok(()),
    }
}

/// What a client sees of a row: what the policy lets it name, and what is shown all the same.
fn visible(guard: &Guard, view: &Entity, rules: &Rules) -> Result<Shape, MountError> {
    let shape = Shape::of(guard.catalog(), view);
    let shown = |property: &Name| rules.shown.iter().any(|shown| shown == property);
    if let Some(unknown) = rules.shown.iter().find(|shown| !shape.properties().any(|property| property == *shown)) {
        return Err(MountError::UnknownProperty { view: view.name.to_string(), property: unknown.to_string() });
    }
    let shape =
        shape.only(|property| shown(property) || guard.check(&ValueTypeExpr::from(prop(property.clone()))).is_ok());
    if shape.columns().is_empty() {
        return Err(MountError::NothingVisible { view: view.name.to_string() });
    }
    Ok(shape)
}
