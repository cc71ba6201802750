//! Texts by their code points: what is compared, sorted or grouped is not what a collation makes of it.
//!
//! It is the last thing that happens to a frame, and only where some text is compared by code points or where a note is
//! due: so it finds whatever the rules have made of the tree, and a statement of a database whose collations are by code
//! points pays nothing. What was made in advance (a view's joins, a fixed filter) went through it when it was made.

mod compare;
mod mode;
mod query;
mod value;

pub(crate) use mode::{given_text, text_mode, texts_exact, without_column};

use crate::dialect::Feature;
use crate::error::Result;
use crate::expr::DbType;
use crate::frame::{
    Assign, BuiltJoin, Conflict, Cte, Delete, Insert, Item, Items, Join, Joined, Order, Piece, Pred, Rows, Scalar,
    Source, Statement, TextForm, Update,
};
use crate::model::Collation;

use super::{Cx, Rule};
use mode::by_points;
use query::exact_query;
use value::{exact_pred, exact_value};

/// What a text is needed for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum For {
    /// Whether it is the same as another.
    Equal,
    /// Whether it comes before another.
    Order,
}

impl For {
    fn serves(self, collation: &Collation) -> bool {
        collation.equal && (collation.order || self == For::Equal)
    }
}

/// What of a query is looked at from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Told<'a> {
    /// Its rows.
    Rows,
    /// Its values, which are compared with others: it is a member of a set operation. For each column what it meets there.
    Values(&'a [Beside<'a>]),
    /// Whether its values are the same as others, and nothing else of them: IN looks into it.
    Keys(&'a [Beside<'a>]),
}

impl<'a> Told<'a> {
    /// What a column is compared with.
    fn beside(self, index: usize) -> Beside<'a> {
        match self {
            Told::Rows => Beside::default(),
            Told::Values(columns) | Told::Keys(columns) => columns.get(index).copied().unwrap_or_default(),
        }
    }

    fn is_keys(self) -> bool {
        matches!(self, Told::Keys(_))
    }
}

/// The texts that one is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Beside<'a> {
    /// Whether one of them is compared by code points.
    exact: bool,
    /// Whether they are anything but columns of one known collation, so that an engine may not know which one to take.
    mixed: bool,
    /// The collation of those that are such columns.
    name: Option<&'a str>,
    /// Whether these are known to have two collations.
    clash: bool,
}

impl Beside<'_> {
    fn add(&mut self, other: Self) {
        self.exact |= other.exact;
        self.clash |= other.clash || matches!((self.name, other.name), (Some(a), Some(b)) if a != b);
        self.mixed |= other.mixed || self.clash;
        self.name = self.name.or(other.name);
    }
}

/// Where a predicate stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// It chooses rows, by AND and OR only: an index may find them.
    Filter,
    /// It does not.
    Elsewhere,
}

/// A statement whose texts are compared, sorted and grouped as they should be.
///
/// ```sql
/// -- before                          -- after
/// WHERE a = $1                       WHERE a COLLATE "C" = $1 AND a = $1
/// WHERE a > $1 ORDER BY a            WHERE a COLLATE "C" > $1 ORDER BY a COLLATE "C"
/// SELECT a, COUNT(*) .. GROUP BY a   SELECT a COLLATE "C" AS a, COUNT(*) .. GROUP BY a COLLATE "C"
/// ```
///
/// Exact. Nothing is added where the column's collation is known to be by code points.
pub(crate) fn exact_statement<'a, 'e>(cx: &mut Cx<'a, 'e>, statement: Statement<'a, 'e>) -> Result<Statement<'a, 'e>> {
    Ok(match statement {
        Statement::Query(query) => Statement::Query(exact_query(cx, query, Told::Rows)?),
        Statement::Insert(insert) => Statement::Insert(exact_insert(cx, insert)?),
        Statement::Update(update) => {
            let update = Update {
                ctes: exact_ctes(cx, update.ctes)?,
                joined: exact_joined(cx, update.joined)?,
                sets: exact_sets(cx, update.sets)?,
                filter: exact_filter(cx, update.filter)?,
                returning: exact_items(cx, update.returning)?,
                ..*update
            };
            Statement::Update(cx.node(update))
        }
        Statement::Delete(delete) => {
            let delete = Delete {
                ctes: exact_ctes(cx, delete.ctes)?,
                joined: exact_joined(cx, delete.joined)?,
                filter: exact_filter(cx, delete.filter)?,
                returning: exact_items(cx, delete.returning)?,
                ..*delete
            };
            Statement::Delete(cx.node(delete))
        }
        Statement::Template(pieces) => {
            let mut list = cx.copied(pieces);
            for piece in &mut list {
                *piece = exact_piece(cx, *piece)?;
            }
            Statement::Template(list.into_bump_slice())
        }
    })
}

fn exact_piece<'a, 'e>(cx: &mut Cx<'a, 'e>, piece: Piece<'a, 'e>) -> Result<Piece<'a, 'e>> {
    Ok(match piece {
        Piece::Value(value) => Piece::Value(exact_value(cx, value, &[])?),
        Piece::List(items) => Piece::List(exact_values(cx, items, &[])?),
        Piece::Pred(pred) => Piece::Pred(exact_pred(cx, &pred, &[], Standing::Elsewhere)?),
        Piece::Query(query) => Piece::Query(exact_query(cx, query, Told::Rows)?),
        Piece::Items(Items::List(items)) => Piece::Items(Items::List(exact_items(cx, items)?)),
        Piece::Orders(keys) => Piece::Orders(exact_orders(cx, keys, &[], TextForm::Key)?),
        Piece::Source(source, joins) => Piece::Source(exact_source(cx, source, Told::Rows)?, exact_joins(cx, joins)?),
        other => other,
    })
}

