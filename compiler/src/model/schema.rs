//! What a policy for trees from strangers asks of a catalog.

use super::{Catalog, Computed, ComputedPart, Entity, EntityId, Property};
use crate::expr::{Name, ValueTypeExpr};
use crate::walk::{ExprRef, PropertyInfo, RelationInfo, Schema, VisitOrder, visit};

/// The catalog answers a [`QueryPolicy`](crate::walk::QueryPolicy) itself.
///
/// A column that a view has from elsewhere tells where it comes from: from its entity's table, or from the one that is
/// joined, and through which views. So what a policy denies on any of these is denied on every view that shows it.
///
/// Entities over tables of the same name, whatever its case and their data source, are over one table. A name without a
/// schema is not the same as one with it, nor is a sharded table the same as an entity over one of its shards.
///
/// ```
/// use isogloss_compiler::expr::{DbValueType::{Int32, String}, Expr, ValueOps, prop};
/// use isogloss_compiler::model::{Catalog, ColumnDef, TableDef};
/// use isogloss_compiler::walk::QueryPolicy;
/// let user = TableDef::new("User")
///     .column(ColumnDef::new("Id", Int32).primary_key())
///     .column(ColumnDef::new("Name", String))
///     .column(ColumnDef::new("Password", String).not_filterable());
/// let catalog = Catalog::builder().table(user).build()?;
///
/// let policy = QueryPolicy::new("User");
/// policy.check(&Expr::from(prop("Name").eq("Ada")), &catalog)?;
/// let refusal = policy.check(&Expr::from(prop("Password").eq("x")), &catalog).unwrap_err();
/// assert_eq!(refusal.to_string(), "`Password` is not available on `User` at $.Left");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
impl Schema for Catalog {
    fn entity(&self, name: &Name) -> Option<&Name> {
        Some(&Catalog::entity(self, name.as_str())?.1.name)
    }

    fn table(&self, entity: &Name) -> Option<&Name> {
        let (id, _) = Catalog::entity(self, entity.as_str())?;
        Some(&self.get(self.first_of_table(id)).name)
    }

    fn base(&self, view: &Name) -> Option<&Name> {
        let base = Catalog::entity(self, view.as_str())?.1.base?;
        Some(&self.get(base).name)
    }

    fn has(&self, entity: &Name, property: &Name) -> bool {
        Catalog::entity(self, entity.as_str()).is_some_and(|(_, entity)| entity.property(property.as_str()).is_some())
    }

    fn property(&self, entity: &Name, property: &Name) -> Option<PropertyInfo> {
        let (id, entity) = Catalog::entity(self, entity.as_str())?;
        match entity.property(property.as_str())? {
            Property::Column(index) => {
                let column = entity.columns.get(index)?;
                let filterable = column.filterable && column.is_readable();
                let origins = self.below(id, &column.name).collect();
                let computed_from = self.computed_from(id, index);
                Some(PropertyInfo { filterable, origins, computed_from, ..PropertyInfo::filterable() })
            }
            Property::Foreign(index) => {
                let foreign = entity.foreign_columns.get(index)?;
                let column = self.foreign(foreign)?;
                let filterable = foreign.filterable && column.filterable && column.is_readable();
                let taken = foreign.through.iter().flat_map(|(entity, name)| {
                    let itself = (self.get(*entity).name.clone(), name.clone());
                    std::iter::once(itself).chain(self.below(*entity, name))
                });
                let origins = self.below(id, &foreign.name).chain(taken).collect();
                let along = self.along(id, Some(foreign.join));
                let computed_from = self.computed_from(foreign.entity, foreign.column);
                Some(PropertyInfo { filterable, origins, along, computed_from })
            }
        }
    }

    fn properties(&self, entity: &Name) -> Option<Vec<Name>> {
        let (_, entity) = Catalog::entity(self, entity.as_str())?;
        Some(selected(entity).cloned().collect())
    }

    fn joined(&self, entity: &Name, alias: &Name) -> Option<Vec<RelationInfo>> {
        let (id, entity) = Catalog::entity(self, entity.as_str())?;
        let join = entity.joins.iter().position(|join| join.alias == *alias)?;
        Some(self.along(id, Some(join)))
    }

