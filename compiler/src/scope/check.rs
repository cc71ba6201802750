//! Whether a scope fits a catalog, and what it says of each of its entities.

use super::{Deleted, Filter, FilteredRows, Scope, ScopeError};
use crate::entity_texts::MAIN;
use crate::expr::{LogicExpr, Name, PropertyExpr, SqlSegment, ValueTypeExpr, prop};
use crate::model::{Catalog, Entity, EntityId, Property};
use crate::names;
use crate::walk::{ExprMut, ExprRef, Visit, VisitOrder, Walk, rewrite, visit};

impl Scope {
    /// Checks that the scope fits a catalog: it finds what a compilation would refuse, and filters without effect.
    ///
    /// # Errors
    /// An unknown entity or property, a duplicate name, a condition on columns of joined tables, and conditions that
    /// lead back to their own entity.
    ///
    /// ```
    /// # use isogloss_compiler::expr::DbValueType;
    /// # use isogloss_compiler::model::{Catalog, ColumnDef, TableDef};
    /// use isogloss_compiler::Scope;
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let order = TableDef::new("Order").column(ColumnDef::new("TenantId", DbValueType::Int32));
    /// # let catalog = Catalog::builder().table(order).build()?;
    /// assert!(Scope::new().column("TenantId", 7).check(&catalog).is_ok());
    /// let error = Scope::new().column("TenatId", 7).check(&catalog).unwrap_err();
    /// assert_eq!(error.to_string(), "a filter of the scope is on property `TenatId`, which is a column of no entity");
    /// # Ok(()) }
    /// ```
    pub fn check(&self, catalog: &Catalog) -> Result<(), ScopeError> {
        if let Some(fault) = self.fault() {
            return Err(fault.clone());
        }
        for filter in self.filters() {
            match &filter.on {
                FilteredRows::Entity(name) => names_its_columns(catalog, name, &filter.condition)?,
                FilteredRows::Column(name) => {
                    if !catalog.entities().any(|(_, entity)| entity.column(name.as_str()).is_some()) {
                        return Err(ScopeError::UnknownProperty { property: name.clone() });
                    }
                }
            }
        }
        for (name, _) in self.states() {
            if known(catalog, name)?.1.soft_delete.is_none() {
                return Err(ScopeError::NotMarked { entity: name.clone() });
            }
        }
        Cycles { catalog, filters: self.filters(), done: Vec::new() }.look()
    }

    /// The filters of each entity that has any, in the order of the catalog, for a snapshot test that shows when one is
    /// missing. Constants are shown, values are not.
    ///
    /// ```
    /// # use isogloss_compiler::expr::DbValueType;
    /// # use isogloss_compiler::model::{Catalog, ColumnDef, TableDef};
    /// use isogloss_compiler::Scope;
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let order = TableDef::new("Order").column(ColumnDef::new("TenantId", DbValueType::Int32));
    /// # let catalog = Catalog::builder().table(order).build()?;
    /// let report = Scope::new().column("TenantId", 7).named("tenant").report(&catalog);
    /// assert_eq!(report, [("Order".into(), vec!["tenant: TenantId = ?".to_owned()])]);
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn report(&self, catalog: &Catalog) -> Vec<(Name, Vec<String>)> {
        let mut all = Vec::new();
        for (id, entity) in catalog.entities() {
            let about = |filter: &&Filter| filter.over(catalog, id, |_, _| true).is_ok_and(|over| over.is_some());
            let mut filters: Vec<String> = self.filters().iter().filter(about).map(text).collect();
            filters.extend(entity.soft_delete.and_then(|_| self.mark_text(catalog, id)));
            if !filters.is_empty() {
                all.push((entity.name.clone(), filters));
            }
        }
        all
    }

    fn mark_text(&self, catalog: &Catalog, id: EntityId) -> Option<String> {
        let is = |name: &Name| known(catalog, name).is_ok_and(|(of, _)| catalog.table_of(of) == catalog.table_of(id));
        let state = self.states().iter().find(|(name, _)| is(name)).map(|(_, state)| *state);
        match state {
            None => Some("soft_delete".to_owned()),
            Some(Deleted::Only) => Some("soft_delete: only those that are deleted".to_owned()),
            Some(Deleted::With) => None,
        }
    }
}

