//! `#[foreign(...)]`, `#[table_join(...)]` and `#[foreign_column(...)]`.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Attribute, Error, Ident, LitStr, Result};

use crate::columns::Field;
use crate::items::{self, Item, Key, Target};
use crate::naming;

/// The code that gives an entity's name, or a join's.
pub(crate) fn target(target: &Target, krate: &TokenStream) -> TokenStream {
    match target {
        Target::Text(text) => quote!(#text),
        Target::Type(ty) => quote_spanned!(ty.span() => <#ty as #krate::entity::Entity>::NAME),
    }
}

/// The code that gives the name of a property of a target.
pub(crate) fn property_of(of: &Target, key: &Key, krate: &TokenStream) -> Result<TokenStream> {
    match (key, of) {
        (Key::Text(text), _) => Ok(quote!(#text)),
        (Key::Field(field), Target::Type(ty)) => Ok(quote_spanned! {field.span() =>
            <#ty as #krate::entity::Entity>::columns(::core::option::Option::None).#field.name()
        }),
        (Key::Field(field), Target::Text(_)) => Err(Error::new(
            field.span(),
            format!(
                "of an alias the fields are not known: write the property's name, `\"{}\"`",
                naming::Case::Pascal.of(&naming::plain(field))
            ),
        )),
    }
}

/// The code that gives the name of a property of the struct itself.
pub(crate) fn property_here(
    key: &Key,
    fields: &[Field],
    base: Option<&syn::Type>,
    krate: &TokenStream,
) -> Result<TokenStream> {
    let field = match key {
        Key::Text(text) => return Ok(quote!(#text)),
        Key::Field(field) => field,
    };
    match (fields.iter().find(|own| own.ident == *field), base) {
        (Some(own), _) => {
            let property = &own.property;
            Ok(quote!(#property))
        }
        (None, Some(base)) => property_of(&Target::Type(Box::new(base.clone())), key, krate),
        (None, None) => {
            let name = naming::plain(field);
            let names: Vec<String> = fields.iter().map(|own| naming::plain(&own.ident)).collect();
            let near = naming::near(&name, names.iter().map(String::as_str));
            Err(Error::new(field.span(), format!("the struct has no column `{name}`{near}")))
        }
    }
}

/// `.alias(..).join_type(..).auto_expand().enforced()`, of what all relations have.
fn options(items: &[Item], krate: &TokenStream) -> Result<TokenStream> {
    let mut tokens = TokenStream::new();
    for item in items {
        match naming::plain(&item.key).as_str() {
            "alias" => {
                let alias = item.string()?;
                tokens.extend(quote!(.alias(#alias)));
            }
            "join" => {
                let join = join_type(&item.word()?)?;
                tokens.extend(quote!(.join_type(#krate::expr::TableJoinType::#join)));
            }
            "auto_expand" if item.bool()? => tokens.extend(quote!(.auto_expand())),
            "enforced" if item.bool()? => tokens.extend(quote!(.enforced())),
            _ => {}
        }
    }
    Ok(tokens)
}

fn join_type(text: &LitStr) -> Result<Ident> {
    let value = text.value();
    let known = ["Inner", "Left", "Right", "Full", "Cross"];
    match known.iter().find(|name| name.eq_ignore_ascii_case(&value)) {
        Some(name) => Ok(Ident::new(name, text.span())),
        None => {
            let message = format!("unknown join `{value}`: it is one of `Inner`, `Left`, `Right`, `Full` and `Cross`");
            Err(Error::new(text.span(), message))
        }
    }
}

/// The foreign types of a field: the code of each.
pub(crate) fn foreigns(attributes: &[Attribute], krate: &TokenStream) -> Result<Vec<TokenStream>> {
    let found = items::behind_target(attributes, "foreign", &["alias", "join", "auto_expand", "enforced"])?;
    found.iter().map(|(_, to, items)| foreign(to, items, krate)).collect()
}

fn foreign(to: &Target, items: &[Item], krate: &TokenStream) -> Result<TokenStream> {
    let (name, options) = (target(to, krate), options(items, krate)?);
    Ok(quote!(#krate::model::ForeignType::new(#name) #options))
}

/// What a struct's own attributes relate it to: `.foreign(..)` and `.table_join(..)` on its definition.
pub(crate) fn on_struct(
    attributes: &[Attribute],
    fields: &[Field],
    base: Option<&syn::Type>,
    krate: &TokenStream,
) -> Result<TokenStream> {
    let mut tokens = TokenStream::new();
    for (span, to, items) in
        items::behind_target(attributes, "foreign", &["key", "alias", "join", "auto_expand", "enforced"])?
    {
        let Some(key) = items.iter().find(|item| item.key == "key") else {
            let message = "on a struct it says which column: `#[foreign(Type, key = field)]`";
            return Err(Error::new(span, message));
        };
        let property = property_here(&key.key_of()?, fields, base, krate)?;
        let foreign = foreign(&to, &items, krate)?;
        tokens.extend(quote!(.foreign(#property, #foreign)));
    }
    let known = ["keys", "prime_keys", "source", "alias", "join", "auto_expand", "enforced"];
    for (span, to, items) in items::behind_target(attributes, "table_join", &known)? {
        let join = table_join(span, &to, &items, fields, base, krate)?;
        tokens.extend(quote!(.table_join(#join)));
    }
    Ok(tokens)
}

fn table_join(
    span: Span,
    to: &Target,
    items: &[Item],
    fields: &[Field],
    base: Option<&syn::Type>,
    krate: &TokenStream,
) -> Result<TokenStream> {
    let find = |name: &str| items.iter().find(|item| item.key == name);
    let source = find("source").map(Item::target).transpose()?;
    let cross =
        find("join").map(Item::word).transpose()?.is_some_and(|join| join.value().eq_ignore_ascii_case("cross"));
    let keys = match find("keys") {
        Some(keys) => keys.keys()?,
        None if cross => Vec::new(),
        None => return Err(Error::new(span, "it says by which columns: `#[table_join(Type, keys(field, ...))]`")),
    };
    let foreign = keys.iter().map(|key| match &source {
        Some(source) => property_of(source, key, krate),
        None => property_here(key, fields, base, krate),
    });
    let foreign = foreign.collect::<Result<Vec<_>>>()?;
    let mut tokens = TokenStream::new();
    if let Some(item) = find("prime_keys") {
        let primes = item.keys()?;
        if primes.len() != keys.len() {
            let message = format!("{} keys cannot equal {} prime keys: give one for each", keys.len(), primes.len());
            return Err(Error::new(item.key.span(), message));
        }
        let primes = primes.iter().map(|key| property_of(to, key, krate)).collect::<Result<Vec<_>>>()?;
        tokens.extend(quote!(.prime_keys([#(#primes),*])));
    }
    if let Some(source) = &source {
        let name = self::target(source, krate);
        tokens.extend(quote!(.source(#name)));
    }
    let (name, options) = (target(to, krate), options(items, krate)?);
    let keys = if foreign.is_empty() { quote!([""; 0]) } else { quote!([#(#foreign),*]) };
    Ok(quote!(#krate::model::TableJoinDef::new(#name, #keys) #tokens #options))
}

/// `#[foreign_column(...)]` of a field: where it comes from, and the code of the property's name there.
pub(crate) struct ForeignColumn {
    pub(crate) from: Target,
    pub(crate) property: Option<TokenStream>,
    pub(crate) name: Option<LitStr>,
    pub(crate) filterable: bool,
}

pub(crate) fn foreign_column(attributes: &[Attribute], krate: &TokenStream) -> Result<Option<ForeignColumn>> {
    let known = ["property", "name", "not_filterable"];
    let mut found = items::behind_target(attributes, "foreign_column", &known)?;
    if let Some((span, ..)) = found.get(1) {
        return Err(Error::new(*span, "a column comes from one place: take one of them away"));
    }
    let Some((_, from, items)) = found.pop() else { return Ok(None) };
    let find = |name: &str| items.iter().find(|item| item.key == name);
    let property = find("property").map(|item| property_of(&from, &item.key_of()?, krate)).transpose()?;
    let name = find("name").map(Item::string).transpose()?;
    let filterable = !find("not_filterable").map(Item::bool).transpose()?.unwrap_or_default();
    Ok(Some(ForeignColumn { from, property, name, filterable }))
}
