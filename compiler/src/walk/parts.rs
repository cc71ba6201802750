//! The one table of what every node is made of: which fields are data, which are children, and how the wire names them.
//!
//! From the table below come walking, equality, hash, copies and printing. Each of its entries names all fields, so that
//! a new field does not compile until it is placed here.

use std::fmt::Debug;
use std::hash::{Hash, Hasher};

use super::fields::NodePart;
use super::node::{ExprMut, ExprRef};
use super::path::Step;
use super::shape::Shape;
use crate::expr::{
    AndExpr, CaseExpr, CastExpr, Child, CommonTableExpr, DeleteExpr, ForeignExpr, FromExpr, FunctionExpr,
    GenericSqlExpr, GroupByExpr, HavingExpr, InsertExpr, InsertSource, LockExpr, LogicBinaryExpr, LogicExpr, NotExpr,
    OrExpr, OrderByExpr, OrderByItemExpr, PropertyExpr, SectionExpr, SelectExpr, SelectItemExpr, SqlSegment, TableExpr,
    TableJoinExpr, UnaryExpr, UnaryOperator, UpdateExpr, ValueBinaryExpr, ValueExpr, ValueJoinType, ValueSet,
    ValueTypeExpr, WhereExpr, WindowExpr,
};

pub(super) type Each<'f, 'a> = &'f mut dyn FnMut(Step<'a>, ExprRef<'a>);
pub(super) type EachMut<'f, 'a> = &'f mut dyn FnMut(ExprMut<'a>);
pub(super) type EachPair<'f, 'a> = &'f mut dyn FnMut(ExprRef<'a>, ExprRef<'a>);
pub(super) type EachHole<'f, 's, 'd> = &'f mut dyn FnMut(ExprRef<'s>, ExprMut<'d>);
pub(super) type EachField<'f> = &'f mut dyn FnMut(&'static str, &dyn Debug);

/// What a node consists of.
pub(super) trait Contents: Sized {
    /// Calls `f` with every child.
    fn each<'a>(&'a self, f: Each<'_, 'a>);
    /// Calls `f` with every child.
    fn each_mut<'a>(&'a mut self, f: EachMut<'_, 'a>);
    /// Whether data, shape and leaves are the same; the other children go to `f` in pairs.
    fn pair<'a>(&'a self, other: &'a Self, f: EachPair<'_, 'a>) -> bool;
    /// A copy with holes in place of the children that are no leaves.
    fn hollow(&self) -> Self;
    /// Calls `f` with every hole that [`Contents::hollow`] left in `into`, and what belongs there.
    fn refill<'s, 'd>(&'s self, into: &'d mut Self, f: EachHole<'_, 's, 'd>);
    /// Hashes data, shape and leaves.
    fn hash_data(&self, state: &mut impl Hasher);
    /// Calls `f` with each field that is data and not empty.
    fn show(&self, f: EachField<'_>);
    /// Writes what it has besides its values, in the order of its fields.
    fn shape<'a>(&'a self, shape: &mut Shape<'a>);
}

macro_rules! contents {
    (@step $node:ident -) => { Step::Same };
    (@step $node:ident $key:literal) => { Step::Key($key) };
    (@step $node:ident $key:ident) => { $key($node) };
    ($($node:ident { $($field:ident $key:tt,)* })*) => {$(
        impl Contents for $node {
            fn each<'a>(&'a self, f: Each<'_, 'a>) {
                let node = self;
                let Self { $($field),* } = self;
                $(NodePart::each($field, contents!(@step node $key), f);)*
                let _ = node;
            }

            fn each_mut<'a>(&'a mut self, f: EachMut<'_, 'a>) {
                let Self { $($field),* } = self;
                $(NodePart::each_mut($field, f);)*
            }

            fn pair<'a>(&'a self, other: &'a Self, f: EachPair<'_, 'a>) -> bool {
                $(NodePart::pair(&self.$field, &other.$field, f))&&*
            }

            fn hollow(&self) -> Self {
                Self { $($field: NodePart::hollow(&self.$field)),* }
            }

            fn refill<'s, 'd>(&'s self, into: &'d mut Self, f: EachHole<'_, 's, 'd>) {
                let Self { $($field),* } = into;
                $(NodePart::refill(&self.$field, $field, f);)*
            }

            fn hash_data(&self, state: &mut impl Hasher) {
                $(NodePart::hash_data(&self.$field, state);)*
            }

            fn show(&self, f: EachField<'_>) {
                $(NodePart::show(&self.$field, stringify!($field), f);)*
            }

            fn shape<'a>(&'a self, shape: &mut Shape<'a>) {
                $(NodePart::shape(&self.$field, shape);)*
            }
        }
    )*};
}