fn known<'c>(catalog: &'c Catalog, name: &Name) -> Result<(EntityId, &'c Entity), ScopeError> {
    catalog.entity(name.as_str()).ok_or_else(|| ScopeError::UnknownEntity { name: name.clone() })
}

fn text(filter: &Filter) -> String {
    let mut condition = filter.condition.clone();
    rewrite(&mut condition, |node| {
        if let ExprMut::Value(value) = node
            && matches!(value, ValueTypeExpr::Value(value) if !value.is_const)
        {
            *value = prop("?").into();
        }
    });
    let reads = if filter.reads_only { ", for reads" } else { "" };
    match &filter.name {
        Some(name) => format!("{name}: {condition}{reads}"),
        None => format!("{condition}{reads}"),
    }
}

/// An error if a condition names what its entity's table does not have. Inside of subqueries names are looked up when it is
/// compiled.
fn names_its_columns(catalog: &Catalog, name: &Name, condition: &LogicExpr) -> Result<(), ScopeError> {
    let entity = known(catalog, name)?.1;
    let mut walk = Walk::new(condition);
    while let Some(event) = walk.next() {
        match event {
            Visit::Enter(ExprRef::Segment(_) | ExprRef::Logic(LogicExpr::Foreign(_))) => walk.skip_children(),
            Visit::Enter(ExprRef::Value(ValueTypeExpr::Property(property))) if !is_column(entity, property) => {
                return Err(ScopeError::NotItsColumn { entity: name.clone(), property: property.name.clone() });
            }
            _ => {}
        }
    }
    Ok(())
}

fn is_column(entity: &Entity, property: &PropertyExpr) -> bool {
    let own = |alias: &Name| names::same(alias.as_str(), MAIN) || *alias == entity.name;
    property.alias.as_deref().is_none_or(own) && entity.column(property.name.as_str()).is_some()
}

/// The search for filters that lead back to where they began.
struct Cycles<'s> {
    catalog: &'s Catalog,
    filters: &'s [Filter],
    /// Those that lead to none.
    done: Vec<usize>,
}

impl Cycles<'_> {
    fn look(mut self) -> Result<(), ScopeError> {
        (0..self.filters.len()).try_for_each(|place| self.follow(place, &mut Vec::new()))
    }

    fn follow(&mut self, place: usize, path: &mut Vec<usize>) -> Result<(), ScopeError> {
        let filters = self.filters;
        if let Some(begin) = path.iter().position(|before| *before == place) {
            let around = path.iter().skip(begin).chain([&place]).filter_map(|place| filters.get(*place));
            return Err(ScopeError::Cycle { entities: around.map(|filter| filter.on.name().clone()).collect() });
        }
        let Some(filter) = filters.get(place).filter(|_| !self.done.contains(&place)) else { return Ok(()) };
        path.push(place);
        for id in read(self.catalog, &filter.condition) {
            for (next, filter) in filters.iter().enumerate() {
                if filter.over(self.catalog, id, |_, _| true)?.is_some() {
                    self.follow(next, path)?;
                }
            }
        }
        path.pop();
        self.done.push(place);
        Ok(())
    }
}

