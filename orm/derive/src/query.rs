//! `query!`: a chain of clauses.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, ExprMethodCall};

use crate::expr::{Lambda, Rewriter, around, lambda};

/// The clauses, for messages.
const CLAUSES: &str = "`filter`, `group_by`, `having`, `order_by`, `skip`, `take`, `section`, `after`, `select`, \
                       `distinct`, `lock` and `table_args`";

pub(crate) fn expand(input: TokenStream) -> TokenStream {
    match lambda(input) {
        Ok(lambda) => around(&lambda, |rewriter, body| chain(rewriter, &lambda, body)),
        Err(error) => error.to_compile_error(),
    }
}

fn chain(rewriter: &mut Rewriter, lambda: &Lambda, expr: &Expr) -> TokenStream {
    match expr {
        Expr::Paren(inner) => chain(rewriter, lambda, &inner.expr),
        Expr::Path(path) if path.path.is_ident(&lambda.param) => {
            let (krate, entity) = (&lambda.krate, &lambda.entity);
            quote_spanned!(path.span()=> #krate::entity::Query::<#entity>::new())
        }
        Expr::MethodCall(call) => {
            let before = chain(rewriter, lambda, &call.receiver);
            clause(rewriter, &before, call)
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
            let param = &lambda.param;
            rewriter.wrong(other, format!("a query begins with `{param}`, and goes on by clauses: {CLAUSES}"))
        }
    }
}

fn clause(rewriter: &mut Rewriter, before: &TokenStream, call: &ExprMethodCall) -> TokenStream {
    let (method, span) = (&call.method, call.method.span());
    if method == "table_args" && !matches!(&*call.receiver, Expr::Path(_)) {
        rewriter.wrong(method, "`table_args` says which table it is: it stands first, in front of every other clause");
    }
    let args = match method.to_string().as_str() {
        "filter" | "having" => call.args.iter().map(|arg| rewriter.condition(arg)).collect::<Vec<_>>(),
        "group_by" | "order_by" | "select" => vec![items(rewriter, call)],
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

/// The keys or items: one, a tuple, or several arguments.
fn items(rewriter: &mut Rewriter, call: &ExprMethodCall) -> TokenStream {
    let elems = match (call.args.len(), call.args.first()) {
        (1, Some(Expr::Tuple(tuple))) => &tuple.elems,
        (1, Some(one)) => return item(rewriter, one),
        (0, _) => {
            return rewriter
                .wrong(&call.method, format!("`{}` of what? Give a column, or a tuple of several", call.method));
        }
        _ => &call.args,
    };
    let elems = elems.iter().map(|elem| item(rewriter, elem)).collect::<Vec<_>>();
    quote_spanned!(call.method.span()=> (#(#elems,)*))
}

/// A key or an item: a condition is one as well.
fn item(rewriter: &mut Rewriter, expr: &Expr) -> TokenStream {
    rewriter.operand(expr)
}
