//! `#[derive(View)]`.

use proc_macro2::TokenStream;
use quote::{ToTokens as _, quote};
use syn::{DeriveInput, Error, Path, Result, Type};

use crate::attributes::TableAttributes;
use crate::checks::{self, Errors};
use crate::columns::{Field, Struct, named};
use crate::entity::no_lifetimes;

pub(crate) fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let table = TableAttributes::view(&input.attrs)?;
    no_lifetimes(input)?;
    let mut errors = Errors::default();
    let mut base = None;
    let mut fields = Vec::new();
    let mut skipped = Vec::new();
    for field in named(input)? {
        if is_base(field, table.of.as_ref()) {
            if base.is_some() {
                let why = "a view is over one entity: take one of the two fields away";
                errors.push(Error::new_spanned(&field.ty, why));
            }
            base = field.ident.as_ref().map(|ident| (ident, &field.ty));
            continue;
        }
        let Some(column) = errors.take(Field::parse(field, &table)) else { continue };
        let at = &column.attributes;
        checks::column(&column.ty, at, &mut errors);
        for (span, what) in [
            (at.primary_key, "a primary key"),
            (at.identity.map(|(span, ..)| span), "an identity"),
            (at.timestamp, "a timestamp"),
            (at.soft_delete, "a mark of deleted rows"),
            (at.distribution_key, "a distribution key"),
        ] {
            if let Some(span) = span {
                errors.push(Error::new(span, format!("a view has no column that is {what}: say it on its entity")));
            }
        }
        if at.skip.is_some() {
            skipped.push(column.ident);
            continue;
        }
        if !column.is_foreign() && !at.given {
            let why = "where does it come from? `#[foreign_column(Type)]` is a column of a related entity, `#[column(...)]` one of the table itself, `#[entity]` marks the field of the entity";
            errors.push(Error::new(column.ident.span(), why));
        }
        fields.push(column);
    }
    checks::all(&fields, &mut errors);
    let Some((field, of)) = base else {
        let entity = table.of.as_ref().map_or_else(|| "Order".to_owned(), |of| of.to_token_stream().to_string());
        let why = format!("a view has a field with its entity: write `#[entity] base: {entity}`");
        errors.push(Error::new(input.ident.span(), why));
        errors.finish()?;
        return Ok(TokenStream::new());
    };
    errors.finish()?;
    let it = Struct { base: Some((field, of)), ..Struct::new(input, table, fields, skipped) };
    let krate = &it.table.krate;
    let name = quote!(<Self as #krate::entity::Entity>::NAME);
    let begun = quote!(#krate::model::ViewDef::new(#name, <#of as #krate::entity::Entity>::NAME));
    let entity = it.entity(&begun, &input.attrs)?;
    let (columns, registration, decode) = (it.columns(), it.registration(), it.decode(&name, |field| &field.property));
    let (impls, types, clause) = it.generics.split_for_impl();
    let ident = it.ident;
    Ok(quote! {
        #columns
        #entity
        #decode

        #[automatically_derived]
        impl #impls #krate::entity::View for #ident #types #clause {
            type Of = <#of as #krate::entity::View>::Of;

            fn row(&self) -> &Self::Of {
                #krate::entity::View::row(&self.#field)
            }

            fn row_mut(&mut self) -> &mut Self::Of {
                #krate::entity::View::row_mut(&mut self.#field)
            }
        }

        #[automatically_derived]
        impl #impls ::core::ops::Deref for #ident #types #clause {
            type Target = #of;

            fn deref(&self) -> &Self::Target {
                &self.#field
            }
        }

        #[automatically_derived]
        impl #impls ::core::ops::DerefMut for #ident #types #clause {
            fn deref_mut(&mut self) -> &mut Self::Target {
                &mut self.#field
            }
        }

        #registration
    })
}

/// Whether the field is the entity: it is marked, or of its type.
fn is_base(field: &syn::Field, of: Option<&Path>) -> bool {
    let marked = field.attrs.iter().any(|attribute| attribute.path().is_ident("entity"));
    let same = |ty: &Path, of: &Path| ty.to_token_stream().to_string() == of.to_token_stream().to_string();
    marked || of.is_some_and(|of| matches!(&field.ty, Type::Path(ty) if same(&ty.path, of)))
}
