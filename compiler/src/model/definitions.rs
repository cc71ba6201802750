//! Definitions from TOML and JSON files.
//!
//! Both have the same shape: a list `entity` of tables and a list `view` of views over them. A key that is not known is
//! an error, and every error says where it is.
//!
//! ```
//! # #[cfg(feature = "definitions")] {
//! use isogloss_compiler::model::CatalogBuilder;
//! let catalog = CatalogBuilder::from_toml(r#"
//!     [[entity]]
//!     name = "Department"
//!     table = "hr.Departments"                # the entity's name if absent; `{0}` for a sharded table
//!     columns = [
//!       { name = "Id", type = "Int32", primary_key = true, identity = true },
//!       { name = "Name", type = "String(100)" },
//!       { name = "ParentId", type = "Int32", nullable = true },
//!       { name = "State", type = "Int32", enum = { Disabled = 0, Enabled = 1 }, constant = "Enabled" },
//!     ]
//!
//!     [[entity]]
//!     name = "User"
//!     fixed_filter = { Kind = "U" }
//!     columns = [
//!       { name = "Id", type = "Int32", primary_key = true, identity = { start = 100, increment = 1 } },
//!       { name = "Name", type = "String(100)", column = "user_name" },
//!       { name = "Kind", type = "String(1)" },
//!       { name = "Password", type = "String(60)", filterable = false },
//!       { name = "Salary", type = "Decimal(18,2)", nullable = true, mode = "Read|Insert" },
//!       { name = "Tags", type = "String[]", default = "'{}'" },
//!       { name = "DeptId", type = "Int32", nullable = true, foreign = { entity = "Department", alias = "Dept" } },
//!     ]
//!
//!     [[view]]
//!     name = "UserView"
//!     of = "User"
//!     table_joins = [{ entity = "Department", source = "Dept", foreign_keys = ["ParentId"], alias = "Division" }]
//!     foreign_columns = [
//!       { name = "DeptName", foreign = "Dept", property = "Name" },
//!       { name = "DivisionName", foreign = "Division", property = "Name" },
//!     ]
//! "#)?.build()?;
//!
//! let (_, view) = catalog.entity("UserView").ok_or("no view")?;
//! assert!(view.property("DeptName").is_some());
//!
//! let error = CatalogBuilder::from_json(r#"{"entity": [{"name": "A", "colums": []}]}"#).unwrap_err();
//! assert!(error.to_string().contains("unknown field `colums`"));
//! assert!(error.to_string().contains("line 1 column 34"));
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A column has `name` and `type`, and may have `column`, `length`, `precision`, `scale`, `nullable`, `primary_key`,
//! `identity` (true, or `start`, `increment`, `expression`), `timestamp`, `index`, `unique`, `soft_delete`,
//! `distribution_key`, `default`, `comment`, `computed`, `mode`, `filterable`, `writable`, `text` (`database` or `exact`), `enum`, `flags`, `constant` and `foreign` (one, or a list). A join by several columns or
//! behind another join has `entity` and `foreign_keys`, and may have `prime_keys`, `source`, `alias`, `join_type`,
//! `auto_expand` and `enforced`. A list `relations` has `name`, `kind` (`belongs_to`, `has_one`, `has_many` or `many_to_many`)
//! and `entity` of each, and may have `through`, `key` and `target_key`.
//!
//! An entity may have a `comment` and a `key_name`, and what its table has beside its columns: a list `indexes` of `columns`, which may have `unique`,
//! `filter` and `name`; `checks`, names with their conditions; a list `foreign_keys` of `columns` and `entity`, which may have
//! `on_delete` and `on_update` (`no_action`, `restrict`, `cascade` or `set_null`), `deferred` and `name`.
//!
//! What they mean is said at the methods of [`ColumnDef`], [`TableJoinDef`], [`RelationDef`], [`IndexDef`](super::IndexDef),
//! [`ConstraintDef`](super::ConstraintDef) and [`TableDef`]. A type is one of
//! [`DbValueType`](crate::expr::DbValueType)'s names, with a length or with digits in parentheses (those of a
//! time stand behind its seconds), and with `[]` for an array. A constant is a
//! truth value, a number or text, which takes the column's type; JSON's null is NULL.