// A literal is the key of the wire; `-` stands for data, and for a child that has no key of its own; a name is a
// function that gives the step.
contents! {
    LogicBinaryExpr { left "Left", operator -, right "Right", }
    AndExpr { items "$and", }
    OrExpr { items "$or", }
    NotExpr { operand "!", }
    ForeignExpr { entity -, alias -, inner "InnerExpr", table_args -, auto_related -, }
    GenericSqlExpr { key -, arg -, }
    PropertyExpr { alias -, name -, }
    UnaryExpr { operator -, operand unary_step, }
    ValueBinaryExpr { left "Left", operator -, right "Right", }
    FunctionExpr { name -, args function_step, is_aggregate -, filter "Filter", order_by "OrderBys", }
    ValueSet { join -, items set_step, }
    CaseExpr { cases "CASE", otherwise else_step, }
    CastExpr { value cast_step, to -, }
    WindowExpr { function "Function", partition_by "PartitionBy", order_by "OrderBys", frame -, }
    TableExpr { entity -, table_args -, alias -, filters_off -, }
    FromExpr { source "$from", joins "Joins", }
    TableJoinExpr { source "$join", on "On", join_type -, lateral -, }
    WhereExpr { source "$where", filter "Where", }
    GroupByExpr { source "$group", group_by "GroupBys", }
    HavingExpr { source "$having", having "Having", }
    OrderByExpr { source "$orderby", order_by "OrderBys", }
    OrderByItemExpr { field "Field", ascending -, nulls -, }
    SectionExpr { source "$section", skip -, take -, after "After", }
    LockExpr { source "$lock", mode -, wait -, }
    SelectExpr { source "$select", selects "Selects", distinct "DistinctOn", next_selects "Next", alias -, }
    SelectItemExpr { value "Value", alias -, }
    CommonTableExpr { source "$cte", alias -, }
    InsertExpr { table "$insert", columns -, source insert_step, conflict "Update", returning "Returning", }
    UpdateExpr { table "$update", sets "Sets", filter "Where", all_rows -, returning "Returning", }
    DeleteExpr { table "$delete", filter "Where", all_rows -, returning "Returning", }
}

/// By hand, as equality and hash do not look at `is_const`.
impl Contents for ValueExpr {
    fn each<'a>(&'a self, _: Each<'_, 'a>) {}

    fn each_mut<'a>(&'a mut self, _: EachMut<'_, 'a>) {}

    fn pair<'a>(&'a self, other: &'a Self, _: EachPair<'_, 'a>) -> bool {
        self == other
    }

    fn hollow(&self) -> Self {
        self.clone()
    }

    fn refill<'s, 'd>(&'s self, _: &'d mut Self, _: EachHole<'_, 's, 'd>) {}

    fn hash_data(&self, state: &mut impl Hasher) {
        Hash::hash(self, state);
    }

    fn show(&self, f: EachField<'_>) {
        f("value", &self.value);
        if self.is_const {
            f("is_const", &true);
        }
    }

    fn shape<'a>(&'a self, shape: &mut Shape<'a>) {
        shape.value(self);
    }
}

fn unary_step(node: &UnaryExpr) -> Step<'_> {
    Step::Key(match node.operator {
        UnaryOperator::Negative => "Nagive",
        UnaryOperator::BitwiseNot => "BitwiseNot",
        UnaryOperator::Distinct => "Distinct",
    })
}

fn function_step(node: &FunctionExpr) -> Step<'_> {
    Step::Key(node.name.as_str())
}

fn set_step(node: &ValueSet) -> Step<'_> {
    Step::Key(match node.join {
        ValueJoinType::List => "List",
        ValueJoinType::Concat => "Concat",
        ValueJoinType::Blank => "Blank",
    })
}

/// The wire's CASE is one list: condition, value, condition, value, else.
fn else_step(node: &CaseExpr) -> Step<'_> {
    Step::Item("CASE", 2 * node.cases.len())
}

