//! Copies of trees, however deep.
//!
//! A node is copied with holes in place of its children; each hole waits on a stack, together with the child that
//! belongs there, until it is filled the same way.

use super::node::{ExprMut, ExprRef};
use super::parts::Contents;
use crate::expr::{LogicExpr, SelectExpr, SqlSegment, ValueTypeExpr};

fn copy<T: Contents>(node: &T) -> T {
    let mut made = node.hollow();
    let mut holes: Vec<(ExprRef<'_>, ExprMut<'_>)> = Vec::new();
    node.refill(&mut made, &mut |child, hole| holes.push((child, hole)));
    while let Some((child, hole)) = holes.pop() {
        child.fill(hole, &mut |child, hole| holes.push((child, hole)));
    }
    made
}

macro_rules! clone_impl {
    ($($node:ident),*) => {$(
        impl Clone for $node {
            fn clone(&self) -> Self {
                copy(self)
            }
        }
    )*};
}

clone_impl!(LogicExpr, ValueTypeExpr, SqlSegment, SelectExpr);
