//! What can be wrong with definitions.

use std::fmt;

use super::{BadTableName, BadValue};
use crate::expr::{DbType, Name};

/// A mistake in a definition. `entity` is the definition that it stands in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "a variant's message says what its fields are")]
pub enum CatalogError {
    /// Two definitions of one name.
    #[error("entity `{entity}` is defined twice: give one another name; case makes no difference")]
    DuplicateEntity { entity: Name },
    /// Two properties of one name.
    #[error("entity `{entity}` has two properties `{property}`: give one another name; case makes no difference")]
    DuplicateProperty { entity: Name, property: Name },
    /// Two properties that stand for one column.
    #[error("entity `{entity}`: properties `{first}` and `{second}` both stand for column `{column}`: leave one out")]
    DuplicateColumn { entity: Name, column: String, first: Name, second: Name },
    /// A name that no engine can take.
    #[error("entity `{entity}`: bad {what} {name:?}: {why}")]
    BadName { entity: Name, what: &'static str, name: String, why: &'static str },
    /// A table name that is none.
    #[error("entity `{entity}`: bad table name `{table}`: {why}")]
    BadTable { entity: Name, table: String, why: BadTableName },
    /// An entity without columns.
    #[error("entity `{entity}` has no columns: give it at least one")]
    NoColumns { entity: Name },
    /// A view over nothing.
    #[error("view `{entity}` is over `{of}`, which is not defined{near}")]
    UnknownBase { entity: Name, of: Name, near: Near },
    /// Views over each other.
    #[error("view `{entity}` is over itself by way of other views: one of them must be over a table")]
    ViewCycle { entity: Name },
    /// A column that only a table can have.
    #[error("view `{entity}`: column `{property}` cannot be {what}: say so on the entity that the view is over")]
    ViewColumn { entity: Name, property: Name, what: &'static str },
    /// A key that may be NULL.
    #[error("entity `{entity}`: primary key column `{property}` is nullable: a primary key cannot be")]
    NullableKey { entity: Name, property: Name },
    /// An identity of a type that cannot be counted.
    #[error("entity `{entity}`: identity column `{property}` has type {}: an identity is an integer", show(*ty))]
    IdentityType { entity: Name, property: Name, ty: DbType },
    /// An identity that does not count.
    #[error("entity `{entity}`: identity column `{property}` has increment 0: give another")]
    IdentityIncrement { entity: Name, property: Name },
    /// Two identities.
    #[error("entity `{entity}` has two identity columns, `{first}` and `{second}`: a table has one at most")]
    SeveralIdentities { entity: Name, first: Name, second: Name },
    /// Two versions.
    #[error("entity `{entity}` has two timestamp columns, `{first}` and `{second}`: a table has one at most")]
    SeveralTimestamps { entity: Name, first: Name, second: Name },
    /// A version of a type that does not grow.
    #[error(
        "entity `{entity}`: timestamp column `{property}` has type {}: it is an integer or a date and time; \
         binary or a UUID only if the database renews it, which a mode without `update` says",
        show(*ty)
    )]
    TimestampType { entity: Name, property: Name, ty: DbType },
    /// A mark of deleted rows that cannot mark them.
    #[error(
        "entity `{entity}`: soft_delete column `{property}` has type {}: it is a boolean that is never NULL, or a date and \
         time that may be, and neither a key nor a constant",
        show(*ty)
    )]
    SoftDeleteType { entity: Name, property: Name, ty: DbType },
    /// Two marks of deleted rows.
    #[error("entity `{entity}` has two soft_delete columns, `{first}` and `{second}`: one marks its rows")]
    SeveralSoftDeletes { entity: Name, first: Name, second: Name },
    /// A distribution key that cannot say where a row lies.
    #[error("entity `{entity}`: `{property}` is no distribution key: {why}")]
    BadDistributionKey { entity: Name, property: Name, why: String },
    /// An index, a check or a constraint that cannot be.
    #[error("entity `{entity}`: an index, check or constraint: {why}")]
    BadConstraint { entity: Name, why: String },
    /// A length, precision or scale that the type cannot have.
    #[error("entity `{entity}`: column `{property}`: {why}")]
    BadSize { entity: Name, property: Name, why: &'static str },
    /// An enumeration that cannot be stored or has no sense.
    #[error("entity `{entity}`: enumeration of column `{property}`: {why}")]
    BadEnum { entity: Name, property: Name, why: String },
    /// A constant that the column cannot hold.
    #[error("entity `{entity}`: constant of column `{property}`: {why}")]
    BadConstant { entity: Name, property: Name, why: BadValue },
    /// A constant of nothing.
    #[error("entity `{entity}`: fixed filter of `{property}`, which is no column{near}")]
    UnknownFixed { entity: Name, property: Name, near: Near },
    /// A computed column that cannot be.
    #[error("entity `{entity}`: computed column `{property}`: {why}")]
    BadComputed { entity: Name, property: Name, why: String },
    /// A column that no client can set.
    #[error("entity `{entity}`: column `{property}` cannot be writable: {why}")]
    NotWritable { entity: Name, property: Name, why: &'static str },
    /// A relation of a column that is not there.
    #[error("entity `{entity}`: a relation to `{target}` belongs to property `{property}`, which is no column{near}")]
    UnknownProperty { entity: Name, property: Name, target: Name, near: Near },
    /// A relation to nothing.
    #[error("entity `{entity}`: join `{alias}` leads to entity `{target}`, which is not defined{near}")]
    UnknownTarget { entity: Name, alias: Name, target: Name, near: Near },
    /// A join that hangs on nothing.
    #[error("entity `{entity}`: join `{alias}` has source `{from}`, which is no join's alias or entity{near}")]
    UnknownSource { entity: Name, alias: Name, from: Name, near: Near },
    /// A join that may hang on several.
    #[error(
        "entity `{entity}`: join `{alias}` has source `{from}`, which several joins lead to: say which of {}",
        list(joins)
    )]
    AmbiguousSource { entity: Name, alias: Name, from: Name, joins: Vec<Name> },
    /// A named relation to nothing.
    #[error("entity `{entity}`: relation `{relation}` leads to entity `{target}`, which is not defined{near}")]
    UnknownRelated { entity: Name, relation: Name, target: Name, near: Near },
    /// A named relation without a foreign key.
    #[error(
        "entity `{entity}`: relation `{relation}`: `{of}` has no foreign key{} of `{to}`: declare it by a foreign type of a \
         column, or by a join from the table itself",
        quoted(key)
    )]
    NoForeignKey { entity: Name, relation: Name, of: Name, to: Name, key: Option<Name> },
    /// A named relation that may follow several foreign keys.
    #[error(
        "entity `{entity}`: relation `{relation}`: `{of}` has several foreign keys of `{to}`: name one by `key`, {}",
        list(joins)
    )]
    AmbiguousRelation { entity: Name, relation: Name, of: Name, to: Name, joins: Vec<Name> },
    /// A named relation whose kind and entity between do not fit.
    #[error(
        "entity `{entity}`: relation `{relation}`: a many-to-many, and nothing else, goes through an entity between"
    )]
    RelationThrough { entity: Name, relation: Name },
    /// A relation by a key that queries may not select.
    #[error(
        "entity `{entity}`: relation `{relation}`: key `{key}` of `{of}` is not read by queries: give its mode READ, or leave the \
         relation out"
    )]
    UnreadKey { entity: Name, relation: Name, key: Name, of: Name },
    /// Joins that hang on each other.
    #[error(
        "entity `{entity}`: join `{alias}` hangs on itself by way of its source: one of the joins must hang on the main table"
    )]
    JoinCycle { entity: Name, alias: Name },
    /// Two joins of one name.
    #[error("entity `{entity}` has two joins named `{alias}`: give one an alias")]
    DuplicateAlias { entity: Name, alias: Name },
    /// A key that is no column.
    #[error("entity `{entity}`: join `{alias}`: key `{key}` is no column of `{of}`{near}")]
    UnknownKey { entity: Name, alias: Name, key: Name, of: Name, near: Near },
    /// A target that nothing can refer to.
    #[error(
        "entity `{entity}`: join `{alias}`: `{target}` has no primary key: say which of its columns are meant by prime_keys"
    )]
    NoKey { entity: Name, alias: Name, target: Name },
    /// Keys that are not as many on both sides.
    #[error(
        "entity `{entity}`: join `{alias}` has {foreign} foreign key(s) for {prime} key column(s) of `{target}`: give one each"
    )]
    KeyCount { entity: Name, alias: Name, foreign: usize, prime: usize, target: Name },
    /// Keys that cannot be equal.
    #[error(
        "entity `{entity}`: join `{alias}`: `{foreign}` has type {} and `{target}.{prime}` type {}: they cannot be equal",
        show(*foreign_ty), show(*prime_ty)
    )]
    KeyType {
        entity: Name,
        alias: Name,
        foreign: Name,
        foreign_ty: DbType,
        target: Name,
        prime: Name,
        prime_ty: DbType,
    },
    /// A cross join with keys.
    #[error("entity `{entity}`: cross join `{alias}` has keys: leave them out, or choose another kind of join")]
    CrossJoinKeys { entity: Name, alias: Name },
    /// Joins without end.
    #[error("entity `{entity}` has over {limit} joins: use AutoExpand less")]
    TooManyJoins { entity: Name, limit: usize },
    /// A foreign column from nowhere.
    #[error(
        "entity `{entity}`: foreign column `{property}` comes from `{foreign}`, which is no join's alias or entity{near}"
    )]
    UnknownForeign { entity: Name, property: Name, foreign: Name, near: Near },
    /// A foreign column from several places.
    #[error(
        "entity `{entity}`: foreign column `{property}` comes from `{foreign}`, which several joins lead to: name the alias \
         of one of {}; a relation whose alias another join would have as well takes one of its own",
        joins.join(" and ")
    )]
    AmbiguousForeign {
        /// The entity or view.
        entity: Name,
        /// The foreign column.
        property: Name,
        /// What it says that it comes from.
        foreign: Name,
        /// The ways there: the alias of each join, and the columns that refer to the tables on the way.
        joins: Vec<String>,
    },
    /// A foreign column of something that is not there.
    #[error("entity `{entity}`: foreign column `{property}` is `{target}.{wanted}`, which is not defined{near}")]
    UnknownForeignProperty { entity: Name, property: Name, target: Name, wanted: Name, near: Near },
    /// Foreign columns that come from each other.
    #[error("entity `{entity}`: foreign column `{property}` comes from itself by way of other views")]
    ForeignCycle { entity: Name, property: Name },
}

