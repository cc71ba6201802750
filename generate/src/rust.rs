//! Entities as Rust code.
//!
//! `prettyplease` lays it out, which knows no comments: each is an attribute until then, and a column that is left out a field
//! of that attribute.

use std::fmt::Write as _;

use isogloss_compiler::expr::{DbType, DbValueType as T, Family};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote};

use crate::Error;
use crate::columns::Column;
use crate::constraints::{ForeignKey, Index};
use crate::finding::{Finding, What};
use crate::model::{Entity, Member, Model};
use crate::names::{Case, harmless};
use crate::relations::{Key, Relation};

/// How wide comments are.
const WIDTH: usize = 100;

impl Model {
    /// The entities as a module of Rust: structs that derive `Entity`. It needs the crate `isogloss` with the feature `entities`,
    /// and `serde_json` where columns hold JSON.
    ///
    /// # Errors
    /// Only by a mistake of this crate: the code does not parse.
    pub fn to_rust(&self) -> Result<String, Error> {
        self.module("//! The tables of a database, as `isogloss generate` has read them.\n")
    }

    pub(crate) fn module(&self, head: &str) -> Result<String, Error> {
        let mut out = format!("{head}\n{}", self.imports());
        for entity in &self.entities {
            let file: syn::File = syn::parse2(structure(entity)?)?;
            let _ = write!(out, "\n{}", commented(&prettyplease::unparse(&file))?);
        }
        Ok(out)
    }

    /// Whether a field holds JSON.
    pub(crate) fn has_json(&self) -> bool {
        self.families().any(|family| family == Family::Json)
    }

    fn families(&self) -> impl Iterator<Item = Family> {
        let columns = self.entities.iter().flat_map(Entity::columns);
        columns.filter(|column| field_type(column.ty.ty).is_some()).map(|column| column.ty.ty.base.family())
    }

    fn imports(&self) -> String {
        let uses = |wanted: Family| self.families().any(|family| family == wanted);
        let mut chrono: Vec<&str> = Vec::new();
        for (family, names) in [
            (Family::DateTimeOffset, &["DateTime", "Utc"][..]),
            (Family::Date, &["NaiveDate"]),
            (Family::DateTime, &["NaiveDateTime"]),
            (Family::Time, &["NaiveTime"]),
        ] {
            if uses(family) {
                chrono.extend(names);
            }
        }
        chrono.sort_unstable();
        let chrono = match chrono.as_slice() {
            [] => String::new(),
            [one] => format!("use isogloss::chrono::{one};\n"),
            several => format!("use isogloss::chrono::{{{}}};\n", several.join(", ")),
        };
        let entity = if self.is_empty() { "" } else { "use isogloss::entity::Entity;\n" };
        let decimal = if uses(Family::Decimal) { "use isogloss::expr::Decimal;\n" } else { "" };
        let uuid = if uses(Family::Guid) { "use isogloss::uuid::Uuid;\n" } else { "" };
        [&chrono, entity, decimal, uuid].concat()
    }
}

