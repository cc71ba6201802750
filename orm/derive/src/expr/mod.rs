//! `expr!`: a closure over an entity's columns, whose operators become nodes of a tree.
//!
//! What mentions the closure's parameter is a part of the tree; everything else is Rust, is evaluated once, and becomes a
//! parameter. So it is told by looking which is which, and types are left to rustc: the parameter is the entity's struct
//! of columns, and an operator is a call of a function in `entity::ops`.

mod method;
mod pattern;
mod rewrite;
mod scope;

use proc_macro2::{TokenStream, TokenTree};
use quote::{quote, quote_spanned};
use syn::parse::{ParseStream, Parser};
use syn::spanned::Spanned;
use syn::{Expr, Ident, Token, Type};

pub(crate) use rewrite::Rewriter;

/// `$crate; |o: Order| body`
pub(crate) struct Lambda {
    /// The path of the facade.
    pub(crate) krate: TokenStream,
    pub(crate) param: Ident,
    pub(crate) entity: Type,
    pub(crate) body: Result<Expr, (syn::Error, TokenStream)>,
}

/// Takes off the path of the facade, `$crate;`, which stands first: the macros that programs call put it there, so that it
/// is right under whatever name, and through whatever crate, the program has the facade.
pub(crate) fn facade(input: TokenStream) -> (TokenStream, TokenStream) {
    let mut tokens = input.into_iter();
    let is_end = |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ';');
    let krate = tokens.by_ref().take_while(|token| !is_end(token)).collect();
    (krate, tokens.collect())
}

/// Reads the closure. A body that is none yet is kept, so that an editor can complete it.
pub(crate) fn lambda(input: TokenStream) -> syn::Result<Lambda> {
    let (krate, input) = facade(input);
    let parser = |input: ParseStream<'_>| -> syn::Result<Lambda> {
        input.parse::<Token![|]>().map_err(|error| {
            syn::Error::new(error.span(), "a closure over an entity is wanted: `|o: Order| o.amount > 100`")
        })?;
        let param: Ident = input.parse()?;
        if !input.peek(Token![:]) {
            let message = format!("say which entity it is: `|{param}: Order| ..`");
            return Err(syn::Error::new(param.span(), message));
        }
        input.parse::<Token![:]>()?;
        let entity: Type = input.parse()?;
        input.parse::<Token![|]>()?;
        let rest: TokenStream = input.parse()?;
        if rest.is_empty() {
            return Err(syn::Error::new(param.span(), "the closure has no body"));
        }
        let body = syn::parse2::<Expr>(rest.clone()).map_err(|error| (error, rest));
        Ok(Lambda { krate, param, entity, body })
    };
    parser.parse2(input)
}

/// The columns that the parameter stands for.
pub(crate) fn columns(krate: &TokenStream, param: &Ident, entity: &Type, alias: Option<&str>) -> TokenStream {
    let alias = match alias {
        Some(alias) => quote!(::core::option::Option::Some(#alias)),
        None => quote!(::core::option::Option::None),
    };
    quote_spanned! {entity.span()=>
        #[allow(unused_variables)]
        let #param = <#entity as #krate::entity::Entity>::columns(#alias);
    }
}

/// The body with the parameter before it.
pub(crate) fn around(lambda: &Lambda, body: impl FnOnce(&mut Rewriter, &Expr) -> TokenStream) -> TokenStream {
    let columns = columns(&lambda.krate, &lambda.param, &lambda.entity, None);
    let parsed = match &lambda.body {
        Ok(parsed) => parsed,
        Err((error, rest)) => {
            let error = error.to_compile_error();
            // An editor completes what is typed so far by what its parameter is.
            let half = rest.clone().into_iter().last().is_some_and(|last| last.to_string() == ".");
            return if half { quote!({ #columns #error; #rest }) } else { quote!({ #error }) };
        }
    };
    let mut rewriter = Rewriter::new(lambda);
    let body = body(&mut rewriter, parsed);
    match rewriter.error() {
        Some(error) => {
            let error = error.to_compile_error();
            quote!({ #error })
        }
        None => quote!({ #columns #body }),
    }
}

pub(crate) fn expand(input: TokenStream) -> TokenStream {
    match lambda(input) {
        Ok(lambda) => around(&lambda, Rewriter::whole),
        Err(error) => error.to_compile_error(),
    }
}