fn cast_step(_: &CastExpr) -> Step<'_> {
    Step::Item("CAST", 0)
}

fn insert_step(node: &InsertExpr) -> Step<'_> {
    Step::Key(if matches!(node.source, InsertSource::Query(_)) { "Query" } else { "Values" })
}

macro_rules! variants {
    (@step -) => { Step::Same };
    (@step $key:literal) => { Step::Key($key) };
    ($($node:ident { nodes: $($variant:ident),*; children: $($slot:ident $key:tt),*; })*) => {$(
        impl Contents for $node {
            fn each<'a>(&'a self, f: Each<'_, 'a>) {
                match self {
                    $($node::$variant(node) => Contents::each(node, f),)*
                    $($node::$slot(child) => NodePart::each(child, variants!(@step $key), f),)*
                }
            }

            fn each_mut<'a>(&'a mut self, f: EachMut<'_, 'a>) {
                match self {
                    $($node::$variant(node) => Contents::each_mut(node, f),)*
                    $($node::$slot(child) => NodePart::each_mut(child, f),)*
                }
            }

            fn pair<'a>(&'a self, other: &'a Self, f: EachPair<'_, 'a>) -> bool {
                match (self, other) {
                    $(($node::$variant(a), $node::$variant(b)) => Contents::pair(a, b, f),)*
                    $(($node::$slot(a), $node::$slot(b)) => NodePart::pair(a, b, f),)*
                    _ => false,
                }
            }

            fn hollow(&self) -> Self {
                match self {
                    $($node::$variant(node) => $node::$variant(Contents::hollow(node)),)*
                    $($node::$slot(child) => $node::$slot(NodePart::hollow(child)),)*
                }
            }

            fn refill<'s, 'd>(&'s self, into: &'d mut Self, f: EachHole<'_, 's, 'd>) {
                match (self, into) {
                    $(($node::$variant(from), $node::$variant(into)) => Contents::refill(from, into, f),)*
                    $(($node::$slot(from), $node::$slot(into)) => NodePart::refill(from, into, f),)*
                    // `into` was made by `hollow`.
                    _ => {}
                }
            }

            fn hash_data(&self, state: &mut impl Hasher) {
                match self {
                    $($node::$variant(node) => Contents::hash_data(node, state),)*
                    $($node::$slot(child) => NodePart::hash_data(child, state),)*
                }
            }

            fn show(&self, f: EachField<'_>) {
                match self {
                    $($node::$variant(node) => Contents::show(node, f),)*
                    $($node::$slot(_) => {})*
                }
            }

            fn shape<'a>(&'a self, shape: &mut Shape<'a>) {
                match self {
                    $($node::$variant(node) => Contents::shape(node, shape),)*
                    $($node::$slot(child) => NodePart::shape(child, shape),)*
                }
            }
        }
    )*};
}

variants! {
    LogicExpr { nodes: Binary, And, Or, Not, Foreign, Sql; children: Exists "$exists", IsTrue -; }
    ValueTypeExpr {
        nodes: Value, Property, Unary, Binary, Function, Set, Case, Cast, Window, Sql;
        children: Query -, Truth -;
    }
    SqlSegment {
        nodes: Table, From, Where, GroupBy, Having, OrderBy, Section, Lock, Select, CommonTable;
        children: ;
    }
}

impl<T: Contents> Contents for Child<T> {
    fn each<'a>(&'a self, f: Each<'_, 'a>) {
        (**self).each(f);
    }

    fn each_mut<'a>(&'a mut self, f: EachMut<'_, 'a>) {
        (**self).each_mut(f);
    }

    fn pair<'a>(&'a self, other: &'a Self, f: EachPair<'_, 'a>) -> bool {
        (**self).pair(other, f)
    }

    fn hollow(&self) -> Self {
        Child::new((**self).hollow())
    }

    fn refill<'s, 'd>(&'s self, into: &'d mut Self, f: EachHole<'_, 's, 'd>) {
        (**self).refill(into, f);
    }

    fn hash_data(&self, state: &mut impl Hasher) {
        (**self).hash_data(state);
    }

    fn show(&self, f: EachField<'_>) {
        (**self).show(f);
    }

    fn shape<'a>(&'a self, shape: &mut Shape<'a>) {
        (**self).shape(shape);
    }
}
