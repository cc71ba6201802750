//! `match` and `matches!`: patterns as conditions.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::parse::{ParseStream, Parser};
use syn::spanned::Spanned;
use syn::{Arm, Expr, ExprMatch, Ident, Macro, Pat, PatGuard, PatRange, Token};

use super::rewrite::{Rewriter, once};

/// The names that a pattern binds.
pub(super) fn names(pattern: &Pat) -> Vec<Ident> {
    match pattern {
        Pat::Ident(name) => {
            let inner = name.subpat.iter().flat_map(|(_, inner)| names(inner));
            std::iter::once(name.ident.clone()).chain(inner).collect()
        }
        Pat::Tuple(tuple) => tuple.elems.iter().flat_map(names).collect(),
        Pat::TupleStruct(tuple) => tuple.elems.iter().flat_map(names).collect(),
        Pat::Struct(fields) => fields.fields.iter().flat_map(|field| names(&field.pat)).collect(),
        Pat::Slice(slice) => slice.elems.iter().flat_map(names).collect(),
        Pat::Reference(inner) => names(&inner.pat),
        Pat::Paren(inner) => names(&inner.pat),
        Pat::Type(inner) => names(&inner.pat),
        Pat::Or(cases) => cases.cases.first().map(names).unwrap_or_default(),
        _ => Vec::new(),
    }
}

/// The pattern of an arm, and the guard behind it.
fn guarded(arm: &Arm) -> (&Pat, Option<&PatGuard>) {
    match &arm.pat {
        Pat::Guard(guard) => (&guard.pat, Some(guard)),
        pattern => (pattern, None),
    }
}

/// What a pattern asks of a value.
enum Asked {
    Always,
    Condition(TokenStream),
}

impl Rewriter {
    /// `match value { pattern => arm, .. }`
    pub(super) fn branches(&mut self, node: &ExprMatch) -> TokenStream {
        let negated = std::mem::take(&mut self.negated);
        let conditions = self.is_condition(&Expr::Match(node.clone()));
        if !self.touches(&node.expr) {
            return self.rust_match(node, conditions, negated);
        }
        let matched = self.value(&node.expr);
        let Some((last, before)) = node.arms.split_last() else {
            return self.wrong(node, "a `match` without arms gives nothing");
        };
        if !matches!(last.pat, Pat::Wild(_)) {
            return self
                .wrong(&last.pat, "the last arm of a `match` on a column is `_ => ..`: it becomes the ELSE of CASE");
        }
        once(&matched, |value| self.cases(value, last, before, (conditions, negated)))
    }

