//! Text that the catalog settles: made once for each dialect and entity, then copied.

use std::sync::OnceLock;

use crate::expr::Name;
use crate::frame::{ColumnRef, ViewJoins};
use crate::model::{Entity, EntityId};
use crate::target::Target;

/// The alias of a statement's main table.
pub(crate) const MAIN: &str = "T0";

/// The texts of an entity.
#[derive(Debug, Default)]
pub(crate) struct EntityTexts {
    /// The quoted table, unless its name has placeholders.
    pub(crate) table: Option<Box<str>>,
    /// The columns.
    pub(crate) columns: Vec<ColumnRefs>,
    /// The quoted names of the joins.
    pub(crate) joins: Vec<Box<str>>,
    /// A name that the engine has no way to write.
    pub(crate) bad_name: Option<Box<str>>,
    /// The foreign columns, qualified by the names of their joins.
    pub(crate) foreign: Vec<ColumnRefs>,
    /// The texts that take resolving; absent where one of them needs a parameter.
    pub(crate) whole: OnceLock<MainTexts>,
}

/// The texts of a column.
#[derive(Debug)]
pub(crate) struct ColumnRefs {
    /// The column without a qualifier.
    pub(crate) bare: ColumnRef<'static>,
    /// The column behind the alias of the main table, or of the join that it is a column of.
    pub(crate) main: ColumnRef<'static>,
    /// The quoted property, where a select list has to rename the column.
    pub(crate) rename: Option<Box<str>>,
}

/// The texts of an entity that is the main table of a statement.
#[derive(Debug, Default)]
pub(crate) struct MainTexts {
    /// The select list of every readable column.
    pub(crate) items: Box<str>,
    /// The joins that the select list needs, as a set of bits.
    pub(crate) items_use: u128,
    /// Each join.
    pub(crate) joins: Vec<Option<ViewJoins>>,
    /// The joins that the list needs, one after the other, if all of them are there.
    pub(crate) all_joins: Option<ViewJoins>,
    /// The fixed filter, qualified by the main table's alias.
    pub(crate) fixed: Option<Box<str>>,
    /// The fixed filter without a qualifier, for UPDATE and DELETE.
    pub(crate) fixed_bare: Option<Box<str>>,
}

impl ColumnRefs {
    fn new(target: &Target, qualifier: &str, property: &Name, column: &str) -> Self {
        let before = quoted(target, &[qualifier]).len();
        Self {
            bare: ColumnRef::bare(quoted(target, &[column]).into_string()),
            main: ColumnRef::behind(before, quoted(target, &[qualifier, column]).into_string()),
            rename: (property.as_str() != column).then(|| quoted(target, &[property.as_str()])),
        }
    }
}

impl EntityTexts {
    /// Quotes the names of an entity.
    pub(crate) fn names(target: &Target, id: EntityId) -> Self {
        let catalog = target.catalog();
        let entity = catalog.get(id);
        let columns = entity.columns.iter().map(|column| ColumnRefs::new(target, MAIN, &column.name, &column.column));
        let columns = columns.collect();
        let foreign = entity.foreign_columns.iter().map(|column| {
            let join = entity.joins.get(column.join).map_or("", |join| join.alias.as_str());
            ColumnRefs::new(target, join, &column.name, catalog.foreign(column).map_or("", |c| c.column.as_str()))
        });
        let foreign = foreign.collect();
        Self {
            table: entity.table.plain().map(|parts| {
                let parts: Vec<&str> = parts.iter().map(compact_str::CompactString::as_str).collect();
                quoted(target, &parts)
            }),
            columns,
            joins: entity.joins.iter().map(|join| quoted(target, &[join.alias.as_str()])).collect(),
            foreign,
            bad_name: bad_name(target, entity),
            whole: OnceLock::new(),
        }
    }
}

/// A name of an entity's that the engine has no way to write, if there is one.
fn bad_name(target: &Target, entity: &Entity) -> Option<Box<str>> {
    let limits = target.dialect().sheet().limits;
    let catalog = target.catalog();
    let columns = entity.columns.iter().flat_map(|column| [column.name.as_str(), column.column.as_str()]);
    let foreign = entity
        .foreign_columns
        .iter()
        .flat_map(|column| [column.name.as_str(), catalog.foreign(column).map_or("", |column| column.column.as_str())]);
    let joins = entity.joins.iter().map(|join| join.alias.as_str());
    let table = entity.table.plain().into_iter().flatten().map(compact_str::CompactString::as_str);
    let mut names = columns.chain(foreign).chain(joins).chain(table);
    names.find(|name| limits.no_name(name, target.quotes()).is_some()).map(Box::from)
}

/// Quoted names with dots between them.
pub(crate) fn quoted(target: &Target, parts: &[&str]) -> Box<str> {
    target.quotes().quoted(parts.iter().copied()).into()
}

/// One of an entity's joins, as a set of bits.
pub(crate) fn join_bit(join: usize) -> u128 {
    u32::try_from(join).ok().and_then(|i| 1_u128.checked_shl(i)).unwrap_or(0)
}

/// The bits of a join and of every join that it hangs on.
pub(crate) fn join_bits(entity: &Entity, join: usize) -> u128 {
    let mut bits = 0;
    let mut next = Some(join);
    while let Some(index) = next {
        let bit = join_bit(index);
        if bits & bit != 0 {
            break;
        }
        bits |= bit;
        next = entity.joins.get(index).and_then(|join| join.source);
    }
    bits
}
