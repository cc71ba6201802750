//! `expr!`: a closure over an entity's columns, whose operators become nodes of a tree.
//!
//! What mentions the closure's parameter is a part of the tree; everything else is Rust, is evaluated once, and becomes a
//! parameter. So it is told by looking which is which, and types are left to rustc: the parameter is the entity's struct
//! of columns, and an operator is a call of a function in `entity::ops`.

mod blocks;
mod method;
mod pattern;
mod rewrite;
mod scope;

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use quote::{quote, quote_spanned};
use syn::parse::{ParseStream, Parser};
use syn::spanned::Spanned;
use syn::{Expr, GenericArgument, Ident, PathArguments, Token, Type};

pub(crate) use rewrite::{Rewriter, bare};

/// A parameter of a closure: `o: Order`, or `c: Option<Customer>` of a table that a join need not find.
pub(crate) struct Param {
    pub(crate) name: Ident,
    pub(crate) ty: Type,
    /// The type without `Option`.
    pub(crate) entity: Type,
    pub(crate) optional: bool,
    /// Whether it is of the rows of a query, `t.from(query)`, and no entity.
    pub(crate) derived: bool,
    /// Whether its columns are there from the start: those of a query's parameters are once they are in FROM.
    pub(crate) found: bool,
}

/// `$crate; |o: Order| body`
pub(crate) struct Lambda {
    /// The path of the facade.
    pub(crate) krate: TokenStream,
    pub(crate) params: Vec<Param>,
    pub(crate) body: Expr,
    /// What is wrong with a body that is not written to its end yet.
    half: Option<syn::Error>,
}

impl Lambda {
    /// The one table whose names need no alias, unless there are several.
    pub(crate) fn is_single(&self) -> bool {
        matches!(self.params.as_slice(), [one] if !one.derived && !one.optional)
    }

    /// The names of the parameters, for messages.
    pub(crate) fn names(&self) -> String {
        self.params.iter().map(|param| format!("`{}`", param.name)).collect::<Vec<_>>().join(", ")
    }
}

/// `Customer` of `Option<Customer>`.
fn inside_option(ty: &Type) -> Option<&Type> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last().filter(|last| last.ident == "Option")?;
    match &last.arguments {
        PathArguments::AngleBracketed(generic) => match generic.args.first() {
            Some(GenericArgument::Type(inner)) => Some(inner),
            _ => None,
        },
        _ => None,
    }
}

/// Takes off the path of the facade, `$crate;`, which stands first: the macros that programs call put it there, so that it
/// is right under whatever name, and through whatever crate, the program has the facade.
pub(crate) fn facade(input: TokenStream) -> (TokenStream, TokenStream) {
    let mut tokens = input.into_iter();
    let is_end = |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ';');
    let krate = tokens.by_ref().take_while(|token| !is_end(token)).collect();
    (krate, tokens.collect())
}

/// Reads the closure behind the path of the facade.
pub(crate) fn lambda(input: TokenStream) -> syn::Result<Lambda> {
    let (krate, input) = facade(input);
    closure(krate, input)
}

/// Reads the closure. A body in which a name is missing yet gets one, so that an editor can complete it.
pub(crate) fn closure(krate: TokenStream, input: TokenStream) -> syn::Result<Lambda> {
    let parser = |input: ParseStream<'_>| -> syn::Result<Lambda> {
        input.parse::<Token![|]>().map_err(|error| {
            syn::Error::new(error.span(), "a closure over an entity is wanted: `|o: Order| o.amount > 100`")
        })?;
        let mut params = Vec::new();
        loop {
            let name: Ident = input.parse()?;
            if !input.peek(Token![:]) {
                let message = format!("say which entity it is: `|{name}: Order| ..`");
                return Err(syn::Error::new(name.span(), message));
            }
            input.parse::<Token![:]>()?;
            let ty: Type = input.parse()?;
            let inner = inside_option(&ty).cloned();
            let (optional, entity) = (inner.is_some(), inner.unwrap_or_else(|| ty.clone()));
            params.push(Param { name, ty, entity, optional, derived: false, found: true });
            if input.peek(Token![,]) {
                input.parse::<Token![,]>()?;
            }
            if input.peek(Token![|]) {
                break;
            }
        }
        input.parse::<Token![|]>()?;
        let rest: TokenStream = input.parse()?;
        let first = params.first().map_or_else(Span::call_site, |param| param.name.span());
        if rest.is_empty() {
            return Err(syn::Error::new(first, "the closure has no body"));
        }
        let (mut body, half) = match syn::parse2(rest.clone()) {
            Ok(body) => (body, None),
            Err(error) => match syn::parse2(completed(rest)) {
                Ok(body) => (body, Some(error)),
                Err(_) => return Err(error),
            },
        };
        // A formatter puts a long body between braces.
        while let Some(inner) = rewrite::inside_block(&body).cloned() {
            body = inner;
        }
        Ok(Lambda { krate, params, body, half })
    };
    parser.parse2(input)
}

/// The columns that the parameter stands for, in a condition on the rows of `scope`.
pub(crate) fn columns(
    krate: &TokenStream,
    param: &Ident,
    entity: &Type,
    scope: &TokenStream,
    alias: Option<&str>,
) -> TokenStream {
    let alias = match alias {
        Some(alias) => quote!(::core::option::Option::Some(#alias)),
        None => quote!(::core::option::Option::None),
    };
    quote_spanned! {entity.span()=>
        #[allow(unused_variables)]
        let #param = <#entity as #krate::entity::Entity>::columns_in::<#scope>(#alias);
    }
}

/// The same with a name behind each dot that has none. The compiler says of it that there is no such field, beside what is
/// wrong, and lists those that there are.
fn completed(tokens: TokenStream) -> TokenStream {
    let is_dot = |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == '.');
    let mut done = TokenStream::new();
    let mut tokens = tokens.into_iter().peekable();
    let mut range = false;
    while let Some(token) = tokens.next() {
        let dot = is_dot(&token);
        let missing = match tokens.peek() {
            None => true,
            Some(TokenTree::Punct(next)) => next.as_char() != '.',
            Some(TokenTree::Group(group)) => group.delimiter() != Delimiter::None,
            Some(_) => false,
        };
        let span = token.span();
        done.extend([match token {
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), completed(group.stream()));
                inner.set_span(group.span());
                inner.into()
            }
            other => other,
        }]);
        if dot && missing && !range {
            done.extend([TokenTree::from(Ident::new("name_is_missing", span))]);
        }
        range = dot;
    }
    done
}

/// The body with the parameter before it.
///
/// Of one that is not written to its end yet, an editor completes what is there: it finds its way by where things stand in
/// what the whole one would become, so that the error comes last.
pub(crate) fn around(lambda: &Lambda, body: impl FnOnce(&mut Rewriter, &Expr) -> TokenStream) -> TokenStream {
    let mut rewriter = Rewriter::new(lambda.krate.clone());
    let columns = rewriter.enter(lambda);
    let body = body(&mut rewriter, &lambda.body);
    let half = lambda.half.is_some() || rewriter.half;
    let error = lambda.half.clone().or(rewriter.error()).map(|error| error.to_compile_error());
    match error {
        None => quote!({ #columns #body }),
        Some(error) if half => quote!({ #columns #body; #error }),
        Some(error) => quote!({ #error }),
    }
}

pub(crate) fn expand(input: TokenStream) -> TokenStream {
    match lambda(input) {
        Ok(lambda) => around(&lambda, Rewriter::whole),
        Err(error) => error.to_compile_error(),
    }
}
