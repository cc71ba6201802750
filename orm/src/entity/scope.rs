//! Which entity a column, a value or a condition is of, and what may stand beside it.

use std::marker::PhantomData;

/// An entity or a view whose rows are asked by what is of `E`: itself, and of a view its entity as well.
#[diagnostic::on_unimplemented(
    message = "this is about columns of `{E}`, but the rows are those of `{Self}`",
    label = "of `{E}`",
    note = "rows of another entity are asked for by `exists::<..>(|x| ..)` or `exists_related::<..>(|x| ..)` inside of `expr!`; a view takes what is of its entity, and no entity takes what is of a view"
)]
pub trait Takes<E> {}

/// An entity or a view of which one expression may speak together with `O`: itself, and of a view its entity.
#[diagnostic::on_unimplemented(
    message = "columns of `{Self}` and of `{O}` stand in one condition",
    label = "of `{O}`, beside what is of `{Self}`",
    note = "a condition is of one entity, or of a view and its entity; inside of `exists::<..>(|x| ..)` in `expr!` both are named by their closures, and by hand `column.aliased(\"T0\")` is of the table with that alias"
)]
pub trait Beside<O> {
    /// What both are of together.
    type Both;
}

/// What `A` and `B` are of together.
pub type Both<A, B> = <A as Beside<B>>::Both;

// `()` is what names no table: values, `now()`, `count()`, and columns of an alias.
impl<E: super::Entity> Beside<E> for () {
    type Both = E;
}

impl Beside<()> for () {
    type Both = ();
}

impl Takes<()> for () {}

/// What is under a view, step by step. The derives say it, so that each of those may stand [beside](Beside) the view without
/// being named where that is derived.
pub trait Layer {
    /// What it is over.
    type Under;
    /// What that is over.
    type Below;
}

/// What an entity is over: nothing that anybody names.
#[derive(Debug, Clone, Copy)]
pub struct Nothing<E>(PhantomData<fn() -> E>);
