//! One method, with the code around its body.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{
    Error, FnArg, Ident, ImplItemFn, Pat, Receiver, ReceiverKind, Result, ReturnType, Type, Visibility, parse_quote,
};

use super::attributes::{Rules, Stands};
use crate::items;

/// Puts the code around a method that is public and async, and gives what is told of it. Others are left as they are.
pub(super) fn weave(
    function: &mut ImplItemFn,
    in_trait: bool,
    defaults: &Rules,
    krate: &TokenStream,
) -> Result<Option<TokenStream>> {
    let own = Rules::take(&mut function.attrs, Stands::OnMethod, krate)?;
    if let Some(why) = left_alone(function, in_trait) {
        let name = &function.sig.ident;
        return match own.first {
            Some((span, attribute)) => {
                let why =
                    format!("`#[{attribute}]` has no effect on `{name}`, which {why}, or take the attribute away");
                Err(Error::new(span, why))
            }
            None => match defaults.first {
                Some((_, attribute)) if is_public(function, in_trait) && returns_future(function) => {
                    let why = format!(
                        "`{name}` is not woven, so that `#[{attribute}]` of the `impl` has no effect on it: make it an \
                         `async fn`"
                    );
                    Err(Error::new(name.span(), why))
                }
                _ => Ok(None),
            },
        };
    }
    let arguments = arguments(function)?;
    let ReturnType::Type(_, returns) = &function.sig.output else {
        let name = &function.sig.ident;
        let why = format!("`{name}` returns nothing, and may fail before it runs: return `OrmResult<()>`");
        return Err(Error::new(name.span(), why));
    };
    let rules = own.or(defaults);
    if let (Some(span), false) = (rules.retry(), is_shared(function)) {
        let why = format!("`{}` is run again by `retry`: it takes `&self`", function.sig.ident);
        return Err(Error::new(span, why));
    }
    let name = crate::naming::plain(&function.sig.ident);
    let written = written(returns);
    let rule = rules.code(krate);
    let method = quote! {
        #krate::service::Method::new(<Self as #krate::service::Service>::NAME, #name, #written) #rule
    };
    let statements = &function.block.stmts;
    let body = Body { krate, arguments: &arguments, rules: &rules, returns };
    let woven = body.woven(&method, quote!(#(#statements)*), is_shared(function));
    function.block = parse_quote!({ #woven });
    Ok(Some(method))
}

/// Why a method is left as it is, as the end of a sentence that says what to do; none if it is woven.
fn left_alone(function: &ImplItemFn, in_trait: bool) -> Option<&'static str> {
    if function.sig.asyncness.is_none() {
        Some("is not async: make it an `async fn`")
    } else if !is_public(function, in_trait) {
        Some("is private: make it `pub` or `pub(crate)`")
    } else if function.sig.receiver().is_none() {
        Some("has no `self`: give it `&self`")
    } else {
        None
    }
}

fn is_public(function: &ImplItemFn, in_trait: bool) -> bool {
    in_trait || !matches!(function.vis, Visibility::Inherited)
}

/// Whether it returns an `impl Future`.
fn returns_future(function: &ImplItemFn) -> bool {
    let ReturnType::Type(_, returns) = &function.sig.output else { return false };
    let Type::ImplTrait(opaque) = &**returns else { return false };
    let is_future = |path: &syn::Path| path.segments.last().is_some_and(|last| last.ident == "Future");
    opaque.bounds.iter().any(|bound| matches!(bound, syn::TypeParamBound::Trait(bound) if is_future(&bound.path)))
}

/// Whether it takes `&self`, so that handlers may look at the service, and it can be run again.
fn is_shared(function: &ImplItemFn) -> bool {
    matches!(function.sig.receiver(), Some(Receiver { kind: ReceiverKind::Reference(_, _, None), .. }))
}

/// The type that a method returns, as it is written.
fn written(returns: &Type) -> String {
    let loose = quote!(#returns).to_string();
    let signs = [(" < ", "<"), (" >", ">"), (" ,", ","), (" :: ", "::"), (":: ", "::"), ("& ", "&")];
    signs.iter().fold(loose, |text, (loose, close)| text.replace(loose, close))
}

/// A parameter: a plain name, which the body binds to the pattern that is written.
struct Parameter {
    ident: Ident,
    ty: Type,
    /// What is written, if it is more than a name.
    pattern: Option<Pat>,
    shown: String,
    hidden: bool,
}

/// The parameters, with plain names and without the attributes of this macro.
fn arguments(function: &mut ImplItemFn) -> Result<Vec<Parameter>> {
    let mut all = Vec::new();
    for (place, input) in function.sig.inputs.iter_mut().enumerate() {
        let FnArg::Typed(input) = input else { continue };
        let hidden = !items::of(&input.attrs, "log", &["skip"])?.is_empty();
        input.attrs.retain(|attribute| !attribute.path().is_ident("log"));
        let (ident, pattern) = match &*input.pat {
            Pat::Ident(name) if name.mutability.is_none() && name.by_ref.is_none() && name.subpat.is_none() => {
                (name.ident.clone(), None)
            }
            Pat::Ident(name) if name.subpat.is_none() => (name.ident.clone(), Some((*input.pat).clone())),
            pattern => (format_ident!("__argument{place}", span = pattern.span()), Some(pattern.clone())),
        };
        let shown = match &pattern {
            Some(pattern) if !matches!(pattern, Pat::Ident(_)) => quote!(#pattern).to_string(),
            _ => crate::naming::plain(&ident),
        };
        if pattern.is_some() {
            *input.pat = parse_quote!(#ident);
        }
        all.push(Parameter { ident, ty: (*input.ty).clone(), pattern, shown, hidden });
    }
    Ok(all)
}

impl Parameter {
    /// Whether it can be looked at while the body has it: a reference, or a plain number.
    fn is_shared(&self) -> bool {
        match &self.ty {
            Type::Reference(reference) => reference.mutability.is_none(),
            Type::Path(path) => path.path.get_ident().is_some_and(|name| {
                let plain = [
                    "bool", "char", "f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32",
                    "u64", "u128", "usize",
                ];
                plain.iter().any(|plain| name == plain)
            }),
            _ => false,
        }
    }

    /// A reference to it, for a look.
    fn seen(&self) -> TokenStream {
        let ident = &self.ident;
        match &self.ty {
            Type::Reference(_) => quote!(&*#ident),
            _ => quote!(&#ident),
        }
    }

    /// What shows it.
    fn shows(&self, private: &TokenStream, call: &Ident) -> TokenStream {
        let (name, ident) = (&self.shown, &self.ident);
        // Names that are not those of an argument.
        let [show, text] = ["show", "text"].map(|name| Ident::new(name, Span::mixed_site()));
        if self.hidden {
            return quote!(#private::Argument::hidden(#name));
        }
        let shows = quote!((&&#private::probe::Probe::of(&#ident)).shows());
        if self.is_shared() {
            return quote! {
                #private::Argument::later(#name, {
                    let #show = #shows;
                    move |#text| #show(&#ident, #text)
                })
            };
        }
        quote! {
            #private::Argument::now(#name, {
                let mut #text = #call.text();
                #shows(&#ident, &mut #text);
                #text
            })
        }
    }

    /// What an attempt gets of it.
    fn again(&self, private: &TokenStream) -> TokenStream {
        let ident = &self.ident;
        match &self.ty {
            Type::Reference(reference) if reference.mutability.is_some() => quote!(let #ident = &mut *#ident;),
            _ if self.is_shared() => TokenStream::new(),
            ty => quote_spanned!(ty.span() => let #ident = #private::Again::again(&#ident);),
        }
    }

    /// What the body binds it to.
    fn bound(&self) -> Option<TokenStream> {
        let (pattern, ident) = (self.pattern.as_ref()?, &self.ident);
        Some(quote!(let #pattern = #ident;))
    }
}

/// What the code around a body is made of.
struct Body<'a> {
    krate: &'a TokenStream,
    arguments: &'a [Parameter],
    rules: &'a Rules,
    returns: &'a Type,
}

impl Body<'_> {
    fn woven(&self, method: &TokenStream, block: TokenStream, shared: bool) -> TokenStream {
        let (krate, rules, returns) = (self.krate, self.rules, self.returns);
        let private = quote!(#krate::service::__private);
        // Names that the body does not see.
        let [call, done, value, text, error] =
            ["call", "done", "value", "text", "error"].map(|name| Ident::new(name, Span::mixed_site()));
        let refused = quote_spanned!(returns.span() => #private::refused(#error));
        let target =
            if shared { quote!(::core::option::Option::Some(self)) } else { quote!(::core::option::Option::None) };
        let shown = self.arguments.iter().map(|argument| argument.shows(&private, &call));
        let check = rules.check().map(|check| {
            let seen = self.arguments.iter().map(Parameter::seen);
            quote! {
                let #value = #call.check(|#value| #check(#value, #(#seen),*));
                if let ::core::result::Result::Err(#error) = #call.checked(#value).await {
                    return #refused;
                }
            }
        });
        let bound = self.arguments.iter().filter_map(Parameter::bound);
        let known = (!is_opaque(returns)).then(|| {
            // The block has the type from its first line on, so that what it returns is coerced as in a function.
            quote! {
                #[allow(unreachable_code, clippy::diverging_sub_expression, clippy::no_effect_underscore_binding)]
                if let ::core::option::Option::Some(#value) = ::core::option::Option::None::<#returns> {
                    return #value;
                }
            }
        });
        // Pinned here, as each function that takes a future over would hold it twice.
        let body = quote!(::core::pin::pin!(async move { #known #(#bound)* #block }));
        let commits = rules.commit_on().map_or_else(|| quote!(|_| false), |path| quote!(#path));
        let ran = match rules.retry() {
            None => quote!(#call.run(#body, #commits).await),
            Some(_) => {
                let again = self.arguments.iter().map(|argument| argument.again(&private));
                quote! {
                    loop {
                        #(#again)*
                        if let ::core::option::Option::Some(#done) = #call.attempt(#body, #commits).await {
                            break #done;
                        }
                    }
                }
            }
        };
        quote! {
            #[allow(unused_imports)]
            use #private::probe::{ByName as _, ByText as _};
            let mut #call = match #private::Call::of::<Self>(&self, const { #method }) {
                ::core::result::Result::Ok(#call) => #call,
                ::core::result::Result::Err(#error) => return #refused,
            };
            if #call.shows_arguments() {
                let #value = ::std::vec![#(#shown),*];
                #call.show(#target, #value);
            }
            if let ::core::result::Result::Err(#error) = #call.begin().await {
                return #refused;
            }
            #check
            let #done = #ran;
            #call
                .end(#done, |#value, #text| (&&#private::probe::Probe::of(#value)).shows()(#value, #text))
                .await
        }
    }
}

/// Whether the type cannot be named.
fn is_opaque(ty: &Type) -> bool {
    quote!(#ty).into_iter().any(contains_impl)
}

fn contains_impl(tree: proc_macro2::TokenTree) -> bool {
    match tree {
        proc_macro2::TokenTree::Ident(ident) => ident == "impl",
        proc_macro2::TokenTree::Group(group) => group.stream().into_iter().any(contains_impl),
        _ => false,
    }
}