mod constraints;
mod values;

use serde::Deserialize;

use self::constraints::{ForeignKeyText, IndexText};
use self::values::{ForeignText, IdentityText, ModeText, Named, PlainValue, TypeText, even_null};
use super::TextMode;
use super::define::Definition;
use super::{
    CatalogBuilder, ColumnDef, ColumnMode, ForeignColumnDef, ForeignType, RelationDef, RelationKind, SyncTableMode,
    TableDef, TableJoinDef, ViewDef,
};
use crate::expr::{Name, TableJoinType};

/// A text that has no definitions in it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("bad {format} definitions: {message}")]
pub struct BadDefinitions {
    format: &'static str,
    message: String,
}

impl CatalogBuilder {
    /// The definitions of a [TOML text](super::definitions).
    ///
    /// # Errors
    /// When it is not TOML or has something else in it. What is wrong with the definitions themselves is said by
    /// [`CatalogBuilder::build`].
    #[cfg(feature = "definitions")]
    pub fn from_toml(text: &str) -> Result<Self, BadDefinitions> {
        Self::default().add_toml(text)
    }

    /// The definitions of a [JSON text](super::definitions).
    ///
    /// # Errors
    /// When it is not JSON or has something else in it. What is wrong with the definitions themselves is said by
    /// [`CatalogBuilder::build`].
    pub fn from_json(text: &str) -> Result<Self, BadDefinitions> {
        Self::default().add_json(text)
    }

    /// Adds the definitions of a [TOML text](super::definitions).
    ///
    /// # Errors
    /// As [`CatalogBuilder::from_toml`].
    #[cfg(feature = "definitions")]
    pub fn add_toml(self, text: &str) -> Result<Self, BadDefinitions> {
        let bad = |error: toml::de::Error| BadDefinitions { format: "TOML", message: error.to_string() };
        Ok(self.add(toml::from_str(text).map_err(bad)?))
    }

    /// Adds the definitions of a [JSON text](super::definitions).
    ///
    /// # Errors
    /// As [`CatalogBuilder::from_json`].
    pub fn add_json(self, text: &str) -> Result<Self, BadDefinitions> {
        let bad = |error: serde_json::Error| BadDefinitions { format: "JSON", message: error.to_string() };
        Ok(self.add(serde_json::from_str(text).map_err(bad)?))
    }