    fn relations(&self, from: &Name, to: &Name) -> Option<Vec<RelationInfo>> {
        let ((from, _), (to, _)) = (Catalog::entity(self, from.as_str())?, Catalog::entity(self, to.as_str())?);
        let between = |from: EntityId, to: EntityId| {
            // Where a view is asked for, its table's columns have the same numbers in it.
            Catalog::relations(self, from, to)
                .map(|relation| self.relation(from, relation.join, &relation.keys, to))
                .collect::<Vec<_>>()
        };
        // Where relations lead both ways, the error says so of both.
        let mut relations = between(from, to);
        if from != to {
            relations.extend(between(to, from));
        }
        Some(relations)
    }
}

impl Catalog {
    /// A join of an entity, and those that it hangs on.
    fn along(&self, id: EntityId, mut join: Option<usize>) -> Vec<RelationInfo> {
        let mut along = Vec::new();
        while let Some(index) = join
            && let Some(found) = self.get(id).joins.get(index)
        {
            join = found.source;
            along.push(self.relation(id, index, &found.keys, found.target));
        }
        along
    }

    /// A join of an entity, by these columns of what it hangs on and of its target.
    fn relation(&self, id: EntityId, join: usize, keys: &[(usize, usize)], target: EntityId) -> RelationInfo {
        let entity = self.get(id);
        let join = entity.joins.get(join);
        let source = join.and_then(|join| join.source).and_then(|source| entity.joins.get(source));
        let column = |id: EntityId, index: usize| {
            let entity = self.get(id);
            Some((entity.name.clone(), entity.columns.get(index)?.name.clone()))
        };
        let keys = keys
            .iter()
            .flat_map(|(own, other)| [column(source.map_or(id, |source| source.target), *own), column(target, *other)]);
        RelationInfo {
            entity: entity.name.clone(),
            target: self.get(target).name.clone(),
            alias: join.map(|join| join.alias.clone()).unwrap_or_default(),
            keys: keys.flatten().collect(),
        }
    }

    /// The columns that a computed one tells of, at any remove.
    fn computed_from(&self, id: EntityId, column: usize) -> Vec<(Name, Name)> {
        let entity = self.get(id);
        if entity.columns.get(column).is_none_or(|column| column.computed.is_none()) {
            return Vec::new();
        }
        let mut found: Vec<usize> = vec![column];
        let mut next = 0;
        while let Some(column) = found.get(next).and_then(|column| entity.columns.get(*column)) {
            next += 1;
            let mut add = |column: usize| {
                if !found.contains(&column) {
                    found.push(column);
                }
            };
            match &column.computed {
                None => {}
                Some(Computed::Text(parts)) => parts.iter().for_each(|part| match part {
                    ComputedPart::Column(column) => add(*column),
                    ComputedPart::Text(_) => {}
                }),
                Some(Computed::Expr(expr)) => visit(expr, VisitOrder::Pre, |node| {
                    if let ExprRef::Value(ValueTypeExpr::Property(property)) = node
                        && let Some(Property::Column(column)) = entity.property(property.name.as_str())
                    {
                        add(column);
                    }
                }),
            }
        }
        let named = |column: &usize| Some((entity.name.clone(), entity.columns.get(*column)?.name.clone()));
        found.iter().skip(1).filter_map(named).collect()
    }

    /// Those of what a view is over that have the property, the nearest first, each with its name.
    fn below(&self, id: EntityId, property: &Name) -> impl Iterator<Item = (Name, Name)> {
        let below = self.get(id).lineage.iter().rev().map(|of| self.get(*of));
        below.filter(|of| of.property(property.as_str()).is_some()).map(|of| (of.name.clone(), property.clone()))
    }
}

/// What a select without a list gives.
fn selected(entity: &Entity) -> impl Iterator<Item = &Name> {
    let own = entity.columns.iter().filter(|column| column.is_readable()).map(|column| &column.name);
    own.chain(entity.foreign_columns.iter().map(|column| &column.name))
}

