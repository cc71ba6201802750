//! What a database has and an entity cannot express.

use std::fmt;

/// Something of a database that is not in what is generated, or not as it is there. Its text says where, what, and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// The table, with its schema.
    pub table: String,
    /// The column, key, index or constraint of it; none for the table itself.
    pub part: Option<String>,
    /// What it is.
    pub what: What,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.part {
            Some(part) => write!(f, "`{}`.`{part}`: {}", self.table, self.what),
            None => write!(f, "`{}`: {}", self.table, self.what),
        }
    }
}

impl Finding {
    /// For a comment in what is generated, beside the table.
    pub(crate) fn beside(&self) -> String {
        match &self.part {
            Some(part) => format!("`{part}`: {}", self.what),
            None => self.what.to_string(),
        }
    }
}

/// Each kind of finding: its word, and its text.
macro_rules! findings {
    ($($(#[$doc:meta])* $name:ident $({ $($(#[$field_doc:meta])* $field:ident: $ty:ty,)* })? = $word:literal, $text:literal;)*) => {
        /// What a finding is.
        #[derive(Debug, Clone, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum What {
            $($(#[$doc])* $name $({ $($(#[$field_doc])* $field: $ty,)* })?,)*
        }

        impl What {
            /// A word for programs: `no_portable_type`.
            #[must_use]
            pub fn kind(&self) -> &'static str {
                match self {
                    $(Self::$name { .. } => $word,)*
                }
            }
        }

        impl fmt::Display for What {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(Self::$name $({ $($field,)* })? => write!(f, $text),)*
                }
            }
        }
    };
}

