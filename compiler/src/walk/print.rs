//! `Debug` of trees, however deep: kinds, data and children, in one line.

use std::fmt;

use super::node::ExprRef;
use super::path::Step;
use super::visit::{Visit, Walk};
use crate::expr::{LogicExpr, PropertyExpr, SelectExpr, SqlSegment, ValueExpr, ValueTypeExpr};

/// Prints `LogicBinary(operator: Equal, Left: #Age, Right: @Int(18))`; with `{:#?}` a child a line.
fn print(root: ExprRef<'_>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    /// How many levels are indented; below, a line begins where its parent's does.
    const INDENTED: usize = 40;
    let mut walk = Walk::new(root);
    // Whether nothing stands yet between the parentheses of each open node.
    let mut empty: Vec<bool> = Vec::new();
    while let Some(visit) = walk.next() {
        match visit {
            Visit::Enter(node) => {
                let indent = empty.len().min(INDENTED);
                if let Some(empty) = empty.last_mut() {
                    if f.alternate() {
                        write!(f, "{}\n{:indent$}", if *empty { "" } else { "," }, "", indent = 4 * indent)?;
                    } else if !*empty {
                        f.write_str(", ")?;
                    }
                    *empty = false;
                }
                match walk.step() {
                    Some(Step::Key(key)) => write!(f, "{key}: ")?,
                    Some(Step::Item(key, index)) => write!(f, "{key}[{index}]: ")?,
                    Some(Step::Entry(key, index, name)) => write!(f, "{key}[{index}].{name}: ")?,
                    _ => {}
                }
                empty.push(open(node, f)?);
            }
            Visit::Leave(node) => {
                let empty_now = empty.pop().unwrap_or(true);
                match node {
                    ExprRef::Value(ValueTypeExpr::Property(_) | ValueTypeExpr::Value(_)) | ExprRef::Constant(_) => {}
                    _ if f.alternate() && !empty_now => {
                        write!(f, "\n{:indent$})", "", indent = 4 * empty.len().min(INDENTED))?;
                    }
                    _ => f.write_str(")")?,
                }
            }
        }
    }
    Ok(())
}

/// Prints what stands before the children. Gives whether nothing but the parenthesis was opened.
fn open(node: ExprRef<'_>, f: &mut fmt::Formatter<'_>) -> Result<bool, fmt::Error> {
    match node {
        ExprRef::Value(ValueTypeExpr::Property(PropertyExpr { alias: Some(alias), name })) => {
            write!(f, "#{alias}.{name}")?;
        }
        ExprRef::Value(ValueTypeExpr::Property(PropertyExpr { alias: None, name })) => write!(f, "#{name}")?,
        ExprRef::Value(ValueTypeExpr::Value(value)) | ExprRef::Constant(value) => {
            let ValueExpr { value, is_const } = value;
            let mark = if *is_const { "" } else { "@" };
            write!(f, "{mark}{value:?}")?;
        }
        _ => {
            write!(f, "{}(", node.kind())?;
            let (mut empty, mut result) = (true, Ok(()));
            node.show(&mut |name, data| {
                if result.is_ok() {
                    result = write!(f, "{}{name}: {data:?}", if empty { "" } else { ", " });
                    empty = false;
                }
            });
            result?;
            return Ok(empty);
        }
    }
    Ok(true)
}

macro_rules! debug_impl {
    ($($node:ident),*) => {$(
        /// One line, of a tree of any depth.
        impl fmt::Debug for $node {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                print(ExprRef::from(self), f)
            }
        }
    )*};
}

debug_impl!(LogicExpr, ValueTypeExpr, SqlSegment, SelectExpr);

#[cfg(test)]
mod tests {
    use crate::expr::{ValueOps, constant, exists_related, from, prop, prop_of};

    #[test]
    fn a_tree_prints_in_one_line() {
        let filter = prop("Age").ge(18) & !prop_of("d", "Name").starts_with("R&D");
        assert_eq!(
            format!("{filter:?}"),
            "And($and[0]: LogicBinary(operator: GreaterThanOrEqual, Left: #Age, Right: @Int(18)), \
             $and[1]: Not(!: LogicBinary(operator: StartsWith, Left: #d.Name, Right: @Text(\"R&D\"))))"
        );
        let foreign = exists_related("Dept", prop("Id").eq(constant(1)));
        assert_eq!(
            format!("{:?}", crate::expr::LogicExpr::from(foreign)),
            "Foreign(entity: \"Dept\", auto_related: true, \
             InnerExpr: LogicBinary(operator: Equal, Left: #Id, Right: Int(1)))"
        );
        let query = from("U").select(["A"]).into_segment();
        assert_eq!(format!("{query:?}"), "Select($select: Table(entity: \"U\"), Selects[0]: SelectItem(Value: #A))");
    }

    #[test]
    fn the_alternate_form_has_a_child_a_line() {
        let filter = !prop("A").is_null();
        assert_eq!(
            format!("{filter:#?}"),
            "Not(\n    !: LogicBinary(operator: Equal,\n        Left: #A,\n        Right: Null\n    )\n)"
        );
    }
}
