//! Which entity a column, a value or a condition belongs to, and what it can be combined with.

use std::marker::PhantomData;

/// An entity or a view whose queries accept conditions on `E`: on itself, and for a view also on its entity.
#[diagnostic::on_unimplemented(
    message = "this is about columns of `{E}`, but the rows are those of `{Self}`",
    label = "of `{E}`",
    note = "rows of another entity are asked for by `exists::<..>(|x| ..)` or `exists_related::<..>(|x| ..)` inside of `expr!`; a view takes what is of its entity, and no entity takes what is of a view"
)]
pub trait Takes<E> {}

/// An entity or a view that can be used in one expression together with `O`: itself, and for a view also its entity.
#[diagnostic::on_unimplemented(
    message = "columns of `{Self}` and of `{O}` stand in one condition",
    label = "of `{O}`, beside what is of `{Self}`",
    note = "a condition is of one entity, or of a view and its entity; inside of `exists::<..>(|x| ..)` in `expr!` both are named by their closures, and by hand `column.aliased(\"T0\")` is of the table with that alias"
)]
pub trait Beside<O> {
    /// The entity of the combined expression.
    type Both;
}

/// The entity of an expression that combines `A` and `B`.
pub type Both<A, B> = <A as Beside<B>>::Both;

// `()` is what names no table: values, `now()`, `count()`, and columns of an alias.
impl<E: super::Entity> Beside<E> for () {
    type Both = E;
}

impl Beside<()> for () {
    type Both = ();
}

impl Takes<()> for () {}

/// What a view is over, step by step. The derives implement it, so that each of these may be used [beside](Beside) the
/// view.
pub trait Layer {
    /// The entity or view that the view is over.
    type Under;
    /// The entity or view below that.
    type Below;
}

/// The end of the steps: an entity is not over anything.
#[derive(Debug, Clone, Copy)]
pub struct Nothing<E>(PhantomData<fn() -> E>);
