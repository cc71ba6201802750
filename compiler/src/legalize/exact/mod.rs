//! Texts by their code points: what is compared, sorted or grouped is not what a collation makes of it.
//!
//! It is the last thing that happens to a frame, and only where some text is compared by code points or where a note is
//! due: so it finds whatever the rules have made of the tree, and a statement of a database whose collations are by code
//! points pays nothing. What was made in advance (a view's joins, a fixed filter) went through it when it was made.

mod compare;
mod mode;
mod query;
mod value;

use crate::dialect::Feature;
use crate::error::Result;
use crate::expr::DbType;
use crate::frame::{
    Assign, BuiltJoin, Conflict, Cte, Delete, Insert, Item, Items, Join, Joined, Order, Piece, Pred, Rows, Scalar,
    Source, Statement, TextForm, Update,
};
use crate::model::Collation;

use super::{Cx, Rule};

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
enum At {
    /// It chooses rows, by AND and OR only: an index may find them.
    Filter,
    /// It does not.
    Elsewhere,
}

impl<'a, 'e> Cx<'a, 'e> {
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
    pub(crate) fn exact_statement(&mut self, statement: Statement<'a, 'e>) -> Result<Statement<'a, 'e>> {
        Ok(match statement {
            Statement::Query(query) => Statement::Query(self.exact_query(query, Told::Rows)?),
            Statement::Insert(insert) => Statement::Insert(self.exact_insert(insert)?),
            Statement::Update(update) => {
                let update = Update {
                    ctes: self.exact_ctes(update.ctes)?,
                    joined: self.exact_joined(update.joined)?,
                    sets: self.exact_sets(update.sets)?,
                    filter: self.exact_filter(update.filter)?,
                    returning: self.exact_items(update.returning)?,
                    ..*update
                };
                Statement::Update(self.node(update))
            }
            Statement::Delete(delete) => {
                let delete = Delete {
                    ctes: self.exact_ctes(delete.ctes)?,
                    joined: self.exact_joined(delete.joined)?,
                    filter: self.exact_filter(delete.filter)?,
                    returning: self.exact_items(delete.returning)?,
                    ..*delete
                };
                Statement::Delete(self.node(delete))
            }
            Statement::Template(pieces) => {
                let mut list = self.copied(pieces);
                for piece in &mut list {
                    *piece = self.exact_piece(*piece)?;
                }
                Statement::Template(list.into_bump_slice())
            }
        })
    }

    fn exact_piece(&mut self, piece: Piece<'a, 'e>) -> Result<Piece<'a, 'e>> {
        Ok(match piece {
            Piece::Value(value) => Piece::Value(self.exact_value(value, &[])?),
            Piece::List(items) => Piece::List(self.exact_values(items, &[])?),
            Piece::Pred(pred) => Piece::Pred(self.exact_pred(&pred, &[], At::Elsewhere)?),
            Piece::Query(query) => Piece::Query(self.exact_query(query, Told::Rows)?),
            Piece::Items(Items::List(items)) => Piece::Items(Items::List(self.exact_items(items)?)),
            Piece::Orders(keys) => Piece::Orders(self.exact_orders(keys, &[], TextForm::Key)?),
            Piece::Source(source, joins) => {
                Piece::Source(self.exact_source(source, Told::Rows)?, self.exact_joins(joins)?)
            }
            other => other,
        })
    }

