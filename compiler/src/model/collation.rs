//! What texts are compared by, and what is known of a column's collation.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::str::FromStr;

use compact_str::CompactString;

use super::table_name::TableName;

/// What texts are compared, sorted and grouped by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum TextMode {
    /// The engine's collations: `'a' = 'A'` is true on one database and false on another.
    #[default]
    Database,
    /// Code points, on every engine: two texts are alike if every character of them is the same, blanks at the end among
    /// them.
    ///
    /// MariaDB caches the answers of correlated subqueries by the collations of the outer columns, whatever the subquery
    /// compares by. The connections of this project's driver do without: others should run
    /// `SET optimizer_switch = 'subquery_cache=off'` first.
    Exact,
}

impl TextMode {
    /// The word for it: `database` or `exact`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            TextMode::Database => "database",
            TextMode::Exact => "exact",
        }
    }
}

impl fmt::Display for TextMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for TextMode {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        let known = [TextMode::Database, TextMode::Exact];
        let found = known.into_iter().find(|mode| mode.name().eq_ignore_ascii_case(word));
        found.ok_or_else(|| format!("`{word}` is no mode of texts: they are `database` or `exact`"))
    }
}

/// What the engine's catalog says of a column of texts.
///
/// What a collation does with control characters is not looked at: one that ignores or reorders those only counts as one
/// by code points.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Collation {
    /// Its name, as the engine writes it behind COLLATE.
    pub name: CompactString,
    /// Whether texts are equal to it only if every character of them is the same, blanks at the end among them.
    pub equal: bool,
    /// Whether it sorts by code points.
    pub order: bool,
    /// The character set of the column, if that lacks characters; on PostgreSQL its type, if that is not `text` or `varchar`.
    pub charset: Option<CompactString>,
}

impl Collation {
    /// A collation by code points.
    pub fn exact(name: impl Into<CompactString>) -> Self {
        Self { name: name.into(), equal: true, order: true, charset: None }
    }

    /// A collation that tells all texts apart, and sorts them otherwise than by code points.
    pub fn sorted(name: impl Into<CompactString>) -> Self {
        Self { order: false, ..Self::exact(name) }
    }

    /// A collation that takes some texts for equal that are not the same.
    pub fn loose(name: impl Into<CompactString>) -> Self {
        Self { equal: false, ..Self::sorted(name) }
    }

    /// For a column whose character set lacks characters.
    #[must_use]
    pub fn charset(self, charset: impl Into<CompactString>) -> Self {
        Self { charset: Some(charset.into()), ..self }
    }

    /// Whether it compares and sorts by code points.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.equal && self.order
    }
}

/// What the engine's catalog says of the collation of one column.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ColumnCollation {
    /// The schema or database of the table; none for the one in which a name without a schema is found.
    pub schema: Option<CompactString>,
    /// The table.
    pub table: CompactString,
    /// The column.
    pub column: CompactString,
    /// Its collation.
    pub collation: Collation,
}

impl ColumnCollation {
    /// The collation of a column of a table.
    pub fn new(
        schema: Option<CompactString>,
        table: impl Into<CompactString>,
        column: impl Into<CompactString>,
        collation: Collation,
    ) -> Self {
        Self { schema, table: table.into(), column: column.into(), collation }
    }
}

