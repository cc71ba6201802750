//! What the names of a place may be.

use isogloss_compiler::expr::{PropertyExpr, ValueTypeExpr, prop, prop_of};
use isogloss_compiler::model::{Catalog, EntityId};

use super::Choices;
use crate::evaluator::Kind;

/// A column that can be named.
#[derive(Debug, Clone)]
pub(crate) struct Column {
    /// The table's alias; without one the name stands alone.
    pub(crate) alias: Option<String>,
    pub(crate) name: String,
    pub(crate) kind: Kind,
    /// How many bits its numbers need.
    pub(crate) bits: u32,
}

impl Column {
    pub(crate) fn prop(&self) -> PropertyExpr {
        match &self.alias {
            Some(alias) => prop_of(alias.clone(), self.name.clone()),
            None => prop(self.name.clone()),
        }
    }
}

/// The tables of a query, and those of the queries around it.
#[derive(Debug, Clone)]
pub struct Scope<'s> {
    pub(crate) catalog: &'s Catalog,
    /// What may be named as one row.
    pub(crate) columns: Vec<Column>,
    /// What may be named inside of an aggregate, where there are groups.
    pub(crate) grouped: Option<Vec<Column>>,
    /// The entity of the innermost main table.
    pub(crate) entity: Option<EntityId>,
    /// How many queries there are around.
    pub(crate) depth: usize,
    /// Whether a value need not be the same to the last digit.
    pub(crate) loose: bool,
}

impl<'s> Scope<'s> {
    /// A scope without tables.
    #[must_use]
    pub fn new(catalog: &'s Catalog) -> Self {
        Self { catalog, columns: Vec::new(), grouped: None, entity: None, depth: 0, loose: false }
    }

    /// Over an entity's table with that alias; `named` says whether its columns are named by it.
    pub(crate) fn over(&self, name: &str, alias: Option<&str>, named: bool) -> Self {
        let mut scope = Self { depth: self.depth + 1, loose: false, ..self.clone() };
        let Some((id, _)) = self.catalog.entity(name) else { return scope };
        scope.entity = Some(id);
        // What is around is named by its alias alone, or the inner table's columns would be meant.
        scope.columns.retain(|column| column.alias.is_some());
        let columns = columns_of(self.catalog, id, alias.filter(|_| named));
        scope.columns.splice(0..0, columns);
        scope
    }

    /// Whether a text is that of a column somewhere in it, not only a number's or a date's, and not only cut or repeated by
    /// one: what an engine compares by the column's collation.
    pub(crate) fn has_text_column(&self, text: &ValueTypeExpr) -> bool {
        match text {
            ValueTypeExpr::Property(name) => {
                let columns = self.columns.iter().chain(self.grouped.iter().flatten());
                columns.filter(|column| column.kind == Kind::Text).any(|column| column.prop() == *name)
            }
            // Where text is cut, padded or searched, the rest of the arguments are numbers and constants.
            ValueTypeExpr::Function(call) => {
                let all = ["Concat", "ConcatWs", "Coalesce", "Greatest", "Least"].contains(&call.name.as_str());
                let count = if all { call.args.len() } else { 1 };
                call.args.iter().take(count).any(|text| self.has_text_column(text))
            }
            ValueTypeExpr::Set(node) => node.items.iter().any(|text| self.has_text_column(text)),
            ValueTypeExpr::Case(node) => {
                let values = node.cases.iter().map(|(_, value)| value).chain(&node.otherwise);
                values.into_iter().any(|text| self.has_text_column(text))
            }
            _ => false,
        }
    }

    /// A column of a kind, if there is one.
    pub(crate) fn column(&self, choices: &mut Choices<'_>, kind: Kind) -> Option<Column> {
        let fitting: Vec<&Column> = self.columns.iter().filter(|column| column.kind == kind).collect();
        fitting.get(choices.below(fitting.len())).map(|column| (*column).clone())
    }
}

/// The columns of an entity.
pub(crate) fn columns_of(catalog: &Catalog, id: EntityId, alias: Option<&str>) -> Vec<Column> {
    let entity = catalog.get(id);
    let column = |name: &str, column: &isogloss_compiler::model::Column| {
        let kind = Kind::of_type(column.ty)?;
        let bits = match (kind, column.ty.base) {
            (_, isogloss_compiler::expr::DbValueType::Int64) => 64,
            (Kind::Int, _) => 10,
            _ => 12,
        };
        Some(Column { alias: alias.map(str::to_owned), name: name.to_owned(), kind, bits })
    };
    let own = entity.columns.iter().filter_map(|c| column(c.name.as_str(), c));
    let foreign = entity.foreign_columns.iter().filter_map(|f| column(f.name.as_str(), catalog.foreign(f)?));
    own.chain(foreign).collect()
}
