//! Which rows there are: those that a scope lets pass.

use isogloss_compiler::Request;
use isogloss_compiler::expr::{Expr, LogicExpr, LogicOperator, Name, Value, ValueTypeExpr};
use isogloss_compiler::model::{Catalog, Entity, EntityId};

use super::scope::{Env, Field, Source};
use super::{Evaluator, Result, Written, fault, unsupported, value};
use crate::data::{Answer, Data};

/// What a scope says of the rows, in words of the evaluator's own: it does not read the compiler's scope. Without a word
/// about them, rows that are marked as deleted are not there.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Within {
    /// What must hold of them.
    pub filters: Vec<Filter>,
    /// Which rows there are of entities whose rows are only marked when they are deleted.
    pub deleted: Vec<(String, Deleted)>,
}

/// A condition on rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Filter {
    /// Whose rows.
    pub of: Whose,
    /// What must hold of each.
    pub condition: LogicExpr,
    /// Whether it is a matter of what is there only, and not of what a row becomes.
    pub reads_only: bool,
}

/// Whose rows a filter is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Whose {
    /// Those of everything over this entity's table.
    Entity(String),
    /// Those of every table that has this property.
    Property(String),
}

/// Which rows there are of an entity whose rows are only marked when they are deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deleted {
    /// All.
    With,
    /// Those that are marked.
    Only,
}

impl Within {
    /// As [`evaluate`](super::evaluate), over the rows that are there.
    ///
    /// # Errors
    /// What is not known here, and what must fail everywhere.
    pub fn evaluate(&self, catalog: &Catalog, data: &Data, expr: &Expr, request: &Request<'_>) -> Result<Answer> {
        let evaluator = Evaluator::new(catalog, data, *request, self);
        match expr {
            Expr::Segment(query) => evaluator.answer(Some(query), None),
            Expr::Logic(filter) => evaluator.answer(None, Some(filter)),
            Expr::Insert(_) | Expr::Update(_) | Expr::Delete(_) => {
                Ok(self.execute(catalog, &mut data.clone(), expr)?.returned)
            }
            _ => unsupported("a node that is no statement"),
        }
    }

    /// As [`execute`](super::execute), to the rows that are there. A row that would not be there afterwards is an error.
    ///
    /// # Errors
    /// As [`evaluate`](Self::evaluate); the rows stay as they are then.
    pub fn execute(&self, catalog: &Catalog, data: &mut Data, expr: &Expr) -> Result<Written> {
        let (changed, written) = {
            let evaluator = Evaluator::new(catalog, data, Request::default(), self);
            match expr {
                Expr::Insert(insert) => evaluator.insert(insert)?,
                Expr::Update(update) => evaluator.update(update)?,
                Expr::Delete(delete) => evaluator.delete(delete)?,
                _ => return unsupported("a query as a write"),
            }
        };
        *data = changed;
        Ok(written)
    }
}

/// What must hold of a row, by the names of an entity's columns.
pub(super) struct Rule<'e> {
    source: [Source; 1],
    condition: &'e LogicExpr,
}

