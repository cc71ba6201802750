//! Values that are another each time they are computed: random numbers and new UUIDs.

use crate::error::Result;
use crate::frame::{Call, Scalar, ScalarKind, Window};
use crate::functions::Func;

use super::Cx;
use super::parts::Part;

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
        if args.iter().any(|arg| self.is_volatile(arg)) {
            let what = format!("{what} of a random value");
            let why = "its spelling repeats the argument, which would be another value each time: draw it in the \
                       program and bind it";
            return Err(self.target.refused(what, why));
        }
        Ok(())
    }

    /// Whether a value is another each time it is computed. A subquery is not looked into.
    pub(super) fn is_volatile(&self, value: &Scalar<'a, 'e>) -> bool {
        let random = |part: Part<'_, 'a, 'e>| match part {
            Part::Scalar(Scalar { kind: ScalarKind::Call(Call { func, .. }), .. })
            | Part::Scalar(Scalar { kind: ScalarKind::Window(Window { call: Call { func, .. }, .. }), .. }) => {
                matches!(func, Some(Func::Random | Func::NewGuid))
            }
            _ => false,
        };
        // Seldom does a statement have any.
        self.volatile && self.any_part(value, &mut |_, part| random(part))
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
