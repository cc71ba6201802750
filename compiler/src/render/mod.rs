//! Writes the SQL text: order of clauses, precedence and parameters. Spellings that differ between engines are hooks of
//! the dialect.
//!
//! Rendering is one pass with one growing `String`, and one `Vec` of parameters that borrow from the tree.

mod merge;
mod micros;
mod pieces;
mod placeholder;
mod predicate;
mod query;
mod scalar;
mod statement;
mod template;
mod writer;

pub use merge::MergeStyle;
pub use micros::Micros;
pub(crate) use placeholder::Placeholders;
pub(crate) use writer::{FragmentText, push_number};
pub use writer::{Output, Parameter, Prec, Writer};

/// Writes pieces of text and nodes one after the other: `sql!(w, "UPDATE " u.table " SET ")`.
///
/// A literal is text; a `[node]` is a call of the writer, as in `[w.scalar(x, Prec::Lowest)]`.
macro_rules! sql {
    ($w:ident,) => {};
    ($w:ident, [$($call:tt)*] $($rest:tt)*) => {{
        $($call)*?;
        $crate::render::sql!($w, $($rest)*);
    }};
    ($w:ident, $text:literal $($rest:tt)*) => {{
        $w.text($text);
        $crate::render::sql!($w, $($rest)*);
    }};
    ($w:ident, $node:ident . $field:ident $($rest:tt)*) => {{
        $w.text($node.$field);
        $crate::render::sql!($w, $($rest)*);
    }};
    ($w:ident, $text:ident $($rest:tt)*) => {{
        $w.text($text);
        $crate::render::sql!($w, $($rest)*);
    }};
}
pub(crate) use sql;
