//! Service factories: one accessor a service.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{
    Data, DataStruct, DeriveInput, Error, Fields, FieldsNamed, Ident, ItemTrait, Path, Receiver, ReceiverKind, Result,
    ReturnType, Safety, TraitItem, TraitItemFn, Type, parse_quote,
};

use crate::attributes::facade;
use crate::{from_services, items};

/// A struct: its fields are the services.
pub(crate) fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let made = from_services::derive(input)?;
    let krate = from_services::krate(input)?;
    if !input.generics.params.is_empty() {
        return Err(Error::new(input.generics.span(), "a service factory is not generic"));
    }
    let (ident, visible) = (&input.ident, &input.vis);
    let accessors = named(input)?.named.iter().map(|field| {
        let (name, ty) = (&field.ident, &field.ty);
        let text = field.attrs.iter().filter(|attribute| attribute.path().is_ident("doc"));
        quote! {
            #(#text)*
            #[must_use]
            #visible fn #name(&self) -> &#ty {
                &self.#name
            }
        }
    });
    let factory = factory(&krate, ident, &quote!(#ident), &quote!(.itself()));
    Ok(quote! {
        #made

        #[allow(dead_code, missing_docs, reason = "a program may need some of them only")]
        impl #ident {
            #(#accessors)*
        }

        #factory
    })
}

fn named(input: &DeriveInput) -> Result<&FieldsNamed> {
    match &input.data {
        Data::Struct(DataStruct { fields: Fields::Named(fields), .. }) => Ok(fields),
        _ => Err(Error::new(input.ident.span(), "a service factory is a struct with a named field for each service")),
    }
}

/// A trait: its methods give the services.
pub(crate) fn expand(arguments: TokenStream, item: TokenStream) -> Result<TokenStream> {
    let mut krate = facade();
    for item in items::given(arguments, "service_factory", &["crate"])? {
        let path: Path = item.string()?.parse()?;
        krate = quote!(#path);
    }
    let mut it: ItemTrait = syn::parse2(item).map_err(|error| {
        Error::new(error.span(), "`service_factory` stands on a trait; a struct derives `ServiceFactory`")
    })?;
    if !it.generics.params.is_empty() {
        return Err(Error::new(it.generics.span(), "a service factory is not generic"));
    }
    let accessors = it.items.iter().map(Accessor::of).collect::<Result<Vec<_>>>()?;
    // It goes from thread to thread with the scope.
    it.supertraits.push(parse_quote!(::core::marker::Send));
    it.supertraits.push(parse_quote!(::core::marker::Sync));
    let ident = &it.ident;
    // By its name the container tells it from that of another trait beside it.
    let made = format_ident!("{ident}OfScope");
    let fields = accessors.iter().map(|Accessor { name, service, .. }| quote!(#name: #service));
    let methods = accessors.iter().map(Accessor::method);
    let factory = factory(&krate, &made, &quote!(dyn #ident), &quote!(.interface::<dyn #ident>(|it| it)));
    let krate_text = krate.to_string().replace(' ', "");
    Ok(quote! {
        #it

        const _: () = {
            #[derive(#krate::container::FromServices)]
            #[from_services(crate = #krate_text)]
            struct #made { #(#fields),* }

            impl #ident for #made {
                #(#methods)*
            }

            #factory
        };
    })
}

fn factory(krate: &TokenStream, made: &Ident, named: &TokenStream, seen: &TokenStream) -> TokenStream {
    let container = quote!(#krate::container);
    quote! {
        #[automatically_derived]
        impl #container::ServiceFactory for #named {
            fn add(
                services: &mut #container::ServiceCollection,
                context: &#krate::OrmContext,
            ) -> #krate::OrmResult<()> {
                #container::__private::Adding::<#made>::to(
                    services,
                    context,
                    #container::ServiceLifetime::Scoped,
                )? #seen;
                ::core::result::Result::Ok(())
            }
        }
    }
}

/// A method that gives a service, by value or as a reference.
struct Accessor<'t> {
    signature: &'t syn::Signature,
    name: &'t Ident,
    service: &'t Type,
    borrows: bool,
}

impl<'t> Accessor<'t> {
    fn of(item: &'t TraitItem) -> Result<Self> {
        let form = "an accessor is written `fn orders(&self) -> Arc<OrderService>;`, by value or as a reference";
        let TraitItem::Fn(TraitItemFn { sig, default: None, .. }) = item else {
            return Err(Error::new(item.span(), form));
        };
        let plain = sig.asyncness.is_none() && matches!(sig.safety, Safety::Default) && sig.generics.params.is_empty();
        let receives = matches!(sig.receiver(), Some(Receiver { kind: ReceiverKind::Reference(_, _, None), .. }));
        let ReturnType::Type(_, given) = &sig.output else { return Err(Error::new(sig.span(), form)) };
        if !plain || !receives || sig.inputs.len() != 1 {
            return Err(Error::new(sig.span(), form));
        }
        let (service, borrows) = match &**given {
            Type::Reference(given) => (&*given.elem, true),
            given => (given, false),
        };
        Ok(Self { signature: sig, name: &sig.ident, service, borrows })
    }

    fn method(&self) -> TokenStream {
        let Self { signature, name, service, borrows } = self;
        let body = if *borrows {
            quote!(&self.#name)
        } else {
            quote_spanned!(service.span()=> <#service as ::core::clone::Clone>::clone(&self.#name))
        };
        quote!(#signature { #body })
    }
}