fn exact_insert<'a, 'e>(cx: &mut Cx<'a, 'e>, insert: &Insert<'a, 'e>) -> Result<&'a Insert<'a, 'e>> {
    let rows = match insert.rows {
        Rows::Scalars(values) => Rows::Scalars(exact_values(cx, values, &[])?),
        Rows::Query(query) => Rows::Query(exact_query(cx, query, Told::Rows)?),
        values @ Rows::Values(_) => values,
    };
    let conflict = match insert.conflict {
        None => None,
        Some(conflict) => {
            let loose = conflict.target.iter().any(|key| {
                let exact = key.column.collation.as_ref().is_some_and(|collation| collation.equal);
                key.column.ty.base.is_text() && !exact
            });
            if loose {
                cx.note(Feature::ExactText, Rule::KeyText);
            }
            let filter = exact_filter(cx, conflict.filter)?;
            Some(Conflict { sets: exact_sets(cx, conflict.sets)?, filter, ..conflict })
        }
    };
    let (ctes, returning) = (exact_ctes(cx, insert.ctes)?, exact_items(cx, insert.returning)?);
    Ok(cx.node(Insert { ctes, rows, conflict, returning, ..*insert }))
}

fn exact_ctes<'a, 'e>(cx: &mut Cx<'a, 'e>, ctes: &'a [Cte<'a, 'e>]) -> Result<&'a [Cte<'a, 'e>]> {
    let mut list = cx.copied(ctes);
    for cte in &mut list {
        cte.query = exact_query(cx, cte.query, Told::Rows)?;
    }
    Ok(list.into_bump_slice())
}

fn exact_sets<'a, 'e>(cx: &mut Cx<'a, 'e>, sets: &'a [Assign<'a, 'e>]) -> Result<&'a [Assign<'a, 'e>]> {
    let mut list = cx.copied(sets);
    for set in &mut list {
        set.value = exact_value(cx, set.value, &[])?;
    }
    Ok(list.into_bump_slice())
}

fn exact_joined<'a, 'e>(cx: &mut Cx<'a, 'e>, joined: Option<Joined<'a, 'e>>) -> Result<Option<Joined<'a, 'e>>> {
    let Some(Joined { source, joins }) = joined else { return Ok(None) };
    Ok(Some(Joined { source: exact_source(cx, source, Told::Rows)?, joins: exact_joins(cx, joins)? }))
}

fn exact_source<'a, 'e>(cx: &mut Cx<'a, 'e>, source: Source<'a, 'e>, told: Told<'a>) -> Result<Source<'a, 'e>> {
    Ok(match source {
        Source::Derived { query, alias } => Source::Derived { query: exact_query(cx, query, told)?, alias },
        table @ Source::Table { .. } => table,
    })
}

/// Joins whose conditions compare texts as they should.
pub(crate) fn exact_joins<'a, 'e>(cx: &mut Cx<'a, 'e>, joins: &'a [Join<'a, 'e>]) -> Result<&'a [Join<'a, 'e>]> {
    let mut list = cx.copied(joins);
    for join in &mut list {
        if let Join::Built(built) = *join {
            let source = exact_source(cx, built.source, Told::Rows)?;
            let on = exact_filter(cx, built.on)?;
            *join = Join::Built(cx.node(BuiltJoin { source, on, ..*built }));
        }
    }
    Ok(list.into_bump_slice())
}

fn exact_filter<'a, 'e>(cx: &mut Cx<'a, 'e>, filter: Option<Pred<'a, 'e>>) -> Result<Option<Pred<'a, 'e>>> {
    filter.map(|filter| exact_condition(cx, &filter)).transpose()
}

/// A condition that chooses rows.
pub(crate) fn exact_condition<'a, 'e>(cx: &mut Cx<'a, 'e>, pred: &Pred<'a, 'e>) -> Result<Pred<'a, 'e>> {
    exact_pred(cx, pred, &[], Standing::Filter)
}

fn exact_items<'a, 'e>(cx: &mut Cx<'a, 'e>, items: &'a [Item<'a, 'e>]) -> Result<&'a [Item<'a, 'e>]> {
    let mut list = cx.copied(items);
    for item in &mut list {
        item.value = exact_value(cx, item.value, &[])?;
    }
    Ok(list.into_bump_slice())
}

fn exact_orders<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    keys: &[Order<'a, 'e>],
    group: &[Scalar<'a, 'e>],
    form: TextForm,
) -> Result<&'a [Order<'a, 'e>]> {
    let mut list = cx.copied(keys);
    for key in &mut list {
        let value = exact_value(cx, key.value, group)?;
        key.value = by_points(cx, value, Beside::default(), For::Order, form)?;
    }
    Ok(list.into_bump_slice())
}

fn exact_values<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    values: &[Scalar<'a, 'e>],
    group: &[Scalar<'a, 'e>],
) -> Result<&'a [Scalar<'a, 'e>]> {
    let mut list = cx.copied(values);
    for value in &mut list {
        *value = exact_value(cx, *value, group)?;
    }
    Ok(list.into_bump_slice())
}

fn all_by_points<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    values: &[Scalar<'a, 'e>],
    use_of: For,
    form: TextForm,
) -> Result<&'a [Scalar<'a, 'e>]> {
    let mut list = cx.copied(values);
    for value in &mut list {
        *value = by_points(cx, *value, Beside::default(), use_of, form)?;
    }
    Ok(list.into_bump_slice())
}

pub(crate) fn is_text(ty: Option<DbType>) -> bool {
    ty.is_some_and(|ty| ty.base.is_text() && !ty.array)
}
