//! Foreign keys as relations of entities.

use std::collections::HashMap;

use heck::ToUpperCamelCase as _;
use isogloss_compiler::expr::{DbType, Family};
use isogloss_driver::introspect::{ForeignKeyReport, Kept, TableReport};

use crate::constraints::{ForeignKey, doubt};
use crate::finding::What;
use crate::model::{Entity, Member, list, place};
use crate::names::{Scope, is_made};

/// A relation to another entity.
#[derive(Debug, Clone)]
pub(crate) struct Relation {
    /// The name of the entity.
    pub(crate) target: String,
    /// The name of the relation, if it is not the entity's.
    pub(crate) alias: Option<String>,
    /// The columns, by field and property.
    pub(crate) keys: Vec<Key>,
    /// The columns that they refer to, where these are not the primary key in its order.
    pub(crate) prime_keys: Vec<Key>,
    /// The columns in the order of the primary key, if it is that of a table which they refer to.
    pub(crate) by_key: Vec<Key>,
    /// Whether there may be no row that is referred to.
    pub(crate) optional: bool,
    /// Whether no two rows refer to the same.
    pub(crate) unique: bool,
}

/// A column of a relation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) field: String,
    pub(crate) property: String,
}

/// Gives each entity the relations of its table's foreign keys.
pub(crate) fn relate(entities: &mut [Entity], tables: &[&TableReport]) {
    let places = Places::new(entities);
    for (own, table) in tables.iter().enumerate() {
        let mut found: Vec<(Relation, &ForeignKeyReport)> = Vec::new();
        for key in &table.foreign_keys {
            // A table may declare one key twice.
            match relation(entities, &places, own, key) {
                Ok(relation) if found.iter().any(|(known, _)| same(known, &relation)) => {}
                Ok(relation) => found.push((relation, key)),
                Err(what) => {
                    if let Some(entity) = entities.get_mut(own) {
                        entity.note(Some(&key.name), what);
                    }
                }
            }
        }
        let Some(entity) = entities.get_mut(own) else { continue };
        let mut names = Scope::default();
        for key in &table.foreign_keys {
            if let Some(what) = doubt(key.kept) {
                entity.note(Some(&key.name), what);
            }
            // SQLite lets several constraints have one name.
            let made = found.iter().find(|(_, report)| std::ptr::eq(*report, key)).map(|(relation, _)| relation);
            let made = made.filter(|_| key.kept != Kept::Never);
            let by_key = made.filter(|relation| !relation.by_key.is_empty());
            let own = by_key.and_then(|relation| ForeignKey::new(key, &relation.target, relation.by_key.clone()));
            match (own, rule(key)) {
                (Some(mut own), _) => {
                    own.name = own.name.filter(|name| names.take(name));
                    entity.foreign_keys.push(own);
                }
                (None, Some(rule)) => entity.note(Some(&key.name), What::ForeignRule { rule }),
                (None, None) if made.is_some() => {
                    entity.note(Some(&key.name), What::ForeignUnique { columns: list(&key.referred) });
                }
                (None, None) => {}
            }
        }
        name(entity, &mut found);
        for (relation, _) in found {
            entity.add(relation);
        }
    }
}

fn same(a: &Relation, b: &Relation) -> bool {
    a.target == b.target && a.keys == b.keys && a.prime_keys == b.prime_keys
}

impl Entity {
    /// A relation by one column is said there.
    fn add(&mut self, relation: Relation) {
        match relation.keys.as_slice() {
            [key] if relation.prime_keys.is_empty() => {
                let field = key.field.clone();
                let column = self.columns_mut().find(|column| column.field == field);
                column.into_iter().for_each(|column| column.foreigns.push(relation.clone()));
            }
            _ => self.joins.push(relation),
        }
    }
}

/// Which entity a table is: case makes no difference where another schema's table has no such name.
struct Places {
    exact: HashMap<(String, String), usize>,
    folded: HashMap<(String, String), usize>,
}

impl Places {
    fn new(entities: &[Entity]) -> Self {
        let exact = entities.iter().enumerate().map(|(at, e)| ((e.schema.clone(), e.own.clone()), at)).collect();
        let small = |text: &str| text.to_lowercase();
        let folded = entities.iter().enumerate().map(|(at, e)| ((small(&e.schema), small(&e.own)), at)).collect();
        Self { exact, folded }
    }

    fn find(&self, schema: &str, table: &str) -> Option<usize> {
        let exact = self.exact.get(&(schema.to_owned(), table.to_owned()));
        exact.or_else(|| self.folded.get(&(schema.to_lowercase(), table.to_lowercase()))).copied()
    }
}

