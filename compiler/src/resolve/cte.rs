//! Common table expressions: gathered from wherever they stand, written once in front of the statement.

use std::collections::HashMap;

use bumpalo::collections::Vec as BumpVec;

use crate::dialect::Feature;
use crate::error::{At, ErrorKind, Result};
use crate::expr::{CommonTableExpr, Name, SelectExpr, SelectSetType, SqlSegment};
use crate::frame::{Body, Cte, Source};
use crate::legalize::{Cx, recursion};
use crate::model::TextMode;
use crate::names;
use crate::walk::ExprRef;

use super::chain::Use;
use super::order::TableOrder;
use super::scope::{NameScope, OutCol, Src, SrcKind};
use super::source::unquoted;
use super::{Matters, Resolver};

/// A table of a FROM.
type FromTable<'a, 'e> = (Src<'a>, Source<'a, 'e>);

/// The common table expressions of a statement.
pub(crate) struct Ctes<'a, 'e> {
    /// The statement, in which a definition is looked for that was not met yet.
    tree: Option<ExprRef<'e>>,
    /// The definitions in it, once one of them is looked for.
    definitions: Option<HashMap<&'e Name, &'e SelectExpr>>,
    known: BumpVec<'a, KnownCte<'a, 'e>>,
    /// Which of them has a name.
    places: HashMap<&'e Name, usize>,
    /// Those that are complete, each behind those that it uses.
    complete: BumpVec<'a, Cte<'a, 'e>>,
    /// How many of them are being resolved.
    open: BumpVec<'a, usize>,
    /// The tables met so far whose names took arguments.
    expanded: Vec<String>,
    /// Those that stand in a subquery already: another one does not see them.
    inside: Vec<&'e Name>,
}

/// The whole statement would read the expression where it means the table.
const TABLE_NAME: &str = "has the name of a table, which it would hide: choose another";

struct KnownCte<'a, 'e> {
    name: &'e Name,
    definition: &'e SelectExpr,
    quoted: &'a str,
    columns: Option<&'a [OutCol<'a>]>,
    /// The columns that tell its rows apart, if it is known.
    key: &'a [OutCol<'a>],
    /// The order of its rows. Those of a recursive one have none.
    order: TableOrder<'a, 'e>,
    recursive: bool,
}

impl<'a, 'e> Ctes<'a, 'e> {
    pub(crate) fn new(cx: &Cx<'a, 'e>) -> Self {
        Self {
            tree: None,
            definitions: None,
            known: cx.vec(0),
            places: HashMap::new(),
            complete: cx.vec(0),
            open: cx.vec(0),
            expanded: Vec::new(),
            inside: Vec::new(),
        }
    }

    /// The definitions for the WITH clause.
    pub(crate) fn take(&mut self, cx: &Cx<'a, 'e>) -> &'a [Cte<'a, 'e>] {
        std::mem::replace(&mut self.complete, cx.vec(0)).into_bump_slice()
    }

    /// The definitions for the WITH clause of a subquery.
    pub(crate) fn hand_over(&mut self, cx: &Cx<'a, 'e>) -> &'a [Cte<'a, 'e>] {
        let list = self.take(cx);
        self.inside.extend(self.known.drain(..).map(|known| known.name));
        self.places.clear();
        list
    }

    /// How many stand in a subquery.
    pub(crate) fn handed_over(&self) -> usize {
        self.inside.len()
    }

    /// Forgets those that were handed over since: what they stand in is resolved anew.
    pub(crate) fn take_back(&mut self, handed_over: usize) {
        self.inside.truncate(handed_over);
    }

    /// The tree that definitions are looked for in.
    pub(crate) fn look_in(&mut self, tree: impl Into<ExprRef<'e>>) {
        (self.tree, self.definitions) = (Some(tree.into()), None);
    }

    /// The definition of that name, wherever it stands in the tree.
    fn definition(&mut self, name: &Name) -> Option<&'e SelectExpr> {
        let tree = self.tree;
        let definitions = self.definitions.get_or_insert_with(|| tree.map(definitions).unwrap_or_default());
        definitions.get(name).copied()
    }

    /// Notes the name of a table that took arguments: no common table expression has it.
    pub(crate) fn free_of(&mut self, table: &str) -> Result<()> {
        if let Some(known) = self.known.iter().find(|known| names::same(known.name.as_str(), table)) {
            return Err(ErrorKind::CommonTable { name: known.name.to_string(), why: TABLE_NAME }.into());
        }
        self.expanded.push(table.to_owned());
        Ok(())
    }

    /// Whether this is the definition that is being resolved, and refers to itself.
    pub(crate) fn defines_itself(&self, node: &'e SelectExpr) -> bool {
        let innermost = self.open.last().and_then(|index| self.known.get(*index));
        innermost.is_some_and(|known| known.recursive && std::ptr::eq(known.definition, node))
    }

    /// Tells the recursive references that these columns can be NULL or are compared by code points, if they do not know
    /// that yet.
    pub(crate) fn learns(&mut self, columns: &'a [OutCol<'a>]) -> bool {
        let innermost = self.open.last().and_then(|index| self.known.get_mut(*index));
        let Some(known) = innermost else { return false };
        let exact = |column: &OutCol<'a>| column.text == Some(TextMode::Exact);
        let more = |(now, before): (&OutCol<'a>, &OutCol<'a>)| {
            now.nullable && !before.nullable
                || exact(now) && !exact(before)
                || now.text.is_some() && before.text.is_none()
        };
        let more = known.columns.is_some_and(|before| columns.iter().zip(before).any(more));
        if more {
            known.columns = Some(columns);
        }
        more
    }

    /// The first member of a set operation has been resolved: what a recursive reference may use.
    pub(crate) fn anchor(&mut self, columns: &'a [OutCol<'a>]) {
        if let Some(known) = self.open.last().and_then(|index| self.known.get_mut(*index))
            && known.columns.is_none()
        {
            known.columns = Some(columns);
        }
    }
}

