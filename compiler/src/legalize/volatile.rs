//! Values that are another each time they are computed: random numbers and new UUIDs.

use crate::error::Result;
use crate::frame::{Call, In, InList, Pred, Scalar, ScalarKind};
use crate::functions::Func;

use super::Cx;

impl<'a, 'e> Cx<'a, 'e> {
    /// An error if a spelling repeats an argument that is another value each time.
    ///
    /// `FLOOR(RANDOM() * 6)`, written as `ROUND(x) - (ROUND(x) > x)`, would compare three numbers with each other.
    pub(super) fn no_volatile_twice(&self, what: &str, template: &str, args: &[Scalar<'a, 'e>]) -> Result<()> {
        for (index, arg) in args.iter().enumerate() {
            if repeats(template, index) {
                self.no_volatile(what, std::slice::from_ref(arg))?;
            }
        }
        Ok(())
    }

    /// An error if one of the arguments is another value each time.
    pub(super) fn no_volatile(&self, what: &str, args: &[Scalar<'a, 'e>]) -> Result<()> {
        // Seldom does a statement have any.
        if self.volatile && args.iter().any(is_volatile) {
            let what = format!("{what} of a random value");
            let why = "its spelling repeats the argument, which would be another value each time: draw it in the \
                       program and bind it";
            return Err(self.target.refused(what, why));
        }
        Ok(())
    }
}

/// Whether a template has more than one hole for an argument.
fn repeats(template: &str, index: usize) -> bool {
    let holes = template.split('{').skip(1).filter(|hole| {
        let digits = hole.find(|c: char| !c.is_ascii_digit()).unwrap_or(hole.len());
        hole.get(..digits).is_some_and(|digits| digits.parse() == Ok(index))
    });
    holes.count() > 1
}

fn call_is_volatile(call: &Call<'_, '_>) -> bool {
    matches!(call.func, Some(Func::Random | Func::NewGuid)) || call.args.iter().any(is_volatile)
}

/// Whether a value is another each time it is computed. A subquery is not looked into.
pub(super) fn is_volatile(value: &Scalar<'_, '_>) -> bool {
    match value.kind {
        ScalarKind::Negative(inner)
        | ScalarKind::BitNot(inner)
        | ScalarKind::Cast(inner, _)
        | ScalarKind::Exact(inner, _) => is_volatile(inner),
        ScalarKind::Binary(_, sides) => sides.iter().any(is_volatile),
        ScalarKind::Concat(items) | ScalarKind::Row(items) => items.iter().any(is_volatile),
        ScalarKind::Call(call) => call_is_volatile(call),
        ScalarKind::Window(window) => call_is_volatile(&window.call),
        ScalarKind::Case(case) => {
            case.otherwise.iter().any(is_volatile)
                || case.cases.iter().any(|(test, value)| pred_is_volatile(test) || is_volatile(value))
        }
        ScalarKind::Truth(pred) => pred_is_volatile(pred),
        _ => false,
    }
}

fn pred_is_volatile(pred: &Pred<'_, '_>) -> bool {
    match pred {
        Pred::Compare(node) => is_volatile(&node.left) || is_volatile(&node.right),
        Pred::And(items) | Pred::Or(items) => items.iter().any(pred_is_volatile),
        Pred::Not(inner) => pred_is_volatile(inner),
        Pred::Null(value, _) | Pred::IsTrue(value) => is_volatile(value),
        Pred::Match(node) => is_volatile(&node.text) || is_volatile(&node.pattern),
        Pred::In(In { left, list, .. }) => {
            is_volatile(left) || matches!(list, InList::Scalars(items) if items.iter().any(is_volatile))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::repeats;

    #[test]
    fn holes_are_counted_by_argument() {
        assert!(repeats("ROUND({0}) - (ROUND({0}) > {0^})", 0));
        assert!(!repeats("SUBSTR({0}, {1^} + 1, {1})", 0));
        assert!(repeats("SUBSTR({0}, {1^} + 1, {1})", 1));
        assert!(!repeats("F({1}, {10})", 1));
    }
}
