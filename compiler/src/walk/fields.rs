//! What a field can be to the node that holds it: plain data, a child, or an option, a list or a choice of these.

use std::fmt::Debug;
use std::hash::{Hash, Hasher};

use compact_str::CompactString;

use super::node::{ExprMut, ExprRef};
use super::parts::{Contents, Each, EachField, EachHole, EachMut, EachPair};
use super::path::Step;
use super::shape::Shape;
use crate::expr::{
    Child, ConflictAction, DbType, Distinct, FilterOff, Frame, FunctionExpr, InsertSource, LockMode, LockWait,
    LogicExpr, LogicOperator, Name, NextSelect, Nulls, OnConflict, OrderByItemExpr, SelectExpr, SelectItemExpr,
    SelectSetType, SqlSegment, TableExpr, TableJoinExpr, TableJoinType, UnaryOperator, Value, ValueExpr, ValueJoinType,
    ValueOperator, ValueTypeExpr,
};

/// What a field is to the node that holds it. The methods are those of [`Contents`].
pub(super) trait NodePart: Sized + Debug {
    /// Whether there is nothing but data in it.
    const DATA: bool = false;

    fn each<'a>(&'a self, step: Step<'a>, f: Each<'_, 'a>);
    fn each_mut<'a>(&'a mut self, f: EachMut<'_, 'a>);
    fn pair<'a>(&'a self, other: &'a Self, f: EachPair<'_, 'a>) -> bool;
    fn hollow(&self) -> Self;
    fn refill<'s, 'd>(&'s self, into: &'d mut Self, f: EachHole<'_, 's, 'd>);
    fn hash_data(&self, state: &mut impl Hasher);
    fn show(&self, name: &'static str, f: EachField<'_>);
    fn shape<'a>(&'a self, shape: &mut Shape<'a>);
}

/// Fields that are children and may nest without end: a copy leaves a hole, equality and hash a pair for later.
macro_rules! nesting_children {
    ($($node:ident $variant:ident $hole:expr;)*) => {$(
        impl NodePart for $node {
            fn each<'a>(&'a self, step: Step<'a>, f: Each<'_, 'a>) {
                f(step, ExprRef::$variant(self));
            }

            fn each_mut<'a>(&'a mut self, f: EachMut<'_, 'a>) {
                f(ExprMut::$variant(self));
            }

            fn pair<'a>(&'a self, other: &'a Self, f: EachPair<'_, 'a>) -> bool {
                match (ExprRef::$variant(self).is_leaf(), ExprRef::$variant(other).is_leaf()) {
                    (true, true) => Contents::pair(self, other, f),
                    (false, false) => {
                        f(ExprRef::$variant(self), ExprRef::$variant(other));
                        true
                    }
                    _ => false,
                }
            }

            fn hollow(&self) -> Self {
                if ExprRef::$variant(self).is_leaf() { Contents::hollow(self) } else { $hole }
            }

            fn refill<'s, 'd>(&'s self, into: &'d mut Self, f: EachHole<'_, 's, 'd>) {
                if !ExprRef::$variant(self).is_leaf() {
                    f(ExprRef::$variant(self), ExprMut::$variant(into));
                }
            }

            fn hash_data(&self, state: &mut impl Hasher) {
                let node = ExprRef::$variant(self);
                if node.is_leaf() {
                    node.hash_data(state);
                } else {
                    state.write_u8(0xff);
                }
            }

            fn show(&self, _: &'static str, _: EachField<'_>) {}

            fn shape<'a>(&'a self, shape: &mut Shape<'a>) {
                shape.node(ExprRef::$variant(self));
            }
        }
    )*};
}

nesting_children! {
    LogicExpr Logic LogicExpr::default();
    ValueTypeExpr Value ValueTypeExpr::default();
    SqlSegment Segment SqlSegment::Table(TableExpr { entity: Name::default(), table_args: Box::default(), alias: None, filters_off: Box::default() });
    SelectExpr Select SelectExpr::default();
}