/// The entities whose tables a condition reads, by themselves or by a column that a view has of them.
fn read(catalog: &Catalog, condition: &LogicExpr) -> Vec<EntityId> {
    let (mut found, mut properties) = (Vec::new(), Vec::new());
    let mut add = |name: &Name| found.extend(catalog.entity(name.as_str()).map(|(id, _)| id));
    visit(condition, VisitOrder::Pre, |node| match node {
        ExprRef::Segment(SqlSegment::Table(table)) => add(&table.entity),
        ExprRef::Logic(LogicExpr::Foreign(foreign)) => add(&foreign.entity),
        ExprRef::Value(ValueTypeExpr::Property(property)) => properties.push(&property.name),
        _ => {}
    });
    let joined = |id: &EntityId| {
        let entity = catalog.get(*id);
        let joins = properties.iter().filter_map(|name| match entity.property(name.as_str())? {
            Property::Foreign(at) => entity.foreign_columns.get(at).map(|column| column.join),
            Property::Column(_) => None,
        });
        let along = joins.flat_map(|join| {
            std::iter::successors(Some(join), |join| entity.joins.get(*join)?.source).take(entity.joins.len())
        });
        along.filter_map(|join| Some(entity.joins.get(join)?.target)).collect::<Vec<_>>()
    };
    let joined: Vec<EntityId> = found.iter().flat_map(joined).collect();
    found.extend(joined);
    found
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops where it fails")]
mod tests {
    use super::*;
    use crate::expr::{ValueOps, exists, exists_related, prop_of};
    use crate::model::sample;

    #[test]
    fn what_does_not_fit_is_named() {
        let catalog = sample::catalog();
        for (scope, error) in [
            (
                Scope::new().filter_of("Usr", prop("Id").eq(1)),
                "a filter of the scope is on entity `Usr`, which the catalog does not have",
            ),
            (
                Scope::new().filter_of("User", prop("Nmae").eq(1)),
                "the scope's filter on `User` names `Nmae`, which is no column of its table",
            ),
            (Scope::new().filter_of("UserView", prop("DeptName").eq("a")), "names `DeptName`"),
            (Scope::new().filter_of("User", prop_of("Dept", "Name").eq("a")), "names `Name`"),
            (
                Scope::new().column("Nowhere", 1),
                "a filter of the scope is on property `Nowhere`, which is a column of no entity",
            ),
            (
                Scope::new().with_deleted("User"),
                "the scope speaks of deleted rows of `User`, which has no soft_delete column",
            ),
            (Scope::new().with_deleted("Usr"), "entity `Usr`"),
            (Scope::new().column("Age", 1).named("a").column("Id", 1).named("a"), "are named `a`"),
            (Scope::new().column("Age", 1).named("a").named("b"), "the filter `a` is given a second name, `b`"),
            (Scope::new().for_reads(), "`for_reads` is about the filter that was added last"),
        ] {
            let found = scope.check(&catalog).map_err(|error| error.to_string()).unwrap_err();
            assert!(found.contains(error), "{found}");
        }
        let fits = Scope::new()
            .filter_of("User", prop("Age").gt(18) & exists("Department", prop("Id").eq(prop_of("User", "DeptId"))))
            .filter_of("Department", prop("Name").ne("x"))
            .column("ParentId", 1);
        assert_eq!(fits.check(&catalog), Ok(()));
    }

    #[test]
    fn filters_that_lead_back_are_refused() {
        let catalog = sample::catalog();
        let cycle = |scope: Scope| scope.check(&catalog).map_err(|error| error.to_string()).unwrap_err();
        let own = Scope::new().filter_of("User", exists("User", prop("Id").eq(1)));
        assert!(cycle(own).contains("`User` -> `User`"));
        let both = Scope::new()
            .filter_of("User", exists_related("Department", None))
            .filter_of("Department", exists_related("User", None));
        assert!(cycle(both).contains("`User` -> `Department` -> `User`"));
        // The view joins the departments only where a column of theirs is named.
        let view = |column: &str| {
            Scope::new()
                .filter_of("Order", exists("UserView", prop(column).eq("a")))
                .filter_of("Department", exists_related("Order", None))
        };
        assert!(cycle(view("DeptName")).contains("`Order` -> `Department` -> `Order`"));
        assert_eq!(view("Name").check(&catalog), Ok(()));
    }

    #[test]
    fn the_report_has_no_values() {
        let scope = Scope::new()
            .column_in("DeptId", [1, 2])
            .named("dept")
            .filter_of("Department", prop("Id").gt(7))
            .for_reads();
        let report = scope.report(&sample::catalog());
        let of = |name: &str| report.iter().find(|(entity, _)| *entity == *name).map(|(_, filters)| filters.join("; "));
        assert_eq!(of("User").unwrap(), "dept: DeptId IN ?");
        assert_eq!(of("UserView").unwrap(), "dept: DeptId IN ?");
        assert_eq!(of("Department").unwrap(), "Id > ?, for reads");
        assert_eq!(of("Category"), None);
        assert_eq!(of("Memo").unwrap(), "soft_delete");
        let deleted = Scope::new().only_deleted("Memo").with_deleted("Ticket").report(&sample::catalog());
        assert_eq!(deleted, [("Memo".into(), vec!["soft_delete: only those that are deleted".to_owned()])]);
    }
}
