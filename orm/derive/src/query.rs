//! `query!`: a chain of clauses.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, ExprLit, ExprMethodCall, ExprStruct, Ident, Lit, Type, UnOp};

use crate::expr::{Lambda, Param, Rewriter, around, bare, lambda};

/// The clauses, for messages.
const CLAUSES: &str = "`filter`, `group_by`, `having`, `order_by`, `skip`, `take`, `section`, `after`, `select`, \
                       `distinct`, `lock` and `table_args`, and with several parameters `join`, `left_join`, \
                       `right_join`, `full_join`, `cross_join`, `join_lateral` and `left_join_lateral`";

/// The clauses that speak of the rows that a query selects from.
const BEFORE_SELECT: [&str; 4] = ["filter", "group_by", "having", "select"];

/// A clause that brings in a further parameter.
struct Join {
    name: &'static str,
    /// Whether what stands before it need not have a row.
    outer: bool,
    /// Whether the parameter itself need not have one.
    inner: bool,
    rows: Rows,
}

/// Which rows a join brings together.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rows {
    /// Those that satisfy a condition.
    On,
    /// Each with each.
    All,
    /// With each row those that a query gives for it.
    Lateral,
}

impl Join {
    const fn new(name: &'static str, outer: bool, inner: bool, rows: Rows) -> Self {
        Self { name, outer, inner, rows }
    }

    /// How it is written, for messages.
    fn example(&self) -> String {
        let Self { name, .. } = self;
        match self.rows {
            Rows::On => format!("`.{name}(c, c.id == o.customer_id)` of `|o: Order, c: Customer| ..`"),
            Rows::All => format!("`.{name}(c)` of `|o: Order, c: Customer| ..`"),
            Rows::Lateral => {
                format!("`.{name}(t.from(query!(|o: Order| o.filter(o.customer_id == c.id).select(Line {{ .. }}))))`")
            }
        }
    }
}

const JOINS: [Join; 7] = [
    Join::new("join", false, false, Rows::On),
    Join::new("left_join", false, true, Rows::On),
    Join::new("right_join", true, false, Rows::On),
    Join::new("full_join", true, true, Rows::On),
    Join::new("cross_join", false, false, Rows::All),
    Join::new("join_lateral", false, false, Rows::Lateral),
    Join::new("left_join_lateral", false, true, Rows::Lateral),
];

pub(crate) fn expand(input: TokenStream) -> TokenStream {
    match lambda(input) {
        Ok(lambda) => {
            let lambda = sources(lambda);
            around(&lambda, |rewriter, body| whole(rewriter, &lambda, body))
        }
        Err(error) => error.to_compile_error(),
    }
}

/// A whole query: each parameter is in FROM, once.
pub(crate) fn whole(rewriter: &mut Rewriter, lambda: &Lambda, body: &Expr) -> TokenStream {
    let named = in_from(lambda, body);
    for param in &lambda.params {
        if lambda.params.len() > 1 && !named.contains(&&param.name) {
            let name = &param.name;
            let why = format!("`{name}` is in no join: `.join({name}, {name}.id == ..)`, or leave it out");
            rewriter.wrong(name, why);
            rewriter.found(name);
        }
    }
    chain(rewriter, lambda, body)
}

/// The parameters that the query begins with and joins.
fn in_from<'l>(lambda: &'l Lambda, body: &Expr) -> Vec<&'l Ident> {
    let mut names = Vec::new();
    let mut at = body;
    loop {
        names.extend(named(lambda, at).map(|param| &param.name));
        let Expr::MethodCall(call) = bare(at) else { return names };
        if JOINS.iter().any(|join| call.method == join.name) {
            names.extend(call.args.first().and_then(|arg| named(lambda, arg)).map(|param| &param.name));
        }
        at = &call.receiver;
    }
}

/// Looks which parameters are of the rows of queries: `t.from(query)`.
pub(crate) fn sources(mut lambda: Lambda) -> Lambda {
    let mut derived = Vec::new();
    let mut at = &lambda.body;
    while let Expr::MethodCall(call) = bare(at) {
        derived.extend(call.args.first().and_then(source_of).map(ToString::to_string));
        derived.extend(source_of(at).map(ToString::to_string));
        at = &call.receiver;
    }
    for param in &mut lambda.params {
        param.derived = derived.iter().any(|name| param.name == name);
        param.found = false;
    }
    lambda
}