findings! {
    /// A column whose type no catalog has.
    NoPortableType {
        /// The type, as the engine writes it.
        engine_type: String,
    } = "no_portable_type",
        "its type `{engine_type}` has no portable one, and it is left out: give it one in the mapping, by `types`";
    /// A column that is left out, and has to be written.
    NeededByInsert {
        /// The type, as the engine writes it.
        engine_type: String,
    } = "needed_by_insert",
        "its type `{engine_type}` has no portable one, and it is left out. INSERTs will fail, as it is NOT NULL and has no \
         default: give it a type in the mapping, by `types`, or a default in the database";
    /// A type that definitions have, and structs do not.
    NoRustType {
        /// The type.
        ty: String,
    } = "no_rust_type",
        "no field is of type `{ty}`, and the struct leaves it out; the definitions have it";
    /// A table or view without a primary key.
    NoPrimaryKey = "no_primary_key",
        "it has no primary key: rows are read, and not found, updated or deleted by a key; if columns identify its rows, say \
         so in the mapping, by `primary_key`";
    /// A primary key with a column that is left out.
    KeyColumn {
        /// The column.
        column: String,
    } = "key_column",
        "its primary key has the column `{column}`, which is left out, and so is the key: rows are read, and not found, updated or \
         deleted by a key; give the column a type in the mapping, by `types`";
    /// A key whose columns have a length, an order, a collation or an action at a conflict of their own.
    KeyClause {
        /// What it says.
        clause: String,
    } = "key_clause",
        "it is {clause}, of which an entity says the columns alone: it holds, and is not made so where tables are synchronized";
    /// A primary key that the engine lets NULL into.
    NullableKey = "nullable_key",
        "the engine lets NULL into this primary key: a row that has it there cannot be read; declare the column NOT NULL";
    /// A primary key whose columns have another order in the table.
    KeyOrder {
        /// The key's own order.
        order: String,
    } = "key_order",
        "the columns of its primary key have the order {order} there, and that of the table here: give keys in that of the table";
    /// A second column that the database numbers.
    SecondIdentity = "second_identity",
        "the database numbers this column as well, and an entity has one such column: INSERTs write it as any other";
    /// Numbers in a column that holds something else.
    IdentityType = "identity_type",
        "the database numbers it, and its type is no whole number: INSERTs write it as any other";
    /// A length or digits that a catalog has no room for.
    Size {
        /// The type, as the engine writes it.
        engine_type: String,
    } = "size",
        "a catalog has no such length or digits as `{engine_type}`: they are left out";
    /// A default that is not known.
    UnknownDefault = "unknown_default",
        "it has a default that the database does not tell: it works, and a table that is made from this has none";
    /// A generated column whose expression is not known.
    UnknownExpression = "unknown_expression",
        "the database computes it, and does not tell how: it is read and not written; a table that is made from this has a \
         plain column";
    /// A generated column whose expression has a column that is left out.
    ComputedFrom {
        /// The column.
        column: String,
    } = "computed_from",
        "the database computes it from `{column}`, which is left out: it is read and not written; a table that is made from this has \
         a plain column";
    /// A collation of its own.
    Collation {
        /// The collation.
        collation: String,
    } = "collation",
        "it has the collation `{collation}`, which entities do not say; where texts are to be alike by code points, write \
         `text = \"exact\"`";
    /// A unique key or index of several columns.
    CompositeUnique {
        /// The columns.
        columns: String,
    } = "composite_unique",
        "it is unique over {columns}, of which not all are here: it works, and is not made where tables are synchronized";
    /// An index of several columns.
    CompositeIndex {
        /// The columns.
        columns: String,
    } = "composite_index",
        "it is over {columns}, of which not all are here: it works, and is not made where tables are synchronized";
    /// An index over expressions, or over columns with an order, a collation or a length of its own.
    ExpressionIndex {
        /// What it is over.
        keys: String,
    } = "expression_index",
        "it is over {keys}, which an entity does not say: it works, and is not made where tables are synchronized";
    /// An index over some of the rows.
    PartialIndex {
        /// Their condition.
        condition: String,
    } = "partial_index",
        "it is over the rows WHERE {condition}, by columns or a condition that are not here: it works, and is not made where \
         tables are synchronized";
    /// An index that finds rows in a way of the engine's own.
    IndexMethod {
        /// The way.
        method: String,
        /// What it is over.
        columns: String,
    } = "index_method",
        "it is a {method} index over {columns}, which an entity does not say: it works, and is not made where tables are \
         synchronized";
    /// A check constraint whose condition or name is none for an entity.
    Check {
        /// Its condition.
        condition: String,
    } = "check",
        "it checks {condition}, which an entity does not say: it holds, and is not made where tables are synchronized";
    /// A constraint of a kind that only this engine has.
    OtherConstraint {
        /// All of it.
        definition: String,
    } = "other_constraint",
        "it is {definition}, which an entity does not say: it holds, and is not made where tables are synchronized";
    /// A constraint that holds for new rows alone.
    NotValidated = "not_validated",
        "the database has not looked at the rows that were there before it: some may be against it; validate it, or mend them";
    /// A constraint that the engine does not look at.
    NotEnforced = "not_enforced",
        "the database does not look at it, so that rows may be against it: it is left out; enable it, or drop it";
    /// A type that lists its values.
    Choices {
        /// The values.
        members: String,
    } = "choices",
        "it takes {members} and nothing else, which its type here does not say: an enum that derives `DbEnum` with \
         `#[db_enum(text)]` does";
    /// A type whose values are several of those that it lists.
    SeveralChoices {
        /// The values.
        members: String,
    } = "several_choices",
        "it takes several of {members} with commas between, which its type here does not say";
    /// A type of the engine that does what the portable one does not.
    SpecialType {
        /// The type, as the engine writes it.
        engine_type: String,
    } = "special_type",
        "its type `{engine_type}` does what its type here does not say: it works, and a table that is made from this has another type";
    /// Something that only this engine has.
    Detail {
        /// What it is.
        text: String,
    } = "detail",
        "it is {text}, which an entity does not say: it works, and is not made where tables are synchronized";
    /// A trigger.
    Trigger {
        /// The statement that makes it.
        statement: String,
    } = "trigger",
        "it has the trigger {statement}: it works, and is not made where tables are synchronized";
    /// A column that a `SELECT *` leaves out.
    Hidden = "hidden",
        "a `SELECT *` in the database leaves it out; entities read it by its name, and a table that is made from this shows it";
    /// A column that changes with its row.
    Updated {
        /// What it gets.
        value: String,
    } = "updated",
        "the database sets it to `{value}` at each UPDATE that gives it no value, which an entity does not say: it works, and is \
         not made where tables are synchronized";
    /// A view that the engine cannot read.
    BrokenView {
        /// What the engine says.
        why: String,
    } = "broken_view",
        "the database cannot read it, and it is left out: {why}; mend the view, or drop it";
    /// A sequence.
    Sequence {
        /// Its numbers.
        numbers: String,
        /// What it is for.
        serves: String,
    } = "sequence",
        "it is a sequence {numbers}, which an entity does not say; {serves}";
    /// A foreign key to a table that is not there.
    ForeignTable {
        /// The table.
        table: String,
    } = "foreign_table",
        "it refers to `{table}`, which was not read or is left out: read that schema, too, to have the relation";
    /// A foreign key with columns that are left out.
    ForeignColumn {
        /// The column.
        column: String,
    } = "foreign_column",
        "its column `{column}` is left out, and so is the relation: give the column a type in the mapping, by `types`";
    /// A foreign key whose columns have types that are not alike.
    ForeignType = "foreign_type",
        "its columns and those that it refers to have types that cannot be equal, and the relation is left out: give them one \
         type in the mapping, by `types`";
    /// A foreign key to columns that are not the primary key.
    ForeignUnique {
        /// The columns that it refers to.
        columns: String,
    } = "foreign_unique",
        "it refers to {columns}, and the foreign key of an entity to a primary key: the relation is here, the database keeps it, \
         and it is not made where tables are synchronized";
    /// What is done with the rows that refer to a row.
    ForeignRule {
        /// At a DELETE and at an UPDATE.
        rule: String,
    } = "foreign_rule",
        "{rule}, which a relation does not say: the database does it, and it is not made where tables are synchronized";
    /// A table name that a catalog cannot have.
    TableName {
        /// Why not.
        why: String,
    } = "table_name",
        "no entity can be of this table, and it is left out: {why}";
    /// A column name that a catalog cannot have.
    ColumnName {
        /// Why not.
        why: String,
    } = "column_name",
        "no entity can have this column, and it is left out: {why}";
    /// A name that another one has already.
    Renamed {
        /// What it would be.
        from: String,
        /// What it is.
        to: String,
    } = "renamed",
        "its name in Rust is `{to}`, as `{from}` is taken: choose one in the mapping";
    /// A table none of whose columns are left.
    NoColumns = "no_columns",
        "it has no column that an entity can have, and is left out";
    /// Something that the mapping names and the database lacks.
    UnknownInMapping {
        /// What it is.
        what: String,
    } = "unknown_in_mapping",
        "the mapping names {what}, which the database does not have: take it out of the mapping, or correct its name";
}
