//! Statements that are kept by the [shape](crate::walk::shape) of their trees: a program compiles the few hundred that it has
//! all day, and only their values differ.
//!
//! What is kept is the text, and for each parameter the slot of the shape that its value comes from. That is right only where
//! the compilation has asked nothing of the value of a slot but its class. So one that is to be kept is compiled with its
//! slots open: whoever looks at an open value has to record that ([`Bound::Open`](crate::frame::Bound::Open) is a variant of its
//! own, so that nobody can forget to), and a statement of which more was looked at is not kept. What was asked of the column
//! that a value is compared with, whether it takes the value as it is, is asked again of each other value.
//!
//! Each thread keeps its own. A shape is kept when it comes for the second time, so that those that come once cost no room.

mod statement;
mod table;

use std::hash::{Hash, Hasher};
use std::rc::Rc;

pub(crate) use statement::{Around, Record, place_of};
pub use table::KeptStatements;
pub(crate) use table::{Owner, counts};

use crate::compiler::{Buffers, Compiled, Request, StatementRef, Target};
use crate::error::Result;
use crate::expr::{InsertExpr, InsertSource, Value};
use crate::walk::ExprRef;
use crate::walk::shape::Shape;
use statement::Statement;
use table::{Found, Known};

/// Compiles a statement, or fills in one that is kept.
pub(crate) fn compile<'e>(
    target: &Target,
    statement: StatementRef<'e>,
    request: &Request<'e>,
    buffers: Buffers,
) -> Result<Compiled<'e>> {
    let most = target.limits().kept;
    let tree = match statement {
        StatementRef::Query(query) => ExprRef::from(query),
        StatementRef::Filter(filter) => ExprRef::from(filter),
        StatementRef::Insert(insert) if is_one_row(insert) && request.scope.is_none() => ExprRef::from(insert),
        _ => return target.compile_anew(statement, request, buffers, None),
    };
    // What a value is stored as depends on it.
    if most == 0 || target.dialect().stored_form().is_some() {
        return target.compile_anew(statement, request, buffers, None);
    }
    let write = |shape: &mut Shape<'e>| {
        shape.write_u8(target.has_default_source().into());
        asked(request, shape);
        shape.tree(tree);
    };
    table::shaped(most, write, |shape| match shape.parts() {
        Some((shape, slots)) => of_shape(target, shape, slots, statement, request, buffers),
        None => target.compile_anew(statement, request, buffers, None),
    })
}

/// Whether it inserts one row of plain values, and no more is asked of these.
fn is_one_row(insert: &InsertExpr) -> bool {
    let InsertSource::Values(values) = &insert.source else { return false };
    values.len() == insert.columns.len() && insert.conflict.is_none()
}

/// What is asked is a part of the shape.
fn asked<'e>(request: &Request<'e>, shape: &mut Shape<'e>) {
    let Request { verb, root, table_args, columns, scope } = request;
    shape.write_u8(*verb as u8);
    shape.write_u8((*columns).into());
    root.hash(shape);
    table_args.hash(shape);
    shape.write_u8(scope.is_some().into());
    if let Some(scope) = scope {
        scope.shape(shape);
    }
}

fn of_shape<'e>(
    target: &Target,
    shape: &[u8],
    slots: &[&'e Value],
    statement: StatementRef<'e>,
    request: &Request<'e>,
    buffers: Buffers,
) -> Result<Compiled<'e>> {
    match table::find(target.owner(), shape) {
        Found::Known(Known::Statement(kept)) if kept.takes(target, slots) => Ok(kept.filled(slots, buffers)),
        Found::Again => {
            let mut record = Record::default();
            let compiled = target.compile_anew(statement, request, buffers, Some(&mut record))?;
            let kept = Statement::of(&compiled, slots, &record);
            let kept = kept.filter(|kept| shape.len() + kept.bytes() <= target.limits().kept);
            let known = kept.map_or(Known::Nothing, |kept| Known::Statement(Rc::new(kept)));
            table::keep(target.owner(), shape, known);
            Ok(compiled)
        }
        _ => target.compile_anew(statement, request, buffers, None),
    }
}

/// Asks a check of a tree, unless it has allowed another one of that shape. `is_all` says whether a shape is all that the check
/// looks at.
pub(crate) fn allowed<E>(
    owner: Owner,
    most: usize,
    tree: ExprRef<'_>,
    is_all: impl FnOnce(&Shape<'_>) -> bool,
    check: impl FnOnce() -> std::result::Result<(), E>,
) -> std::result::Result<(), E> {
    table::shaped(
        most,
        |shape| shape.tree(tree),
        |shape| {
            let Some((shape, _)) = shape.parts().filter(|_| is_all(shape)) else { return check() };
            match table::find(owner, shape) {
                Found::Known(Known::Allowed) => Ok(()),
                Found::Again => {
                    check()?;
                    table::keep(owner, shape, Known::Allowed);
                    Ok(())
                }
                _ => check(),
            }
        },
    )
}
