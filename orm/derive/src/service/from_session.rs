//! `#[derive(FromSession)]`.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Data, DeriveInput, Error, Member, Result};

use super::krate;
use crate::items;

/// A struct that is made over a session, as each of its fields is.
pub(crate) fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let mut facade = quote!(::isogloss);
    if let Some(item) = items::of(&input.attrs, "from_session", &["crate"])?.first() {
        facade = krate(item)?;
    }
    let Data::Struct(data) = &input.data else {
        return Err(Error::new(input.ident.span(), "what is made over a session is a struct"));
    };
    let members = data.fields.members();
    let values = data.fields.iter().zip(members).map(|(field, member): (_, Member)| {
        let ty = &field.ty;
        // The error of a field that is not made so is told at its type.
        quote_spanned!(ty.span() => #member: <#ty as #facade::service::FromSession>::from_session(session)?)
    });
    let (impls, types, clause) = input.generics.split_for_impl();
    let ident = &input.ident;
    Ok(quote! {
        #[automatically_derived]
        impl #impls #facade::service::FromSession for #ident #types #clause {
            #[allow(unused_imports, unused_variables)]
            fn from_session(session: &#facade::Session) -> #facade::OrmResult<Self> {
                use #facade::service::__private::probe_service::{IsNone as _, IsService as _, Made};
                (&&Made::<Self>::default()).check(session.context())?;
                ::core::result::Result::Ok(Self { #(#values),* })
            }
        }
    })
}
