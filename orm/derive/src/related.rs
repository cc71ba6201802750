//! `#[belongs_to]`, `#[has_one]`, `#[has_many]` and `#[many_to_many(...)]`: fields that hold rows of other entities.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::spanned::Spanned as _;
use syn::{Attribute, Error, Ident, Result, Type, Visibility};

use crate::attributes::TableAttributes;
use crate::checks;
use crate::columns::Field;
use crate::items::{self, Item, Key, Target};
use crate::naming;
use crate::relations::{property_here, property_of, target};

/// The attributes, and whether the field holds any number of rows.
const KINDS: [(&str, bool); 4] =
    [("belongs_to", false), ("has_one", false), ("has_many", true), ("many_to_many", true)];

/// A field that holds rows of another entity.
pub(crate) struct Related {
    pub(crate) ident: Ident,
    ty: Type,
    vis: Visibility,
    docs: Vec<Attribute>,
    kind: &'static str,
    of: Type,
    name: String,
    items: Vec<Item>,
}

impl Related {
    /// The relation that a field is, if it is one.
    pub(crate) fn parse(field: &syn::Field, table: &TableAttributes) -> Result<Option<Self>> {
        let has = |name: &str| field.attrs.iter().find(|attribute| attribute.path().is_ident(name));
        let mut found = KINDS.iter().filter_map(|kind| Some((*kind, has(kind.0)?)));
        let Some(((kind, many), attribute)) = found.next() else { return Ok(None) };
        if let Some((_, second)) = found.next() {
            return Err(Error::new(second.span(), "a field is one relation: take one of the two away"));
        }
        if let Some(other) = ["column", "foreign"].into_iter().find_map(has) {
            let why = "a relation is no column: its key is a field of its own, with `#[foreign(Type)]`";
            return Err(Error::new(other.span(), why));
        }
        let Some(ident) = field.ident.clone() else {
            return Err(Error::new(field.span(), "the field has no name"));
        };
        let wanted = if many { "Many" } else { "One" };
        let Some(of) = checks::argument(&field.ty).filter(|_| is(&field.ty, wanted)) else {
            let why = format!("the field of a {kind} is a `{wanted}<Entity>`");
            return Err(Error::new(field.ty.span(), why));
        };
        let known: &[&str] =
            if kind == "many_to_many" { &["through", "key", "target_key", "name"] } else { &["key", "name"] };
        let items = items::of(&field.attrs, kind, known)?;
        if kind == "many_to_many" && !items.iter().any(|item| item.key == "through") {
            let why = "it says which entity is between: `#[many_to_many(through = Type)]`";
            return Err(Error::new(attribute.span(), why));
        }
        let name = match items.iter().find(|item| item.key == "name") {
            Some(name) => name.string()?.value(),
            None => table.properties.of(&naming::plain(&ident)),
        };
        let docs = field.attrs.iter().filter(|attribute| attribute.path().is_ident("doc")).cloned().collect();
        let (ty, vis, of) = (field.ty.clone(), field.vis.clone(), of.clone());
        Ok(Some(Self { ident, ty, vis, docs, kind, of, name, items }))
    }

    /// `.relation(..)` on the definition.
    pub(crate) fn define(&self, fields: &[Field], krate: &TokenStream) -> Result<TokenStream> {
        let find = |name: &str| self.items.iter().find(|item| item.key == name);
        let (name, kind, of) = (&self.name, format_ident!("{}", self.kind), &self.of);
        let of = Target::Type(Box::new(of.clone()));
        let (to, through) = (target(&of, krate), find("through").map(Item::target).transpose()?);
        let between = through.as_ref().map(|through| target(through, krate));
        let between = between.map(|name| quote!(, #name));
        let property = |key: &Key| match &through {
            Some(through) => property_of(through, key, krate),
            None if self.kind == "belongs_to" => property_here(key, fields, None, krate),
            None => property_of(&of, key, krate),
        };
        let mut keys = TokenStream::new();
        for method in ["key", "target_key"] {
            if let Some(item) = find(method) {
                let (key, method) = (property(&item.key_of()?)?, format_ident!("{method}"));
                keys.extend(quote!(.#method(#key)));
            }
        }
        Ok(quote!(.relation(#krate::model::RelationDef::#kind(#name, #to #between) #keys)))
    }

    /// The function that gives the relation, named as the field.
    pub(crate) fn function(&self, krate: &TokenStream) -> TokenStream {
        let Self { ident, ty, vis, docs, name, .. } = self;
        let said = docs.is_empty().then(|| {
            let doc = format!("The relation of `{}`, to load rows by.", naming::plain(ident));
            quote!(#[doc = #doc])
        });
        quote! {
            #(#docs)* #said
            #[must_use]
            #vis fn #ident() -> #krate::entity::Relation<Self, #ty> {
                #krate::entity::Relation::new(#name, |row: &mut Self| &mut row.#ident)
            }
        }
    }
}

/// Whether a type's last name is that one.
fn is(ty: &Type, name: &str) -> bool {
    matches!(ty, Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == name))
}