impl Evaluator<'_> {
    /// What holds of each row of an entity that is there: its fixed filter, what the scope says of its table.
    pub(super) fn rules_of_reads(&self, id: EntityId) -> Vec<Rule<'_>> {
        let fixed = self.catalog.get(id).fixed_filter.as_ref().map(|fixed| self.rule(id, fixed));
        let filters = self.within.filters.iter();
        fixed.into_iter().chain(filters.filter_map(|filter| self.rule_of(filter, id))).collect()
    }

    /// What a row may become when it is written.
    fn rules_of_writes(&self, id: EntityId) -> Vec<Rule<'_>> {
        let filters = self.within.filters.iter().filter(|filter| !filter.reads_only);
        filters.filter_map(|filter| self.rule_of(filter, id)).collect()
    }

    /// Whether a row of an entity is there, by its values.
    pub(super) fn is_there(&self, id: EntityId, rules: &[Rule<'_>], value: &dyn Fn(&str) -> Value) -> Result<bool> {
        Ok(self.all_hold(rules, value)? && self.is_shown(self.catalog.get(id), value))
    }

    /// An error if a row of an entity, as it would be written, is outside.
    pub(super) fn stays_inside(&self, id: EntityId, value: &dyn Fn(&str) -> Value) -> Result<()> {
        match self.all_hold(&self.rules_of_writes(id), value)? {
            true => Ok(()),
            false => fault(format!("a row of `{}` outside of the scope", self.catalog.get(id).name)),
        }
    }

    fn all_hold(&self, rules: &[Rule<'_>], value: &dyn Fn(&str) -> Value) -> Result<bool> {
        for Rule { source, condition } in rules {
            let [Source { fields, .. }] = source;
            let fitted = |field: &Field| value::fit(&value(&field.name), field.kind, field.names.as_ref());
            let row: Vec<Value> = fields.iter().map(fitted).collect::<Result<_>>()?;
            if self.logic(&Env::of(source, &[vec![row.into()]], None), condition)? != Some(true) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn rule<'e>(&self, owner: EntityId, condition: &'e LogicExpr) -> Rule<'e> {
        let entity = self.catalog.get(owner);
        let fields = self.columns_of(entity);
        let entity = Some((owner, entity.name.as_str().to_owned()));
        Rule { source: [Source { fields, entity, ..Source::default() }], condition }
    }

    fn rule_of<'e>(&self, filter: &'e Filter, id: EntityId) -> Option<Rule<'e>> {
        self.owner(filter, id).map(|owner| self.rule(owner, &filter.condition))
    }

    /// The entity whose names a filter's condition has, if it is about the rows of that one.
    fn owner(&self, filter: &Filter, id: EntityId) -> Option<EntityId> {
        let table = &self.catalog.get(id).table;
        match &filter.of {
            Whose::Entity(name) => {
                self.catalog.entity(name).filter(|(_, entity)| entity.table == *table).map(|(owner, _)| owner)
            }
            Whose::Property(name) => {
                let mut over = self.catalog.entities().filter(|(_, entity)| entity.table == *table);
                over.find(|(_, entity)| entity.column(name).is_some()).map(|(owner, _)| owner)
            }
        }
    }

    /// Whether a row is there by its mark.
    fn is_shown(&self, entity: &Entity, value: &dyn Fn(&str) -> Value) -> bool {
        let Some(mark) = self.mark(entity) else { return true };
        let marked = !matches!(value(mark), Value::Null | Value::Bool(false) | Value::Int(0));
        let over = |name: &str| self.catalog.entity(name).is_some_and(|(_, other)| other.table == entity.table);
        match self.within.deleted.iter().find(|(name, _)| over(name)) {
            Some((_, Deleted::With)) => true,
            Some((_, Deleted::Only)) => marked,
            None => !marked,
        }
    }

    /// The column that marks the deleted rows of an entity's table.
    pub(super) fn mark<'a>(&'a self, entity: &'a Entity) -> Option<&'a str> {
        let table = entity.base.map_or(entity, |base| self.catalog.get(base));
        Some(table.columns.get(table.soft_delete?)?.name.as_str())
    }

    /// The values that the scope fixes of an entity's columns: what an INSERT writes that says nothing of them.
    pub(super) fn fixed_values(&self, id: EntityId) -> Vec<(&Name, &Value)> {
        let filters = self.within.filters.iter().filter(|filter| !filter.reads_only);
        let mut open: Vec<&LogicExpr> =
            filters.filter(|filter| self.owner(filter, id).is_some()).map(|filter| &filter.condition).collect();
        let mut fixed = Vec::new();
        while let Some(condition) = open.pop() {
            match condition {
                LogicExpr::And(node) => open.extend(&node.items),
                LogicExpr::Binary(node) if node.operator == LogicOperator::Equal => {
                    if let (ValueTypeExpr::Property(name), ValueTypeExpr::Value(plain)) = (&node.left, &node.right) {
                        fixed.push((&name.name, &plain.value));
                    }
                }
                _ => {}
            }
        }
        fixed
    }
}
