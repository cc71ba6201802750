//! `#[derive(FromRow)]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DeriveInput, Error, Result};

use crate::attributes::TableAttributes;
use crate::checks::{self, Errors};
use crate::columns::{Field, Struct, named};
use crate::entity::no_lifetimes;
use crate::items;
use crate::naming::{self, Case};

pub(crate) fn derive(input: &DeriveInput) -> Result<TokenStream> {
    no_lifetimes(input)?;
    let items = items::of(&input.attrs, "from_row", &["crate"])?;
    let mut table = TableAttributes::table(&[])?;
    if let Some(path) = items.first() {
        let path: syn::Path = path.string()?.parse()?;
        table.krate = quote!(#path);
    }
    // The second name that is looked for is the field's own.
    table.columns = Case::AsIs;
    let mut errors = Errors::default();
    let mut fields = Vec::new();
    let mut skipped = Vec::new();
    let mut flat = Vec::new();
    for field in named(input)? {
        let marks = errors.take(items::of(&field.attrs, "from_row", &["flatten"])).unwrap_or_default();
        if let Some(ident) = field.ident.as_ref().filter(|_| !marks.is_empty()) {
            flat.push((ident, &field.ty));
            continue;
        }
        let Some(mut column) = errors.take(Field::parse(field, &table)) else { continue };
        checks::column(&column.ty, &column.attributes, &mut errors);
        if column.attributes.name.is_some() {
            column.property.clone_from(&column.column);
        }
        if column.attributes.skip.is_some() { skipped.push(column.ident) } else { fields.push(column) }
    }
    checks::all(&fields, &mut errors);
    errors.finish()?;
    if flat.len() > 1 {
        let why = "columns of two structs of one row cannot be told apart: flatten one of them, and name the others' fields here";
        return Err(Error::new(input.ident.span(), why));
    }
    let it = Struct { base: flat.first().copied(), ..Struct::new(input, table, fields, skipped) };
    let name = naming::plain(it.ident);
    Ok(it.decode(&quote!(#name), |field| &field.column))
}
