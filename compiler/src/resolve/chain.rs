//! The chain of clauses becomes a select, or a select over a derived table where the order of clauses asks for it.

use bumpalo::collections::Vec as BumpVec;

use crate::dialect::Feature;
use crate::error::{At, ErrorKind, Result};
use crate::expr::{DbValueType, Nulls, SectionExpr, SqlSegment, Value};
use crate::frame::{Body, Join, Lock, Order, Pred, Scalar, Source};
use crate::legalize::{json, query, typed};

use super::scope::{NameScope, OutCol, Src, SrcKind};
use super::source::{entity, unquoted};
use super::{Matters, Place, Resolver};

/// How far a select has come in the order of clauses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    From,
    Where,
    Group,
    Having,
    Order,
    Section,
}

/// Whether two rows may be alike in the order of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ties {
    /// No row is chosen by the order.
    Allowed,
    /// A page is cut by it. Keys are appended once everything that makes rows is known.
    ToBreak,
    /// No two rows are alike in it, as far as their columns can be sorted.
    Broken,
}

/// What a query is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    /// It is the statement.
    Root,
    /// Its columns get names.
    Table,
    /// Its rows are a member of a set, or written.
    Rows,
    /// Its values are compared or looked up, and nobody sees their names.
    Values,
    /// Only whether it has a row matters.
    Exists,
}

/// A select that is being put together.
pub(crate) struct Building<'a, 'e> {
    pub(crate) sources: BumpVec<'a, Src<'a>>,
    pub(crate) from: Option<Source<'a, 'e>>,
    pub(crate) joins: BumpVec<'a, Join<'a, 'e>>,
    pub(crate) filters: BumpVec<'a, Pred<'a, 'e>>,
    pub(crate) group: &'a [Scalar<'a, 'e>],
    pub(crate) having: BumpVec<'a, Pred<'a, 'e>>,
    pub(crate) order: BumpVec<'a, Order<'a, 'e>>,
    /// Where the keys of the order may stand, all together.
    pub(crate) order_place: Place,
    pub(crate) limit: Option<Scalar<'a, 'e>>,
    pub(crate) offset: Option<Scalar<'a, 'e>>,
    /// The name that the query's select gives it, for the clauses over it.
    pub(crate) alias: Option<&'a str>,
    /// The rows behind a cursor. With the page that they begin, it is left out of a count.
    pub(crate) after: Option<Pred<'a, 'e>>,
    /// The page that limit and offset cut: how many rows are left out, and how many come.
    pub(crate) page: (u64, Option<u64>),
    pub(crate) lock: Option<Lock<'a>>,
    pub(crate) distinct: bool,
    pub(crate) distinct_on: &'a [Scalar<'a, 'e>],
    /// The items, once a select list has been given.
    pub(crate) items: Option<BumpVec<'a, NamedItem<'a, 'e>>>,
    /// Whether an item is an aggregate.
    pub(crate) aggregated: bool,
    /// For each source, the joins that only items and the order need.
    pub(crate) shown: BumpVec<'a, Shown>,
    /// A set operation in place of a select, with its columns.
    pub(crate) set: Option<(Body<'a, 'e>, &'a [OutCol<'a>])>,
    pub(crate) stage: Stage,
    /// How many of its last items only carry the order to the query over it, and are no columns of its result.
    pub(crate) hidden: usize,
    /// Whether the table that it is over has such items, so that `*` is not what it gives.
    pub(crate) over_hidden: bool,
    /// How many of the last keys of the order come from a page that it is over.
    pub(crate) carried: usize,
    /// How many of the last keys of the order were appended to break its ties.
    pub(crate) appended: usize,
    pub(crate) ties: Ties,
}

/// The joins of a source that only show something, as sets of bits.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Shown {
    pub(crate) items: u128,
    pub(crate) order: u128,
}

impl Shown {
    /// Those of both.
    pub(crate) fn joins(&self) -> u128 {
        self.items | self.order
    }
}

/// An item of a select list with the name that it has in the result.
#[derive(Clone, Copy)]
pub(crate) struct NamedItem<'a, 'e> {
    pub(super) value: Scalar<'a, 'e>,
    pub(super) name: Option<&'a str>,
    pub(super) quoted: Option<&'a str>,
    /// Whether the text must say the name.
    pub(super) renamed: bool,
    /// The first place in which the value may stand.
    pub(super) place: Place,
}

impl<'a, 'e> NamedItem<'a, 'e> {
    /// A value without a name.
    pub(super) fn of(value: Scalar<'a, 'e>) -> Self {
        Self { value, name: None, quoted: None, renamed: false, place: Place::Rows }
    }
}

