//! Methods and functions.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{
    Expr, ExprCall, ExprClosure, ExprMethodCall, ExprRange, GenericArgument, Ident, Lit, Pat, PathArguments,
    RangeLimits, Token, Type,
};

use super::rewrite::{Rewriter, bare, is_none, once, referent};
use super::scope::FUNCTIONS;

/// Methods that give a predicate.
const PREDICATES: [&str; 31] = [
    "has",
    "map_or",
    "is_some_and",
    "is_none_or",
    "eq",
    "ne",
    "gt",
    "lt",
    "ge",
    "le",
    "is_distinct_from",
    "is_not_distinct_from",
    "between",
    "is_in",
    "not_in",
    "is_null",
    "is_not_null",
    "is_none",
    "is_some",
    "is_empty",
    "contains",
    "starts_with",
    "ends_with",
    "icontains",
    "istarts_with",
    "iends_with",
    "like",
    "not_like",
    "ilike",
    "regexp_like",
    "is_true",
];

/// Methods whose arguments are operands: what is captured is not moved into them.
const OPERANDS: [&str; 33] = [
    "filter",
    "atan2",
    "bit_and",
    "bit_or",
    "bit_xor",
    "unwrap_or",
    "or",
    "max",
    "min",
    "greatest",
    "least",
    "pow",
    "round_to",
    "replace",
    "substring",
    "skip_chars",
    "left",
    "right",
    "repeat",
    "remove",
    "insert",
    "pad_left",
    "pad_right",
    "index_of",
    "concat",
    "add_years",
    "add_months",
    "add_weeks",
    "add_days",
    "add_hours",
    "add_minutes",
    "add_seconds",
    "add_milliseconds",
];

pub(super) fn is_predicate(method: &Ident) -> bool {
    PREDICATES.iter().any(|known| method == known)
}

fn takes_operands(method: &Ident) -> bool {
    is_predicate(method) || OPERANDS.iter().any(|known| method == known)
}

/// Methods of a window, whose arguments are keys.
fn is_keys(method: &Ident) -> bool {
    ["partition_by", "order_by"].iter().any(|known| method == known)
}

/// What Rust needs to look at a value, and a column does not.
fn is_view(method: &Ident) -> bool {
    ["as_str", "as_deref", "as_ref", "as_slice", "clone", "cloned", "copied", "to_owned"].iter().any(|m| method == m)
}

/// What is said instead of a method that Rust's values have, and columns do not.
fn instead(method: &Ident) -> Option<&'static str> {
    Some(match method.to_string().as_str() {
        "unwrap" | "expect" | "unwrap_or_default" => {
            "a column that may be NULL is compared as it is, `o.field == x`; for another value instead of NULL there is \
             `.unwrap_or(x)`"
        }
        "map" | "and_then" | "filter" => {
            "what is computed of a column that may be NULL is NULL where the column is: leave `map` out, or ask \
             `.is_some_and(|value| ..)`"
        }
        "to_string" => "a text is used as it is; of another type `.cast::<String>()` makes a text",
        "chars" | "bytes" => "`.len()` counts the characters, `.substring(start, length)` takes some",
        "eq_ignore_ascii_case" => "write `.to_lowercase() == \"..\"`, or `.ilike(\"..\")`",
        "clamp" => "write `.max(low).min(high)`",
        "powi" | "powf" => "write `.pow(x)`",
        "cmp" | "partial_cmp" | "total_cmp" => "compare by `== != < <= > >=`",
        "is_positive" | "is_negative" | "is_sign_negative" | "is_sign_positive" => "compare it with 0",
        "to_f64" | "to_i64" | "to_f32" | "to_i32" => "write `o.field as f64`",
        _ => return None,
    })
}

/// The function that looks through a list: behind a `!` one whose values are never NULL.
fn contains(method: &Ident, negated: bool) -> Ident {
    Ident::new(if negated { "contains_never_null" } else { "contains" }, method.span())
}