#[cfg(test)]
mod tests {
    use crate::expr::{Expr, LogicExpr, Name, ValueOps, exists, exists_related, from, prop, prop_of};
    use crate::model::sample;
    use crate::walk::{PolicyRule, PropertyInfo, QueryPolicy, Schema};

    #[test]
    fn a_column_of_a_view_tells_where_it_comes_from() {
        let catalog = sample::catalog();
        let property = |entity: &str, property: &str| catalog.property(&Name::new(entity), &Name::new(property));
        assert_eq!(property("Order", "amount"), Some(PropertyInfo::filterable()));
        assert_eq!(property("OrderView", "Amount"), Some(PropertyInfo::filterable().of("Order", "Amount")));
        let along = catalog.joined(&Name::new("OrderView"), &Name::new("Customer")).unwrap();
        let name = PropertyInfo { along, ..PropertyInfo::filterable().of("Customer", "Name") };
        assert!(!name.along.is_empty());
        assert_eq!(property("OrderView", "CustomerName"), Some(name));
        assert_eq!(property("UserView", "Password"), Some(PropertyInfo::hidden().of("User", "Password")));
        assert_eq!(property("OrderView", "Nope"), None);
        assert_eq!(property("Nope", "Amount"), None);
        let all = catalog.properties(&Name::new("UserView")).unwrap();
        assert!(all.contains(&Name::new("DeptName")) && all.contains(&Name::new("Name")));
    }

    #[test]
    fn a_computed_column_shows_no_more_than_it_is_computed_from() {
        use crate::expr::DbValueType::Int32;
        use crate::model::{Catalog, ColumnDef, TableDef, ViewDef};
        let card = TableDef::new("Card")
            .column(ColumnDef::new("Id", Int32).primary_key())
            .column(ColumnDef::new("Pin", Int32).not_filterable())
            .column(ColumnDef::new("Limit", Int32))
            .column(ColumnDef::new("Sum", Int32).computed("{Pin} + {Limit}"))
            .column(ColumnDef::new("More", Int32).computed("{Sum} + 1"))
            .column(ColumnDef::new("Twice", Int32).computed_expr(prop("Limit") * 2));
        let catalog = Catalog::builder().table(card).view(ViewDef::new("CardView", "Card")).build().unwrap();
        let refused = |policy: &QueryPolicy, property| {
            policy.check(&Expr::from(prop(property).gt(1)), &catalog).err().map(|refusal| refusal.rule)
        };
        let hidden = Some(PolicyRule::HiddenProperty);
        for root in ["Card", "CardView"] {
            let policy = || QueryPolicy::new(root);
            let found = ["Sum", "More", "Twice", "Limit"].map(|property| refused(&policy(), property));
            assert_eq!(found, [hidden, hidden, None, None], "{root}");
            assert_eq!(refused(&policy().deny_properties("Card", ["Limit"]), "Twice"), hidden, "{root}");
            // One that the policy lists by name may be named, whatever it is computed from.
            assert_eq!(refused(&policy().only_properties(root, ["Sum"]), "Sum"), None, "{root}");
            assert_eq!(refused(&policy().only_properties(root, ["Sum"]), "More"), hidden, "{root}");
        }
    }

    #[test]
    fn what_no_select_gives_is_not_to_be_named() {
        use crate::expr::DbValueType::Int32;
        use crate::model::{Catalog, ColumnDef, ColumnMode, ForeignType, TableDef, ViewDef};
        let id = ColumnDef::new("Id", Int32).primary_key();
        let card = TableDef::new("Card").column(id).column(ColumnDef::new("Pin", Int32).mode(ColumnMode::WRITE));
        let holder = ColumnDef::new("CardId", Int32).foreign(ForeignType::new("Card").alias("Card"));
        let person = TableDef::new("Person").column(ColumnDef::new("Id", Int32).primary_key()).column(holder);
        let view = ViewDef::new("PersonView", "Person").foreign_column("CardPin", "Card", "Pin");
        let catalog = Catalog::builder().table(card).table(person).view(view).build().unwrap();
        for (root, property) in [("Card", "Pin"), ("PersonView", "CardPin")] {
            let refusal = QueryPolicy::new(root).check(&Expr::from(prop(property).gt(1)), &catalog).unwrap_err();
            assert_eq!(refusal.rule, PolicyRule::HiddenProperty, "{refusal}");
        }
    }