impl<'a, 'e> Resolver<'_, '_, 'a, 'e> {
    pub(crate) fn building(&self, source: Option<(Src<'a>, Source<'a, 'e>)>) -> &'a mut Building<'a, 'e> {
        let mut sources = self.cx.vec(1);
        let from = source.map(|(source, from)| {
            sources.push(source);
            from
        });
        // In the arena, so that going from clause to clause moves a pointer.
        self.cx.bump.alloc(Building {
            sources,
            from,
            joins: self.cx.vec(0),
            filters: self.cx.vec(2),
            group: &[],
            having: self.cx.vec(0),
            order: self.cx.vec(0),
            order_place: Place::Rows,
            limit: None,
            offset: None,
            alias: None,
            after: None,
            page: (0, None),
            lock: None,
            distinct: false,
            distinct_on: &[],
            items: None,
            aggregated: false,
            shown: self.cx.vec(0),
            set: None,
            stage: Stage::From,
            hidden: 0,
            over_hidden: false,
            carried: 0,
            appended: 0,
            ties: Ties::Allowed,
        })
    }

    /// Folds a chain, or starts one over the root entity.
    pub(crate) fn fold_or_root(
        &mut self,
        segment: Option<&'e SqlSegment>,
        parent: Option<&NameScope<'_, 'a>>,
    ) -> Result<&'a mut Building<'a, 'e>> {
        match (segment, self.root) {
            (Some(segment), _) => self.fold(segment, parent),
            (None, Some(id)) => {
                // The bottom of the root query: tables that come after it are of subqueries.
                self.root_open = false;
                let source = self.main_table(id, None, parent.is_some(), parent)?;
                self.start(source)
            }
            (None, None) => {
                let why = "it has no source, and the request names no root entity: compile it with `Request::of(entity)`, or \
                           filter a query, `from(entity).filter(..)`";
                Err(ErrorKind::Misplaced { what: "a clause".into(), why }.into())
            }
        }
    }

    /// A select over a source, with the source's fixed filter.
    pub(super) fn start(&mut self, source: (Src<'a>, Source<'a, 'e>)) -> Result<&'a mut Building<'a, 'e>> {
        let building = self.building(Some(source));
        let fixed = match building.sources.first() {
            Some(main) => self.fixed(main)?,
            None => None,
        };
        building.filters.extend(fixed);
        Ok(building)
    }

    /// The source of a clause, of which this matters.
    pub(super) fn below(
        &mut self,
        step: &'static str,
        source: Option<&'e SqlSegment>,
        parent: Option<&NameScope<'_, 'a>>,
        matters: Matters,
    ) -> Result<&'a mut Building<'a, 'e>> {
        self.deeper(step, |r| r.mattering(matters, |r| r.fold_or_root(source, parent)))
    }

    /// Folds a chain into a select.
    pub(crate) fn fold(
        &mut self,
        segment: &'e SqlSegment,
        parent: Option<&NameScope<'_, 'a>>,
    ) -> Result<&'a mut Building<'a, 'e>> {
        match segment {
            SqlSegment::Table(table) => {
                let (id, found) = entity(self.cx.target, table.entity.as_str()).at("$table")?;
                self.check_root(id, &found.name)?;
                let source = self.main_table(id, Some(table), parent.is_some(), parent)?;
                self.start(source)
            }
            SqlSegment::From(from) => self.level(|r| {
                // Joined rows have no order but one that is asked of them.
                let building = r.fold_source(&from.source, parent, from.joins.is_empty()).at("$from")?;
                for (index, join) in from.joins.iter().enumerate() {
                    r.explicit_join(building, join, parent).at_index(index).at("Joins")?;
                }
                Ok(building)
            }),
            SqlSegment::Where(node) => {
                let rows = self.context().matters.rows();
                let mut building = self.below("$where", node.source.as_ref(), parent, rows)?;
                if !building.takes_filter(Stage::Where) {
                    building = self.derive(building)?;
                }
                let scope = NameScope::of(&building.sources, parent);
                let pred = self.filtering(|r| r.logic(&scope, &node.filter)).at("Where")?;
                building.filters.push(pred);
                building.stage = building.stage.max(Stage::Where);
                Ok(building)
            }
            SqlSegment::GroupBy(node) => {
                let mut building = self.below("$group", node.source.as_ref(), parent, Matters::Rows)?;
                // Groups have no order by what they were made of.
                if building.is_grouped() || building.stage == Stage::Section || building.is_selected() {
                    building = self.derive_rows(building)?;
                } else {
                    self.forget_order(building)?;
                }
                let scope = NameScope::of(&building.sources, parent);
                building.group = self.placed(Place::Rows, |r| r.values(&scope, &node.group_by, "GroupBys"))?;
                json::no_json(self.cx, "the key of a group", building.group)?;
                if let Some(at) = building.group.iter().position(|key| query::is_constant(self.cx, key)) {
                    let why = "it groups nothing, and a number in the text would be the place of a column";
                    let error = ErrorKind::Misplaced { what: "a constant as the key of a group".into(), why };
                    return Err(error.into()).at_index(at).at("GroupBys");
                }
                building.stage = Stage::Group;
                Ok(building)
            }
            SqlSegment::Having(node) => {
                let rows = self.context().matters.rows();
                let mut building = self.below("$having", node.source.as_ref(), parent, rows)?;
                if !building.takes_filter(Stage::Having) {
                    building = self.derive(building)?;
                }
                let scope = NameScope::of(&building.sources, parent);
                let pred = self.placed(Place::Groups, |r| r.logic(&scope, &node.having)).at("Having")?;
                building.having.push(pred);
                building.stage = building.stage.max(Stage::Having);
                Ok(building)
            }
            SqlSegment::OrderBy(node) => {
                let mut building = self.below("$orderby", node.source.as_ref(), parent, self.context().matters)?;
                // The order of distinct rows or of a set is by their columns only: a key that sorts the NULLs is none.
                let nulls = node.order_by.iter().any(|key| key.nulls != Nulls::Default)
                    && (building.set.is_some() || building.distinct)
                    && !self.cx.target.has(Feature::NullsOrder);
                if building.stage > Stage::Order || nulls || self.is_over_table(building, &node.order_by) {
                    building = self.derive(building)?;
                }
                let needed = self.only_shown(building);
                let (keys, place) = self.orders(building, parent, &node.order_by, "OrderBys")?;
                building.needed_again(&needed, |shown| &mut shown.order);
                building.order_place = building.order_place.max(place);
                // The outer order counts first.
                let inner = std::mem::replace(&mut building.order, keys);
                building.order.extend(inner);
                building.stage = Stage::Order;
                Ok(building)
            }
            SqlSegment::Section(node) => {
                let counted = self.context().matters == Matters::Count && node.after.is_empty();
                let matters = if counted { Matters::Count } else { Matters::Order };
                self.mattering(matters, |r| r.section(node, parent))
            }
            SqlSegment::Lock(node) => {
                let building = self.below("$lock", node.source.as_ref(), parent, self.context().matters)?;
                if building.lock.is_some() {
                    let why = "the query has one already, and one query locks its rows in one way";
                    return Err(ErrorKind::Misplaced { what: "a second row lock".into(), why }.into());
                }
                building.lock = Some(query::lock(self.cx, node.mode, node.wait)?);
                Ok(building)
            }
            SqlSegment::Select(select) => {
                let building = self.level(|r| r.select(select, parent))?;
                if let Some(alias) = &select.alias {
                    let name = unquoted(self.cx.alias(alias.as_str())?);
                    building.alias = Some(name);
                    if let (false, [source]) = (building.is_selected(), building.sources.as_mut_slice()) {
                        source.alias = name;
                    }
                }
                Ok(building)
            }
            SqlSegment::CommonTable(cte) => {
                let (source, order) = self.cte_source(cte, parent)?;
                let building = self.building(Some(source));
                self.put_in_order(building, order);
                Ok(building)
            }
        }
    }

    /// The first table that is met stands at the bottom of the root query, also where derived tables or common table
    /// expressions lie between: it must be the root entity's.
    pub(super) fn check_root(&mut self, id: crate::model::EntityId, name: &crate::expr::Name) -> Result<()> {
        let catalog = self.cx.target.catalog();
        if std::mem::take(&mut self.root_open)
            && let Some(root) = self.root
            && catalog.table_of(root) != catalog.table_of(id)
        {
            let root = catalog.get(root).name.to_string();
            return Err(ErrorKind::OtherRoot { root, entity: name.to_string() }.into());
        }
        Ok(())
    }

    /// The first source of a FROM: a select there is a derived table. By itself it keeps its order.
    pub(super) fn fold_source(
        &mut self,
        segment: &'e SqlSegment,
        parent: Option<&NameScope<'_, 'a>>,
        alone: bool,
    ) -> Result<&'a mut Building<'a, 'e>> {
        match segment {
            SqlSegment::Table(_) | SqlSegment::CommonTable(_) | SqlSegment::From(_) => {
                let matters = if alone { self.context().matters } else { Matters::Rows };
                self.mattering(matters, |r| r.fold(segment, parent))
            }
            other if alone => self.ordered_source(other, parent),
            other => {
                let source = self.derived_source(other, parent, parent)?;
                Ok(self.building(Some(source)))
            }
        }
    }

