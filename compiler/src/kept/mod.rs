//! Kept statements: compiled statements are reused by the [shape](crate::walk::shape) of their trees, as a program
//! usually has a few hundred statements whose values differ.
//!
//! A kept statement is the text and, for each parameter, the slot of the shape that its value comes from. This is only
//! correct if the compilation has used nothing of a slot's value but its class. Therefore a statement that is to be
//! kept is compiled with open slots: whoever reads an open value has to record it
//! ([`Bound::Open`](crate::frame::Bound::Open) is a separate variant, so that it cannot be forgotten), and a statement
//! whose values were read is not kept. Checked again for each value is whether its column, or the type of what it stands
//! beside, accepts it as it is, and what a rule has asked of it ([`Cx::asks`](crate::legalize::Cx::asks)); what is bound in
//! another form is made again by the same conversion.
//!
//! Each thread keeps its own statements. A shape is kept when it occurs for the second time, so that single ones need
//! no memory.

mod insert;
mod prepared;
mod statement;
mod table;
#[cfg(test)]
mod tests;

use std::hash::{Hash, Hasher};
use std::rc::Rc;

pub use insert::{InsertRows, PreparedInsert};
pub use prepared::Prepared;
pub(crate) use statement::{By, Fit, How, Made, Places, Question, Record, Taker, made_again};
pub use table::KeptStatements;
pub(crate) use table::{Owner, counts};

use crate::compiler::{Buffers, Compiled, Request, StatementRef};
use crate::error::Result;
use crate::expr::{InsertExpr, InsertSource, Value};
use crate::target::Target;
use crate::walk::ExprRef;
use crate::walk::shape::{LONGEST, Shape, ShapeLimits};
use statement::KeptStatement;
use table::{Found, KnownShape};

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
        // A scope looks at what is written.
        _ if request.scope.is_some() => return target.compile_anew(statement, request, buffers, None),
        StatementRef::Insert(insert) if has_few_values(insert) => ExprRef::from(insert),
        StatementRef::Update(update) => ExprRef::from(update),
        StatementRef::Delete(delete) => ExprRef::from(delete),
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
    let limits = ShapeLimits { bytes: most, list: LONGEST, packed: target.packed() };
    table::shaped(limits, write, |shape| match shape.parts() {
        Some((shape, slots)) => of_shape(target, shape, slots, statement, request, buffers),
        None => target.compile_anew(statement, request, buffers, None),
    })
}

/// How many values are inserted at most by a statement that is kept. Each number of rows is a shape of its own.
const FEW: usize = 256;

/// Whether it inserts few rows, or those of a query.
fn has_few_values(insert: &InsertExpr) -> bool {
    match &insert.source {
        InsertSource::Values(values) => values.len() <= FEW,
        InsertSource::Exprs(exprs) => exprs.len() <= FEW,
        InsertSource::Query(_) => true,
    }
}

/// What is asked is a part of the shape.
fn asked<'e>(request: &Request<'e>, shape: &mut Shape<'e>) {
    let Request { verb, root, home, table_args, columns, scope } = request;
    shape.write_u8(*verb as u8);
    shape.write_u8((*columns).into());
    root.hash(shape);
    home.hash(shape);
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
        Found::Known(KnownShape::Statement(kept)) => match kept.fitted(target, slots) {
            Some(fitted) => Ok(kept.filled(slots, &fitted, buffers)),
            None => target.compile_anew(statement, request, buffers, None),
        },
        Found::Again => {
            let mut record = Record::default();
            let compiled = target.compile_anew(statement, request, buffers, Some(&mut record))?;
            let kept = KeptStatement::of(target, &compiled, slots, &record);
            let kept = kept.filter(|kept| shape.len() + kept.bytes() <= target.limits().kept);
            let known = kept.map_or(KnownShape::Nothing, |kept| KnownShape::Statement(Rc::new(kept)));
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
        ShapeLimits::of(most),
        |shape| shape.tree(tree),
        |shape| {
            let Some((shape, _)) = shape.parts().filter(|_| is_all(shape)) else { return check() };
            match table::find(owner, shape) {
                Found::Known(KnownShape::Allowed) => Ok(()),
                Found::Again => {
                    check()?;
                    table::keep(owner, shape, KnownShape::Allowed);
                    Ok(())
                }
                _ => check(),
            }
        },
    )
}
