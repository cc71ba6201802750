//! `#[derive(FromServices)]`: a struct that is made of services, field by field.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Data, DeriveInput, Error, Fields, Member, Result, parse_quote};

use crate::attributes::facade;
use crate::auto_register::is_service;
use crate::items;

pub(crate) fn derive(input: &DeriveInput) -> Result<TokenStream> {
    if let Some(lifetime) = input.generics.lifetimes().next() {
        return Err(Error::new(lifetime.span(), "a service borrows nothing: the scope gives each of its fields away"));
    }
    let krate = krate(input)?;
    let (ident, fields) = (&input.ident, fields(input)?);
    let it = quote!(#krate::container::FromServices);
    let mut generics = input.generics.clone();
    if !generics.params.is_empty() {
        let clause = generics.make_where_clause();
        for field in fields {
            let ty = &field.ty;
            clause.predicates.push(parse_quote!(#ty: #it));
        }
    }
    let (impls, types, clause) = generics.split_for_impl();
    let members = fields.members();
    let made = fields.iter().zip(members).map(|(field, member): (_, Member)| {
        let ty = &field.ty;
        quote_spanned!(ty.span()=> #member: <#ty as #it>::from_services(services)?)
    });
    let checks = is_service(&krate, &format_ident!("Self"));
    let types_of_fields: Vec<_> = fields.iter().map(|field| &field.ty).collect();
    Ok(quote! {
        #[automatically_derived]
        impl #impls #it for #ident #types #clause {
            fn dependencies() -> ::std::vec::Vec<#krate::container::__private::ServiceDependency> {
                let mut all = ::std::vec::Vec::new();
                #(all.extend(<#types_of_fields as #it>::dependencies());)*
                all
            }

            fn check(context: &#krate::OrmContext) -> #krate::OrmResult<()> {
                #checks
                #(<#types_of_fields as #it>::check(context)?;)*
                ::core::result::Result::Ok(())
            }

            fn from_services(services: &#krate::container::ServiceProvider) -> #krate::OrmResult<Self> {
                ::core::result::Result::Ok(Self { #(#made),* })
            }
        }
    })
}

/// Where the facade is.
pub(crate) fn krate(input: &DeriveInput) -> Result<TokenStream> {
    let items = items::of(&input.attrs, "from_services", &["crate"])?;
    let Some(item) = items.first() else { return Ok(facade()) };
    let path: syn::Path = item.string()?.parse()?;
    Ok(quote!(#path))
}

fn fields(input: &DeriveInput) -> Result<&Fields> {
    match &input.data {
        Data::Struct(data) => Ok(&data.fields),
        _ => Err(Error::new(
            input.ident.span(),
            "`FromServices` is for a struct, each field of which is made of services",
        )),
    }
}
