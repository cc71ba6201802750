//! The columns of a table as those of an entity.

use isogloss_compiler::expr::{DbValueType as T, Family, Name};
use isogloss_driver::introspect::{ColumnReport, Filled, PortableType, TableKind, TableReport, names_column};

use crate::definitions::type_text;
use crate::finding::{Finding, What};
use crate::mapping::TableMapping;
use crate::model::{Member, list, place};
use crate::names::{self, Case, Scope};
use crate::relations::Relation;
use crate::rust;

/// A column of an entity.
#[derive(Debug, Clone)]
pub(crate) struct Column {
    /// The field's name in Rust.
    pub(crate) field: String,
    /// The name in trees, which follows from that of the field.
    pub(crate) property: String,
    /// The name in the database.
    pub(crate) name: String,
    pub(crate) ty: PortableType,
    pub(crate) nullable: bool,
    pub(crate) primary_key: bool,
    /// The first number, and the step.
    pub(crate) identity: Option<(i64, i64)>,
    pub(crate) default: Option<String>,
    pub(crate) computed: Option<String>,
    /// The database writes it, and does not tell how.
    pub(crate) read_only: bool,
    pub(crate) index: bool,
    pub(crate) unique: bool,
    pub(crate) comment: Option<String>,
    pub(crate) foreigns: Vec<Relation>,
    pub(crate) notes: Vec<Finding>,
}

/// The columns of a table, those among them that an entity cannot have.
pub(crate) fn of(table: &TableReport, said: Option<&TableMapping>) -> Vec<Member> {
    let by_hand =
        |column: &ColumnReport| said.and_then(|said| said.columns.get(&column.name)).map(|name| name.0.clone());
    let mut taken = Scope::default();
    for column in &table.columns {
        if let Some(name) = by_hand(column) {
            taken.take(&name);
        }
    }
    let key = said.and_then(|said| said.primary_key.as_ref()).unwrap_or(&table.primary_key);
    let mut maker = Maker { table, said, key, taken, numbered: identity(table, key), seen: Vec::new() };
    let mut members: Vec<Member> = table.columns.iter().map(|column| maker.column(column, by_hand(column))).collect();
    compute(table, &mut members);
    // A part of a key finds the rows of others, too.
    if missing(&members, key).is_some() {
        members.iter_mut().filter_map(Member::column_mut).for_each(|column| column.primary_key = false);
    }
    members
}

/// Leaves out what a column is computed from, where that has a column that is left out.
fn compute(table: &TableReport, members: &mut [Member]) {
    let absent = absent(members);
    for column in members.iter_mut().filter_map(Member::column_mut) {
        let names = |name: &&String| column.computed.as_ref().is_some_and(|text| names_column(text, name));
        let Some(from) = absent.iter().find(names).cloned() else { continue };
        (column.computed, column.read_only) = (None, true);
        let (table, part) = (place(&table.schema, &table.name), Some(column.name.clone()));
        column.notes.push(Finding { table, part, what: What::ComputedFrom { column: from } });
    }
}

/// The columns that no field has.
pub(crate) fn absent(members: &[Member]) -> Vec<String> {
    let name = |member: &Member| match member {
        Member::LeftOut(finding) => finding.part.clone(),
        Member::Column(column) => (!column.has_field()).then(|| column.name.clone()),
    };
    members.iter().filter_map(name).collect()
}

/// The first of these columns that no field has.
pub(crate) fn missing<'k>(members: &[Member], names: &'k [String]) -> Option<&'k String> {
    let is_field = |name: &String| {
        let mut columns = members.iter().filter_map(Member::column);
        columns.any(|column| column.name == *name && column.has_field())
    };
    names.iter().find(|name| !is_field(name))
}

impl Column {
    /// Returns whether a struct has it: definitions have some types that no field has.
    pub(crate) fn has_field(&self) -> bool {
        rust::field_type(self.ty.ty).is_some()
    }
}

/// The column that an entity has numbered: that of the key before another.
fn identity<'t>(table: &'t TableReport, key: &[String]) -> Option<&'t str> {
    let mut numbered = table.columns.iter().filter(|column| matches!(column.filled, Filled::Identity { .. }));
    let first = numbered.clone().next();
    numbered.find(|column| key.contains(&column.name)).or(first).map(|column| column.name.as_str())
}

struct Maker<'t> {
    table: &'t TableReport,
    said: Option<&'t TableMapping>,
    key: &'t [String],
    taken: Scope,
    numbered: Option<&'t str>,
    /// The names of columns so far, in small letters.
    seen: Vec<String>,
}

