//! `#[derive(Field)]`: a struct around one value.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, Fields, Index, Member, Result, parse_quote};

use crate::attributes::facade;
use crate::entity::no_lifetimes;
use crate::items;

pub(crate) fn derive(input: &DeriveInput) -> Result<TokenStream> {
    no_lifetimes(input)?;
    let mut krate = facade();
    for item in items::of(&input.attrs, "field", &["crate"])? {
        let path: syn::Path = item.string()?.parse()?;
        krate = quote!(#path);
    }
    let why = "`Field` is for a struct around one value, as in `struct OrderId(i64)`: a struct of several is `#[column(json)]` where it is a field, and an enum derives `DbEnum`";
    let Data::Struct(data) = &input.data else { return Err(Error::new(input.ident.span(), why)) };
    let mut fields = data.fields.iter();
    let (Some(inner), None) = (fields.next(), fields.next()) else { return Err(Error::new(input.ident.span(), why)) };
    let member = match (&data.fields, &inner.ident) {
        (Fields::Named(_), Some(name)) => Member::Named(name.clone()),
        _ => Member::Unnamed(Index::from(0)),
    };
    let (ident, ty) = (&input.ident, &inner.ty);
    let field = quote!(#krate::entity::Field);
    let mut generics = input.generics.clone();
    if !generics.params.is_empty() {
        let clause = generics.make_where_clause();
        clause.predicates.push(parse_quote!(#ty: #field));
        clause.predicates.push(parse_quote!(Self: 'static));
    }
    // Of a type that compares with itself, so does what is around it.
    let mut compared = generics.clone();
    let operand = quote!(#krate::entity::Operand<<#ty as #field>::Base, #krate::entity::Exact>);
    if !generics.params.is_empty() {
        compared.make_where_clause().predicates.push(parse_quote!(#ty: #operand));
    }
    // What is true of one type only is said as if it were of many: otherwise it would have to hold.
    let mut ordered = generics.clone();
    ordered.make_where_clause().predicates.push(parse_quote!(for<'__any> #ty: #krate::entity::Ordered));
    let (_, _, ordered) = ordered.split_for_impl();
    let (impls, types, clause) = generics.split_for_impl();
    compared.params.push(parse_quote!(__P));
    let (operand_impls, _, compared) = compared.split_for_impl();
    Ok(quote! {
        #[automatically_derived]
        impl #impls #field for #ident #types #clause {
            type Base = Self;
            type Like<__O: #field> = <#ty as #field>::Like<__O>;

            const TYPE: #krate::expr::DbType = <#ty as #field>::TYPE;
            const NULLABLE: bool = <#ty as #field>::NULLABLE;
            const MEMBERS: &'static [(&'static str, i64)] = <#ty as #field>::MEMBERS;
            const LAST: i64 = <#ty as #field>::LAST;

            fn store(&self) -> ::core::result::Result<#krate::expr::Value, #krate::entity::FieldError> {
                <#ty as #field>::store(&self.#member)
            }

            fn load(value: &#krate::expr::Value) -> ::core::result::Result<Self, #krate::entity::FieldError> {
                <#ty as #field>::load(value).map(|value| Self { #member: value })
            }
        }

        #[automatically_derived]
        impl #impls #krate::entity::Ordered for #ident #types #ordered {}

        #[automatically_derived]
        impl #impls #krate::driver::FromColumn for #ident #types #clause {
            const WANTED: &'static str = <#ty as #krate::driver::FromColumn>::WANTED;

            fn read(
                row: &dyn #krate::driver::Row,
                index: usize,
            ) -> #krate::driver::Result<::core::option::Option<Self>> {
                let value = <#ty as #krate::driver::FromColumn>::read(row, index)?;
                ::core::result::Result::Ok(value.map(|value| Self { #member: value }))
            }
        }

        #[automatically_derived]
        impl #impls #krate::driver::FromRow for #ident #types #clause {
            fn from_row(row: &dyn #krate::driver::Row) -> #krate::driver::Result<Self> {
                #krate::driver::scalar(row)
            }
        }

        #[automatically_derived]
        #[diagnostic::do_not_recommend]
        impl #operand_impls #krate::entity::Operand<#ident #types, __P> for #ident #types #compared {
            type Entity = ();
            type Of = Self;

            fn operand(self) -> #krate::expr::ValueTypeExpr {
                <#ty as #operand>::operand(self.#member)
            }
        }
    })
}
