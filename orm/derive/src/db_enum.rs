//! `#[derive(DbEnum)]`.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{Data, DeriveInput, Error, Fields, Result};

use crate::attributes::facade;
use crate::items;
use crate::naming::{self, Case};

pub(crate) fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let Data::Enum(data) = &input.data else {
        return Err(Error::new(
            input.ident.span(),
            "`DbEnum` is for enums: derive `Field` for a struct around one value",
        ));
    };
    if let Some(param) = input.generics.params.first() {
        return Err(Error::new_spanned(param, "an enum that a column holds has no parameters: take them away"));
    }
    let (mut text, mut case, mut krate) = (false, Case::AsIs, facade());
    for item in items::of(&input.attrs, "db_enum", &["text", "rename_all", "crate"])? {
        match naming::plain(&item.key).as_str() {
            "text" => text = item.bool()?,
            "rename_all" => case = Case::parse(&item.word()?)?,
            _ => {
                let path: syn::Path = item.string()?.parse()?;
                krate = quote!(#path);
            }
        }
    }
    let mut names: Vec<String> = Vec::new();
    let mut variants = Vec::new();
    for variant in &data.variants {
        if !matches!(variant.fields, Fields::Unit) {
            return Err(Error::new_spanned(&variant.fields, "a column holds the variant alone: take its fields away"));
        }
        let mut name = case.of(&naming::plain(&variant.ident));
        for item in items::of(&variant.attrs, "db_enum", &["rename"])? {
            name = item.string()?.value();
        }
        if names.iter().any(|before| before.eq_ignore_ascii_case(&name)) {
            let why =
                format!("two variants have the name `{name}`, where case makes no difference: `rename` one of them");
            return Err(Error::new(variant.ident.span(), why));
        }
        names.push(name);
        variants.push(&variant.ident);
    }
    if names.is_empty() {
        return Err(Error::new(input.ident.span(), "an enum without variants has no values"));
    }
    let ident = &input.ident;
    // What is stored: a name, or a number.
    let stored = if text {
        quote!(#(#ident::#variants => #names.into(),)*)
    } else {
        quote!(#(#ident::#variants => #krate::expr::Value::Int(const { #ident::#variants as i64 }),)*)
    };
    for attribute in input.attrs.iter().filter(|attribute| attribute.path().is_ident("repr")) {
        if let Some(wide) = attribute.parse_args::<syn::Ident>().ok().filter(|of| of == "u128" || of == "i128") {
            return Err(Error::new(
                wide.span(),
                "a column holds numbers of 64 bits: take this away, or make it an `i64`",
            ));
        }
    }
    let fits = variants.iter().map(|variant| {
        let why = format!("the number of `{variant}` does not fit an `i64`, which is what a column holds of it");
        quote_spanned!(variant.span()=> ::core::assert!(#ident::#variant as i64 as i128 == #ident::#variant as i128, #why);)
    });
    // By numbers, SQL orders as the variants are ordered.
    let ordered = (!text).then(|| quote!(#[automatically_derived] impl #krate::entity::Ordered for #ident {}));
    let private = quote!(#krate::entity::__private);
    let field = quote!(#krate::entity::Field);
    let wanted = format!("a name or number of `{}`", naming::plain(ident));
    Ok(quote! {
        const _: () = { #(#fits)* };

        #ordered

        #[automatically_derived]
        impl #private::Members for #ident {
            const VARIANTS: &'static [fn() -> Self] = &[#(|| #ident::#variants),*];
        }

        #[automatically_derived]
        impl ::core::convert::From<#ident> for #krate::expr::Value {
            fn from(value: #ident) -> Self {
                match value { #stored }
            }
        }

        #[automatically_derived]
        impl #field for #ident {
            type Base = Self;
            type Like<__O: #field> = __O;

            const TYPE: #krate::expr::DbType = #private::member_type(<Self as #field>::MEMBERS, #text);
            const MEMBERS: &'static [(&'static str, i64)] = &[#((#names, #ident::#variants as i64)),*];

            fn store(&self) -> ::core::result::Result<#krate::expr::Value, #krate::entity::FieldError> {
                ::core::result::Result::Ok(match self { #stored })
            }

            fn load(value: &#krate::expr::Value) -> ::core::result::Result<Self, #krate::entity::FieldError> {
                #private::load_member(value)
            }
        }

        #[automatically_derived]
        impl #krate::driver::FromColumn for #ident {
            const WANTED: &'static str = #wanted;

            fn read(
                row: &dyn #krate::driver::Row,
                index: usize,
            ) -> #krate::driver::Result<::core::option::Option<Self>> {
                #private::read_member(row, index)
            }
        }

        #[automatically_derived]
        impl #krate::driver::FromRow for #ident {
            fn from_row(row: &dyn #krate::driver::Row) -> #krate::driver::Result<Self> {
                #krate::driver::scalar(row)
            }
        }

        #[automatically_derived]
        #[diagnostic::do_not_recommend]
        impl<__P> #krate::entity::Operand<#ident, __P> for #ident {
            type Entity = ();
            type Of = Self;

            fn operand(self) -> #krate::expr::ValueTypeExpr {
                #krate::expr::value(self).into()
            }
        }
    })
}