impl<'a, 'e> Resolver<'_, '_, 'a, 'e> {
    /// A common table expression as a source, and the order of its rows.
    pub(crate) fn cte_source(
        &mut self,
        cte: &'e CommonTableExpr,
        parent: Option<&NameScope<'_, 'a>>,
    ) -> Result<(FromTable<'a, 'e>, TableOrder<'a, 'e>)> {
        let name = cte.alias.as_str();
        let wrong = |why| crate::Error::from(ErrorKind::CommonTable { name: name.to_owned(), why });
        if self.ctes.inside.iter().any(|name| **name == cte.alias) {
            let reason =
                format!("`{name}` is used by two subqueries, and it takes WITH in a subquery only: define two");
            return Err(self.cx.target.refused(Feature::WriteWith.title(), reason));
        }
        let known = self.ctes.places.get(&cte.alias).copied();
        let index = match (known, &cte.source) {
            (Some(index), Some(definition)) => {
                if self.ctes.known.get(index).is_none_or(|k| k.definition != definition) {
                    return Err(wrong("is defined twice, differently"));
                }
                index
            }
            (Some(index), None) => index,
            (None, Some(definition)) => self.define(&cte.alias, definition)?,
            (None, None) => {
                let found = self.ctes.definition(&cte.alias);
                let definition = found.ok_or_else(|| wrong("is not defined in this statement"))?;
                self.define(&cte.alias, definition)?
            }
        };
        let open = self.ctes.open.contains(&index);
        let innermost = self.ctes.open.last() == Some(&index);
        let Some(known) = self.ctes.known.get_mut(index) else { return Err(wrong("is not defined")) };
        if open {
            if !innermost {
                return Err(wrong("and another one refer to each other: write one where the other uses it"));
            }
            known.recursive = true;
        }
        let columns = known.columns.ok_or_else(|| {
            wrong("refers to itself in its first member: a recursive one is a union whose first member does not")
        })?;
        let (name, order, key) = (known.quoted, known.order, known.key);
        let alias = unquoted(name);
        let other = self.is_taken(alias, parent).then(|| self.cx.next_alias());
        let source = Src { key, ..Src::new(alias, other.unwrap_or(name), SrcKind::Columns(columns)) };
        Ok(((source, Source::Table { name, alias: other }), order))
    }

    fn define(&mut self, name: &'e Name, definition: &'e SelectExpr) -> Result<usize> {
        let quoted = self.cx.alias(name.as_str())?;
        let table = self.cx.target.catalog().has_table(name.as_str());
        if table || self.ctes.expanded.iter().any(|table| names::same(table, name.as_str())) {
            return Err(ErrorKind::CommonTable { name: name.to_string(), why: TABLE_NAME }.into());
        }
        let index = self.ctes.known.len();
        let order = TableOrder::default();
        self.ctes.known.push(KnownCte { name, definition, quoted, columns: None, key: &[], order, recursive: false });
        self.ctes.places.insert(name, index);
        self.ctes.open.push(index);
        // Its own main table is not the statement's.
        self.cx.main_is_taken();
        // Another use of it may be in its order.
        let building = self.deeper("$cte", |r| r.mattering(Matters::Order, |r| r.select(definition, None)))?;
        let order = self.table_order(building).at("$cte")?;
        let columns = self.visible_columns(building)?;
        let key = self.key_of_table(building, columns).at("$cte")?;
        let query = self.finish(building, Use::Table).at("$cte")?;
        self.ctes.open.pop();
        let recursive = self.ctes.known.get(index).is_some_and(|k| k.recursive);
        let mut names = self.cx.vec(columns.len());
        if recursive {
            self.cx.need(Feature::Recursion).at("$cte")?;
            self.cx.rule_for(Feature::RecursionDepth)?;
            if matches!(query.body, Body::Set { op: SelectSetType::Union, .. }) {
                self.cx.need(Feature::RecursiveUnion).at("$cte")?;
            }
            recursion::recursive_members(self.cx, quoted, name.as_str(), query).at("$cte")?;
            recursion::recursive_clauses(self.cx, quoted, query).at("$cte")?;
            names.extend(columns.iter().map(|c| c.quoted));
        }
        self.ctes.complete.push(Cte { name: quoted, columns: names.into_bump_slice(), query, recursive });
        if let Some(known) = self.ctes.known.get_mut(index) {
            (known.columns, known.key, known.order) = (Some(columns), key, order);
        }
        Ok(index)
    }
}

/// The definitions of common table expressions in a tree; of several of one name, the first.
fn definitions(tree: ExprRef<'_>) -> HashMap<&Name, &SelectExpr> {
    let mut found = HashMap::new();
    crate::walk::visit(tree, crate::walk::VisitOrder::Pre, |node| {
        if let ExprRef::Segment(SqlSegment::CommonTable(cte)) = node
            && let Some(definition) = &cte.source
        {
            found.entry(&cte.alias).or_insert(definition);
        }
    });
    found
}