    pub(super) fn section(
        &mut self,
        node: &'e SectionExpr,
        parent: Option<&NameScope<'_, 'a>>,
    ) -> Result<&'a mut Building<'a, 'e>> {
        let mut building = self.below("$section", node.source.as_ref(), parent, self.context().matters)?;
        if building.stage >= Stage::Section && !node.after.is_empty() {
            building = self.derive(building)?;
        }
        let (skip, take) = page_of(building.page, node.skip, node.take);
        if take == Some(0) && building.set.is_some() || self.is_sorted_over(building) {
            building = self.derive(building)?;
        }
        if building.ties == Ties::Allowed {
            building.ties = Ties::ToBreak;
        }
        if !node.after.is_empty() {
            building.after = Some(self.after(building, node).at("After")?);
        }
        let number = |r: &mut Self, n: u64| {
            let value = i64::try_from(n).unwrap_or(i64::MAX);
            typed(r.cx.made(Value::Int(value), Some(DbValueType::Int64.into())))
        };
        building.page = (skip, take);
        building.limit = take.map(|take| number(self, take));
        building.offset = (skip > 0).then(|| number(self, skip));
        building.stage = Stage::Section;
        Ok(building)
    }
}

impl<'a> Resolver<'_, '_, 'a, '_> {
    /// From here on, joins are noted that are needed to show something only: for an item or the order.
    pub(super) fn only_shown(&self, building: &Building<'a, '_>) -> BumpVec<'a, u128> {
        let joins =
            |source: &Src<'a>| matches!(source.kind, SrcKind::Entity { entity, .. } if !entity.joins.is_empty());
        if !building.sources.iter().any(joins) {
            return self.cx.vec(0);
        }
        let mut needed = self.cx.vec(building.sources.len());
        needed.extend(building.sources.iter().map(|source| source.used.replace(0)));
        needed
    }
}