/// `t` of `t.from(query)`.
fn source_of(expr: &Expr) -> Option<&Ident> {
    match bare(expr) {
        Expr::MethodCall(call) if call.method == "from" => match bare(&call.receiver) {
            Expr::Path(path) => path.path.get_ident(),
            _ => None,
        },
        _ => None,
    }
}

/// The parameter that a source is of: `c`, `c.table_args(..)` or `c.from(..)`.
fn named<'l>(lambda: &'l Lambda, expr: &Expr) -> Option<&'l Param> {
    let name = match bare(expr) {
        Expr::MethodCall(call) if call.method == "table_args" || call.method == "from" => bare(&call.receiver),
        other => other,
    };
    match name {
        Expr::Path(path) => lambda.params.iter().find(|param| path.path.is_ident(&param.name)),
        _ => None,
    }
}

/// A table or a query with the alias of its parameter.
fn source(rewriter: &mut Rewriter, param: &Param, expr: &Expr) -> TokenStream {
    let (krate, entity) = (rewriter.krate(), &param.entity);
    let alias = rewriter.alias(&param.name);
    let call = match bare(expr) {
        Expr::MethodCall(call) => call,
        _ => return quote_spanned!(param.name.span()=> #krate::entity::of::<#entity>(#alias)),
    };
    let args = &call.args;
    if call.method == "table_args" {
        return quote_spanned!(call.method.span()=> #krate::entity::of::<#entity>(#alias).table_args(#args));
    }
    let derived = if matches!(entity, Type::Tuple(_)) { "derived_places" } else { "derived" };
    let derived = Ident::new(derived, call.method.span());
    // What the program keeps stays its own.
    let query = match args.first() {
        Some(query) if args.len() == 1 => rewriter.operand(query),
        _ => return rewriter.wrong(&call.method, "`from` takes the query whose rows these are: `t.from(totals)`"),
    };
    quote_spanned!(call.method.span()=> #krate::entity::ops::#derived::<#entity, _>(#query, #alias))
}

/// The source that a query begins with: one table without an alias, or the first of several.
fn first(rewriter: &mut Rewriter, lambda: &Lambda, expr: &Expr) -> Option<TokenStream> {
    let param = named(lambda, expr)?;
    let krate = rewriter.krate();
    rewriter.found(&param.name);
    if rewriter.is_single() {
        let (Expr::Path(path), entity) = (bare(expr), &param.entity) else { return None };
        return Some(quote_spanned!(path.span()=> #krate::entity::Query::<#entity>::new()));
    }
    let source = source(rewriter, param, expr);
    let types = lambda.params.iter().map(|param| &param.ty);
    let entity = &param.entity;
    let rows = if lambda.params.len() == 1 { quote!(#entity) } else { quote!(#krate::entity::Unselected) };
    Some(
        quote_spanned!(expr.span()=> #krate::entity::Query::<#krate::entity::Tables<(#(#types,)*)>, #rows>::first(#source)),
    )
}

fn chain(rewriter: &mut Rewriter, lambda: &Lambda, expr: &Expr) -> TokenStream {
    if let Some(first) = first(rewriter, lambda, expr) {
        return first;
    }
    match expr {
        Expr::Paren(inner) => chain(rewriter, lambda, &inner.expr),
        Expr::MethodCall(call) => {
            let before = chain(rewriter, lambda, &call.receiver);
            let (method, join) = (&call.method, JOINS.iter().find(|join| call.method == join.name));
            let is_before = join.is_some() || BEFORE_SELECT.iter().any(|clause| method == clause);
            if is_before && is_selected(&call.receiver) {
                let why = "behind `select` there are the selected columns only: this clause belongs in front of it";
                rewriter.wrong(method, why);
            }
            match join {
                Some(join) => joined(rewriter, lambda, &before, call, join),
                None => clause(rewriter, &before, call),
            }
        }
        // A clause whose arguments are not there yet.
        Expr::Field(field) if rewriter.touches(&field.base) => {
            let known = rewriter.mistakes();
            let (before, name) = (chain(rewriter, lambda, &field.base), &field.member);
            rewriter.half = rewriter.mistakes() == known;
            rewriter.wrong(name, format!("a query goes on by clauses: {CLAUSES}"));
            quote!(#before.#name)
        }
        other => {
            let param = lambda.params.first().map(|param| param.name.to_string()).unwrap_or_default();
            rewriter.wrong(other, format!("a query begins with `{param}`, and goes on by clauses: {CLAUSES}"))
        }
    }
}

/// `.join(c, c.id == o.customer_id)`
fn joined(
    rewriter: &mut Rewriter,
    lambda: &Lambda,
    before: &TokenStream,
    call: &ExprMethodCall,
    join: &Join,
) -> TokenStream {
    let method = &call.method;
    let Some((at, param)) = call.args.first().and_then(|at| Some((at, named(lambda, at)?))) else {
        let (all, example) = (lambda.names(), join.example());
        return rewriter.wrong(method, format!("which parameter is joined, of {all}? It stands first: {example}"));
    };
    if let Some(before) =
        lambda.params.iter().find(|before| join.outer && !before.optional && rewriter.is_found(&before.name))
    {
        let (kept, entity) = (&before.name, before.entity.to_token_stream());
        let why = format!(
            "this join keeps rows without `{kept}`: write `{kept}: Option<{entity}>` in front, so that its columns may be NULL"
        );
        rewriter.wrong(at, why);
    }
    let lateral = join.rows == Rows::Lateral;
    if lateral && source_of(at).is_none() {
        let example = join.example();
        return rewriter
            .wrong(at, format!("a lateral join is of a query that speaks of the tables before it: {example}"));
    }
    let source = rewriter.beside(lateral, |rewriter| source(rewriter, param, at));
    if rewriter.found(&param.name) {
        let name = &param.name;
        rewriter
            .wrong(at, format!("`{name}` is in the query already: what is joined again has a parameter of its own"));
    }
    if join.inner && !param.optional {
        let (name, entity) = (&param.name, param.entity.to_token_stream());
        let why = format!(
            "this join need not find a row: write `{name}: Option<{entity}>` in front, so that its columns may be NULL"
        );
        rewriter.wrong(at, why);
    }
    let on = match (join.rows, call.args.len(), call.args.get(1)) {
        (Rows::All | Rows::Lateral, 1, _) => None,
        (Rows::All, ..) => return rewriter.wrong(method, "a cross join has no condition"),
        (Rows::Lateral, ..) => {
            let why =
                "a lateral join has no condition: its query says by `filter` which rows belong to those before it";
            return rewriter.wrong(method, why);
        }
        (Rows::On, 2, Some(on)) => Some(rewriter.condition(on)),
        _ => return rewriter.wrong(method, format!("a join has a parameter and a condition: {}", join.example())),
    };
    let on = on.map(|on| quote!(, #on));
    let clause = quote_spanned!(method.span()=> #method(#source #on));
    quote!(#before.#clause)
}

/// Where a mismatch of an item is told: at the name of a column or a method.
fn place(expr: &Expr) -> Span {
    match bare(expr) {
        Expr::Field(field) => field.member.span(),
        Expr::MethodCall(call) => call.method.span(),
        other => other.span(),
    }
}

/// A struct in a select list: its fields are checked as those of any literal, and read by their names.
pub(crate) fn fields(rewriter: &mut Rewriter, literal: &ExprStruct) -> TokenStream {
    if let Some(rest) = &literal.rest {
        return rewriter.wrong(rest, "each field is given: a row has nothing else to take one from");
    }
    let (ops, of) = (rewriter.ops(literal), rewriter.of(literal));
    let mut items = Vec::new();
    for (index, field) in literal.fields.iter().enumerate() {
        let item = Ident::new(&format!("item{index}"), Span::mixed_site());
        let value = match constant(&field.expr) {
            Some(literal) => quote_spanned!(field.expr.span()=> #ops::literal::<#of, _>(#literal)),
            None => rewriter.operand(&field.expr),
        };
        items.push((field, item, value));
    }
    let taken = |index: usize, at: Span| Ident::new(&format!("field{index}"), Span::mixed_site().located_at(at));
    let given = items.iter().enumerate().map(|(index, (field, ..))| {
        let (member, value) = (&field.member, taken(index, place(&field.expr)));
        quote!(#member: #value)
    });
    let path = &literal.path;
    let mut check = quote_spanned!(path.span()=> #ops::row(#path { #(#given),* }));
    for (index, (field, item, _)) in items.iter().enumerate().rev() {
        let value = taken(index, place(&field.expr));
        check = quote_spanned!(field.expr.span()=> #ops::check::<#of, _, _>(&#item, |#value| #check));
    }
    let lets = items.iter().map(|(_, item, value)| quote!(let #item = #value;));
    let named = items.iter().map(|(field, item, _)| {
        let name = field.member.to_token_stream().to_string().trim_start_matches("r#").to_owned();
        quote_spanned!(field.expr.span()=> (#name, #ops::item::<#of, _>(#item)))
    });
    let krate = rewriter.krate();
    let made = Ident::new("made", Span::mixed_site());
    quote!({ #(#lets)* let #made = #check; #krate::entity::Fields::<#of, _>::new(::std::vec![#(#named),*], #made) })
}

/// A literal, in the type that a field has for it.
fn constant(expr: &Expr) -> Option<TokenStream> {
    let expr = bare(expr);
    match expr {
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) && matches!(bare(&unary.expr), Expr::Lit(_)) => {
            Some(expr.to_token_stream())
        }
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(quote!(::std::string::String::from(#text))),
        Expr::Lit(ExprLit { lit: Lit::Int(_) | Lit::Float(_) | Lit::Bool(_), .. }) => Some(expr.to_token_stream()),
        _ => None,
    }
}

/// Whether a chain of clauses has said already what its rows are.
fn is_selected(mut chain: &Expr) -> bool {
    while let Expr::MethodCall(call) = bare(chain) {
        if call.method == "select" {
            return true;
        }
        chain = &call.receiver;
    }
    false
}

fn clause(rewriter: &mut Rewriter, before: &TokenStream, call: &ExprMethodCall) -> TokenStream {
    let (method, span) = (&call.method, call.method.span());
    if method == "table_args" && !matches!(&*call.receiver, Expr::Path(_)) {
        rewriter.wrong(method, "`table_args` says which table it is: it stands first, in front of every other clause");
    }
    let args = match method.to_string().as_str() {
        "filter" | "having" => call.args.iter().map(|arg| rewriter.condition(arg)).collect::<Vec<_>>(),
        "select" if call.args.len() == 1 && matches!(call.args.first().map(bare), Some(Expr::Struct(_))) => {
            let Some(Expr::Struct(literal)) = call.args.first().map(bare) else { return before.clone() };
            vec![fields(rewriter, literal)]
        }
        "group_by" | "order_by" | "select" => vec![rewriter.items(call, &call.args)],
        "skip" | "take" | "after" | "lock" | "distinct" | "table_args" | "section" => {
            for arg in &call.args {
                if rewriter.touches(arg) {
                    rewriter
                        .wrong(arg, format!("`{method}` takes what is known before the query runs, and no columns"));
                }
            }
            call.args.iter().map(ToTokens::to_token_stream).collect()
        }
        other => {
            let near = match other {
                "where" | "where_" | "filter_by" => ": `filter` is meant",
                "limit" | "first" => ": `take(n)` is meant",
                "offset" => ": `skip(n)` is meant",
                "sort" | "sort_by" | "order" | "sort_by_key" => ": `order_by` is meant",
                "map" => ": `select` is meant",
                "count" => ": `select(count())` is meant",
                "inner_join" => ": `join(c, c.id == o.customer_id)` is meant",
                "lateral" | "cross_join_lateral" | "cross_apply" => ": `join_lateral(t.from(..))` is meant",
                "left_lateral" | "outer_apply" => ": `left_join_lateral(t.from(..))` is meant",
                "right_join_lateral" | "full_join_lateral" => {
                    ": a lateral query looks at each row before it, so that it keeps those, by `left_join_lateral`, or none"
                }
                _ => "",
            };
            return rewriter.wrong(method, format!("there is no clause `{other}`{near}; there are {CLAUSES}"));
        }
    };
    if method == "section"
        && let [skip, take] = args.as_slice()
    {
        return quote_spanned!(span=> #before.skip(#skip).take(#take));
    }
    let clause = quote_spanned!(span=> #method(#(#args),*));
    quote!(#before.#clause)
}
