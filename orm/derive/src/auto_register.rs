//! `#[auto_register]`: a service that is registered when the program is linked.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Error, Generics, Ident, Item, LitStr, Path, Result, Type};

use crate::attributes::facade;
use crate::items;

const KNOWN: [&str; 6] = ["policy", "lifetime", "key", "enabled", "interfaces", "crate"];

/// What `#[auto_register(...)]` says.
struct Arguments {
    itself: bool,
    interfaces: Vec<Type>,
    lifetime: Ident,
    key: Option<Path>,
    enabled: bool,
    krate: TokenStream,
}

/// The item as it is, and its registration or what is wrong with it.
pub(crate) fn expand(arguments: TokenStream, item: &TokenStream) -> TokenStream {
    let registration = registration(arguments, item.clone()).unwrap_or_else(Error::into_compile_error);
    quote!(#item #registration)
}

fn registration(arguments: TokenStream, item: TokenStream) -> Result<TokenStream> {
    let parsed: Item = syn::parse2(item)?;
    let (ident, generics) = match &parsed {
        Item::Struct(it) => (&it.ident, &it.generics),
        Item::Enum(it) => (&it.ident, &it.generics),
        other => {
            return Err(Error::new(other.span(), "`auto_register` stands on the struct or enum that is the service"));
        }
    };
    let arguments = Arguments::parse(arguments)?;
    not_generic(ident, generics)?;
    Ok(if arguments.enabled { arguments.registration(ident) } else { TokenStream::new() })
}

fn not_generic(ident: &Ident, generics: &Generics) -> Result<()> {
    if generics.params.is_empty() {
        return Ok(());
    }
    let why = format!(
        "`{ident}` is generic, and only one type at a time can be registered: call \
         `services.add_service::<{ident}<..>>(ServiceLifetime::Scoped)` for each"
    );
    Err(Error::new(generics.span(), why))
}

impl Arguments {
    fn parse(arguments: TokenStream) -> Result<Self> {
        let mut all = Self {
            itself: true,
            interfaces: Vec::new(),
            lifetime: Ident::new("Scoped", proc_macro2::Span::call_site()),
            key: None,
            enabled: true,
            krate: facade(),
        };
        let mut policy = None;
        for item in items::given(arguments, "auto_register", &KNOWN)? {
            match item.key.to_string().as_str() {
                "policy" => policy = Some(item.word()?),
                "lifetime" => all.lifetime = lifetime(&item.word()?)?,
                "key" => all.key = Some(item.path()?),
                "enabled" => all.enabled = item.bool()?,
                "interfaces" => all.interfaces = item.traits()?.to_vec(),
                _ => {
                    let path: Path = item.string()?.parse()?;
                    all.krate = quote!(#path);
                }
            }
        }
        if let Some(policy) = policy {
            all.follow(&policy)?;
        }
        Ok(all)
    }

    fn follow(&mut self, policy: &LitStr) -> Result<()> {
        let why = match (policy.value().as_str(), self.interfaces.is_empty()) {
            ("all", _) | ("self", true) => return Ok(()),
            ("interface", false) => {
                self.itself = false;
                return Ok(());
            }
            ("self", false) => "`policy = self` registers no interfaces: leave `interfaces(...)` out, or take `all`",
            ("interface", true) => "`policy = interface` needs `interfaces(dyn Trait, ...)`",
            _ => "a policy is `all`, `self` or `interface`",
        };
        Err(Error::new(policy.span(), why))
    }

    fn registration(&self, ident: &Ident) -> TokenStream {
        let Self { krate, lifetime, .. } = self;
        let container = quote!(#krate::container);
        let key = match &self.key {
            Some(key) => quote!(#container::__private::Keyed<#key>),
            None => quote!(()),
        };
        let itself = self.itself.then(|| quote!(.itself()));
        // At the trait, where the compiler says that the service does not implement it.
        let interfaces = self
            .interfaces
            .iter()
            .map(|interface| quote_spanned!(interface.span()=> .interface::<#interface>(|it| it)));
        let checks = is_service(krate, ident);
        let adding = quote_spanned!(ident.span()=> #container::__private::Adding::<#ident, #key>);
        quote! {
            const _: () = {
                #container::__private::inventory::submit! {
                    #container::Registration::new(
                        ::core::module_path!(),
                        ::core::concat!(::core::module_path!(), "::", ::core::stringify!(#ident)),
                        |services, context| {
                            #checks
                            #adding::to(services, context, #container::ServiceLifetime::#lifetime)?
                                #itself #(#interfaces)*;
                            ::core::result::Result::Ok(())
                        },
                    )
                }
            };
        }
    }
}

/// Checks that the program can do what the methods of a service ask for, if the type is one.
pub(crate) fn is_service(krate: &TokenStream, ty: &Ident) -> TokenStream {
    quote! {
        {
            #[allow(unused_imports, reason = "one of them is meant")]
            use #krate::service::__private::probe_service::{IsNone as _, IsService as _, Made};
            (&&Made::<#ty>::default()).check(context)?;
        }
    }
}

fn lifetime(word: &LitStr) -> Result<Ident> {
    let variant = match word.value().as_str() {
        "scoped" => "Scoped",
        "singleton" => "Singleton",
        "transient" => "Transient",
        _ => return Err(Error::new(word.span(), "a lifetime is `scoped`, `singleton` or `transient`")),
    };
    Ok(Ident::new(variant, word.span()))
}