/// Fields that are children, but nest only through one that is in the list above: handled with the node that holds them.
macro_rules! plain_children {
    ($($node:ident $variant:ident;)*) => {$(
        impl NodePart for $node {
            fn each<'a>(&'a self, step: Step<'a>, f: Each<'_, 'a>) {
                f(step, ExprRef::$variant(self));
            }

            fn each_mut<'a>(&'a mut self, f: EachMut<'_, 'a>) {
                f(ExprMut::$variant(self));
            }

            fn pair<'a>(&'a self, other: &'a Self, f: EachPair<'_, 'a>) -> bool {
                Contents::pair(self, other, f)
            }

            fn hollow(&self) -> Self {
                Contents::hollow(self)
            }

            fn refill<'s, 'd>(&'s self, into: &'d mut Self, f: EachHole<'_, 's, 'd>) {
                Contents::refill(self, into, f);
            }

            fn hash_data(&self, state: &mut impl Hasher) {
                Contents::hash_data(self, state);
            }

            fn show(&self, _: &'static str, _: EachField<'_>) {}

            fn shape<'a>(&'a self, shape: &mut Shape<'a>) {
                Contents::shape(self, shape);
            }
        }
    )*};
}

plain_children! {
    FunctionExpr Function;
    TableExpr Table;
    ValueExpr Constant;
    SelectItemExpr SelectItem;
    OrderByItemExpr OrderByItem;
    TableJoinExpr TableJoin;
}

/// Fields that are plain data, when they are worth printing, and how they stand in a shape, if not by their hash: that of a
/// name has no regard to case.
macro_rules! data {
    (@shape $self:ident $shape:ident) => { Hash::hash($self, $shape) };
    (@shape $self:ident $shape:ident |$d:ident, $s:ident| $write:expr) => {{
        let ($d, $s) = ($self, $shape);
        $write
    }};
    ($($data:ty => |$d:ident| $show:expr $(, |$e:ident, $s:ident| $write:expr)?;)*) => {$(
        impl NodePart for $data {
            const DATA: bool = true;

            fn each<'a>(&'a self, _: Step<'a>, _: Each<'_, 'a>) {}

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

            fn show(&self, name: &'static str, f: EachField<'_>) {
                let $d = self;
                if $show {
                    f(name, self);
                }
            }

            fn shape<'a>(&'a self, shape: &mut Shape<'a>) {
                data!(@shape self shape $(|$e, $s| $write)?);
            }
        }
    )*};
}

data! {
    Name => |_d| true, |name, shape| shape.name(name);
    Box<Name> => |_d| true, |name, shape| shape.name(name);
    CompactString => |_d| true;
    Box<[CompactString]> => |d| !d.is_empty();
    Box<[FilterOff]> => |d| !d.is_empty(), |off, shape| shape.no_more_than(off.is_empty());
    Value => |_d| true, |value, shape| shape.given(value);
    bool => |d| *d;
    u64 => |d| *d != 0;
    LogicOperator => |_d| true;
    ValueOperator => |_d| true;
    UnaryOperator => |_d| true;
    ValueJoinType => |_d| true;
    DbType => |_d| true;
    Frame => |_d| true;
    TableJoinType => |_d| true;
    Nulls => |d| *d != Nulls::Default;
    LockMode => |_d| true;
    LockWait => |d| *d != LockWait::Wait;
    SelectSetType => |_d| true;
}

impl<T: NodePart> NodePart for Option<T> {
    fn each<'a>(&'a self, step: Step<'a>, f: Each<'_, 'a>) {
        if let Some(part) = self {
            part.each(step, f);
        }
    }

    fn each_mut<'a>(&'a mut self, f: EachMut<'_, 'a>) {
        if let Some(part) = self {
            part.each_mut(f);
        }
    }

    fn pair<'a>(&'a self, other: &'a Self, f: EachPair<'_, 'a>) -> bool {
        match (self, other) {
            (None, None) => true,
            (Some(a), Some(b)) => a.pair(b, f),
            _ => false,
        }
    }

    fn hollow(&self) -> Self {
        self.as_ref().map(NodePart::hollow)
    }

    fn refill<'s, 'd>(&'s self, into: &'d mut Self, f: EachHole<'_, 's, 'd>) {
        if let (Some(from), Some(into)) = (self, into) {
            from.refill(into, f);
        }
    }

    fn hash_data(&self, state: &mut impl Hasher) {
        state.write_u8(self.is_some().into());
        if let Some(part) = self {
            part.hash_data(state);
        }
    }

    fn show(&self, name: &'static str, f: EachField<'_>) {
        if let Some(part) = self {
            part.show(name, f);
        }
    }

    fn shape<'a>(&'a self, shape: &mut Shape<'a>) {
        shape.write_u8(self.is_some().into());
        if let Some(part) = self {
            part.shape(shape);
        }
    }
}