fn relation(entities: &[Entity], places: &Places, own: usize, key: &ForeignKeyReport) -> Result<Relation, What> {
    let no_table = || What::ForeignTable { table: place(&key.schema, &key.table) };
    let target = places.find(&key.schema, &key.table).and_then(|at| entities.get(at)).ok_or_else(no_table)?;
    let entity = entities.get(own).ok_or_else(no_table)?;
    let prime: Vec<&str> = target.columns().filter(|column| column.primary_key).map(|c| c.name.as_str()).collect();
    let mut keys = Vec::new();
    let (mut prime_keys, mut referred) = (Vec::new(), Vec::new());
    let (mut optional, mut by_key) = (false, key.columns.len() == prime.len());
    for (at, name) in key.columns.iter().enumerate() {
        let missing = |name: &str| What::ForeignColumn { column: name.to_owned() };
        // Where the columns are not named, those of the primary key are meant.
        let name_there = match key.referred.get(at).filter(|name| !name.is_empty()) {
            Some(name) => name.as_str(),
            None => prime.get(at).copied().unwrap_or_default(),
        };
        let column = entity.column(name).filter(|own| own.has_field()).ok_or_else(|| missing(name))?;
        let other = target.column(name_there).filter(|own| own.has_field()).ok_or_else(|| missing(name_there))?;
        referred.push(other.name.as_str());
        if !comparable(column.ty.ty, other.ty.ty) {
            return Err(What::ForeignType);
        }
        optional |= column.nullable;
        by_key &= prime.get(at) == Some(&other.name.as_str());
        keys.push(Key { field: column.field.clone(), property: column.property.clone() });
        prime_keys.push(Key { field: other.field.clone(), property: other.property.clone() });
    }
    if by_key {
        prime_keys.clear();
    }
    let of_prime = |name: &&str| Some(keys.get(referred.iter().position(|referred| referred == name)?)?.clone());
    let in_order: Option<Vec<Key>> = prime.iter().map(of_prime).collect();
    let in_order = in_order.filter(|all| all.len() == keys.len() && !target.is_view).unwrap_or_default();
    let is_key = |name: &&str| key.columns.iter().any(|column| column == name);
    let own_key: Vec<&str> = entity.columns().filter(|c| c.primary_key).map(|c| c.name.as_str()).collect();
    let alone = keys.len() == 1 && entity.column(&key.columns.concat()).is_some_and(|column| column.unique);
    let unique = alone || own_key.len() == keys.len() && own_key.iter().all(is_key);
    let target = target.name.clone();
    Ok(Relation { target, alias: None, keys, prime_keys, by_key: in_order, optional, unique })
}

/// What the catalog takes for equal.
fn comparable(a: DbType, b: DbType) -> bool {
    let exact = |ty: DbType| matches!(ty.base.family(), Family::Integer | Family::Decimal);
    let alike = |family| matches!(family, Family::Float | Family::Text | Family::DateTime);
    let (x, y) = (a.base.family(), b.base.family());
    a.array == b.array && (a.base == b.base || exact(a) && exact(b) || x == y && alike(x))
}

/// What else the database does by a foreign key.
fn rule(key: &ForeignKeyReport) -> Option<String> {
    let plain = |rule: &str| matches!(rule, "" | "NO ACTION" | "RESTRICT");
    match (plain(&key.on_delete), plain(&key.on_update)) {
        (true, true) => None,
        (false, true) => Some(format!("ON DELETE {}", key.on_delete)),
        (true, false) => Some(format!("ON UPDATE {}", key.on_update)),
        (false, false) => Some(format!("ON DELETE {} and ON UPDATE {}", key.on_delete, key.on_update)),
    }
}

/// A relation has the name of its entity if no other leads there; else that of its column without `Id`, or of its constraint.
fn name(entity: &Entity, found: &mut [(Relation, &ForeignKeyReport)]) {
    let mut taken = Scope::default();
    taken.take(&entity.name);
    let targets: Vec<String> = found.iter().map(|(relation, _)| relation.target.clone()).collect();
    let alone = |target: &str| target != entity.name && targets.iter().filter(|other| *other == target).count() == 1;
    for target in targets.iter().filter(|target| alone(target)) {
        taken.take(target);
    }
    for (relation, key) in found.iter_mut().filter(|(relation, _)| !alone(&relation.target)) {
        let of_column = match relation.keys.as_slice() {
            [key] => {
                key.property.strip_suffix("Id").filter(|name| !name.is_empty()).unwrap_or(&key.property).to_owned()
            }
            keys => match common(keys) {
                words if words.is_empty() => key.name.to_upper_camel_case(),
                words => words,
            },
        };
        let named = of_column.chars().next().is_some_and(char::is_alphabetic) && !is_made(&of_column);
        let wanted = if named { of_column } else { relation.target.clone() };
        let alias = taken.free(&wanted, "");
        relation.alias = (alias != relation.target).then_some(alias);
    }
}

/// The words that all columns begin with: `former_country` and `former_number` have `Former`.
fn common(keys: &[Key]) -> String {
    let words = |key: &Key| key.field.split('_').map(str::to_owned).collect::<Vec<_>>();
    let mut all = keys.iter().map(words);
    let first = all.next().unwrap_or_default();
    let same =
        all.fold(first.len(), |count, other| first.iter().zip(other).take(count).take_while(|(a, b)| *a == b).count());
    first.iter().take(same).map(|word| word.to_upper_camel_case()).collect()
}

/// Whether a relation is of the entity's own members.
pub(crate) fn all(entity: &Entity) -> impl Iterator<Item = &Relation> {
    let of_columns = entity.members.iter().flat_map(|member| match member {
        Member::Column(column) => column.foreigns.as_slice(),
        Member::LeftOut(_) => &[],
    });
    of_columns.chain(&entity.joins)
}