impl Rewriter {
    pub(super) fn method(&mut self, call: &ExprMethodCall) -> TokenStream {
        let ops = self.ops(&call.method);
        let ExprMethodCall { receiver, method, args, .. } = call;
        // Whether NULL in a list would make the condition true of nothing.
        let negated = std::mem::take(&mut self.negated) != (method == "not_in");
        if method == "contains"
            && let (1, Some(item)) = (args.len(), args.first())
        {
            match referent(receiver) {
                Expr::Array(list) => return self.among(item, &list.elems, method, negated),
                Expr::Range(range) => return self.within(item, range, method),
                other if !self.touches(other) => {
                    let item = self.value(item);
                    let list = if matches!(bare(receiver), Expr::Reference(_)) { other } else { &**receiver };
                    let (of, contains) = (self.of(method), contains(method, negated));
                    return quote_spanned!(method.span()=> #ops::#contains::<#of, _, _>(&#list, #item));
                }
                _ => {}
            }
        }
        if !self.touches(receiver) {
            // A method of the program's value, or one that only a column has.
            if !takes_operands(method) {
                let args = self.foreign_args(args);
                return quote_spanned!(method.span()=> #receiver.#method(#(#args),*));
            }
            let (receiver, of) = (self.operand(receiver), self.of(method));
            let receiver = quote_spanned!(receiver.span()=> #ops::lift::<#of, _>(#receiver));
            return self.called(&receiver, call);
        }
        if is_view(method) && args.is_empty() {
            return self.value(receiver);
        }
        if (method == "is_some_and" || method == "is_none_or")
            && let (1, Some(Expr::Closure(closure))) = (args.len(), args.first())
        {
            return self.present(receiver, method, closure);
        }
        if method == "map_or"
            && let (2, Some(default), Some(Expr::Closure(closure))) = (args.len(), args.first(), args.last())
        {
            let known = match bare(default) {
                Expr::Lit(syn::ExprLit { lit: Lit::Bool(known), .. }) => known,
                other => {
                    let why = "`map_or` is `false` or `true` where there is no value; for another one write \
                               `if o.field.is_some() { .. } else { .. }`, or `.unwrap_or(..)` before";
                    return self.wrong(other, why);
                }
            };
            let name = if known.value { "is_none_or" } else { "is_some_and" };
            return self.present(receiver, &Ident::new(name, method.span()), closure);
        }
        if (method == "is_in" || method == "not_in")
            && let (1, Some(Expr::Array(list))) = (args.len(), args.first().map(referent))
        {
            let among = self.among(receiver, &list.elems, method, negated);
            return if method == "not_in" { quote_spanned!(method.span()=> #ops::not(#among)) } else { among };
        }
        if (method == "is_in" || method == "not_in")
            && let (1, Some(list)) = (args.len(), args.first().map(referent))
            && super::rewrite::is_place(list)
            && !self.touches(list)
        {
            let (value, of, contains) = (self.value(receiver), self.of(method), contains(method, negated));
            let among = quote_spanned!(method.span()=> #ops::#contains::<#of, _, _>(&#list, #value));
            return if method == "not_in" { quote_spanned!(method.span()=> #ops::not(#among)) } else { among };
        }
        if method == "is_in"
            && negated
            && let (1, Some(items)) = (args.len(), args.first())
        {
            let (value, items, of) = (self.value(receiver), self.operand(referent(items)), self.of(method));
            return quote_spanned!(method.span()=> #ops::is_one_of::<#of, _, _>(#value, #items));
        }
        if let (Expr::Field(_), Some(why)) = (bare(receiver), instead(method)) {
            return self.wrong(method, format!("a column has no `{method}`: {why}"));
        }
        let receiver = self.value(receiver);
        if method == "unwrap_or_else"
            && let (1, Some(Expr::Closure(closure))) = (args.len(), args.first())
            && closure.inputs.is_empty()
        {
            // It is evaluated once, not for each row.
            let (name, other) = (Ident::new("unwrap_or", method.span()), self.operand(&closure.body));
            return quote_spanned!(method.span()=> #receiver.#name(#other));
        }
        self.called(&receiver, call)
    }

    /// `o.note.is_some_and(|note| ..)`
    fn present(&mut self, receiver: &Expr, method: &Ident, closure: &ExprClosure) -> TokenStream {
        let ops = self.ops(method);
        let (1, Some(Pat::Ident(name))) = (closure.inputs.len(), closure.inputs.first()) else {
            return self.wrong(closure, format!("the closure has one parameter, the value: `.{method}(|value| ..)`"));
        };
        let receiver = self.value(receiver);
        let mark = self.scope.mark();
        self.scope.bind(&name.ident, true);
        // It is true or false, so that NULL in a list must not count as false.
        let condition = self.logic(&closure.body, true);
        self.scope.reset(mark);
        let (known, join) = if method == "is_some_and" { ("is_not_null", "both") } else { ("is_null", "either") };
        let (known, join, of) = (Ident::new(known, method.span()), Ident::new(join, method.span()), self.of(method));
        once(&receiver, |value| {
            quote_spanned! {method.span()=>
                #[allow(unused_variables)]
                let #name = #ops::present(#value);
                #ops::#join::<#of, _, _>(#ops::#known(#value), #condition)
            }
        })
    }

    fn called(&mut self, receiver: &TokenStream, call: &ExprMethodCall) -> TokenStream {
        let ExprMethodCall { method, turbofish, args, .. } = call;
        let name = match (method.to_string().as_str(), args.len()) {
            // With an argument it is no aggregate.
            ("max", 1) => Ident::new("greatest", method.span()),
            ("min", 1) => Ident::new("least", method.span()),
            _ => method.clone(),
        };
        let args = if is_keys(method) {
            vec![self.items(call, args)]
        } else if method == "string_agg"
            && let (3.., Some(separator)) | (2, Some(separator)) = (args.len(), args.first())
        {
            let keys = args.iter().skip(1).cloned().collect();
            vec![self.operand(separator), self.items(call, &keys)]
        } else if takes_operands(method) {
            args.iter().map(|arg| self.operand(referent(arg))).collect()
        } else {
            self.foreign_args(args)
        };
        let call = quote_spanned!(method.span()=> #name #turbofish (#(#args),*));
        quote!(#receiver.#call)
    }

    /// Several items: of one row, or keys.
    pub(super) fn tuple(&mut self, at: Span, elems: &Punctuated<Expr, Token![,]>) -> TokenStream {
        let elems = elems.iter().map(|elem| self.operand(elem)).collect::<Vec<_>>();
        quote_spanned!(at=> (#(#elems,)*))
    }

    /// The keys or items: one, a tuple, or several arguments.
    pub(crate) fn items(&mut self, call: &ExprMethodCall, args: &Punctuated<Expr, Token![,]>) -> TokenStream {
        let elems = match (args.len(), args.first()) {
            (1, Some(Expr::Tuple(tuple))) => &tuple.elems,
            (1, Some(one)) => return self.operand(one),
            (0, _) => {
                return self
                    .wrong(&call.method, format!("`{}` of what? Give a column, or a tuple of several", call.method));
            }
            _ => args,
        };
        self.tuple(call.method.span(), elems)
    }

    /// Arguments of what is not of the vocabulary: the program's values as they stand.
    fn foreign_args(&mut self, args: &Punctuated<Expr, Token![,]>) -> Vec<TokenStream> {
        args.iter().map(|arg| if self.touches(arg) { self.value(arg) } else { arg.to_token_stream() }).collect()
    }

    fn among(&mut self, item: &Expr, list: &Punctuated<Expr, Token![,]>, method: &Ident, negated: bool) -> TokenStream {
        let ops = self.ops(method);
        let item = self.typed(referent(item));
        if let Some(none) = list.iter().find(|item| is_none(item)) {
            let why =
                "NULL is found in no list, and behind a `!` it lets nothing be found: ask `.is_none()` beside the list";
            return self.wrong(none, why);
        }
        let items = list.iter().map(|item| self.operand(item)).collect::<Vec<_>>();
        let of = self.of(method);
        let items = items.iter().zip(list).map(|(item, at)| {
            let add = Ident::new(if negated { "never_null" } else { "item" }, at.span());
            quote_spanned!(at.span()=> .#add(#item))
        });
        quote_spanned!(method.span()=> #ops::among::<#of, _>(#item)#(#items)*.done())
    }

    /// A value that has a type of the tree: one of the program's is lifted.
    fn typed(&mut self, expr: &Expr) -> TokenStream {
        let ops = self.ops(expr);
        if self.touches(expr) {
            return self.value(expr);
        }
        let (value, of) = (self.operand(expr), self.of(expr));
        quote_spanned!(expr.span()=> #ops::lift::<#of, _>(#value))
    }

    /// `(low..=high).contains(&item)`
    pub(super) fn within(&mut self, item: &Expr, range: &ExprRange, at: impl Spanned) -> TokenStream {
        let item = self.typed(referent(item));
        once(&item, |item| self.bounds(item, range, at))
    }

    /// Whether it is in a range.
    pub(super) fn bounds(&mut self, item: &TokenStream, range: &ExprRange, at: impl Spanned) -> TokenStream {
        let ops = self.ops(at.span());
        let (span, of) = (at.span(), self.of(at.span()));
        let low = range.start.as_ref().map(|low| {
            let low = self.operand(low);
            quote_spanned!(span=> #ops::ge::<#of, _, _>(#item, #low))
        });
        let high = range.end.as_ref().map(|high| {
            let high = self.operand(high);
            match range.limits {
                RangeLimits::Closed(_) => quote_spanned!(span=> #ops::le::<#of, _, _>(#item, #high)),
                RangeLimits::HalfOpen(_) => quote_spanned!(span=> #ops::lt::<#of, _, _>(#item, #high)),
            }
        });
        match (low, high) {
            (Some(low), Some(high)) => quote_spanned!(span=> #ops::both::<#of, _, _>(#low, #high)),
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => self.wrong(range, "the range has no bounds: everything is in it"),
        }
    }

    pub(super) fn call(&mut self, call: &ExprCall) -> TokenStream {
        if let Expr::Path(path) = bare(&call.func)
            && path.qself.is_none()
            && let (1, Some(last)) = (path.path.segments.len(), path.path.segments.last())
            && FUNCTIONS.iter().any(|known| last.ident == known)
        {
            let name = &last.ident;
            if !name.to_string().starts_with("exists") {
                let args = &call.args;
                let krate = &self.krate;
                return quote_spanned!(name.span()=> #krate::entity::#name(#args));
            }
            let entity = match &last.arguments {
                PathArguments::AngleBracketed(generic) => match generic.args.first() {
                    Some(GenericArgument::Type(entity)) => Some(entity),
                    _ => None,
                },
                _ => None,
            };
            return self.exists(name, entity, &call.args);
        }
        let (func, args) = (&call.func, self.foreign_args(&call.args));
        quote_spanned!(call.span()=> #func(#(#args),*))
    }

    fn exists(&mut self, name: &Ident, entity: Option<&Type>, args: &Punctuated<Expr, Token![,]>) -> TokenStream {
        let ops = self.ops(name);
        let mut args: Vec<&Expr> = args.iter().collect();
        let table_args = match (name.to_string().ends_with("_args"), args.is_empty()) {
            (true, false) => {
                let table_args = args.remove(0);
                Some(quote!(, #table_args))
            }
            (true, true) => {
                return self.wrong(
                    name,
                    format!("the arguments of the table are wanted: `{name}::<Entity>([\"2024\"], |e| ..)`"),
                );
            }
            (false, _) => None,
        };
        let lambda = match args.as_slice() {
            [] => None,
            [Expr::Closure(closure)] => Some(closure),
            [other, ..] => {
                return self
                    .wrong(other, format!("a closure over the inner entity is wanted: `{name}::<Entity>(|e| ..)`"));
            }
        };
        let typed = lambda.and_then(|lambda| lambda.inputs.first()).and_then(|input| match input {
            Pat::Type(typed) => Some(&*typed.ty),
            _ => None,
        });
        let Some(entity) = entity.or(typed) else {
            return self.wrong(name, format!("say which entity is looked for: `{name}::<Entity>(|e| ..)`"));
        };
        let (krate, of) = (self.krate.clone(), self.of(name));
        let (alias, inner) = match lambda {
            Some(lambda) => self.inner(lambda, entity),
            None => (String::new(), quote!(::core::option::Option::<#krate::expr::LogicExpr>::None)),
        };
        quote_spanned!(name.span()=> #ops::#name::<#of, #entity, _>(#alias, #inner #table_args))
    }

    /// The closure of an EXISTS, and what closures inside of it call its table.
    fn inner(&mut self, lambda: &ExprClosure, entity: &Type) -> (String, TokenStream) {
        let param = match (lambda.inputs.len(), lambda.inputs.first()) {
            (1, Some(Pat::Ident(name))) => &name.ident,
            (1, Some(Pat::Type(typed))) if matches!(&*typed.pat, Pat::Ident(_)) => match &*typed.pat {
                Pat::Ident(name) => &name.ident,
                other => return (String::new(), self.wrong(other, "a name is wanted")),
            },
            _ => {
                let why = "the closure has one parameter, the inner entity: `|e| ..`";
                return (String::new(), self.wrong(lambda, why));
            }
        };
        let scope = entity.to_token_stream();
        let outer = self.outer(&lambda.body, &scope);
        self.scope.enter(param, entity);
        // A name without its table would mean the inner one in here.
        if let Some(local) = self.scope.local_in(lambda.body.to_token_stream()) {
            let message =
                format!("`{local}` is of the outer table: name its columns inside of the closure, as `outer.field`");
            self.wrong(local, message);
        }
        let columns = super::columns(&self.krate, param, entity, &scope, None);
        let condition = self.logic(&lambda.body, false);
        let alias = self.scope.innermost().map(|level| level.alias.clone()).unwrap_or_default();
        self.scope.leave();
        let ops = self.ops(param);
        let values = quote!(#[allow(unused_imports)] use #ops::{Captured as __Captured, CapturedValue as _};);
        (alias, quote!({ #values #outer #columns #condition }))
    }
}