impl<T: NodePart> NodePart for Vec<T> {
    fn each<'a>(&'a self, step: Step<'a>, f: Each<'_, 'a>) {
        for (index, part) in self.iter().enumerate() {
            part.each(step.item(index), f);
        }
    }

    fn each_mut<'a>(&'a mut self, f: EachMut<'_, 'a>) {
        for part in self {
            part.each_mut(f);
        }
    }

    fn pair<'a>(&'a self, other: &'a Self, f: EachPair<'_, 'a>) -> bool {
        self.len() == other.len() && self.iter().zip(other).all(|(a, b)| a.pair(b, f))
    }

    fn hollow(&self) -> Self {
        self.iter().map(NodePart::hollow).collect()
    }

    fn refill<'s, 'd>(&'s self, into: &'d mut Self, f: EachHole<'_, 's, 'd>) {
        for (from, into) in self.iter().zip(into) {
            from.refill(into, f);
        }
    }

    fn hash_data(&self, state: &mut impl Hasher) {
        state.write_usize(self.len());
        for part in self {
            part.hash_data(state);
        }
    }

    fn show(&self, name: &'static str, f: EachField<'_>) {
        if !T::DATA {
            self.iter().for_each(|part| part.show(name, f));
        } else if !self.is_empty() {
            f(name, self);
        }
    }

    fn shape<'a>(&'a self, shape: &mut Shape<'a>) {
        shape.write_usize(self.len());
        for part in self {
            part.shape(shape);
        }
    }
}

impl<T: NodePart> NodePart for Child<T> {
    fn each<'a>(&'a self, step: Step<'a>, f: Each<'_, 'a>) {
        (**self).each(step, f);
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

    fn show(&self, name: &'static str, f: EachField<'_>) {
        (**self).show(name, f);
    }

    fn shape<'a>(&'a self, shape: &mut Shape<'a>) {
        (**self).shape(shape);
    }
}

/// Two fields side by side, where `$step` tells the steps to them from the step to both.
macro_rules! couple {
    ($($a:ty, $b:ty => |$pair:ident, $step:ident| $steps:expr;)*) => {$(
        impl NodePart for ($a, $b) {
            fn each<'a>(&'a self, $step: Step<'a>, f: Each<'_, 'a>) {
                let $pair = self;
                let (first, second) = $steps;
                NodePart::each(&self.0, first, f);
                NodePart::each(&self.1, second, f);
            }

            fn each_mut<'a>(&'a mut self, f: EachMut<'_, 'a>) {
                NodePart::each_mut(&mut self.0, f);
                NodePart::each_mut(&mut self.1, f);
            }

            fn pair<'a>(&'a self, other: &'a Self, f: EachPair<'_, 'a>) -> bool {
                NodePart::pair(&self.0, &other.0, f) && NodePart::pair(&self.1, &other.1, f)
            }

            fn hollow(&self) -> Self {
                (NodePart::hollow(&self.0), NodePart::hollow(&self.1))
            }

            fn refill<'s, 'd>(&'s self, into: &'d mut Self, f: EachHole<'_, 's, 'd>) {
                NodePart::refill(&self.0, &mut into.0, f);
                NodePart::refill(&self.1, &mut into.1, f);
            }

            fn hash_data(&self, state: &mut impl Hasher) {
                NodePart::hash_data(&self.0, state);
                NodePart::hash_data(&self.1, state);
            }

            fn show(&self, _: &'static str, _: EachField<'_>) {}

            fn shape<'a>(&'a self, shape: &mut Shape<'a>) {
                NodePart::shape(&self.0, shape);
                NodePart::shape(&self.1, shape);
            }
        }
    )*};
}

