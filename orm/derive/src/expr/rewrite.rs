//! From Rust's operators to calls that build the tree.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{BinOp, Block, Expr, ExprBinary, Ident, Lit, LitStr, Stmt, UnOp};

use super::Lambda;
use super::scope::{Scope, is_constant};

/// Writes conditions and values of one macro call.
pub(crate) struct Rewriter {
    pub(super) scope: Scope,
    /// The path of the facade.
    pub(super) krate: TokenStream,
    errors: Vec<syn::Error>,
    /// Whether what is written next stands behind a `!`, where NULL must not count as false.
    pub(super) negated: bool,
    /// Whether what is wrong is only that the body is not written to its end yet.
    pub(crate) half: bool,
}

/// An expression without its parentheses.
pub(crate) fn bare(mut expr: &Expr) -> &Expr {
    loop {
        expr = match expr {
            Expr::Paren(inner) => &inner.expr,
            Expr::Group(inner) => &inner.expr,
            other => return other,
        };
    }
}

/// The same without `&`, which a column does not need.
pub(super) fn referent(expr: &Expr) -> &Expr {
    match bare(expr) {
        Expr::Reference(inner) => referent(&inner.expr),
        other => other,
    }
}

/// Writes a value that is used more than once: it is evaluated once, and goes by a name that the program's own cannot meet.
pub(super) fn once(value: &TokenStream, write: impl FnOnce(&TokenStream) -> TokenStream) -> TokenStream {
    let name = Ident::new("value", Span::mixed_site());
    let body = write(&quote!(&#name));
    quote!({ let #name = #value; #body })
}

/// Tokens that mean what they do, and stand elsewhere.
fn located(tokens: TokenStream, at: Span) -> TokenStream {
    let token = |mut token: TokenTree| {
        token.set_span(token.span().located_at(at));
        token
    };
    tokens.into_iter().map(token).collect()
}

/// The only expression of a block.
pub(super) fn only(block: &Block) -> Option<&Expr> {
    match block.stmts.as_slice() {
        [Stmt::Expr(expr, None)] => Some(expr),
        _ => None,
    }
}

/// `expression` of `{ expression }`.
pub(super) fn inside_block(expr: &Expr) -> Option<&Expr> {
    match bare(expr) {
        Expr::Block(block) => only(&block.block),
        _ => None,
    }
}

/// `None` or `Option::None`; `Payment::None` is a variant of the program's.
pub(super) fn is_none(expr: &Expr) -> bool {
    let Expr::Path(path) = bare(expr) else { return false };
    let mut names = path.path.segments.iter().rev().map(|segment| &segment.ident);
    names.next().is_some_and(|last| last == "None") && names.next().is_none_or(|before| before == "Option")
}

/// Whether it is a place, which is looked at and not taken.
pub(super) fn is_place(expr: &Expr) -> bool {
    match bare(expr) {
        // So is a static; a constant does as one. A variant and a unit struct are taken.
        Expr::Path(path) => path.path.segments.last().is_some_and(|last| {
            let name = last.ident.to_string();
            is_constant(&name) || path.path.segments.len() == 1 && !name.starts_with(char::is_uppercase)
        }),
        Expr::Index(_) => true,
        Expr::Field(field) => is_place(&field.base),
        Expr::Unary(unary) => matches!(unary.op, UnOp::Deref(_)),
        _ => false,
    }
}

impl Rewriter {
    pub(crate) fn new(krate: TokenStream) -> Self {
        Self { scope: Scope::default(), krate, errors: Vec::new(), negated: false, half: false }
    }

    /// Enters a closure: what stands before its body.
    pub(crate) fn enter(&mut self, lambda: &Lambda) -> TokenStream {
        let krate = self.krate.clone();
        if let (true, None, [param]) = (lambda.is_single(), self.scope.scope(), lambda.params.as_slice()) {
            let scope = param.entity.to_token_stream();
            self.scope.enter(&param.name, &param.entity);
            return super::columns(&krate, &param.name, &param.entity, &scope, None);
        }
        let types = lambda.params.iter().map(|param| &param.ty);
        let scope = quote!(#krate::entity::Tables<(#(#types,)*)>);
        let outer = self.outer(&lambda.body, &scope);
        self.scope.enter_tables(&lambda.params, &scope);
        let own = self
            .scope
            .levels
            .iter()
            .filter(|level| self.scope.is_own(level) && !level.derived)
            .map(|level| super::columns(&krate, &level.param, &level.entity, &scope, Some(&level.alias)));
        let ops = quote!(#krate::entity::ops);
        quote! {
            #[allow(unused_imports)]
            use #ops::{Captured as __Captured, CapturedValue as _};
            #outer
            #(#own)*
        }
    }

    /// The path of the facade.
    pub(crate) fn krate(&self) -> TokenStream {
        self.krate.clone()
    }

    /// The alias of a parameter's table.
    pub(crate) fn alias(&self, param: &Ident) -> String {
        self.scope.level(param).map(|level| level.alias.clone()).unwrap_or_default()
    }

    /// A parameter is in FROM from now on. Gives whether it was before.
    pub(crate) fn found(&mut self, param: &Ident) -> bool {
        self.scope.level_mut(param).is_some_and(|level| std::mem::replace(&mut level.found, true))
    }

    /// Whether a parameter is in FROM.
    pub(crate) fn is_found(&self, param: &Ident) -> bool {
        self.scope.level(param).is_some_and(|level| level.found)
    }

    /// Writes what is joined. Only a lateral query sees the tables before it.
    pub(crate) fn beside(&mut self, lateral: bool, write: impl FnOnce(&mut Self) -> TokenStream) -> TokenStream {
        self.scope.set_beside(!lateral);
        let source = write(self);
        self.scope.set_beside(false);
        source
    }

    /// A column of a parameter is in FROM where it is asked for.
    fn asked(&mut self, level: usize, at: impl Spanned) {
        let Some(level) = self.scope.levels.get(level) else { return };
        let name = &level.param;
        let why = match (level.found, level.beside) {
            (false, _) => format!("`{name}` is not joined yet: only what stands behind its join speaks of it"),
            (true, true) => format!(
                "this query stands beside `{name}`, and sees nothing of it: join it by `join_lateral` or `left_join_lateral`"
            ),
            (true, false) => return,
        };
        self.wrong(at, why);
    }

    /// Whether the closure that is being written is over one table, whose columns need no alias.
    pub(crate) fn is_single(&self) -> bool {
        self.scope.levels.last().is_some_and(|level| !level.aliased)
    }

    /// The columns around a closure that its body mentions, by the aliases of their tables.
    pub(super) fn outer(&self, body: &Expr, scope: &TokenStream) -> TokenStream {
        let mut outer = TokenStream::new();
        for (index, level) in self.scope.levels.iter().enumerate() {
            if !level.derived && self.scope.mentions(body.to_token_stream(), index) {
                outer.extend(super::columns(&self.krate, &level.param, &level.entity, scope, Some(&level.alias)));
            }
        }
        outer
    }

    /// `query!(|x: Order| ..)` inside of another: a subquery that may speak of the tables around it.
    fn subquery(&mut self, call: &syn::Macro) -> TokenStream {
        let lambda = match super::closure(self.krate.clone(), call.tokens.clone()) {
            Ok(lambda) => crate::query::sources(lambda),
            Err(error) => {
                self.errors.push(error);
                return quote!(());
            }
        };
        if let Some(local) = self.scope.local_in(lambda.body.to_token_stream()) {
            let message =
                format!("`{local}` is of the outer table: name its columns inside of the subquery, as `outer.field`");
            self.wrong(local, message);
        }
        let columns = self.enter(&lambda);
        let body = crate::query::whole(self, &lambda, &lambda.body);
        self.scope.leave();
        quote!({ #columns #body })
    }

    /// A field of a parameter: a column.
    fn field(&mut self, expr: &Expr) -> TokenStream {
        let mut root = expr;
        while let Expr::Field(field) = bare(root) {
            root = &field.base;
        }
        let index = match bare(root) {
            Expr::Path(path) => path.path.get_ident().and_then(|name| self.scope.index(name)),
            _ => None,
        };
        if let Some(index) = index {
            self.asked(index, root);
        }
        let Some(level) = index.and_then(|index| self.scope.levels.get(index)) else { return expr.to_token_stream() };
        let (ops, of) = (self.ops(expr), self.of(expr));
        let column = match (level.derived, bare(expr)) {
            (true, Expr::Field(field)) => {
                let (param, row, alias, member) = (&level.param, &level.entity, &level.alias, &field.member);
                let name = match member {
                    syn::Member::Named(name) => name.to_string().trim_start_matches("r#").to_owned(),
                    syn::Member::Unnamed(place) => format!("Item{}", place.index),
                };
                // Its base is in the closure what it is outside, a row.
                quote_spanned!(member.span()=> #ops::column::<#of, _, _>(#alias, #name, |#param: &#row| &#param.#member))
            }
            _ => expr.to_token_stream(),
        };
        if level.optional { quote_spanned!(expr.span()=> #ops::maybe(#column)) } else { column }
    }

    /// The path of what the operators become. An error in it is one at the token that it is written for.
    pub(crate) fn ops(&self, at: impl Spanned) -> TokenStream {
        let at = at.span();
        let krate = located(self.krate.clone(), at);
        quote_spanned!(at=> #krate::entity::ops)
    }

    /// The entity whose rows the condition is on. What is of another is an error at the token that this is written for.
    pub(crate) fn of(&self, at: impl Spanned) -> TokenStream {
        let scope = self.scope.scope().map_or_else(|| quote!(_), ToTokens::to_token_stream);
        located(scope, at.span())
    }

    pub(crate) fn error(self) -> Option<syn::Error> {
        self.errors.into_iter().reduce(|mut all, error| {
            all.combine(error);
            all
        })
    }

    /// How many mistakes have been found.
    pub(crate) fn mistakes(&self) -> usize {
        self.errors.len()
    }

    /// Says what is wrong, and goes on.
    pub(crate) fn wrong(&mut self, at: impl Spanned, message: impl std::fmt::Display) -> TokenStream {
        self.errors.push(syn::Error::new(at.span(), message));
        quote!(())
    }

    pub(crate) fn touches(&self, tokens: impl ToTokens) -> bool {
        self.scope.touches(tokens)
    }

    /// The whole body of `expr!`.
    pub(crate) fn whole(&mut self, body: &Expr) -> TokenStream {
        match bare(body) {
            Expr::Struct(literal) => return crate::query::fields(self, literal),
            Expr::Tuple(tuple) => return self.tuple(body.span(), &tuple.elems),
            _ => {}
        }
        let (ops, of) = (self.ops(body), self.of(body));
        if self.is_condition(body) || !self.touches(body) {
            let condition = self.condition(body);
            quote_spanned!(body.span()=> #ops::logic::<#of, _>(#condition))
        } else {
            self.lifted(body)
        }
    }

    /// Whether it is a condition, as far as a look tells.
    pub(super) fn is_condition(&self, expr: &Expr) -> bool {
        match bare(expr) {
            Expr::Binary(binary) => {
                !matches!(binary.op, BinOp::Add(_) | BinOp::Sub(_) | BinOp::Mul(_) | BinOp::Div(_) | BinOp::Rem(_))
            }
            Expr::Unary(unary) => matches!(unary.op, UnOp::Not(_)),
            Expr::Lit(lit) => matches!(lit.lit, Lit::Bool(_)),
            Expr::Macro(call) => call.mac.path.is_ident("matches"),
            Expr::MethodCall(call) => super::method::is_predicate(&call.method),
            Expr::Block(block) => match block.block.stmts.last() {
                Some(Stmt::Expr(last, None)) => self.is_condition(last),
                _ => false,
            },
            Expr::If(branch) => {
                let otherwise = branch.else_branch.as_ref().is_some_and(|(_, other)| self.is_condition(other));
                otherwise || only(&branch.then_branch).is_some_and(|then| self.is_condition(then))
            }
            Expr::Match(branches) => branches.arms.iter().any(|arm| self.is_condition(&arm.body)),
            _ => false,
        }
    }

    /// What stands where a condition is due.
    pub(crate) fn condition(&mut self, expr: &Expr) -> TokenStream {
        let ops = self.ops(expr);
        let negated = std::mem::take(&mut self.negated);
        match bare(expr) {
            Expr::Binary(ExprBinary { left, op: op @ (BinOp::And(_) | BinOp::BitAnd(_)), right, .. }) => {
                self.both(("open_and", "both"), left, op, right, negated)
            }
            Expr::Binary(ExprBinary { left, op: op @ (BinOp::Or(_) | BinOp::BitOr(_)), right, .. }) => {
                self.both(("open_or", "either"), left, op, right, negated)
            }
            Expr::Unary(unary) if matches!(unary.op, UnOp::Not(_)) => {
                self.negated = !negated;
                let operand = self.condition(&unary.expr);
                quote_spanned!(unary.op.span()=> #ops::not(#operand))
            }
            Expr::Block(block) if self.touches(&block.block) => self.block(&block.block, |this, last| {
                this.negated = negated;
                this.condition(last)
            }),
            other => {
                self.negated = negated && matches!(other, Expr::MethodCall(_) | Expr::If(_) | Expr::Match(_));
                let operand = self.operand(other);
                self.negated = false;
                operand
            }
        }
    }

    /// `&&` and `||`. As in Rust, the right side is looked at only if it counts: behind `false && ..` it is not.
    fn both(
        &mut self,
        (open, join): (&str, &str),
        left: &Expr,
        op: &BinOp,
        right: &Expr,
        negated: bool,
    ) -> TokenStream {
        let (ops, of) = (self.ops(op), self.of(op));
        let number = |side: &Expr| matches!(bare(side), Expr::Lit(lit) if matches!(lit.lit, Lit::Int(_)));
        if matches!(op, BinOp::BitAnd(_) | BinOp::BitOr(_)) && (number(left) || number(right)) {
            return self.wrong(op, "this joins conditions: columns have no operators on bits");
        }
        let mut side = |side: &Expr| {
            self.negated = negated;
            self.condition(side)
        };
        let (left, right) = (side(left), side(right));
        let (open, join) = (Ident::new(open, op.span()), Ident::new(join, op.span()));
        // Names that the program's own cannot meet.
        let (done, known) = (Ident::new("done", Span::mixed_site()), Ident::new("known", Span::mixed_site()));
        quote_spanned! {op.span()=>
            match #ops::#open::<#of, _>(#left) {
                ::core::result::Result::Err(#done) => #done,
                ::core::result::Result::Ok(#known) => #ops::#join::<#of, _, _>(#known, #right),
            }
        }
    }

    /// A part of the tree, or a value of the program.
    pub(crate) fn operand(&mut self, expr: &Expr) -> TokenStream {
        if self.touches(expr) { self.value(expr) } else { self.plain(expr) }
    }

    /// A value of the program: copied where it is a place, so that it stays, else evaluated.
    pub(super) fn plain(&mut self, expr: &Expr) -> TokenStream {
        let ops = self.ops(expr);
        if let Expr::Return(_) | Expr::Break(_) | Expr::Continue(_) = bare(expr) {
            return self.misplaced(expr);
        }
        match self.float(expr) {
            Some(float) => float,
            None => match bare(expr) {
                Expr::Call(call) if is_named(&call.func, "constant") => {
                    let args = call.args.iter().map(|arg| self.plain(arg)).collect::<Vec<_>>();
                    quote_spanned!(call.func.span()=> #ops::constant(#(#args),*))
                }
                bare if is_place(bare) => {
                    let clone = quote_spanned!(bare.span()=> ::core::clone::Clone::clone(&#bare));
                    self.captured(bare, clone)
                }
                bare @ Expr::Lit(_) => bare.to_token_stream(),
                bare => self.captured(bare, bare.to_token_stream()),
            },
        }
    }

    /// A value of the program, as it is inside of an EXISTS: a condition of the inner entity, or no part of a tree at all.
    fn captured(&self, expr: &Expr, value: TokenStream) -> TokenStream {
        let Some(level) = self.scope.innermost() else { return value };
        let alias = LitStr::new(&level.alias, expr.span());
        quote_spanned!(expr.span()=> __Captured(#value).within(#alias))
    }

    /// `Order::AMOUNT` inside of an EXISTS: a column of the closure's argument that is an `Order`.
    fn constant(&mut self, path: &syn::ExprPath) -> Option<TokenStream> {
        let index = self.scope.constant(&path.path)?;
        if let Some(index) = index {
            self.asked(index, path);
        }
        let of = self.of(path);
        Some(match index.and_then(|index| self.scope.levels.get(index)) {
            Some(level) if level.aliased || !self.scope.is_own(level) => {
                let alias = LitStr::new(&level.alias, path.span());
                let column =
                    quote_spanned!(path.span()=> __Captured(#path).of::<#of>(::core::option::Option::Some(#alias)));
                let ops = self.ops(path);
                if level.optional { quote_spanned!(path.span()=> #ops::maybe(#column)) } else { column }
            }
            Some(_) => path.to_token_stream(),
            None => quote_spanned!(path.span()=> __Captured(#path).within("")),
        })
    }

    /// An arm, or the whole: a predicate or a typed value.
    pub(super) fn lifted(&mut self, expr: &Expr) -> TokenStream {
        let ops = self.ops(expr);
        let (value, of) = (self.operand(expr), self.of(expr));
        quote_spanned!(expr.span()=> #ops::lift::<#of, _>(#value))
    }

    /// A literal with a point, whose digits a decimal takes as they are.
    fn float(&self, expr: &Expr) -> Option<TokenStream> {
        let ops = self.ops(expr);
        let (sign, lit) = match bare(expr) {
            Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => ("-", bare(&unary.expr)),
            other => ("", other),
        };
        let Expr::Lit(syn::ExprLit { lit: Lit::Float(float), .. }) = lit else { return None };
        if !float.suffix().is_empty() {
            return None;
        }
        let text = format!("{sign}{}", float.base10_digits());
        let expr = bare(expr);
        Some(quote_spanned!(float.span()=> #ops::float(#text, #expr)))
    }

    /// An expression that mentions columns.
    pub(crate) fn value(&mut self, expr: &Expr) -> TokenStream {
        let ops = self.ops(expr);
        match expr {
            Expr::Paren(inner) => self.value(&inner.expr),
            Expr::Group(inner) => self.value(&inner.expr),
            Expr::Reference(inner) => self.value(&inner.expr),
            Expr::Path(path) => match path.path.get_ident() {
                Some(name) if self.scope.is_local(name) => {
                    quote_spanned!(name.span()=> ::core::clone::Clone::clone(&#name))
                }
                _ => self.constant(path).unwrap_or_else(|| path.to_token_stream()),
            },
            Expr::Field(_) => self.field(expr),
            Expr::Unary(unary) => match unary.op {
                UnOp::Neg(_) => {
                    let operand = self.value(&unary.expr);
                    quote_spanned!(unary.op.span()=> ::core::ops::Neg::neg(#operand))
                }
                UnOp::Not(_) => self.condition(expr),
                _ => self.value(&unary.expr),
            },
            Expr::Cast(cast) => {
                let (value, ty) = (self.value(&cast.expr), &cast.ty);
                quote_spanned!(cast.as_token.span=> #ops::cast::<#ty, _>(#value))
            }
            Expr::Binary(binary) => self.binary(binary),
            Expr::MethodCall(call) => self.method(call),
            Expr::Call(call) => self.call(call),
            Expr::If(branch) => self.if_else(branch),
            Expr::Match(branches) => self.branches(branches),
            Expr::Block(block) => self.block(&block.block, Self::operand),
            Expr::Macro(call) if call.mac.path.is_ident("matches") => self.matches(&call.mac),
            Expr::Macro(call) if is_query(&call.mac) => self.subquery(&call.mac),
            other => self.misplaced(other),
        }
    }

    fn binary(&mut self, binary: &ExprBinary) -> TokenStream {
        let (ops, of) = (self.ops(binary.op), self.of(binary.op));
        let (span, left, right) = (binary.op.span(), &*binary.left, &*binary.right);
        let (method, flipped) = match binary.op {
            BinOp::And(_) | BinOp::Or(_) | BinOp::BitAnd(_) | BinOp::BitOr(_) => {
                return self.condition(&Expr::Binary(binary.clone()));
            }
            BinOp::Add(_) => return self.arithmetic(binary, "Add", "add"),
            BinOp::Sub(_) => return self.arithmetic(binary, "Sub", "sub"),
            BinOp::Mul(_) => return self.arithmetic(binary, "Mul", "mul"),
            BinOp::Div(_) => return self.arithmetic(binary, "Div", "div"),
            BinOp::Rem(_) => return self.arithmetic(binary, "Rem", "rem"),
            BinOp::Eq(_) => ("eq", "eq"),
            BinOp::Ne(_) => ("ne", "ne"),
            BinOp::Lt(_) => ("lt", "gt"),
            BinOp::Le(_) => ("le", "ge"),
            BinOp::Gt(_) => ("gt", "lt"),
            BinOp::Ge(_) => ("ge", "le"),
            _ => {
                return self.wrong(
                    binary.op,
                    "this operator has no SQL: there are `== != < <= > >=`, `&& || !` and `+ - * / %`",
                );
            }
        };
        for (value, other) in [(left, right), (right, left)] {
            if is_none(other) && matches!(method, "eq" | "ne") {
                let value = self.value(value);
                let name = Ident::new(if method == "eq" { "is_null" } else { "is_not_null" }, span);
                return quote_spanned!(span=> #ops::#name(#value));
            }
        }
        // A column stands on the left, so that what is beside it takes its type.
        let (method, left, right) = if self.touches(left) {
            (method, self.compared(left), self.operand(right))
        } else {
            (flipped, self.compared(right), self.plain(left))
        };
        let method = Ident::new(method, span);
        quote_spanned!(span=> #ops::#method::<#of, _, _>(#left, #right))
    }

    /// A side of a comparison that gives it its type. A constant of an entity may be no column.
    fn compared(&mut self, expr: &Expr) -> TokenStream {
        let (ops, value, of) = (self.ops(expr), self.value(expr), self.of(expr));
        match bare(expr) {
            Expr::Path(path) if self.scope.constant(&path.path).is_some() => {
                quote_spanned!(path.span()=> #ops::lift::<#of, _>(#value))
            }
            _ => value,
        }
    }

    fn arithmetic(&mut self, binary: &ExprBinary, operator: &str, method: &str) -> TokenStream {
        let ops = self.ops(binary.op);
        let span = binary.op.span();
        let (operator, method) = (Ident::new(operator, span), Ident::new(method, span));
        if self.touches(&binary.left) {
            let (left, right) = (self.value(&binary.left), self.operand(&binary.right));
            quote_spanned!(span=> ::core::ops::#operator::#method(#left, #right))
        } else {
            let (left, right, of) = (self.plain(&binary.left), self.value(&binary.right), self.of(binary.op));
            quote_spanned!(span=> #ops::#method::<#of, _, _>(#left, #right))
        }
    }
}

/// Whether it is `query!`.
fn is_query(call: &syn::Macro) -> bool {
    call.path.segments.last().is_some_and(|last| last.ident == "query")
}

/// Whether it is that one name.
pub(super) fn is_named(expr: &Expr, name: &str) -> bool {
    matches!(expr, Expr::Path(path) if path.path.is_ident(name))
}
