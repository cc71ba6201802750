//! Names in holes that are not there.

use std::collections::BTreeSet;

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use syn::Expr;

/// A constant for each name in the captured holes, called the same in other letters: `MIM` for `{mim}`.
///
/// Nothing uses them. A token of a hole can have no place but that of the whole text, so rustc, which looks for a name that is like
/// one it does not know, would propose to write that one in place of the text: `sql!(min)`. The name that is most alike is a
/// constant here, and none is proposed that stands at the very place of the error.
pub(super) fn shields<'e>(span: Span, captures: &[Expr], args: impl Iterator<Item = &'e Expr>) -> TokenStream {
    let (mut names, mut known) = (BTreeSet::new(), BTreeSet::new());
    captures.iter().for_each(|value| idents(value.to_token_stream(), &mut names));
    args.for_each(|value| idents(value.to_token_stream(), &mut known));
    let mut shields = TokenStream::new();
    for name in &names {
        let upper = name.to_uppercase();
        let (other, style) = match upper == *name {
            true => (name.to_lowercase(), quote_spanned!(span=> #[allow(nonstandard_style)])),
            false => (upper, TokenStream::new()),
        };
        // One that means something here stays what it is.
        if names.contains(&other) || known.contains(&other) || syn::parse_str::<Ident>(&other).is_err() {
            continue;
        }
        let other = Ident::new(&other, span);
        shields.extend(quote_spanned!(span=> #[allow(dead_code)] #style const #other: () = ();));
    }
    shields
}

fn idents(tokens: TokenStream, names: &mut BTreeSet<String>) {
    for token in tokens {
        match token {
            TokenTree::Ident(ident) => drop(names.insert(ident.to_string())),
            TokenTree::Group(group) => idents(group.stream(), names),
            _ => {}
        }
    }
}
