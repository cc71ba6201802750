//! What a value, a predicate or a query is made of. Whoever looks through a frame does so by [`Part::any_child`].

use crate::expr::{DbType, Value};

use super::{
    Assign, Body, Bound, Call, Cte, In, InList, Item, Items, Join, Joined, Order, Param, Piece, Pred, Query, Rows,
    Scalar, ScalarKind, Select, Source, Statement,
};

/// A value, a predicate or a query.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part<'p, 'a, 'e> {
    Scalar(&'p Scalar<'a, 'e>),
    Pred(&'p Pred<'a, 'e>),
    Query(&'p Query<'a, 'e>),
}

impl<'p, 'a, 'e> From<&'p Scalar<'a, 'e>> for Part<'p, 'a, 'e> {
    fn from(scalar: &'p Scalar<'a, 'e>) -> Self {
        Part::Scalar(scalar)
    }
}

impl<'p, 'a, 'e> From<&'p Pred<'a, 'e>> for Part<'p, 'a, 'e> {
    fn from(pred: &'p Pred<'a, 'e>) -> Self {
        Part::Pred(pred)
    }
}

impl<'p, 'a, 'e> From<&'p Query<'a, 'e>> for Part<'p, 'a, 'e> {
    fn from(query: &'p Query<'a, 'e>) -> Self {
        Part::Query(query)
    }
}

impl<'a, 'e> Part<'_, 'a, 'e> {
    /// Whether it reads rows of its own.
    pub(crate) fn is_query(self) -> bool {
        match self {
            Part::Scalar(scalar) => matches!(scalar.kind, ScalarKind::Query(_)),
            Part::Pred(Pred::In(node)) => matches!(node.list, InList::Query(_)),
            Part::Pred(pred) => matches!(pred, Pred::Exists(..)),
            Part::Query(_) => true,
        }
    }

    /// Whether a test holds of one of the parts that it is made of, which are asked in the order of the text.
    pub(crate) fn any_child(self, mut test: impl FnMut(Part<'_, 'a, 'e>) -> bool) -> bool {
        let test = &mut test;
        match self {
            Part::Scalar(scalar) => of_scalar(scalar, test),
            Part::Pred(pred) => of_pred(pred, test),
            Part::Query(query) => of_query(query, test),
        }
    }
}

