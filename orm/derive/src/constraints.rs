//! `#[index(...)]`, `#[check(...)]` and `#[foreign_key(...)]`: what a table has beside its columns.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::{Attribute, Error, Ident, LitStr, Result};

use crate::columns::Field;
use crate::items::{self, Item, Target};
use crate::relations::{property_here, target};

/// What a struct's own attributes add to its definition: `.index(..)`, `.check(..)` and `.constraint(..)`.
pub(crate) fn on_struct(attributes: &[Attribute], fields: &[Field], krate: &TokenStream) -> Result<TokenStream> {
    let mut tokens = TokenStream::new();
    for (span, items) in items::each(attributes, "index", &["columns", "unique", "filter", "name"])? {
        tokens.extend(index(span, &items, fields, krate)?);
    }
    for (span, items) in items::each(attributes, "check", &["name", "sql"])? {
        let (Some(name), Some(sql)) = (find(&items, "name"), find(&items, "sql")) else {
            let why = "it has a name and what holds: `#[check(name = \"..\", sql = \"{Price} >= 0\")]`";
            return Err(Error::new(span, why));
        };
        let (name, sql) = (name.string()?, sql.string()?);
        tokens.extend(quote!(.check(#name, #sql)));
    }
    let known = ["columns", "on_delete", "on_update", "deferred", "name"];
    for (span, to, items) in items::behind_target(attributes, "foreign_key", &known)? {
        tokens.extend(foreign_key(span, &to, &items, fields, krate)?);
    }
    Ok(tokens)
}

fn find<'i>(items: &'i [Item], name: &str) -> Option<&'i Item> {
    items.iter().find(|item| item.key == name)
}

/// The properties of `columns(field, ...)`.
fn columns(span: Span, items: &[Item], fields: &[Field], krate: &TokenStream, form: &str) -> Result<Vec<TokenStream>> {
    let Some(columns) = find(items, "columns") else {
        return Err(Error::new(span, format!("it says which columns: `{form}`")));
    };
    columns.keys()?.iter().map(|key| property_here(key, fields, None, krate)).collect()
}

/// `.name(..)`, if one is given.
fn name(items: &[Item]) -> Result<Option<TokenStream>> {
    let name = find(items, "name").map(Item::string).transpose()?;
    Ok(name.map(|name| quote!(.name(#name))))
}

fn index(span: Span, items: &[Item], fields: &[Field], krate: &TokenStream) -> Result<TokenStream> {
    let columns = columns(span, items, fields, krate, "#[index(columns(field, ...))]")?;
    let unique = find(items, "unique").map(Item::flag).transpose()?.map(|_| quote!(.unique()));
    let filter = find(items, "filter").map(Item::string).transpose()?.map(|sql| quote!(.filter_sql(#sql)));
    let name = name(items)?;
    Ok(quote!(.index(#krate::model::IndexDef::new([#(#columns),*]) #unique #filter #name)))
}

fn foreign_key(span: Span, to: &Target, items: &[Item], fields: &[Field], krate: &TokenStream) -> Result<TokenStream> {
    let columns = columns(span, items, fields, krate, "#[foreign_key(Type, columns(field, ...))]")?;
    let mut actions = TokenStream::new();
    for word in ["on_delete", "on_update"] {
        if let Some(item) = find(items, word) {
            let (method, action) = (&item.key, action(&item.word()?)?);
            actions.extend(quote!(.#method(#krate::model::ReferenceAction::#action)));
        }
    }
    let deferred = find(items, "deferred").map(Item::flag).transpose()?.map(|_| quote!(.deferred()));
    let (to, name) = (target(to, krate), name(items)?);
    Ok(quote!(.constraint(#krate::model::ConstraintDef::new([#(#columns),*], #to) #actions #deferred #name)))
}

/// The variant of `ReferenceAction` that a word means.
fn action(word: &LitStr) -> Result<Ident> {
    let variant = match word.value().as_str() {
        "no_action" => "NoAction",
        "restrict" => "Restrict",
        "cascade" => "Cascade",
        "set_null" => "SetNull",
        other => {
            let why = format!("unknown action `{other}`: it is `no_action`, `restrict`, `cascade` or `set_null`");
            return Err(Error::new(word.span(), why));
        }
    };
    Ok(Ident::new(variant, word.span()))
}
