//! Blocks, `if`, and what no condition holds.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Block, Expr, ExprIf, Local, Pat, Stmt};

use super::rewrite::{Rewriter, bare, only};

impl Rewriter {
    /// A block: `let`s, and what it gives.
    pub(super) fn block(&mut self, block: &Block, last: impl FnOnce(&mut Self, &Expr) -> TokenStream) -> TokenStream {
        let mark = self.scope.mark();
        let mut lets = Vec::new();
        let mut result = None;
        for (index, statement) in block.stmts.iter().enumerate() {
            match statement {
                Stmt::Local(local) => lets.push(self.local(local)),
                Stmt::Expr(expr, None) if index + 1 == block.stmts.len() => result = Some(expr),
                Stmt::Expr(expr @ Expr::Return(_), _) => lets.push(self.misplaced(expr)),
                other => {
                    lets.push(self.wrong(other, "a condition is one expression: only `let` may stand before it"));
                }
            }
        }
        let result = match result {
            Some(result) => last(self, result),
            None => self.wrong(block, "the block gives nothing: its last expression is the condition, without a `;`"),
        };
        self.scope.reset(mark);
        if lets.is_empty() { result } else { quote!({ #(#lets)* #result }) }
    }

    fn local(&mut self, local: &Local) -> TokenStream {
        let Some(init) = local.init.as_ref().filter(|init| self.touches(&init.expr)) else {
            for name in super::pattern::names(&local.pat) {
                self.scope.bind(&name, false);
            }
            return local.to_token_stream();
        };
        let value = self.value(&init.expr);
        match &local.pat {
            Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none() && init.diverge.is_none() => {
                self.scope.bind(&name.ident, true);
                let name = &name.ident;
                quote_spanned!(local.span()=> let #name = #value;)
            }
            other => self.wrong(other, "a name is wanted for what is computed of columns: `let total = ..;`"),
        }
    }

    /// A block as an arm of `if`.
    fn arm(&mut self, block: &Block, write: impl FnOnce(&mut Self, &Expr) -> TokenStream) -> TokenStream {
        match only(block) {
            Some(expr) => write(self, expr),
            None => self.block(block, write),
        }
    }

    pub(super) fn if_else(&mut self, branch: &ExprIf) -> TokenStream {
        let negated = std::mem::take(&mut self.negated);
        let (ops, of) = (self.ops(branch.if_token), self.of(branch.if_token));
        let span = branch.if_token.span;
        let Some((_, otherwise)) = &branch.else_branch else {
            return self.wrong(branch.if_token, "an `if` of a condition needs its `else`: it becomes CASE");
        };
        let otherwise = match &**otherwise {
            Expr::Block(block) if only(&block.block).is_some() => only(&block.block).unwrap_or(otherwise),
            other => other,
        };
        let conditions = self.is_condition(&Expr::If(branch.clone()));
        if !self.touches(&branch.cond) {
            // The program knows which arm it is.
            let mark = self.scope.mark();
            if let Expr::Let(found) = &*branch.cond {
                for name in super::pattern::names(&found.pat) {
                    self.scope.bind(&name, false);
                }
            }
            let condition = &branch.cond;
            let then = self.arm(&branch.then_branch, |this, expr| this.rust_arm(expr, conditions, negated));
            self.scope.reset(mark);
            let otherwise = self.rust_arm(otherwise, conditions, negated);
            return quote_spanned!(span=> if #condition { #then } else { #otherwise });
        }
        if let Expr::Let(found) = &*branch.cond {
            return self.wrong(
                found,
                "a column is no pattern's: ask `o.field.is_some()`, or write `match` or `matches!` with literals",
            );
        }
        let condition = self.condition(&branch.cond);
        if conditions {
            let then = self.arm(&branch.then_branch, |this, expr| this.logic(expr, negated));
            let otherwise = self.logic(otherwise, negated);
            return quote_spanned!(span=> #ops::case::<#of, _, _, _>(#condition, #then, #otherwise));
        }
        let then_touches = self.touches(&branch.then_branch);
        let otherwise_touches = self.touches(otherwise);
        let then = self.arm(&branch.then_branch, |this, expr| match then_touches || otherwise_touches {
            true => this.operand(expr),
            false => this.lifted(expr),
        });
        let otherwise = self.operand(otherwise);
        if then_touches || !otherwise_touches {
            quote_spanned!(span=> #ops::case::<#of, _, _, _>(#condition, #then, #otherwise))
        } else {
            quote_spanned!(span=> #ops::case_else::<#of, _, _, _>(#condition, #then, #otherwise))
        }
    }

    /// A condition as a predicate, which may stand behind a `!`.
    pub(super) fn logic(&mut self, expr: &Expr, negated: bool) -> TokenStream {
        let (ops, of) = (self.ops(expr), self.of(expr));
        if let Expr::Block(block) = bare(expr) {
            return self.block(&block.block, |this, last| this.logic(last, negated));
        }
        self.negated = negated;
        let condition = self.condition(expr);
        quote_spanned!(expr.span()=> #ops::logic::<#of, _>(#condition))
    }

    /// An arm of which Rust chooses one: all are of one type.
    pub(super) fn rust_arm(&mut self, expr: &Expr, conditions: bool, negated: bool) -> TokenStream {
        match (bare(expr), conditions) {
            (_, true) => self.logic(expr, negated),
            (Expr::Block(block), false) => self.block(&block.block, Self::lifted),
            (other, false) => self.lifted(other),
        }
    }

    /// What no condition holds.
    pub(super) fn misplaced(&mut self, expr: &Expr) -> TokenStream {
        let (at, why): (Span, &str) = match expr {
            Expr::Return(node) => {
                (node.return_token.span, "`return` does not belong in a condition: it is one expression")
            }
            Expr::Break(node) => {
                (node.break_token.span, "`break` does not belong in a condition: it is one expression")
            }
            Expr::Continue(node) => {
                (node.continue_token.span, "`continue` does not belong in a condition: it is one expression")
            }
            Expr::ForLoop(node) => {
                (node.for_token.span, "a loop does not belong in a condition: build a list before it")
            }
            Expr::While(node) => {
                (node.while_token.span, "a loop does not belong in a condition: build a list before it")
            }
            Expr::Loop(node) => (node.loop_token.span, "a loop does not belong in a condition: build a list before it"),
            Expr::Assign(node) => (node.eq_token.span, "nothing is assigned in a condition: `==` compares"),
            Expr::Await(node) => (node.await_token.span, "a column is not awaited"),
            Expr::Try(node) => {
                (node.question_token.span(), "`?` does not apply to a column: ask `.is_some()` or use `.unwrap_or(..)`")
            }
            Expr::Closure(node) => (
                node.inputs_begin.span,
                "a closure over columns belongs into `exists::<Entity>(|e| ..)` or `exists_related::<Entity>(|e| ..)`; a \
                 list of values is asked by `list.contains(&o.field)`",
            ),
            Expr::Macro(node) => {
                (node.mac.path.span(), "a macro does not see columns, but for `matches!`: compute its value before")
            }
            Expr::Tuple(node) => {
                (node.span(), "a row of columns is selected or returned, and no value: compare column by column")
            }
            Expr::Array(node) => (node.span(), "a list of columns stands before `.contains(&..)` only"),
            Expr::Range(node) => {
                (node.span(), "a range stands before `.contains(&..)` only: `(1..=5).contains(&o.field)`")
            }
            Expr::Index(node) => {
                (node.span(), "a column has no index: for a text there is `.substring(start, length)`")
            }
            other => (
                other.span(),
                "this has no SQL: a condition is made of comparisons, operators, methods, `if` and `match`",
            ),
        };
        self.wrong(at, why)
    }
}
