//! A served entity: what is determined once, when the program starts.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::http::Method;
use isogloss::expr::{Name, OrderByItemExpr, SqlSegment, ValueOps as _, ValueTypeExpr, from, prop};
use isogloss::model::{Catalog, Column, Entity, EntityId};
use isogloss::service::DynamicObject;
use isogloss::walk::{Guard, QueryPolicy};

use crate::include::Includes;
use crate::rows::{JsonRow, Shape};
use crate::rules::Verb;
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
    /// The columns that an insert needs and neither clients nor, as far as the rules say, the program set. The scope of a
    /// request may.
    unfilled: Vec<usize>,
    /// Whether the log names them.
    told_of_unfilled: AtomicBool,
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
        let unfilled = unfilled(&catalog, entity, &shape, &rules)?;
        Ok(Self {
            host: host.clone(),
            entity,
            view,
            rules,
            guard,
            name,
            shape,
            members,
            includes,
            unfilled,
            told_of_unfilled: AtomicBool::new(false),
            json,
            catalog,
        })
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

    /// Returns whether clients may insert rows: the rules [allow](Rules::allow_insert) it, and a column is writable.
    #[must_use]
    pub fn is_insertable(&self) -> bool {
        self.allows(Verb::Insert) && self.may_set(Column::is_insertable)
    }

    /// Returns whether clients may update rows: the rules [allow](Rules::allow_update) it, a column is writable, and the entity
    /// has a key.
    #[must_use]
    pub fn is_updatable(&self) -> bool {
        self.allows(Verb::Update) && !self.entity().keys.is_empty() && self.may_set(Column::is_updatable)
    }

    /// Returns whether clients may delete rows: the rules [allow](Rules::allow_delete) it, and the entity has a key.
    #[must_use]
    pub fn is_deletable(&self) -> bool {
        self.allows(Verb::Delete) && !self.entity().keys.is_empty()
    }

    /// Returns whether clients may write rows in any way.
    pub(crate) fn is_written(&self) -> bool {
        self.is_insertable() || self.is_updatable() || self.is_deletable()
    }

    fn allows(&self, verb: Verb) -> bool {
        self.rules.verbs.contains(&verb)
    }

    fn may_set(&self, is_written: fn(&Column) -> bool) -> bool {
        self.entity().columns.iter().any(|column| is_written(column) && is_set_by_clients(&self.shape, column))
    }

    /// The columns that an insert needs and nobody sets, unless it is the scope that has these.
    pub(crate) fn unfilled(&self, of_scope: &[usize]) -> Vec<&Column> {
        let unfilled = self.unfilled.iter().filter(|place| !of_scope.contains(place));
        unfilled.filter_map(|place| self.entity().columns.get(*place)).collect()
    }

    /// Says once in the log which columns an insert needs.
    pub(crate) fn tell_of_unfilled(&self, columns: &[&Column]) {
        if !self.told_of_unfilled.swap(true, Ordering::Relaxed) {
            let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
            tracing::error!(
                target: "isogloss::web",
                "`POST /{}` is refused: nothing sets {}, which are never NULL and have no default. Make them writable, \
                 give them a default, or name them in `Rules::filled` if the program sets them",
                self.name,
                names.join(", ")
            );
        }
    }

    /// The methods of `/`.
    pub(crate) fn methods_of_all(&self) -> Vec<Method> {
        let mut methods = vec![Method::GET, Method::HEAD];
        methods.extend(self.is_insertable().then_some(Method::POST));
        methods.extend(self.is_updatable().then_some(Method::PUT));
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

/// Returns whether clients set a column in the rows that they write.
fn is_set_by_clients(shape: &Shape, column: &Column) -> bool {
    column.writable && shape.properties().any(|visible| *visible == column.name)
}

/// The columns that an insert needs, and that neither clients nor the program set, as far as the rules say.
fn unfilled(catalog: &Catalog, entity: EntityId, shape: &Shape, rules: &Rules) -> Result<Vec<usize>, MountError> {
    let (written, row) = (catalog.get(entity), DynamicObject::new(catalog, entity));
    let is_filled = |column: &Column| rules.filled.contains(&column.name);
    if let Some(unknown) = rules.filled.iter().find(|filled| written.column(filled.as_str()).is_none()) {
        return Err(MountError::UnknownColumn { entity: written.name.to_string(), column: unknown.to_string() });
    }
    let is_made = |place: usize| {
        written.version == Some(place)
            || written.soft_delete == Some(place)
            || row.constants().any(|(own, _)| own == place)
    };
    let is_needed = |(place, column): &(usize, &Column)| {
        column.is_insertable() && !column.nullable && column.default.is_none() && !is_made(*place)
    };
    let needed = written.columns.iter().enumerate().filter(is_needed);
    let open = needed.filter(|(_, column)| !is_filled(column) && !is_set_by_clients(shape, column));
    Ok(open.map(|(place, _)| place).collect())
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