    fn exact_insert(&mut self, insert: &Insert<'a, 'e>) -> Result<&'a Insert<'a, 'e>> {
        let rows = match insert.rows {
            Rows::Scalars(values) => Rows::Scalars(self.exact_values(values, &[])?),
            Rows::Query(query) => Rows::Query(self.exact_query(query, Told::Rows)?),
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
                    self.note(Feature::ExactText, Rule::KeyText);
                }
                let filter = self.exact_filter(conflict.filter)?;
                Some(Conflict { sets: self.exact_sets(conflict.sets)?, filter, ..conflict })
            }
        };
        let (ctes, returning) = (self.exact_ctes(insert.ctes)?, self.exact_items(insert.returning)?);
        Ok(self.node(Insert { ctes, rows, conflict, returning, ..*insert }))
    }

    fn exact_ctes(&mut self, ctes: &'a [Cte<'a, 'e>]) -> Result<&'a [Cte<'a, 'e>]> {
        let mut list = self.copied(ctes);
        for cte in &mut list {
            cte.query = self.exact_query(cte.query, Told::Rows)?;
        }
        Ok(list.into_bump_slice())
    }

    fn exact_sets(&mut self, sets: &'a [Assign<'a, 'e>]) -> Result<&'a [Assign<'a, 'e>]> {
        let mut list = self.copied(sets);
        for set in &mut list {
            set.value = self.exact_value(set.value, &[])?;
        }
        Ok(list.into_bump_slice())
    }

    fn exact_joined(&mut self, joined: Option<Joined<'a, 'e>>) -> Result<Option<Joined<'a, 'e>>> {
        let Some(Joined { source, joins }) = joined else { return Ok(None) };
        Ok(Some(Joined { source: self.exact_source(source, Told::Rows)?, joins: self.exact_joins(joins)? }))
    }

    fn exact_source(&mut self, source: Source<'a, 'e>, told: Told<'a>) -> Result<Source<'a, 'e>> {
        Ok(match source {
            Source::Derived { query, alias } => Source::Derived { query: self.exact_query(query, told)?, alias },
            table @ Source::Table { .. } => table,
        })
    }

    /// Joins whose conditions compare texts as they should.
    pub(crate) fn exact_joins(&mut self, joins: &'a [Join<'a, 'e>]) -> Result<&'a [Join<'a, 'e>]> {
        let mut list = self.copied(joins);
        for join in &mut list {
            if let Join::Built(built) = *join {
                let source = self.exact_source(built.source, Told::Rows)?;
                let on = self.exact_filter(built.on)?;
                *join = Join::Built(self.node(BuiltJoin { source, on, ..*built }));
            }
        }
        Ok(list.into_bump_slice())
    }

    fn exact_filter(&mut self, filter: Option<Pred<'a, 'e>>) -> Result<Option<Pred<'a, 'e>>> {
        filter.map(|filter| self.exact_condition(&filter)).transpose()
    }

    /// A condition that chooses rows.
    pub(crate) fn exact_condition(&mut self, pred: &Pred<'a, 'e>) -> Result<Pred<'a, 'e>> {
        self.exact_pred(pred, &[], At::Filter)
    }

    fn exact_items(&mut self, items: &'a [Item<'a, 'e>]) -> Result<&'a [Item<'a, 'e>]> {
        let mut list = self.copied(items);
        for item in &mut list {
            item.value = self.exact_value(item.value, &[])?;
        }
        Ok(list.into_bump_slice())
    }

    fn exact_orders(
        &mut self,
        keys: &[Order<'a, 'e>],
        group: &[Scalar<'a, 'e>],
        form: TextForm,
    ) -> Result<&'a [Order<'a, 'e>]> {
        let mut list = self.copied(keys);
        for key in &mut list {
            let value = self.exact_value(key.value, group)?;
            key.value = self.by_points(value, Beside::default(), For::Order, form)?;
        }
        Ok(list.into_bump_slice())
    }

    fn exact_values(&mut self, values: &[Scalar<'a, 'e>], group: &[Scalar<'a, 'e>]) -> Result<&'a [Scalar<'a, 'e>]> {
        let mut list = self.copied(values);
        for value in &mut list {
            *value = self.exact_value(*value, group)?;
        }
        Ok(list.into_bump_slice())
    }

    fn all_by_points(
        &mut self,
        values: &[Scalar<'a, 'e>],
        use_of: For,
        form: TextForm,
    ) -> Result<&'a [Scalar<'a, 'e>]> {
        let mut list = self.copied(values);
        for value in &mut list {
            *value = self.by_points(*value, Beside::default(), use_of, form)?;
        }
        Ok(list.into_bump_slice())
    }
}

pub(crate) fn is_text(ty: Option<DbType>) -> bool {
    ty.is_some_and(|ty| ty.base.is_text() && !ty.array)
}