impl<'a, 'e> Building<'a, 'e> {
    /// Selects these values.
    pub(crate) fn select_values(&mut self, values: BumpVec<'a, Scalar<'a, 'e>>) {
        let mut items = BumpVec::with_capacity_in(values.len(), values.bump());
        items.extend(values.iter().map(|v| NamedItem::of(*v)));
        self.items = Some(items);
    }
}

impl Building<'_, '_> {
    /// What was looked up meanwhile is only shown, by items or the order; the joins that were needed before are needed
    /// again.
    pub(super) fn needed_again(&mut self, needed: &[u128], by: fn(&mut Shown) -> &mut u128) {
        if needed.is_empty() {
            return;
        }
        self.shown.resize(self.sources.len(), Shown::default());
        for ((source, shown), needed) in self.sources.iter().zip(&mut self.shown).zip(needed) {
            *by(shown) |= source.used.replace(*needed);
        }
    }

    /// Whether its rows are grouped, or asked about as one group.
    fn is_grouped(&self) -> bool {
        !self.group.is_empty() || !self.having.is_empty()
    }

    /// Whether a filter of that stage may join those that are there. An order that came before is one of the rows that
    /// are left as well, unless a window told it, which looks at all of them.
    fn takes_filter(&self, stage: Stage) -> bool {
        let place = if stage == Stage::Having { Place::Groups } else { Place::Rows };
        let ordered =
            self.stage == Stage::Order && self.order_place <= place && (stage == Stage::Having || !self.is_grouped());
        !self.is_selected() && (self.stage <= stage || ordered)
    }

    /// Whether it has a select list, so that a clause before it in SQL's order is over its result.
    pub(crate) fn is_selected(&self) -> bool {
        self.items.is_some() || self.set.is_some() || self.distinct || !self.distinct_on.is_empty()
    }
}

/// A page of a page, as what is left out of the whole and what comes of it.
fn page_of((left_out, of): (u64, Option<u64>), skip: u64, take: Option<u64>) -> (u64, Option<u64>) {
    let rest = of.map(|rows| rows.saturating_sub(skip));
    match rest.into_iter().chain(take).min() {
        // No row is a page of nothing, wherever it begins; not every engine takes an offset with it.
        Some(0) => (0, Some(0)),
        rows => (left_out.saturating_add(skip), rows),
    }
}

pub(super) fn order_key<'a, 'e>(value: Scalar<'a, 'e>) -> Order<'a, 'e> {
    Order { value, descending: false, nulls_first: None, sorts_nulls: false }
}