impl Maker<'_> {
    fn column(&mut self, report: &ColumnReport, by_hand: Option<String>) -> Member {
        let mut notes = Vec::new();
        let table = place(&self.table.schema, &self.table.name);
        let finding = |what| Finding { table: table.clone(), part: Some(report.name.clone()), what };
        if let Some(why) = self.no_name(&report.name) {
            return Member::LeftOut(finding(What::ColumnName { why: why.to_owned() }));
        }
        let said = self.said.and_then(|said| said.types.get(&report.name)).map(|ty| ty.0);
        let Some(ty) = said.or(report.portable).filter(|ty| ty.ty.base != T::Object) else {
            let engine_type = match report.engine_type.trim() {
                "" => "none".to_owned(),
                declared => declared.to_owned(),
            };
            let needed = !report.nullable && report.filled == Filled::Not && self.table.kind == TableKind::Table;
            let what = if needed { What::NeededByInsert { engine_type } } else { What::NoPortableType { engine_type } };
            return Member::LeftOut(finding(what));
        };
        if ty.sized().is_none() {
            notes.push(finding(What::Size { engine_type: report.engine_type.clone() }));
        }
        let ty = ty.nearest();
        let field = match by_hand {
            Some(name) => name,
            None => {
                let wanted = names::field(&report.name);
                let name = self.taken.free(&wanted, "_");
                if name != wanted {
                    notes.push(finding(What::Renamed { from: wanted, to: name.clone() }));
                }
                name
            }
        };
        if rust::field_type(ty.ty).is_none() {
            notes.push(finding(What::NoRustType { ty: type_text(&ty) }));
        }
        if report.is_special && report.choices.is_none() {
            notes.push(finding(What::SpecialType { engine_type: report.engine_type.clone() }));
        }
        if report.hidden {
            notes.push(finding(What::Hidden));
        }
        if let Some(value) = &report.updated {
            notes.push(finding(What::Updated { value: value.clone() }));
        }
        if let Some(choices) = &report.choices {
            let members = list(&choices.members);
            notes.push(finding(if choices.several {
                What::SeveralChoices { members }
            } else {
                What::Choices { members }
            }));
        }
        let primary_key = self.key.contains(&report.name);
        if primary_key && report.nullable && self.table.primary_key.contains(&report.name) {
            notes.push(finding(What::NullableKey));
        }
        // JSON has one on MariaDB, where it is a text.
        if let Some(collation) = report.collation.as_ref().filter(|_| ty.ty.base.family() == Family::Text) {
            notes.push(finding(What::Collation { collation: collation.clone() }));
        }
        let mut column = Column {
            property: Case::Pascal.of(&field),
            field,
            name: report.name.clone(),
            ty,
            nullable: report.nullable && !primary_key,
            primary_key,
            identity: None,
            default: None,
            computed: None,
            read_only: false,
            index: false,
            unique: false,
            comment: report.comment.clone(),
            foreigns: Vec::new(),
            notes: Vec::new(),
        };
        let whole = (ty.ty.base.is_integer() || ty.ty.base.is_decimal() && ty.scale.unwrap_or(0) == 0) && !ty.ty.array;
        match &report.filled {
            Filled::Identity { .. } if !whole => notes.push(finding(What::IdentityType)),
            Filled::Identity { start, increment } if self.numbered == Some(report.name.as_str()) && *increment != 0 => {
                column.identity = Some((*start, *increment));
            }
            Filled::Identity { .. } => notes.push(finding(What::SecondIdentity)),
            // A key that the database computes is one that is read.
            Filled::Generated(Some(text)) if !text.trim().is_empty() && !primary_key => {
                column.computed = Some(text.replace('{', "{{").replace('}', "}}"));
            }
            Filled::Generated(_) => {
                column.read_only = true;
                notes.push(finding(What::UnknownExpression));
            }
            Filled::Default(text) if text.is_empty() => notes.push(finding(What::UnknownDefault)),
            Filled::Default(text) => column.default = Some(text.clone()),
            _ => {}
        }
        column.notes = notes;
        Member::Column(Box::new(column))
    }

    /// Why a catalog has no column of that name.
    fn no_name(&mut self, name: &str) -> Option<&'static str> {
        let small = name.to_lowercase();
        let twice = self.seen.contains(&small);
        self.seen.push(small);
        if name.trim().is_empty() {
            Some("its name is empty")
        } else if name.len() > Name::MAX_LEN {
            Some("its name is over 128 bytes long")
        } else if name.chars().any(char::is_control) {
            Some("its name has a control character")
        } else if twice {
            Some("another column has its name, and case makes no difference")
        } else {
            None
        }
    }
}