/// The collations of the columns of a sharded table, by their names in lower case: what holds for all of its tables. There
/// is none where their character sets differ. Tables of these names, in lower case, are those of other entities.
pub(super) fn of_shards(
    name: &TableName,
    known: &[ColumnCollation],
    others: &HashSet<String>,
) -> HashMap<CompactString, Option<Collation>> {
    let mut found: HashMap<CompactString, Option<Collation>> = HashMap::new();
    for column in known {
        let parts: Vec<&str> = column.schema.as_deref().into_iter().chain([&*column.table]).collect();
        if !name.matches(&parts) || others.contains(&parts.join(".").to_lowercase()) {
            continue;
        }
        let told = &column.collation;
        found
            .entry(column.column.to_lowercase())
            .and_modify(|all| {
                *all = all.take().filter(|all| all.charset == told.charset).map(|all| {
                    let weaker = (told.equal, told.order) < (all.equal, all.order);
                    let name = if weaker { told.name.clone() } else { all.name };
                    Collation { name, equal: all.equal && told.equal, order: all.order && told.order, ..all }
                });
            })
            .or_insert_with(|| Some(told.clone()));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::DbValueType;
    use crate::model::{Catalog, ColumnDef, TableDef};

    #[test]
    fn a_mode_is_read_by_its_word() {
        assert_eq!("Exact".parse(), Ok(TextMode::Exact));
        assert_eq!("database".parse(), Ok(TextMode::Database));
        assert!("binary".parse::<TextMode>().is_err_and(|error| error.contains("`exact`")));
        assert_eq!(TextMode::Exact.to_string(), "exact");
    }

    #[test]
    fn a_collation_may_tell_texts_apart_and_sort_them_otherwise() {
        assert!(Collation::exact("C").is_exact());
        assert!(Collation::sorted("en_US").equal && !Collation::sorted("en_US").is_exact());
        assert!(!Collation::loose("latin1_swedish_ci").charset("latin1").equal);
    }

    /// A catalog of an entity for each of these tables, and the collation of its column by what is told.
    fn told(tables: &[&str], known: &[ColumnCollation]) -> Vec<Option<Collation>> {
        let one = |table: &&str| {
            let id = ColumnDef::new("Id", DbValueType::Int32).primary_key();
            TableDef::new(*table).table(*table).column(id).column(ColumnDef::new("Name", DbValueType::String))
        };
        let catalog =
            tables.iter().fold(Catalog::builder(), |catalog, table| catalog.table(one(table))).build().unwrap();
        let catalog = catalog.with_collations(known);
        catalog.entities().map(|(_, entity)| entity.columns[1].collation.clone()).collect()
    }

    #[test]
    fn names_that_differ_by_case_only_are_found_by_the_very_name() {
        let of = |schema: Option<&str>, table: &str, column: &str, collation: &str| {
            ColumnCollation::new(schema.map(Into::into), table, column, Collation::loose(collation))
        };
        let name = |found: &Option<Collation>| found.as_ref().map(|found| found.name.to_string());
        let found = |table: &str, known: &[ColumnCollation]| name(&told(&[table], known)[0]);
        // As Oracle tells what was made without quotes.
        assert_eq!(found("Orders", &[of(None, "ORDERS", "NAME", "a")]).as_deref(), Some("a"));
        let twice = [of(None, "ORDERS", "NAME", "a"), of(None, "ORDERS", "NAME", "a")];
        assert_eq!(found("Orders", &twice).as_deref(), Some("a"));
        let two = [of(None, "orders", "Name", "lower"), of(None, "Orders", "Name", "very")];
        assert_eq!(found("Orders", &two).as_deref(), Some("very"));
        // None of them is the one that is meant.
        assert_eq!(found("ORDERS", &two), None);
        let two = [of(None, "Orders", "name", "lower"), of(None, "Orders", "Name", "very")];
        assert_eq!(found("Orders", &two).as_deref(), Some("very"));
        let two = [of(Some("sales"), "Orders", "Name", "lower"), of(Some("Sales"), "Orders", "Name", "very")];
        assert_eq!(found("Sales.Orders", &two).as_deref(), Some("very"));
        assert_eq!(found("Orders", &two), None);
    }

    #[test]
    fn a_sharded_table_has_what_holds_for_all_of_its_shards() {
        let of = |schema: Option<&str>, table: &str, collation| {
            ColumnCollation::new(schema.map(Into::into), table, "NAME", collation)
        };
        let exact = || Collation::exact("bin");
        let first = |tables: &[&str], known: &[ColumnCollation]| told(tables, known)[0].clone();
        let two = [of(None, "Orders_2024", exact()), of(None, "ORDERS_2025", Collation::sorted("en"))];
        assert_eq!(first(&["Orders_{0}"], &two), Some(Collation::sorted("en")));
        let three = [two[1].clone(), of(None, "orders_x", Collation::loose("ci")), two[0].clone()];
        assert_eq!(first(&["Orders_{0}"], &three), Some(Collation::loose("ci")));
        // The table of another entity, whose name a shard could have.
        let both = told(&["Orders_{0}", "Orders_x"], &three);
        assert_eq!(both, [Some(Collation::sorted("en")), Some(Collation::loose("ci"))]);
        let latin = of(None, "Orders_old", Collation::loose("latin1_ci").charset("latin1"));
        assert_eq!(first(&["Orders_{0}"], &[two[0].clone(), latin]), None, "no collation is fit for both");
        let schemas = [of(Some("s1"), "Orders", exact()), of(None, "Orders", Collation::loose("ci"))];
        assert_eq!(first(&["s{0}.Orders"], &schemas), Some(exact()));
        assert_eq!(first(&["Orders_{0}"], &[of(None, "Orders", exact())]), None);
    }
}