/// Names that a mistaken one may have meant; nothing to say if there are none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Near(pub Vec<String>);

impl From<Vec<&str>> for Near {
    fn from(names: Vec<&str>) -> Self {
        Self(names.into_iter().map(str::to_owned).collect())
    }
}

impl fmt::Display for Near {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((first, rest)) = self.0.split_first() else {
            return Ok(());
        };
        write!(f, " (did you mean `{first}`")?;
        for name in rest {
            write!(f, " or `{name}`")?;
        }
        f.write_str("?)")
    }
}

fn show(ty: DbType) -> String {
    format!("{}{}", ty.base.name(), if ty.array { "[]" } else { "" })
}

fn quoted(key: &Option<Name>) -> String {
    key.as_ref().map(|key| format!(" `{key}`")).unwrap_or_default()
}

fn list(names: &[Name]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// Everything that is wrong with the definitions of a catalog, each said once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CatalogErrors(Vec<CatalogError>);

impl CatalogErrors {
    /// Adds one, unless it is known already: views repeat what is wrong with their entity.
    pub(super) fn push(&mut self, error: CatalogError) {
        if !self.0.contains(&error) {
            self.0.push(error);
        }
    }

    /// The errors: those of names and columns first, then those of joins and of what comes from them.
    pub fn iter(&self) -> impl Iterator<Item = &CatalogError> {
        self.0.iter()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for CatalogErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, error) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_str("\n")?;
            }
            fmt::Display::fmt(error, f)?;
        }
        Ok(())
    }
}

impl std::error::Error for CatalogErrors {}