    #[test]
    fn a_relation_tells_of_the_columns_that_it_goes_by() {
        use crate::expr::DbValueType::Int32;
        use crate::model::{Catalog, ColumnDef, ForeignType, TableDef, ViewDef};
        let id = || ColumnDef::new("Id", Int32).primary_key();
        let country = TableDef::new("Country").column(id()).column(ColumnDef::new("Name", Int32));
        let home = ColumnDef::new("CountryId", Int32).foreign(ForeignType::new("Country").alias("Home").auto_expand());
        let card = TableDef::new("Card").column(id()).column(ColumnDef::new("Title", Int32)).column(home);
        let owned = ForeignType::new("Card").alias("Card").auto_expand();
        let person = TableDef::new("Person").column(id());
        let person = person.column(ColumnDef::new("CardId", Int32).foreign(owned).not_filterable());
        let view = ViewDef::new("PersonView", "Person").foreign_column("CardTitle", "Card", "Title");
        let catalog = Catalog::builder().table(country).table(card).table(person).view(view).build().unwrap();
        let open = |root| {
            ["Country", "Card", "Person", "PersonView"]
                .into_iter()
                .fold(QueryPolicy::new(root), QueryPolicy::allow_entity)
        };
        let rule = |policy: &QueryPolicy, filter: LogicExpr| {
            policy.check(&Expr::from(filter), &catalog).err().map(|refusal| refusal.rule)
        };
        let along = |entity: &str| LogicExpr::from(exists_related(entity.to_owned(), prop("Id").gt(1)));
        for root in ["Person", "PersonView"] {
            let policy = open(root);
            assert_eq!(rule(&policy, prop_of("Card", "Id").gt(1)), Some(PolicyRule::UnknownAlias), "{root}");
            assert_eq!(rule(&policy, prop_of("Home", "Name").gt(1)), Some(PolicyRule::UnknownAlias), "{root}");
            assert_eq!(rule(&policy, along("Card")), Some(PolicyRule::Relation), "{root}");
            let allowed = policy.clone().allow_relation(root, "Card");
            assert_eq!(rule(&allowed, prop_of("Card", "Id").gt(1)), None, "{root}");
            assert_eq!(rule(&allowed, prop_of("Home", "Name").gt(1)), None, "{root}");
            assert_eq!(rule(&allowed, along("Card")), None, "{root}");
            // What starts from a view's rows goes by the view's name, and what starts from its entity's by the entity's.
            let other = if root == "Person" { "PersonView" } else { "Person" };
            let elsewhere = policy.allow_relation(other, "Card");
            assert_eq!(elsewhere.validate(&catalog), Ok(()));
            assert_eq!(rule(&elsewhere, prop_of("Card", "Id").gt(1)), Some(PolicyRule::UnknownAlias), "{root}");
            assert_eq!(rule(&elsewhere, along("Card")), Some(PolicyRule::Relation), "{root}");
        }
        assert_eq!(rule(&open("Card"), along("Person")), Some(PolicyRule::Relation));
        assert_eq!(rule(&open("Card"), prop_of("Home", "Name").gt(1)), None);
        assert_eq!(
            rule(&open("Card").deny_properties("Card", ["CountryId"]), along("Country")),
            Some(PolicyRule::Relation)
        );
        // What the view itself shows is the program's to say.
        assert_eq!(rule(&open("PersonView"), prop("CardTitle").gt(1)), None);
        let refusal = open("Person").check(&Expr::from(along("Card")), &catalog).unwrap_err();
        assert_eq!(refusal.to_string(), "no relation to `Card` is available at $");
    }

