//! `#[service]` and `#[derive(FromSession)]`.

mod attributes;
mod from_session;
mod method;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Error, Expr, Ident, ImplItem, ItemImpl, Result, Type, parse_quote};

use crate::checks::Errors;
use crate::items::{self, Item};
use crate::naming::{self, Case};
use attributes::{Rules, Stands};
pub(crate) use from_session::derive;

/// What `#[service(...)]` says.
struct Options {
    krate: TokenStream,
    name: Option<syn::LitStr>,
    session: Option<Expr>,
    /// The parts that it has beside this `impl`.
    with: Vec<Ident>,
    /// The part that this `impl` is.
    part: Option<Ident>,
}

impl Options {
    fn parse(tokens: TokenStream) -> Result<Self> {
        let mut all = Self { krate: quote!(::isogloss), name: None, session: None, with: Vec::new(), part: None };
        for item in items::given(tokens, "service", &["name", "session", "with", "part", "crate"])? {
            match naming::plain(&item.key).as_str() {
                "name" => all.name = Some(item.string()?),
                "session" => all.session = Some(item.expr()?),
                "with" => all.with = item.words()?,
                "part" => all.part = Some(item.path()?.require_ident()?.clone()),
                _ => all.krate = krate(&item)?,
            }
        }
        Ok(all)
    }
}

/// Where the facade is.
fn krate(item: &Item) -> Result<TokenStream> {
    let path: syn::Path = item.string()?.parse()?;
    Ok(quote!(#path))
}

/// The constant that holds the methods of a part.
fn part(name: &Ident) -> Ident {
    format_ident!("__PART_{}", Case::Screaming.of(&naming::plain(name)), span = name.span())
}

pub(crate) fn expand(options: TokenStream, item: TokenStream) -> Result<TokenStream> {
    let options = Options::parse(options)?;
    let mut item: ItemImpl = syn::parse2(item.clone()).map_err(|_| {
        Error::new_spanned(&item, "`#[service]` stands on an `impl`: that of a struct, or of a trait for it")
    })?;
    let krate = options.krate.clone();
    let defaults = Rules::take(&mut item.attrs, Stands::OnImpl, &krate)?;
    let in_trait = item.trait_.is_some();
    not_expanded_yet(&item)?;
    let mut errors = Errors::default();
    let mut methods = Vec::new();
    for member in &mut item.items {
        let ImplItem::Fn(function) = member else { continue };
        let woven = method::weave(function, in_trait, &defaults, &krate);
        methods.extend(errors.take(woven).flatten());
    }
    errors.finish()?;
    if let (Some((span, attribute)), true) = (defaults.first, methods.is_empty()) {
        let why = format!(
            "`#[{attribute}]` has no effect: no method of this `impl` is a public `async fn` with a `self`; make one so, or \
             take the attribute away"
        );
        return Err(Error::new(span, why));
    }
    let methods = quote!(&[#(#methods),*]);
    let (impls, _, clause) = item.generics.split_for_impl();
    let ty = &item.self_ty;
    let declared = match &options.part {
        Some(name) => {
            let name = part(name);
            quote! {
                #[automatically_derived]
                impl #impls #ty #clause {
                    #[doc(hidden)]
                    pub const #name: &'static [#krate::service::Method] = #methods;
                }
            }
        }
        None => {
            let name = named(&options, ty)?;
            let session = options.session.unwrap_or_else(|| parse_quote!(session));
            let session = match &session {
                Expr::Path(path) if path.path.get_ident().is_some() => quote!(&self.#session),
                session => quote!(#session),
            };
            let parts = options.with.iter().map(part);
            quote! {
                #[automatically_derived]
                impl #impls #krate::service::Service for #ty #clause {
                    const NAME: &'static str = #name;
                    const METHODS: &'static [&'static [#krate::service::Method]] = &[#methods, #(Self::#parts),*];

                    fn session(&self) -> &#krate::Session {
                        #session
                    }
                }
            }
        }
    };
    Ok(quote! {
        #item

        #declared
    })
}

/// The name of a service: that which is given, or the type's.
fn named(options: &Options, ty: &Type) -> Result<syn::LitStr> {
    if let Some(name) = &options.name {
        return Ok(name.clone());
    }
    let last = match ty {
        Type::Path(path) => path.path.segments.last(),
        _ => None,
    };
    let last = last.ok_or_else(|| Error::new_spanned(ty, "name the service: `#[service(name = \"...\")]`"))?;
    Ok(syn::LitStr::new(&naming::plain(&last.ident), last.ident.span()))
}

/// `#[async_trait]` above leaves nothing of an `async fn`.
fn not_expanded_yet(item: &ItemImpl) -> Result<()> {
    let expanded = item.items.iter().find_map(|member| match member {
        ImplItem::Fn(function) if function.sig.asyncness.is_none() => match &function.sig.output {
            syn::ReturnType::Type(_, ty) => match &**ty {
                Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "Pin") => {
                    Some(&function.sig.ident)
                }
                _ => None,
            },
            syn::ReturnType::Default => None,
        },
        _ => None,
    });
    match expanded {
        Some(name) if item.trait_.is_some() => Err(Error::new(
            name.span(),
            format!("`{name}` is not an `async fn` any more: write `#[service]` above `#[async_trait]`"),
        )),
        _ => Ok(()),
    }
}