/// The type of a field, and that of the column that it has by itself; none where no field holds it.
pub(crate) fn field_type(ty: DbType) -> Option<(TokenStream, T)> {
    let (item, natural) = match ty.base {
        T::Boolean => (quote!(bool), T::Boolean),
        T::SByte => (quote!(i8), T::Int16),
        T::Int16 => (quote!(i16), T::Int16),
        T::Int32 => (quote!(i32), T::Int32),
        T::Int64 => (quote!(i64), T::Int64),
        T::Byte => (quote!(u8), T::Byte),
        T::UInt16 => (quote!(u16), T::UInt16),
        T::UInt32 => (quote!(u32), T::UInt32),
        T::UInt64 => (quote!(u64), T::UInt64),
        T::Single => (quote!(f32), T::Single),
        T::Double => (quote!(f64), T::Double),
        T::Binary => (quote!(Vec<u8>), T::Binary),
        T::Date => (quote!(NaiveDate), T::Date),
        T::Time => (quote!(NaiveTime), T::Time),
        T::DateTime | T::DateTime2 => (quote!(NaiveDateTime), T::DateTime2),
        T::DateTimeOffset => (quote!(DateTime<Utc>), T::DateTimeOffset),
        T::Guid => (quote!(Uuid), T::Guid),
        other => match other.family() {
            Family::Text => (quote!(String), T::String),
            Family::Decimal => (quote!(Decimal), T::Decimal),
            Family::Json => (quote!(serde_json::Value), T::Json),
            _ => return None,
        },
    };
    if !ty.array {
        return Some((item, natural));
    }
    // Those that are fields.
    let listed =
        [T::Boolean, T::Int16, T::Int32, T::Int64, T::Double, T::Decimal, T::String, T::Date, T::DateTime2, T::Guid];
    listed.contains(&ty.base).then(|| (quote!(Vec<#item>), natural))
}

fn structure(entity: &Entity) -> Result<TokenStream, Error> {
    let docs = docs(entity.comment.as_deref().unwrap_or(&if entity.is_view {
        format!("The view `{}`.", entity.own)
    } else {
        format!("The table `{}`.", entity.own)
    }));
    let notes = comments(&entity.notes);
    let case = case(entity);
    let mut table = Vec::new();
    if entity.table != entity.name {
        let name = &entity.table;
        table.push(quote!(name = #name));
    }
    if case != Case::Pascal {
        let word = case.word();
        table.push(quote!(columns = #word));
    }
    if entity.is_view {
        table.push(quote!(sync_table = never));
    }
    if let Some(text) = &entity.comment {
        table.push(quote!(comment = #text));
    }
    if let Some(name) = &entity.key_name {
        table.push(quote!(key_name = #name));
    }
    let table = (!table.is_empty()).then(|| quote!(#[table(#(#table),*)]));
    let joins = entity.joins.iter().map(join).collect::<Result<Vec<_>, _>>()?;
    // What no field holds is in no index.
    let is_field = |key: &Key| entity.columns().any(|own| own.field == key.field && field_type(own.ty.ty).is_some());
    let indexes = entity.indexes.iter().filter(|index| index.columns.iter().all(is_field));
    let indexes = indexes.map(index).collect::<Result<Vec<_>, _>>()?;
    let checks = entity.checks.iter().map(|(name, sql)| quote!(#[check(name = #name, sql = #sql)]));
    let foreign_keys = entity.foreign_keys.iter().filter(|key| key.columns.iter().all(is_field));
    let foreign_keys = foreign_keys.map(foreign_key).collect::<Result<Vec<_>, _>>()?;
    let name: Ident = syn::parse_str(&entity.name)?;
    let members = entity.members.iter().enumerate();
    let members = members.map(|(at, member)| member_code(at, member, case)).collect::<Result<Vec<_>, _>>()?;
    Ok(quote! {
        #(#docs)*
        #(#notes)*
        #[derive(Debug, Clone, PartialEq, Default, Entity)]
        #table
        #(#joins)*
        #(#indexes)*
        #(#checks)*
        #(#foreign_keys)*
        pub struct #name {
            #(#members,)*
        }
    })
}

/// How most of the columns are named.
fn case(entity: &Entity) -> Case {
    let odd = |case: Case| entity.columns().filter(|column| case.of(&column.field) != column.name).count();
    Case::ALL.into_iter().min_by_key(|case| odd(*case)).unwrap_or(Case::Pascal)
}

fn member_code(at: usize, member: &Member, case: Case) -> Result<TokenStream, Error> {
    let left_out = |notes: &[Finding]| {
        let (notes, name) = (comments(notes), format_ident!("{LEFT_OUT}{at}"));
        quote!(#(#notes)* #name: ())
    };
    let column = match member {
        Member::LeftOut(finding) => return Ok(left_out(std::slice::from_ref(finding))),
        Member::Column(column) => column,
    };
    let Some((ty, natural)) = field_type(column.ty.ty) else { return Ok(left_out(&column.notes)) };
    let docs = column.comment.as_deref().map(docs).unwrap_or_default();
    let notes = comments(&column.notes);
    let attributes = attributes(column, natural, case);
    let attributes = (!attributes.is_empty()).then(|| quote!(#[column(#(#attributes),*)]));
    let foreigns = column.foreigns.iter().map(foreign).collect::<Result<Vec<_>, _>>()?;
    let name: Ident = ident(&column.field)?;
    let ty = if column.nullable { quote!(Option<#ty>) } else { ty };
    Ok(quote!(#(#docs)* #(#notes)* #attributes #(#foreigns)* pub #name: #ty))
}

/// What stands in `#[column(..)]`.
fn attributes(column: &Column, natural: T, case: Case) -> Vec<TokenStream> {
    let mut all = Vec::new();
    if case.of(&column.field) != column.name {
        let name = &column.name;
        all.push(quote!(name = #name));
    }
    if column.primary_key {
        all.push(quote!(primary_key));
    }
    match column.identity {
        Some((1, 1)) => all.push(quote!(identity)),
        Some((start, increment)) => {
            let [start, increment] = [start, increment].map(Literal::i64_unsuffixed);
            all.push(quote!(identity(#start, #increment)));
        }
        None => {}
    }
    let ty = &column.ty;
    if ty.ty.base != natural {
        let name = ty.ty.base.name();
        all.push(quote!(type = #name));
    }
    if let Some(length) = ty.length.map(Literal::u32_unsuffixed) {
        all.push(quote!(length = #length));
    }
    if let Some(digits) = ty.precision.map(Literal::u8_unsuffixed) {
        all.push(quote!(precision = #digits));
        if let Some(scale) = ty.scale.filter(|_| ty.ty.base.is_decimal()).map(Literal::u8_unsuffixed) {
            all.push(quote!(scale = #scale));
        }
    }
    if column.unique {
        all.push(quote!(unique));
    } else if column.index {
        all.push(quote!(index));
    }
    if let Some(sql) = &column.default {
        all.push(quote!(default = #sql));
    }
    if let Some(sql) = &column.computed {
        all.push(quote!(computed = #sql));
    }
    if let Some(text) = &column.comment {
        all.push(quote!(comment = #text));
    }
    if column.read_only {
        all.push(quote!(mode = "read"));
    }
    if ty.ty.base.family() == Family::Json {
        all.push(quote!(json));
    }
    all
}

fn foreign(relation: &Relation) -> Result<TokenStream, Error> {
    let target: Ident = syn::parse_str(&relation.target)?;
    let alias = relation.alias.iter().map(|alias| quote!(alias = #alias));
    Ok(quote!(#[foreign(#target #(, #alias)*)]))
}

fn join(relation: &Relation) -> Result<TokenStream, Error> {
    let target: Ident = syn::parse_str(&relation.target)?;
    let keys = idents(&relation.keys)?;
    let prime = idents(&relation.prime_keys)?;
    let prime = (!prime.is_empty()).then(|| quote!(, prime_keys(#(#prime),*)));
    let alias = relation.alias.iter().map(|alias| quote!(alias = #alias));
    Ok(quote!(#[table_join(#target, keys(#(#keys),*) #prime #(, #alias)*)]))
}

fn idents(keys: &[Key]) -> Result<Vec<Ident>, Error> {
    keys.iter().map(|key| ident(&key.field)).collect()
}

fn index(index: &Index) -> Result<TokenStream, Error> {
    let columns = idents(&index.columns)?;
    let unique = index.unique.then(|| quote!(, unique));
    let (filter, name) = (index.filter.iter(), index.name.iter());
    Ok(quote!(#[index(columns(#(#columns),*) #unique #(, filter = #filter)* #(, name = #name)*)]))
}

fn foreign_key(key: &ForeignKey) -> Result<TokenStream, Error> {
    let target: Ident = syn::parse_str(&key.target)?;
    let columns = idents(&key.columns)?;
    let actions = [("on_delete", key.on_delete), ("on_update", key.on_update)];
    let actions = actions.into_iter().filter_map(|(word, action)| {
        let (word, action) = (format_ident!("{word}"), format_ident!("{}", action?));
        Some(quote!(, #word = #action))
    });
    let (deferred, name) = (key.deferred.then(|| quote!(, deferred)), key.name.iter());
    Ok(quote!(#[foreign_key(#target, columns(#(#columns),*) #(#actions)* #deferred #(, name = #name)*)]))
}

fn ident(name: &str) -> Result<Ident, Error> {
    match name.strip_prefix("r#") {
        Some(word) => Ok(Ident::new_raw(word, Span::call_site())),
        None => Ok(syn::parse_str(name)?),
    }
}

/// Comments of the database as documentation: what Markdown would take for code or a link is plain text.
fn docs(text: &str) -> Vec<TokenStream> {
    let lines = text.lines().map(|line| {
        let mut plain = String::from(" ");
        let line = harmless(line);
        let line = line.trim();
        if line.starts_with("```") || line.starts_with("~~~") {
            plain.push('\\');
        }
        for c in line.chars() {
            if matches!(c, '[' | '<') {
                plain.push('\\');
            }
            plain.push(c);
        }
        plain.truncate(plain.trim_end().len());
        quote!(#[doc = #plain])
    });
    lines.collect()
}

const COMMENT: &str = "#[__comment = ";
const LEFT_OUT: &str = "__left_out_";

fn comments(notes: &[Finding]) -> Vec<TokenStream> {
    // What another name is for needs no word where the name stands.
    let notes = notes.iter().filter(|note| !matches!(note.what, What::Renamed { .. }));
    notes.map(Finding::beside).map(|text| quote!(#[__comment = #text])).collect()
}

/// Attributes that are comments as comments.
fn commented(code: &str) -> Result<String, Error> {
    let mut out = String::new();
    for line in code.lines() {
        let text = line.trim_start();
        if text.starts_with(LEFT_OUT) {
            continue;
        }
        let literal = text.strip_prefix(COMMENT).and_then(|rest| rest.strip_suffix(']'));
        let Some(literal) = literal else {
            out.push_str(line);
            out.push('\n');
            continue;
        };
        let literal: syn::LitStr = syn::parse_str(literal)?;
        let indent = line.get(..line.len().saturating_sub(text.len())).unwrap_or_default();
        wrapped(&mut out, indent, &literal.value());
    }
    Ok(out)
}

fn wrapped(out: &mut String, indent: &str, text: &str) {
    let mut line = format!("{indent}//");
    let mut fresh = true;
    for word in harmless(text).split_whitespace() {
        if !fresh && line.chars().count() + 1 + word.chars().count() > WIDTH {
            out.push_str(&line);
            out.push('\n');
            line = format!("{indent}//");
        }
        line.push(' ');
        line.push_str(word);
        fresh = false;
    }
    out.push_str(&line);
    out.push('\n');
}
