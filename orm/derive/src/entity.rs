//! `#[derive(Entity)]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DeriveInput, Error, Result};

use crate::attributes::TableAttributes;
use crate::checks::{self, Errors};
use crate::columns::{Field, Struct, named};
use crate::constraints;
use crate::related::Related;

pub(crate) fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let table = TableAttributes::table(&input.attrs)?;
    no_lifetimes(input)?;
    let mut errors = Errors::default();
    let mut fields = Vec::new();
    let mut skipped = Vec::new();
    let mut related = Vec::new();
    for field in named(input)? {
        match errors.take(Related::parse(field, &table)) {
            None => continue,
            Some(None) => {}
            Some(Some(relation)) => {
                skipped.push(relation.ident.clone());
                related.push(relation);
                continue;
            }
        }
        let Some(column) = errors.take(Field::parse(field, &table)) else { continue };
        checks::column(&column.ty, &column.attributes, &mut errors);
        if column.is_foreign() {
            let why = "an entity has the columns of its table: put this one into a struct that derives `View`";
            errors.push(Error::new(column.ident.span(), why));
        } else if column.attributes.skip.is_some() {
            skipped.push(column.ident);
        } else {
            fields.push(column);
        }
    }
    checks::all(&fields, &mut errors);
    errors.finish()?;
    if fields.is_empty() {
        return Err(Error::new(input.ident.span(), "an entity has at least one column: give the struct a field"));
    }
    let it = Struct { related, ..Struct::new(input, table, fields, skipped) };
    let krate = &it.table.krate;
    let options = [
        (&it.table.name, quote!(table)),
        (&it.table.data_source, quote!(data_source)),
        (&it.table.comment, quote!(comment)),
        (&it.table.key_name, quote!(key_name)),
    ];
    let options = options.iter().filter_map(|(value, method)| value.as_ref().map(|value| quote!(.#method(#value))));
    let sync = it.table.sync_table.as_ref().map(|mode| quote!(.sync_table(#krate::model::SyncTableMode::#mode)));
    let scoped = it.table.scoped.then(|| quote!(.scoped()));
    let name = quote!(<Self as #krate::entity::Entity>::NAME);
    let constraints = constraints::on_struct(&input.attrs, &it.fields, krate)?;
    let begun = quote!(#krate::model::TableDef::new(#name) #(#options)* #sync #scoped #constraints);
    let entity = it.entity(&begun, &input.attrs)?;
    let (columns, table, registration) = (it.columns(), it.table(), it.registration());
    let decode = it.decode(&name, |field| &field.property);
    let (impls, types, clause) = it.generics.split_for_impl();
    let ident = it.ident;
    Ok(quote! {
        #columns
        #entity
        #table
        #decode

        #[automatically_derived]
        impl #impls #krate::entity::View for #ident #types #clause {
            type Of = Self;

            fn row(&self) -> &Self::Of {
                self
            }

            fn row_mut(&mut self) -> &mut Self::Of {
                self
            }
        }

        #registration
    })
}

pub(crate) fn no_lifetimes(input: &DeriveInput) -> Result<()> {
    match input.generics.lifetimes().next() {
        Some(lifetime) => {
            let why = "a row outlives the statement that it is read by, so that it borrows nothing: use owned types";
            Err(Error::new(lifetime.lifetime.span(), why))
        }
        None => Ok(()),
    }
}
