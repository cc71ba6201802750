//! `sql!`: a template whose holes are Rust.

mod names;
mod text;

use isogloss_lexis::TextPlace;
use proc_macro2::{Literal, Span, TokenStream, TokenTree};
use quote::{quote, quote_spanned};
use syn::parse::{Parse, ParseStream, Parser};
use syn::spanned::Spanned;
use syn::{Expr, Ident, LitStr, Token};

use text::{Piece, pieces};

use crate::expr::facade;

/// Holes that the catalog fills.
const TOKENS: [&str; 4] = ["Table", "From", "AllFields", "FixedFilter"];

/// `name = expr`, or a value for the next `{}`.
struct Argument {
    name: Option<Ident>,
    value: Expr,
}

impl Parse for Argument {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let name = if input.peek(Ident) && input.peek2(Token![=]) && !input.peek2(Token![==]) {
            let name = input.parse()?;
            input.parse::<Token![=]>()?;
            Some(name)
        } else {
            None
        };
        Ok(Self { name, value: input.parse()? })
    }
}

pub(crate) fn expand(input: TokenStream) -> TokenStream {
    template(input).unwrap_or_else(|error| error.to_compile_error())
}

fn template(input: TokenStream) -> syn::Result<TokenStream> {
    let (krate, input) = facade(input);
    let (text, args) = parse.parse2(input)?;
    let written = text.value();
    let pieces = pieces(&written).map_err(|(at, why)| wrong(&text, &written, at, why))?;

    let mut output = String::new();
    let mut binds: Vec<Bind> = Vec::new();
    let mut used = vec![false; args.len()];
    let mut next = 0_usize;
    let mut list = false;
    let mut holes: Vec<&str> = Vec::new();
    let mut captures: Vec<Expr> = Vec::new();
    for piece in pieces {
        let (at, hole) = match piece {
            Piece::Text(text) => {
                list = is_list(text);
                output.push_str(text);
                continue;
            }
            Piece::Hole(at, hole) => (at, hole),
        };
        let named = |name: &str| args.iter().position(|arg| arg.name.as_ref().is_some_and(|known| known == name));
        let position = match hole {
            "" => {
                next += 1;
                Some(next - 1)
            }
            number if number.bytes().all(|byte| byte.is_ascii_digit()) => number.parse().ok(),
            name => {
                if let Some(index) = named(name) {
                    if let Some(used) = used.get_mut(index) {
                        *used = true;
                    }
                    bind(&mut output, &mut binds, name, &args, index, list);
                    continue;
                }
                if TOKENS.contains(&name) {
                    output.push_str(&format!("{{{name}}}"));
                    continue;
                }
                if let Some(known) = TOKENS.iter().find(|known| known.eq_ignore_ascii_case(name)) {
                    let why = format!("`{{{name}}}` is written `{{{known}}}`");
                    return Err(wrong(&text, &written, at, why));
                }
                let value = captured(&text, &written, at, name)?;
                holes.push(name);
                captures.push(value.clone());
                let slot = format!("__hole_{}", binds.len());
                output.push_str(&format!("{{{slot}}}"));
                binds.push(Bind { slot, value, list });
                continue;
            }
        };
        // The arguments without a name, in their order.
        let unnamed = args.iter().enumerate().filter(|(_, arg)| arg.name.is_none()).map(|(index, _)| index);
        let Some(index) = position.and_then(|position| unnamed.into_iter().nth(position)) else {
            let why = format!("`{{{hole}}}` has no argument behind the text");
            return Err(wrong(&text, &written, at, why));
        };
        if let Some(used) = used.get_mut(index) {
            *used = true;
        }
        let slot = format!("__arg_{index}");
        bind(&mut output, &mut binds, &slot, &args, index, list);
    }
    if let Some((arg, _)) = args.iter().zip(&used).find(|(_, used)| !**used) {
        let (span, what) = match &arg.name {
            Some(name) => (name.span(), format!("no hole `{{{name}}}` is in the text{}", others(&holes))),
            None => (arg.value.span(), "no hole `{}` is left in the text for this argument".to_owned()),
        };
        return Err(syn::Error::new(span, what));
    }

    let mut literal = Literal::string(&output);
    literal.set_span(text.span());
    let binds = binds.iter().map(|Bind { slot, value, list }| {
        let value = match value {
            Expr::Path(_)
            | Expr::Field(_)
            | Expr::Lit(_)
            | Expr::Call(_)
            | Expr::MethodCall(_)
            | Expr::Macro(_)
            | Expr::Paren(_)
            | Expr::Array(_)
            | Expr::Index(_)
            | Expr::Reference(_) => quote!(#value),
            other => quote_spanned!(other.span()=> (#other)),
        };
        let hole = quote_spanned!(value.span()=> #krate::entity::ops::ToHole(&#value));
        let hole = match list {
            true => quote_spanned!(value.span()=> (&&&#hole).hole()),
            false => quote_spanned!(value.span()=> { use #krate::entity::ops::HoleOfBytes as _; (&&&&#hole).hole() }),
        };
        quote!(.bind(#slot, #hole))
    });
    let shields = names::shields(text.span(), &captures, args.iter().map(|arg| &arg.value));
    Ok(quote! {{
        #shields
        #[allow(unused_imports)]
        use #krate::entity::ops::{HoleOfItems as _, HoleOfSlice as _, HoleOfValue as _};
        #krate::ExprString::new().text(#literal) #(#binds)*
    }})
}

fn parse(input: ParseStream<'_>) -> syn::Result<(LitStr, Vec<Argument>)> {
    let text = input.parse::<LitStr>().map_err(|error| {
        syn::Error::new(
            error.span(),
            "a template is a literal, so that it is read when the program is compiled; for a text of the running \
             program there is `ExprString::parse`",
        )
    })?;
    let mut args = Vec::new();
    while !input.is_empty() {
        input.parse::<Token![,]>()?;
        if !input.is_empty() {
            args.push(input.parse()?);
        }
    }
    Ok((text, args))
}

/// What fills a hole.
struct Bind {
    slot: String,
    value: Expr,
    /// Whether it stands behind IN, where bytes are numbers.
    list: bool,
}

/// Which holes nothing of the arguments fills, of those that are names.
fn others(holes: &[&str]) -> String {
    let mut names: Vec<String> = Vec::new();
    for hole in holes.iter().filter(|hole| syn::parse_str::<Ident>(hole).is_ok()) {
        let name = format!("`{{{hole}}}`");
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if names.is_empty() { String::new() } else { format!(", and no argument fills {}", names.join(", ")) }
}

/// Whether a list stands behind the text: `.. IN` and `.. IN (`.
fn is_list(text: &str) -> bool {
    let text = text.trim_end();
    let text = text.strip_suffix('(').unwrap_or(text);
    let mut words = text.trim_end().rsplit(|c: char| !c.is_alphanumeric() && c != '_');
    words.next().is_some_and(|word| word.eq_ignore_ascii_case("in"))
}

/// Writes a hole for an argument, and binds it once.
fn bind(output: &mut String, binds: &mut Vec<Bind>, slot: &str, args: &[Argument], index: usize, list: bool) {
    output.push_str(&format!("{{{slot}}}"));
    match binds.iter_mut().find(|known| known.slot == slot) {
        Some(known) => known.list |= list,
        None => binds.extend(args.get(index).map(|arg| Bind { slot: slot.to_owned(), value: arg.value.clone(), list })),
    }
}

/// What a hole names: a variable, or any expression.
fn captured(text: &LitStr, written: &str, at: usize, hole: &str) -> syn::Result<Expr> {
    let tokens = hole.parse::<TokenStream>().ok().map(|tokens| respan(tokens, text.span()));
    tokens.and_then(|tokens| syn::parse2::<Expr>(tokens).ok()).ok_or_else(|| {
        let why = format!("`{hole}` is no expression of Rust; a brace that stands for itself is written `{{{{`");
        wrong(text, written, at, why)
    })
}

fn respan(tokens: TokenStream, span: Span) -> TokenStream {
    let token = |mut token: TokenTree| {
        if let TokenTree::Group(group) = &token {
            let mut inner = proc_macro2::Group::new(group.delimiter(), respan(group.stream(), span));
            inner.set_span(span);
            return inner.into();
        }
        token.set_span(span);
        token
    };
    tokens.into_iter().map(token).collect()
}

/// An error at the text that says the place in it.
fn wrong(text: &LitStr, written: &str, at: usize, why: impl std::fmt::Display) -> syn::Error {
    let TextPlace { line, column, .. } = TextPlace::new(written, at);
    syn::Error::new(text.span(), format!("SQL template, line {line}, column {column}: {why}"))
}
