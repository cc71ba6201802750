//! Values that are another each time they are computed: random numbers and new UUIDs.

use crate::dialect::Spelling;
use crate::error::Result;
use crate::frame::{Call, Part, Scalar, ScalarKind, Window};
use crate::functions::Func;

use super::{Cx, parts};

/// An error if a spelling repeats an argument that is another value each time.
///
/// `FLOOR(RANDOM() * 6)`, written as `ROUND(x) - (ROUND(x) > x)`, would compare three numbers with each other.
pub(super) fn no_volatile_twice<'a, 'e>(
    cx: &Cx<'a, 'e>,
    what: &str,
    spelling: &Spelling<'_>,
    args: &[Scalar<'a, 'e>],
) -> Result<()> {
    for (index, arg) in args.iter().enumerate() {
        if spelling.repeats(index) {
            no_volatile(cx, what, std::slice::from_ref(arg))?;
        }
    }
    Ok(())
}

/// An error if one of the arguments is another value each time.
pub(super) fn no_volatile<'a, 'e>(cx: &Cx<'a, 'e>, what: &str, args: &[Scalar<'a, 'e>]) -> Result<()> {
    if args.iter().any(|arg| is_volatile(cx, arg)) {
        let what = format!("{what} of a random value");
        let why = "its spelling repeats the argument, which would be another value each time: draw it in the \
                   program and bind it";
        return Err(cx.target.refused(what, why));
    }
    Ok(())
}

/// Whether a value is another each time it is computed. A subquery is not looked into.
pub(super) fn is_volatile<'a, 'e>(cx: &Cx<'a, 'e>, value: &Scalar<'a, 'e>) -> bool {
    let random = |part: Part<'_, 'a, 'e>| match part {
        Part::Scalar(Scalar { kind: ScalarKind::Call(Call { func, .. }), .. })
        | Part::Scalar(Scalar { kind: ScalarKind::Window(Window { call: Call { func, .. }, .. }), .. }) => {
            matches!(func, Some(Func::Random | Func::NewGuid))
        }
        _ => false,
    };
    // Seldom does a statement have any.
    cx.volatile && parts::any_part(cx, value, &mut |_, part| random(part))
}