    /// The arms of a `match` as one CASE, from the last one up.
    fn cases(
        &mut self,
        value: &TokenStream,
        last: &Arm,
        before: &[Arm],
        (conditions, negated): (bool, bool),
    ) -> TokenStream {
        let (ops, of) = (self.ops(last), self.of(last));
        let touched = |this: &Self, arm: &Expr| conditions || this.touches(arm);
        // What is behind the arms so far, and whether it speaks of columns.
        let mut known = touched(self, &last.body);
        let mut result = if conditions { self.logic(&last.body, negated) } else { self.operand(&last.body) };
        for (index, arm) in before.iter().enumerate().rev() {
            let span = arm.fat_arrow_token.span();
            let (pattern, guard) = guarded(arm);
            let asked = match (self.asks(value, pattern), guard) {
                (Asked::Always, None) => {
                    return self.wrong(pattern, "this arm takes everything: only the last one may, as `_`");
                }
                (Asked::Always, Some(guard)) => self.condition(&guard.guard),
                (Asked::Condition(asked), None) => asked,
                (Asked::Condition(asked), Some(guard)) => {
                    let guard = self.condition(&guard.guard);
                    quote_spanned!(span=> #ops::both::<#of, _, _>(#asked, #guard))
                }
            };
            let body = &arm.body;
            let is_touched = touched(self, body);
            // The arms take their type from one that speaks of columns; if none does, from the last but one.
            let typed_before = before.get(..index).is_some_and(|rest| rest.iter().any(|arm| touched(self, &arm.body)));
            let then = match (conditions, known || is_touched || typed_before) {
                (true, _) => self.logic(body, negated),
                (false, true) => self.operand(body),
                (false, false) => {
                    let then = self.operand(body);
                    quote_spanned!(body.span()=> #ops::lift::<#of, _>(#then))
                }
            };
            let lifts = !known && !is_touched && typed_before;
            if lifts {
                let lifted = quote_spanned!(body.span()=> #ops::lift::<#of, _>(#then));
                result = quote_spanned!(span=> #ops::case::<#of, _, _, _>(#asked, #lifted, #result));
            } else if is_touched || !known {
                result = quote_spanned!(span=> #ops::case::<#of, _, _, _>(#asked, #then, #result));
            } else {
                result = quote_spanned!(span=> #ops::case_else::<#of, _, _, _>(#asked, #then, #result));
            }
            known = true;
        }
        result
    }

    /// A `match` on a value of the program: Rust chooses the arm.
    fn rust_match(&mut self, node: &ExprMatch, conditions: bool, negated: bool) -> TokenStream {
        let value = &node.expr;
        let mut arms = Vec::new();
        for arm in &node.arms {
            let mark = self.scope.mark();
            let (pattern, guard) = guarded(arm);
            for name in names(pattern) {
                self.scope.bind(&name, false);
            }
            if let Some(guard) = guard.filter(|guard| self.touches(&guard.guard)) {
                arms.push(self.wrong(
                    &guard.guard,
                    "the program chooses this arm, and knows no columns: put the condition into the arm",
                ));
            }
            // With its guard.
            let (pattern, body) = (&arm.pat, self.rust_arm(&arm.body, conditions, negated));
            arms.push(quote_spanned!(arm.fat_arrow_token.span()=> #pattern => #body,));
            self.scope.reset(mark);
        }
        quote_spanned!(node.match_token.span=> match #value { #(#arms)* })
    }

    /// `matches!(value, pattern)`
    pub(super) fn matches(&mut self, call: &Macro) -> TokenStream {
        let (ops, of) = (self.ops(&call.path), self.of(&call.path));
        let parser = |input: ParseStream<'_>| {
            let value: Expr = input.parse()?;
            input.parse::<Token![,]>()?;
            let pattern = Pat::parse_multi_with_leading_vert(input)?;
            let guard: Option<Expr> = match input.parse::<Option<Token![if]>>()? {
                Some(_) => Some(input.parse()?),
                None => None,
            };
            input.parse::<Option<Token![,]>>()?;
            Ok((value, pattern, guard))
        };
        let (value, pattern, guard) = match parser.parse2(call.tokens.clone()) {
            Ok(parts) => parts,
            Err(error) => return self.wrong(Ident::new("matches", error.span()), error),
        };
        if !self.touches(&value) {
            return self.wrong(&value, "`matches!` of a value that is no column: compute it before the macro");
        }
        let value = self.value(&value);
        let asked = once(&value, |value| match self.asks(value, &pattern) {
            Asked::Always => quote!(true),
            Asked::Condition(asked) if takes_none(&pattern) => asked,
            Asked::Condition(asked) => quote_spanned!(call.path.span()=> #ops::matched::<#of, _, _>(#value, #asked)),
        });
        match guard {
            Some(guard) => {
                let guard = self.condition(&guard);
                quote_spanned!(call.path.span()=> #ops::both::<#of, _, _>(#asked, #guard))
            }
            None => asked,
        }
    }

    fn asks(&mut self, value: &TokenStream, pattern: &Pat) -> Asked {
        let (ops, of) = (self.ops(pattern), self.of(pattern));
        let span = pattern.span();
        Asked::Condition(match pattern {
            Pat::Wild(_) => return Asked::Always,
            Pat::Paren(inner) => return self.asks(value, &inner.pat),
            Pat::Ident(name) if name.ident == "None" => {
                quote_spanned!(span=> #ops::is_null(#value))
            }
            Pat::Ident(name) if name.subpat.is_none() && is_constant(&name.ident) => self.equals(value, &name.ident),
            Pat::Lit(lit) => {
                let literal = self.operand(&Expr::Lit(lit.clone()));
                quote_spanned!(span=> #ops::eq::<#of, _, _>(#value, #literal))
            }
            Pat::Path(path) => self.equals(value, path),
            Pat::Range(PatRange { .. }) => {
                let Pat::Range(range) = pattern else { return Asked::Always };
                self.bounds(value, range, span)
            }
            Pat::TupleStruct(some) if some.path.is_ident("Some") && some.elems.len() == 1 => {
                match some.elems.first().map(|inner| self.asks(value, inner)) {
                    Some(Asked::Condition(asked)) => asked,
                    _ => quote_spanned!(span=> #ops::is_not_null(#value)),
                }
            }
            Pat::Or(cases) => {
                let mut asked = Vec::new();
                for case in &cases.cases {
                    match self.asks(value, case) {
                        Asked::Always => return Asked::Always,
                        Asked::Condition(one) => asked.push(one),
                    }
                }
                let or = |all, one| quote_spanned!(span=> #ops::either::<#of, _, _>(#all, #one));
                asked.into_iter().reduce(or).unwrap_or_default()
            }
            other => self.wrong(
                other,
                "a column is matched with literals, constants, ranges, `None`, `Some(..)`, `|` and `_`: \
                 its value is not known here, so nothing is bound to it",
            ),
        })
    }

    fn equals(&self, value: &TokenStream, constant: &impl ToTokens) -> TokenStream {
        let (ops, of) = (self.ops(constant), self.of(constant));
        quote_spanned!(constant.span()=> #ops::eq::<#of, _, _>(#value, #constant))
    }
}

/// Whether `None` is one of what the pattern takes.
fn takes_none(pattern: &Pat) -> bool {
    match pattern {
        Pat::Paren(inner) => takes_none(&inner.pat),
        Pat::Ident(name) => name.ident == "None",
        Pat::Or(cases) => cases.cases.iter().any(takes_none),
        _ => false,
    }
}

/// Whether a name in a pattern is a constant, as Rust writes one.
fn is_constant(name: &Ident) -> bool {
    name.to_string().starts_with(|first: char| first.is_uppercase())
}