    /// A filter that the program puts in front of the stranger's holds for the rows of the query, not for those that a
    /// join back to the root reads.
    #[test]
    fn no_declared_join_leads_back_to_the_root() {
        use crate::expr::DbValueType::Int32;
        use crate::model::{Catalog, ColumnDef, ForeignType, TableDef};
        let id = || ColumnDef::new("Id", Int32).primary_key();
        let to = |name: &'static str, entity: &'static str, alias: &'static str| {
            ColumnDef::new(name, Int32).foreign(ForeignType::new(entity).alias(alias).auto_expand())
        };
        let region = TableDef::new("Region").column(id());
        let parent = ColumnDef::new("ParentId", Int32).foreign(ForeignType::new("Customer").alias("Parent"));
        let customer = TableDef::new("Customer").column(id()).column(ColumnDef::new("Mail", Int32));
        let customer = customer.column(to("RegionId", "Region", "Region")).column(parent);
        let order = TableDef::new("Order").column(id()).column(to("CustomerId", "Customer", "Customer"));
        let line = TableDef::new("Line").column(id()).column(to("OrderId", "Order", "Order"));
        let other = TableDef::new("Other").column(id());
        let catalog =
            [region, customer, order, line, other].into_iter().fold(Catalog::builder(), |all, one| all.table(one));
        let catalog = catalog.build().unwrap();
        let policy =
            ["Region", "Order", "Line"].into_iter().fold(QueryPolicy::new("Customer"), QueryPolicy::allow_entity);
        let check = |policy: &QueryPolicy, filter: LogicExpr| {
            policy.check(&Expr::from(filter), &catalog).err().map(|refusal| (refusal.rule, refusal.message))
        };
        let within = |entity: &str, inner: LogicExpr| LogicExpr::from(exists(entity.to_owned(), inner));
        let mail = || prop_of("Customer", "Mail").starts_with("b");
        let attacks = [
            (within("Order", mail()), "Customer"),
            (LogicExpr::from(exists_related("Order", mail())), "Customer"),
            (within("Order", prop_of("Region", "Id").gt(1)), "Region"),
            (within("Line", within("Order", mail())), "Customer"),
            (prop_of("Parent", "Mail").gt(1), "Parent"),
        ];
        for (attack, alias) in attacks {
            let absent = (PolicyRule::UnknownAlias, format!("nothing here is called `{alias}`"));
            assert_eq!(check(&policy, attack.clone()), Some(absent), "{attack:?}");
            assert_eq!(check(&policy.clone().allow_entity("Customer"), attack.clone()), None, "{attack:?}");
            let named = policy
                .clone()
                .allow_relation("Order", "Customer")
                .allow_relation("Line", "Customer")
                .allow_relation("Customer", "Parent");
            assert_eq!(check(&named, attack.clone()), None, "{attack:?}");
        }
        // The way from a row of the root to what is its own stays open.
        assert_eq!(check(&policy, prop_of("Region", "Id").gt(1)), None);
        assert_eq!(check(&policy, exists_related("Order", prop("Id").gt(1)).into()), None);
        // Where there is no relation, it says no more than where one is closed.
        let no_relation = |entity: &str| (PolicyRule::Relation, format!("no relation to `{entity}` is available"));
        let policy = policy.allow_entity("Other");
        for entity in ["Other", "Line"] {
            let along = LogicExpr::from(exists_related(entity.to_owned(), None));
            assert_eq!(check(&policy, along), Some(no_relation(entity)));
        }
    }

    #[test]
    fn what_is_denied_on_a_table_is_denied_on_its_views() {
        let catalog = sample::catalog();
        let policy =
            QueryPolicy::new("OrderView").deny_properties("Customer", ["Name"]).deny_properties("Order", ["Note"]);
        for (property, rule) in [
            ("CustomerName", Some(PolicyRule::HiddenProperty)),
            ("Note", Some(PolicyRule::HiddenProperty)),
            ("Amount", None),
        ] {
            let filter = Expr::from(prop(property).is_not_null());
            assert_eq!(policy.check(&filter, &catalog).err().map(|refusal| refusal.rule), rule, "{property}");
        }
        let everything = Expr::from(prop("Id").in_list(from("UserView").select_all()));
        let policy = QueryPolicy::new("UserView").allow_entity("UserView");
        assert_eq!(policy.check(&everything, &catalog).unwrap_err().rule, PolicyRule::SelectAll);
    }
}