    fn add(mut self, file: File) -> Self {
        self.definitions.extend(file.entity.into_iter().map(EntityText::define));
        self.definitions.extend(file.view.into_iter().map(ViewText::define));
        self
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    entity: Vec<EntityText>,
    #[serde(default)]
    view: Vec<ViewText>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EntityText {
    name: String,
    table: Option<String>,
    comment: Option<String>,
    key_name: Option<String>,
    data_source: Option<String>,
    sync_table: Option<SyncText>,
    #[serde(default)]
    scoped: bool,
    columns: Vec<ColumnText>,
    #[serde(default)]
    table_joins: Vec<TableJoinText>,
    #[serde(default)]
    foreign_columns: Vec<ForeignColumnText>,
    #[serde(default)]
    relations: Vec<RelationText>,
    #[serde(default)]
    fixed_filter: Named<PlainValue>,
    #[serde(default)]
    indexes: Vec<IndexText>,
    #[serde(default)]
    checks: Named<String>,
    #[serde(default)]
    foreign_keys: Vec<ForeignKeyText>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ViewText {
    name: String,
    of: String,
    #[serde(default)]
    columns: Vec<ColumnText>,
    #[serde(default)]
    table_joins: Vec<TableJoinText>,
    #[serde(default)]
    foreign_columns: Vec<ForeignColumnText>,
    #[serde(default)]
    relations: Vec<RelationText>,
    #[serde(default)]
    fixed_filter: Named<PlainValue>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ColumnText {
    name: String,
    #[serde(rename = "type")]
    ty: TypeText,
    column: Option<String>,
    length: Option<u32>,
    precision: Option<u8>,
    scale: Option<u8>,
    #[serde(default)]
    nullable: bool,
    #[serde(default)]
    primary_key: bool,
    #[serde(default)]
    identity: IdentityText,
    #[serde(default)]
    timestamp: bool,
    #[serde(default)]
    index: bool,
    #[serde(default)]
    unique: bool,
    #[serde(default)]
    soft_delete: bool,
    #[serde(default)]
    distribution_key: bool,
    default: Option<String>,
    computed: Option<String>,
    comment: Option<String>,
    mode: Option<ModeText>,
    #[serde(default = "yes")]
    filterable: bool,
    #[serde(default)]
    writable: bool,
    #[serde(rename = "enum")]
    members: Option<Named<i64>>,
    text: Option<TextText>,
    #[serde(default)]
    flags: bool,
    #[serde(default, deserialize_with = "even_null")]
    constant: Option<PlainValue>,
    #[serde(default)]
    foreign: ForeignText,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TableJoinText {
    entity: String,
    #[serde(default)]
    foreign_keys: Vec<String>,
    #[serde(default)]
    prime_keys: Vec<String>,
    source: Option<String>,
    alias: Option<String>,
    #[serde(default)]
    join_type: JoinText,
    #[serde(default)]
    auto_expand: bool,
    #[serde(default)]
    enforced: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ForeignColumnText {
    name: String,
    foreign: String,
    property: Option<String>,
    #[serde(default = "yes")]
    filterable: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RelationText {
    name: String,
    kind: KindText,
    entity: String,
    through: Option<String>,
    key: Option<String>,
    target_key: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum KindText {
    BelongsTo,
    HasOne,
    HasMany,
    ManyToMany,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OneForeignText {
    entity: String,
    alias: Option<String>,
    #[serde(default)]
    join_type: JoinText,
    #[serde(default)]
    auto_expand: bool,
    #[serde(default)]
    enforced: bool,
}

/// `database` or `exact`.
#[derive(Deserialize)]
#[serde(try_from = "String")]
struct TextText(TextMode);

impl TryFrom<String> for TextText {
    type Error = String;

    fn try_from(word: String) -> Result<Self, String> {
        word.parse().map(Self)
    }
}

#[derive(Deserialize)]
enum SyncText {
    Default,
    Never,
    Always,
}

#[derive(Deserialize, Default)]
enum JoinText {
    Inner,
    #[default]
    Left,
    Right,
    Full,
    Cross,
}

fn yes() -> bool {
    true
}

impl EntityText {
    fn define(self) -> Definition {
        let sync = match self.sync_table {
            None | Some(SyncText::Default) => SyncTableMode::Default,
            Some(SyncText::Never) => SyncTableMode::Never,
            Some(SyncText::Always) => SyncTableMode::Always,
        };
        let mut table = TableDef::new(self.name).sync_table(sync);
        table = self.indexes.into_iter().map(IndexText::define).fold(table, TableDef::index);
        table = self.checks.0.into_iter().fold(table, |table, (name, sql)| table.check(name.as_str(), sql));
        table = self.foreign_keys.into_iter().map(ForeignKeyText::define).fold(table, TableDef::constraint);
        let mut definition = table.0;
        definition.table = self.table;
        definition.comment = self.comment;
        definition.key_name = self.key_name.map(Into::into);
        definition.scoped = self.scoped;
        definition.data_source = self.data_source.map(Into::into);
        let definition = relate(definition, self.relations);
        fill(definition, self.columns, self.table_joins, self.foreign_columns, self.fixed_filter)
    }
}

impl ViewText {
    fn define(self) -> Definition {
        let definition = ViewDef::new(self.name, self.of).0;
        let definition = relate(definition, self.relations);
        fill(definition, self.columns, self.table_joins, self.foreign_columns, self.fixed_filter)
    }
}

fn relate(definition: Definition, relations: Vec<RelationText>) -> Definition {
    Definition { relations: relations.into_iter().map(RelationText::define).collect(), ..definition }
}

impl RelationText {
    fn define(self) -> RelationDef {
        let kind = match self.kind {
            KindText::BelongsTo => RelationKind::BelongsTo,
            KindText::HasOne => RelationKind::HasOne,
            KindText::HasMany => RelationKind::HasMany,
            KindText::ManyToMany => RelationKind::ManyToMany,
        };
        RelationDef {
            through: self.through.map(Into::into),
            key: self.key.map(Into::into),
            target_key: self.target_key.map(Into::into),
            ..RelationDef::new(self.name, kind, self.entity)
        }
    }
}

fn fill(
    definition: Definition,
    columns: Vec<ColumnText>,
    table_joins: Vec<TableJoinText>,
    foreign_columns: Vec<ForeignColumnText>,
    fixed_filter: Named<PlainValue>,
) -> Definition {
    Definition {
        columns: columns.into_iter().map(ColumnText::define).collect(),
        table_joins: table_joins.into_iter().map(TableJoinText::define).collect(),
        foreign_columns: foreign_columns.into_iter().map(ForeignColumnText::define).collect(),
        fixed_values: fixed_filter.0.into_iter().map(|(property, literal)| (property, literal.0)).collect(),
        ..definition
    }
}

impl ColumnText {
    fn define(self) -> ColumnDef {
        let foreigns = self.foreign.0.into_iter().map(OneForeignText::define).collect();
        ColumnDef {
            column: self.column.map(Into::into),
            length: self.length.or(self.ty.length),
            precision: self.precision.or(self.ty.precision),
            scale: self.scale.or(self.ty.scale),
            nullable: self.nullable,
            primary_key: self.primary_key,
            identity: self.identity.0,
            is_timestamp: self.timestamp,
            is_index: self.index,
            is_unique: self.unique,
            soft_delete: self.soft_delete,
            distribution_key: self.distribution_key,
            default: self.default,
            computed: self.computed.map(super::define::ComputedDef::Text),
            comment: self.comment,
            mode: self.mode.map_or(ColumnMode::FULL, |mode| mode.0),
            filterable: self.filterable,
            writable: self.writable,
            enum_members: self.members.map(|members| members.0),
            text: self.text.map(|mode| mode.0),
            enum_flags: self.flags,
            constant: self.constant.map(|literal| literal.0),
            foreigns,
            ..ColumnDef::new(self.name, self.ty.ty)
        }
    }
}

impl TableJoinText {
    fn define(self) -> TableJoinDef {
        TableJoinDef {
            source: self.source.map(Name::from),
            entity: self.entity.into(),
            foreign_keys: self.foreign_keys.into_iter().map(Name::from).collect(),
            prime_keys: self.prime_keys.into_iter().map(Name::from).collect(),
            alias: self.alias.map(Name::from),
            join_type: self.join_type.define(),
            auto_expand: self.auto_expand,
            enforced: self.enforced,
        }
    }
}

impl ForeignColumnText {
    fn define(self) -> ForeignColumnDef {
        ForeignColumnDef {
            name: self.name.into(),
            foreign: self.foreign.into(),
            property: self.property.map(Name::from),
            filterable: self.filterable,
        }
    }
}

impl OneForeignText {
    fn define(self) -> ForeignType {
        ForeignType {
            entity: self.entity.into(),
            alias: self.alias.map(Name::from),
            join_type: self.join_type.define(),
            auto_expand: self.auto_expand,
            enforced: self.enforced,
        }
    }
}

impl JoinText {
    fn define(self) -> TableJoinType {
        match self {
            JoinText::Inner => TableJoinType::Inner,
            JoinText::Left => TableJoinType::Left,
            JoinText::Right => TableJoinType::Right,
            JoinText::Full => TableJoinType::Full,
            JoinText::Cross => TableJoinType::Cross,
        }
    }
}

#[cfg(all(test, feature = "definitions"))]
mod tests {
    use super::*;
    use crate::expr::{ValueOps, constant, prop};
    use crate::model::ReferenceAction;

    fn one(column: &str) -> Result<CatalogBuilder, BadDefinitions> {
        CatalogBuilder::from_toml(&format!("[[entity]]\nname = \"A\"\ncolumns = [\n  {column}\n]"))
    }

    #[test]
    fn the_two_formats_say_the_same() {
        let toml = CatalogBuilder::from_toml(
            r#"
            [[entity]]
            name = "A"
            data_source = "archive"
            sync_table = "Never"
            fixed_filter = { Kind = 2 }
            columns = [
              { name = "Id", type = "Int64", primary_key = true, identity = true },
              { name = "Kind", type = "Byte", index = true, writable = true },
              { name = "Price", type = "Decimal(12, 3)", mode = "Final", default = "0" },
              { name = "Up", type = "Int64", nullable = true, foreign = [{ entity = "A", alias = "Upper", auto_expand = true }] },
              { name = "Twice", type = "Decimal", computed = "{Price} * 2", comment = "Both halves" },
            ]
            comment = "All of them"
            indexes = [
              { columns = ["Kind", "Up"], unique = true, filter = "{Kind} > 0", name = "UX_A" },
              { columns = ["Up"] },
            ]
            checks = { Positive = "{Price} >= 0" }
            foreign_keys = [{ columns = ["Up"], entity = "A", on_delete = "set_null", deferred = true, name = "FK_Up" }]
            [[entity.relations]]
            name = "Lower"
            kind = "has_many"
            entity = "A"
            key = "Up"
            [[view]]
            name = "AView"
            of = "A"
            table_joins = [{ entity = "A", foreign_keys = ["Up"], prime_keys = ["Id"], alias = "Other", join_type = "Inner" }]
            foreign_columns = [{ name = "UpperKind", foreign = "Upper", property = "Kind", filterable = false }]
            "#,
        );
        let json = CatalogBuilder::from_json(
            r#"{
              "entity": [{
                "name": "A", "data_source": "archive", "sync_table": "Never", "fixed_filter": {"Kind": 2},
                "columns": [
                  {"name": "Id", "type": "Int64", "primary_key": true, "identity": {"start": 1}},
                  {"name": "Kind", "type": "byte", "index": true, "writable": true},
                  {"name": "Price", "type": "Decimal", "precision": 12, "scale": 3, "mode": "Read|Insert", "default": "0"},
                  {"name": "Up", "type": "Int64", "nullable": true, "foreign": {"entity": "A", "alias": "Upper", "auto_expand": true}},
                  {"name": "Twice", "type": "Decimal", "computed": "{Price} * 2", "comment": "Both halves"}
                ],
                "comment": "All of them",
                "indexes": [
                  {"columns": ["Kind", "Up"], "unique": true, "filter": "{Kind} > 0", "name": "UX_A"},
                  {"columns": ["Up"]}
                ],
                "checks": {"Positive": "{Price} >= 0"},
                "foreign_keys": [{"columns": ["Up"], "entity": "A", "on_delete": "set_null", "deferred": true, "name": "FK_Up"}],
                "relations": [{"name": "Lower", "kind": "has_many", "entity": "A", "key": "Up"}]
              }],
              "view": [{
                "name": "AView", "of": "A",
                "table_joins": [{"entity": "A", "foreign_keys": ["Up"], "prime_keys": ["Id"], "alias": "Other", "join_type": "Inner"}],
                "foreign_columns": [{"name": "UpperKind", "foreign": "Upper", "property": "Kind", "filterable": false}]
              }]
            }"#,
        );
        let (toml, json) = (toml.unwrap().build().unwrap(), json.unwrap().build().unwrap());
        for name in ["A", "AView"] {
            let show = |catalog: &super::super::Catalog| {
                let mut entity = catalog.entity(name).unwrap().1.clone();
                entity.index = crate::names::HashIndex::new(&[]);
                format!("{entity:?}")
            };
            assert_eq!(show(&toml), show(&json));
            assert_eq!(toml.entity(name).unwrap().1.relation("Lower").unwrap().keys, [(0, 3)]);
        }
        let own = toml.entity("A").unwrap().1;
        assert_eq!(
            (own.comment.as_deref(), own.columns[4].comment.as_deref()),
            (Some("All of them"), Some("Both halves"))
        );
        let index = &own.indexes[0];
        assert_eq!((&index.columns, index.unique, index.name.as_deref()), (&vec![1, 3], true, Some("UX_A")));
        assert!(index.filter.is_some() && own.indexes[1].columns == [3] && own.checks[0].name == "Positive");
        let key = &own.constraints[0];
        assert_eq!(
            (&key.columns, key.on_delete, key.on_update),
            (&vec![3], ReferenceAction::SetNull, Default::default())
        );
        assert!(key.deferred && key.name.as_deref() == Some("FK_Up"));
        let writable: Vec<bool> = toml.entity("A").unwrap().1.columns.iter().map(|column| column.writable).collect();
        assert_eq!(writable, [false, true, false, false, false]);
        let filter = toml.entity("A").unwrap().1.fixed_filter.clone().unwrap();
        assert_eq!(filter, prop("Kind").eq(constant(2)));
    }

    #[test]
    fn errors_say_the_place() {
        let message = |column: &str| one(column).unwrap_err().to_string();
        let bad = message(r#"{ name = "X", type = "Int33" }"#);
        assert!(bad.contains("line 4, column 24") && bad.contains("bad type `Int33`"), "{bad}");
        let bad = message(r#"{ name = "X", type = "Int32", nulable = true }"#);
        assert!(bad.contains("line 4, column 33") && bad.contains("unknown field `nulable`"), "{bad}");
        let bad = message(r#"{ name = "X", type = "Int32", identity = 5 }"#);
        assert!(bad.contains("line 4") && bad.contains("true, or a table"), "{bad}");
        let bad = message(r#"{ name = "X", type = "Int32", mode = "Rw" }"#);
        assert!(bad.contains("line 4") && bad.contains("bad mode `Rw`"), "{bad}");
        let bad = message(r#"{ name = "X", type = "Date", constant = 2024-01-31 }"#);
        assert!(bad.contains("line 4") && bad.contains("a date is written as text"), "{bad}");
        let bad = message(r#"{ name = "X", type = "Int32", foreign = { entity = "A", aliass = "B" } }"#);
        assert!(bad.contains("line 4") && bad.contains("unknown field `aliass`"), "{bad}");
        let types = "it is a type's name, as in `Int32`, `String(100)`, `Decimal(18,2)`, `DateTime2(0)` or `String[]`";
        for text in ["Int33", "String(x)", "String)", "Decimal(18,2,1)", "DateTime2()", "[]"] {
            let bad = message(&format!(r#"{{ name = "X", type = "{text}" }}"#));
            assert!(bad.contains("line 4, column 24") && bad.contains(&format!("bad type `{text}`: {types}")), "{bad}");
        }
        for (rest, why) in [
            (
                r#"mode = "Read|Rw""#,
                "bad mode `Rw`: it is one of Read, Update, Insert, Write, Final, Full, Computed, or several with `|`",
            ),
            (r#"text = "binary""#, "`binary` is no mode of texts: they are `database` or `exact`"),
            (
                "foreign = 5",
                "expected a table with entity, alias, join_type, auto_expand and enforced, or a list of them",
            ),
            (r#"enum = "Off""#, "names with their values"),
        ] {
            let bad = message(&format!(r#"{{ name = "X", type = "String", {rest} }}"#));
            assert!(bad.starts_with("bad TOML definitions: ") && bad.contains("line 4, column "), "{bad}");
            assert!(bad.contains(why), "{bad}");
        }
        let key = r#"foreign_keys = [{ columns = ["A"], entity = "A", on_delete = "drop" }]"#;
        let bad = CatalogBuilder::from_toml(&format!("[[entity]]\nname = \"A\"\ncolumns = []\n{key}")).unwrap_err();
        let why = "`drop` is no action of a foreign key: it is `no_action`, `restrict`, `cascade` or `set_null`";
        assert!(bad.to_string().contains("line 4") && bad.to_string().contains(why), "{bad}");
        let bad = CatalogBuilder::from_json("{\"entity\": [\n{\"name\": 5}]}").unwrap_err().to_string();
        assert!(bad.contains("line 2 column 10"), "{bad}");
    }

    #[test]
    fn a_null_constant_is_one() {
        let json = r#"{"entity": [{"name": "A", "columns": [{"name": "X", "type": "Date", "nullable": true, "constant": null}]}]}"#;
        let catalog = CatalogBuilder::from_json(json).unwrap().build().unwrap();
        let filter = catalog.entity("A").unwrap().1.fixed_filter.clone().unwrap();
        assert_eq!(filter, prop("X").is_null());
        let bad = one(r#"{ name = "X", type = "Date", constant = "soon" }"#).unwrap().build().unwrap_err();
        assert!(bad.to_string().contains("constant of column `X`"), "{bad}");
    }
}