couple! {
    LogicExpr, ValueTypeExpr => |_pair, step| match step {
        Step::Item(key, index) => (Step::Item(key, 2 * index), Step::Item(key, 2 * index + 1)),
        other => (other, other),
    };
    Name, ValueTypeExpr => |pair, step| match step {
        Step::Item(key, index) => (step, Step::Entry(key, index, pair.0.as_str())),
        other => (other, other),
    };
}

/// Fields that are a choice between data and children.
macro_rules! choices {
    ($($node:ident { $($quiet:ident $variant:ident $(($a:ident $b:ident))?),* })*) => {$(
        impl NodePart for $node {
            fn each<'a>(&'a self, step: Step<'a>, f: Each<'_, 'a>) {
                match self {
                    $($node::$variant $(($a))? => { $(NodePart::each($a, step, f);)? })*
                }
            }

            fn each_mut<'a>(&'a mut self, f: EachMut<'_, 'a>) {
                match self {
                    $($node::$variant $(($a))? => { $(NodePart::each_mut($a, f);)? })*
                }
            }

            fn pair<'a>(&'a self, other: &'a Self, f: EachPair<'_, 'a>) -> bool {
                match (self, other) {
                    $(($node::$variant $(($a))?, $node::$variant $(($b))?) => true $(&& NodePart::pair($a, $b, f))?,)*
                    _ => false,
                }
            }

            fn hollow(&self) -> Self {
                match self {
                    $($node::$variant $(($a))? => $node::$variant $((NodePart::hollow($a)))?,)*
                }
            }

            fn refill<'s, 'd>(&'s self, into: &'d mut Self, f: EachHole<'_, 's, 'd>) {
                match (self, into) {
                    $(($node::$variant $(($a))?, $node::$variant $(($b))?) => { $(NodePart::refill($a, $b, f);)? })*
                    // `into` was made by `hollow`.
                    _ => {}
                }
            }

            fn hash_data(&self, state: &mut impl Hasher) {
                std::mem::discriminant(self).hash(state);
                match self {
                    $($node::$variant $(($a))? => { $(NodePart::hash_data($a, state);)? })*
                }
            }

            fn show(&self, name: &'static str, f: EachField<'_>) {
                match self {
                    $($node::$variant $(($a))? => choices!(@show self name f $quiet $($a)?),)*
                }
            }

            fn shape<'a>(&'a self, shape: &mut Shape<'a>) {
                std::mem::discriminant(self).hash(shape);
                match self {
                    $($node::$variant $(($a))? => { $(NodePart::shape($a, shape);)? })*
                }
            }
        }
    )*};
    (@show $node:ident $name:ident $f:ident quiet) => { {} };
    (@show $node:ident $name:ident $f:ident plain) => { $f($name, $node) };
    (@show $node:ident $name:ident $f:ident $quiet:ident $a:ident) => { NodePart::show($a, $name, $f) };
}

choices! {
    Distinct { quiet No, plain Rows, plain On(a b) }
    InsertSource { plain Values(a b), plain Exprs(a b), plain Query(a b) }
    ConflictAction { plain DoNothing, plain UpdateAll, plain Update(a b) }
}

/// Fields that are a small struct of data and children, without a key of its own on the wire.
macro_rules! pieces {
    ($($node:ident { $($field:ident),* })*) => {$(
        impl NodePart for $node {
            fn each<'a>(&'a self, step: Step<'a>, f: Each<'_, 'a>) {
                let Self { $($field),* } = self;
                $(NodePart::each($field, step, f);)*
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

            fn show(&self, _: &'static str, f: EachField<'_>) {
                $(NodePart::show(&self.$field, stringify!($field), f);)*
            }

            fn shape<'a>(&'a self, shape: &mut Shape<'a>) {
                $(NodePart::shape(&self.$field, shape);)*
            }
        }
    )*};
}

pieces! {
    OnConflict { target, action }
    NextSelect { set_type, select }
}