impl<'a, 'e> Statement<'a, 'e> {
    /// Returns whether a test holds of one of the parts that the statement is made of, without theirs.
    pub(crate) fn any_part(&self, mut test: impl FnMut(Part<'_, 'a, 'e>) -> bool) -> bool {
        let test = &mut test;
        match *self {
            Statement::Query(query) => test(query.into()),
            Statement::Insert(insert) => {
                of_ctes(insert.ctes, test)
                    || match insert.rows {
                        Rows::Values(_) => false,
                        Rows::Scalars(values) => values.iter().any(|value| test(value.into())),
                        Rows::Query(query) => test(query.into()),
                    }
                    || insert.conflict.iter().any(|conflict| {
                        of_sets(conflict.sets, test) || conflict.filter.iter().any(|filter| test(filter.into()))
                    })
                    || of_items(insert.returning, test)
            }
            Statement::Update(update) => {
                of_ctes(update.ctes, test)
                    || of_joined(update.joined, test)
                    || of_sets(update.sets, test)
                    || update.filter.iter().any(|filter| test(filter.into()))
                    || of_items(update.returning, test)
            }
            Statement::Delete(delete) => {
                of_ctes(delete.ctes, test)
                    || of_joined(delete.joined, test)
                    || delete.filter.iter().any(|filter| test(filter.into()))
                    || of_items(delete.returning, test)
            }
            Statement::Template(pieces) => pieces.iter().any(|piece| of_piece(piece, test)),
        }
    }
}

fn of_ctes<'a, 'e>(ctes: &[Cte<'a, 'e>], test: &mut impl FnMut(Part<'_, 'a, 'e>) -> bool) -> bool {
    ctes.iter().any(|cte| test(cte.query.into()))
}

fn of_sets<'a, 'e>(sets: &[Assign<'a, 'e>], test: &mut impl FnMut(Part<'_, 'a, 'e>) -> bool) -> bool {
    sets.iter().any(|set| test((&set.value).into()))
}

fn of_items<'a, 'e>(items: &[Item<'a, 'e>], test: &mut impl FnMut(Part<'_, 'a, 'e>) -> bool) -> bool {
    items.iter().any(|item| test((&item.value).into()))
}

fn of_joined<'a, 'e>(joined: Option<Joined<'a, 'e>>, test: &mut impl FnMut(Part<'_, 'a, 'e>) -> bool) -> bool {
    joined.is_some_and(|joined| of_source(&joined.source, test) || of_joins(joined.joins, test))
}

fn of_piece<'a, 'e>(piece: &Piece<'a, 'e>, test: &mut impl FnMut(Part<'_, 'a, 'e>) -> bool) -> bool {
    match piece {
        Piece::Value(value) => test(value.into()),
        Piece::List(values) => values.iter().any(|value| test(value.into())),
        Piece::Pred(pred) => test(pred.into()),
        Piece::Query(query) => test((*query).into()),
        Piece::Items(Items::List(items)) => of_items(items, test),
        Piece::Orders(orders) => of_orders(orders, test),
        Piece::Source(source, joins) => of_source(source, test) || of_joins(joins, test),
        Piece::Items(_) | Piece::Code(_) | Piece::Quoted(_) | Piece::Comment(_) | Piece::Raw(_) | Piece::Name(_) => {
            false
        }
    }
}

fn of_scalar<'a, 'e>(scalar: &Scalar<'a, 'e>, test: &mut impl FnMut(Part<'_, 'a, 'e>) -> bool) -> bool {
    match scalar.kind {
        ScalarKind::Negative(inner)
        | ScalarKind::BitNot(inner)
        | ScalarKind::Cast(inner, _)
        | ScalarKind::Exact(inner, _) => test(inner.into()),
        ScalarKind::Binary(_, sides) => sides.iter().any(|side| test(side.into())),
        ScalarKind::Concat(items) | ScalarKind::Row(items) => items.iter().any(|item| test(item.into())),
        ScalarKind::Call(call) => of_call(call, test),
        ScalarKind::Window(window) => {
            of_call(&window.call, test)
                || window.partition.iter().any(|key| test(key.into()))
                || of_orders(window.order, test)
        }
        ScalarKind::Case(case) => {
            case.cases.iter().any(|(cond, value)| test(cond.into()) || test(value.into()))
                || case.otherwise.as_ref().is_some_and(|value| test(value.into()))
        }
        ScalarKind::Truth(pred) => test(pred.into()),
        ScalarKind::Query(query) => test(query.into()),
        ScalarKind::Column(_) | ScalarKind::Param(_) | ScalarKind::Literal(_) | ScalarKind::Fragment(_) => false,
    }
}

fn of_call<'a, 'e>(call: &Call<'a, 'e>, test: &mut impl FnMut(Part<'_, 'a, 'e>) -> bool) -> bool {
    call.args.iter().any(|arg| test(arg.into()))
        || of_orders(call.order, test)
        || call.filter.as_ref().is_some_and(|filter| test(filter.into()))
}

fn of_orders<'a, 'e>(orders: &[Order<'a, 'e>], test: &mut impl FnMut(Part<'_, 'a, 'e>) -> bool) -> bool {
    orders.iter().any(|key| test((&key.value).into()))
}

fn of_pred<'a, 'e>(pred: &Pred<'a, 'e>, test: &mut impl FnMut(Part<'_, 'a, 'e>) -> bool) -> bool {
    match *pred {
        Pred::Compare(node) => test((&node.left).into()) || test((&node.right).into()),
        Pred::Null(value, _) | Pred::IsTrue(value) => test(value.into()),
        Pred::Match(node) => test((&node.text).into()) || test((&node.pattern).into()),
        Pred::In(node) => of_in(node, test),
        Pred::Exists(query, _) => test(query.into()),
        Pred::And(items) | Pred::Or(items) => items.iter().any(|item| test(item.into())),
        Pred::Not(inner) => test(inner.into()),
        Pred::Const(_) | Pred::Text(_) | Pred::Fragment(_) => false,
    }
}

fn of_in<'a, 'e>(node: &In<'a, 'e>, test: &mut impl FnMut(Part<'_, 'a, 'e>) -> bool) -> bool {
    test((&node.left).into())
        || node.exact.is_some_and(|exact| test(exact.into()))
        || match node.list {
            InList::Values(values, ty) => values.iter().any(|value| test((&listed(value, ty)).into())),
            InList::Scalars(items) => items.iter().any(|item| test(item.into())),
            InList::Array(param, ty, _) => {
                let kind = ScalarKind::Param(param);
                test((&Scalar { kind, ty: Some(ty), nullable: false, column: None, text: None }).into())
            }
            InList::Query(query) => test(query.into()),
        }
}

/// A value of a list as a parameter of its own. Who reads it records that, in case the statement is to be kept.
fn listed<'a, 'e>(value: &'e Value, ty: DbType) -> Scalar<'a, 'e> {
    let open = Bound::Open(value);
    let kind = ScalarKind::Param(Param { value: open, untyped: false, cast: false, shared: false, repeated: false });
    Scalar { kind, ty: Some(ty), nullable: value.is_null(), column: None, text: None }
}

fn of_query<'a, 'e>(query: &Query<'a, 'e>, test: &mut impl FnMut(Part<'_, 'a, 'e>) -> bool) -> bool {
    of_ctes(query.ctes, test)
        || match query.body {
            Body::Set { left, right, .. } => test(left.into()) || test(right.into()),
            Body::Select(select) => of_select(select, test),
        }
        || of_orders(query.order, test)
        || query.limit.iter().chain(&query.offset).any(|count| test(count.into()))
}

fn of_select<'a, 'e>(select: &Select<'a, 'e>, test: &mut impl FnMut(Part<'_, 'a, 'e>) -> bool) -> bool {
    let items = if let Items::List(items) = select.items { items } else { &[] };
    select.distinct_on.iter().any(|key| test(key.into()))
        || of_items(items, test)
        || select.from.iter().any(|source| of_source(source, test))
        || of_joins(select.joins, test)
        || select.filter.iter().any(|filter| test(filter.into()))
        || select.group.iter().any(|key| test(key.into()))
        || select.having.iter().any(|having| test(having.into()))
}

fn of_source<'a, 'e>(source: &Source<'a, 'e>, test: &mut impl FnMut(Part<'_, 'a, 'e>) -> bool) -> bool {
    match *source {
        Source::Table { .. } => false,
        Source::Derived { query, .. } => test(query.into()),
    }
}

fn of_joins<'a, 'e>(joins: &[Join<'a, 'e>], test: &mut impl FnMut(Part<'_, 'a, 'e>) -> bool) -> bool {
    joins.iter().any(|join| match join {
        Join::View(_) => false,
        Join::Built(join) => of_source(&join.source, test) || join.on.iter().any(|on| test(on.into())),
    })
}
