//! The names of a select list, as the keys of an order behind it use them.
//!
//! ```sql
//! -- the tree: select Name as n, then order by Lower(n)
//! SELECT "T0"."Name" AS "n" FROM "Users" "T0" ORDER BY LOWER("T0"."Name")
//! ```
//!
//! Invariant: the text has such a name only where it stands alone in ORDER BY. Everywhere else an engine takes it for a
//! column of the tables below the list, if these have one of that name.

use crate::error::{ErrorKind, Result};
use crate::expr::{FunctionExpr, LogicExpr, PropertyExpr, ValueTypeExpr};
use crate::frame::Scalar;
use crate::functions::{Class, Func};
use crate::legalize::listed::Names;
use crate::walk::{ExprRef, Visit, Walk};

use super::chain::NamedItem;
use super::scope::NameScope;
use super::{Place, Resolver, scope};

/// A select list that an order stands behind.
pub(crate) struct List<'a, 'e> {
    pub(super) items: &'a [NamedItem<'a, 'e>],
    pub(super) names: Names<'a>,
    /// Where the items may stand that were used, all together.
    pub(super) used: Place,
}

/// How many levels of a value are looked into by recursion.
const SHALLOW: u32 = 16;

/// What stands in a value, outside of subqueries.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Holds {
    pub(super) aggregate: bool,
    pub(super) window: bool,
}

impl Holds {
    /// The first place in which such a value may stand.
    pub(super) fn place(self) -> Place {
        match self {
            Self { window: true, .. } => Place::Result,
            Self { aggregate: true, .. } => Place::Groups,
            _ => Place::Rows,
        }
    }
}

impl<'a, 'e> Resolver<'_, '_, 'a, 'e> {
    /// What a property means: an item of the list that an order stands behind, else a column.
    #[inline]
    pub(crate) fn property(&mut self, scope: &NameScope<'_, 'a>, property: &PropertyExpr) -> Result<Scalar<'a, 'e>> {
        if !self.lists.is_empty()
            && property.alias.is_none()
            && let Some(item) = self.label(scope, property.name.as_str())?
        {
            scope::of_item(self.cx, scope, property, &item)?;
            return Ok(item);
        }
        scope::property(self.cx, scope, property)
    }

    /// The item that a name means, unless a table that is nearer has it.
    #[inline(never)]
    fn label(&mut self, scope: &NameScope<'_, 'a>, name: &str) -> Result<Option<Scalar<'a, 'e>>> {
        let place = self.context().place;
        let mut next = Some(scope);
        let mut nested = false;
        while let Some(level) = next {
            if let Some(list) = level.list.and_then(|index| self.lists.get_mut(index))
                && let Some(item) = list.names.find(name).and_then(|place| list.items.get(place))
            {
                if item.place > place || nested && item.place > Place::Rows {
                    let why = "it is an aggregate or a window: derive a table with it first, then order that";
                    return Err(ErrorKind::Misplaced { what: format!("the item `{name}`"), why }.into());
                }
                list.used = list.used.max(item.place);
                return Ok(Some(item.value));
            }
            if level.sources.iter().any(|source| scope::column_in(self.cx, source, name, nested).is_some()) {
                return Ok(None);
            }
            nested = true;
            next = level.parent;
        }
        Ok(None)
    }

    /// The aggregates and windows in a value. No recursion, as it may come before the depth is looked at.
    pub(super) fn contents(&self, value: &ValueTypeExpr) -> Holds {
        let mut found = Holds::default();
        match value {
            ValueTypeExpr::Property(_) | ValueTypeExpr::Value(_) | ValueTypeExpr::Query(_) => return found,
            // Nothing that counts stands inside of one.
            ValueTypeExpr::Function(node) if self.is_aggregate(node) => return Holds { aggregate: true, ..found },
            _ => {}
        }
        if self.look_into(value, &mut found, SHALLOW) {
            return found;
        }
        found = Holds::default();
        let mut walk = Walk::new(value);
        while let Some(visit) = walk.next() {
            let Visit::Enter(node) = visit else { continue };
            match node {
                ExprRef::Value(ValueTypeExpr::Function(node)) if self.is_aggregate(node) => {
                    found.aggregate = true;
                    walk.skip_children();
                }
                ExprRef::Value(ValueTypeExpr::Window(_)) => found.window = true,
                ExprRef::Segment(_) | ExprRef::Logic(LogicExpr::Foreign(_)) => walk.skip_children(),
                _ => {}
            }
        }
        found
    }

    /// The same for a value of few levels, without a walk's memory; false if it has more.
    fn look_into(&self, value: &ValueTypeExpr, found: &mut Holds, levels: u32) -> bool {
        let Some(levels) = levels.checked_sub(1) else { return false };
        let mut each = |value: &ValueTypeExpr| self.look_into(value, found, levels);
        match value {
            ValueTypeExpr::Function(node) if self.is_aggregate(node) => {
                found.aggregate = true;
                true
            }
            ValueTypeExpr::Function(node) => node.args.iter().all(each),
            ValueTypeExpr::Unary(node) => each(&node.operand),
            ValueTypeExpr::Binary(node) => each(&node.left) && each(&node.right),
            ValueTypeExpr::Set(node) => node.items.iter().all(each),
            ValueTypeExpr::Cast(node) => each(&node.value),
            ValueTypeExpr::Case(node) => {
                node.cases.iter().all(|(condition, value)| {
                    self.look_into_logic(condition, found, levels) && self.look_into(value, found, levels)
                }) && node.otherwise.as_ref().is_none_or(|value| self.look_into(value, found, levels))
            }
            ValueTypeExpr::Window(node) => {
                let keys = node.order_by.iter().map(|key| &key.field);
                let mut parts = node.function.args.iter().chain(&node.partition_by).chain(keys);
                let all = parts.all(each);
                found.window = true;
                all
            }
            ValueTypeExpr::Truth(logic) => self.look_into_logic(logic, found, levels),
            ValueTypeExpr::Property(_) | ValueTypeExpr::Value(_) | ValueTypeExpr::Query(_) | ValueTypeExpr::Sql(_) => {
                true
            }
        }
    }

    fn look_into_logic(&self, logic: &LogicExpr, found: &mut Holds, levels: u32) -> bool {
        let Some(levels) = levels.checked_sub(1) else { return false };
        match logic {
            LogicExpr::Binary(node) => {
                self.look_into(&node.left, found, levels) && self.look_into(&node.right, found, levels)
            }
            LogicExpr::And(node) => node.items.iter().all(|item| self.look_into_logic(item, found, levels)),
            LogicExpr::Or(node) => node.items.iter().all(|item| self.look_into_logic(item, found, levels)),
            LogicExpr::Not(node) => self.look_into_logic(&node.operand, found, levels),
            LogicExpr::IsTrue(value) => self.look_into(value, found, levels),
            LogicExpr::Exists(_) | LogicExpr::Foreign(_) | LogicExpr::Sql(_) => true,
        }
    }

    /// Whether a call without a window is an aggregate.
    fn is_aggregate(&self, node: &FunctionExpr) -> bool {
        if node.is_aggregate {
            return true;
        }
        let name = node.name.as_str();
        match Func::from_name(name) {
            // `Max` and `Min` of several arguments are the greatest and the least of them.
            Some(Func::Max | Func::Min) if node.args.len() > 1 => false,
            Some(func) => {
                func.signature().class == Class::Aggregate && self.cx.target.registry().find_function(name).is_none()
            }
            None => false,
        }
    }
}
