//! Which entity's property a name means, and whether it may be named.
//!
//! Names resolve as in resolving: in the sources of the query around them, then in the query around that one. A level
//! holds the sources of one query. Where resolving might see a source or not, the source is only *perhaps* there; and
//! where a derived table may lie between, which has only some of the columns, the level is not *certain*: what is found
//! must be allowed, but the search goes on.

use std::collections::HashMap;
use std::rc::Rc;

use super::known::Known;
use super::limits::{definitions, quoted};
use super::sources::{ColumnSource, Columns, Sources};
use super::{Broken, PolicyRule, Refusal};
use crate::expr::{
    CommonTableExpr, ConflictAction, ForeignExpr, FromExpr, LogicExpr, Name, OrderByExpr, PropertyExpr, SectionExpr,
    SelectExpr, SelectItemExpr, SqlSegment, TableExpr, ValueTypeExpr,
};
use crate::legalize::listed;
use crate::walk::node::{ExprRef, ExprType};
use crate::walk::path::{Path, Step, Trail};
use crate::walk::visit::{Visit, Walk};

static EXCLUDED: Name = Name::from_static("excluded");

pub(super) fn check(known: &Known<'_>, root: ExprRef<'_>) -> Result<(), Refusal> {
    let common = if known.policy.kinds.contains(ExprType::CommonTable) { definitions(root)? } else { HashMap::new() };
    let mut names = NameCheck { known, common, levels: Vec::new(), waiting: Vec::new(), given: HashMap::new() };
    names.begin(root).map_err(|broken| Refusal::new(Path::root(), root.kind(), broken))?;
    let mut trail = Trail::default();
    while let Some(WaitingNode { node, step, depth, place }) = names.waiting.pop() {
        trail.enter(depth, step);
        names.visit(node, depth, place).map_err(|broken| Refusal::new(&trail, node.kind(), broken))?;
    }
    Ok(())
}

/// The sources of one query, as an expression in it sees them.
#[derive(Default)]
struct Level<'a> {
    sources: Rc<Sources<'a>>,
    /// How many of them resolving surely sees; the others perhaps.
    sure: usize,
    /// The names of the select list, which an order may use.
    labels: listed::Names<'a>,
    outer: Option<usize>,
    /// Whether resolving surely finds here what its sources have.
    certain: bool,
}

impl<'a> Level<'a> {
    /// One that surely sees its sources.
    fn of(sources: Vec<ColumnSource<'a>>) -> Self {
        Self { sure: sources.len(), sources: Rc::new(sources.into()), ..Self::default() }
    }
}

/// What becomes of the rows of a query.
#[derive(Clone, Copy, PartialEq)]
enum RowsUse {
    /// The caller gets them.
    Given,
    /// They are values of the query around it.
    Used,
    /// They are counted or named one by one.
    Passed,
}

/// Where a node stands among the levels.
#[derive(Clone, Copy)]
enum Role {
    /// An expression that sees this level.
    Sees(Option<usize>),
    /// The outermost clause of a query.
    Query { outer: Option<usize>, rows: RowsUse },
    /// A clause below the outermost one of the same query.
    Clause { level: usize, outer: Option<usize>, rows: RowsUse },
    /// A join: what its condition sees, and what its source sees.
    Join { on: usize, source: Option<usize> },
}

struct WaitingNode<'a> {
    node: ExprRef<'a>,
    step: Step<'a>,
    depth: usize,
    place: Role,
}

struct NameCheck<'a> {
    known: &'a Known<'a>,
    common: HashMap<&'a Name, &'a SelectExpr>,
    levels: Vec<Level<'a>>,
    waiting: Vec<WaitingNode<'a>>,
    /// Whether a select without a list may give the rows of an entity, once that was asked.
    given: HashMap<&'a Name, bool>,
}

impl<'a> NameCheck<'a> {
    /// The root stands over the root entity.
    fn begin(&mut self, root: ExprRef<'a>) -> Result<(), Broken> {
        let place = match root {
            ExprRef::Segment(segment) => {
                self.check_root(vec![segment], Vec::new())?;
                Role::Query { outer: None, rows: RowsUse::Given }
            }
            ExprRef::Select(select) => {
                self.check_root(Vec::new(), vec![select])?;
                Role::Query { outer: None, rows: RowsUse::Given }
            }
            ExprRef::Insert(node) => self.statement(&node.table)?,
            ExprRef::Update(node) => self.statement(&node.table)?,
            ExprRef::Delete(node) => self.statement(&node.table)?,
            ExprRef::TableJoin(join) => {
                let mut sources = self.rows(None);
                sources.extend(self.rows(Some(&join.source)));
                Role::Join { on: self.level(Level::of(sources)), source: None }
            }
            _ => {
                let sources = self.rows(None);
                Role::Sees(Some(self.level(Level::of(sources))))
            }
        };
        self.waiting.push(WaitingNode { node: root, step: Step::Same, depth: 0, place });
        Ok(())
    }

    /// The stranger does not choose what the query is about, nor what a further member of it is about.
    fn check_root(&self, mut waiting: Vec<&'a SqlSegment>, mut members: Vec<&'a SelectExpr>) -> Result<(), Broken> {
        loop {
            while let Some(segment) = waiting.pop() {
                match segment {
                    SqlSegment::Table(table) => self.check_is_root(&table.entity)?,
                    SqlSegment::CommonTable(table) => members.extend(self.definition(table)),
                    SqlSegment::Select(select) => members.push(select),
                    clause => waiting.extend(source_of(clause)),
                }
            }
            let Some(select) = members.pop() else { return Ok(()) };
            waiting.extend(&select.source);
            members.extend(select.next_selects.iter().map(|next| &next.select));
        }
    }

    /// What a common table or a reference to one stands for. The first pass has made sure that there is one, and that
    /// it does not lead back to itself.
    fn definition(&self, table: &'a CommonTableExpr) -> Option<&'a SelectExpr> {
        table.source.as_ref().or_else(|| self.common.get(&table.alias).copied())
    }

    fn check_is_root(&self, entity: &'a Name) -> Result<(), Broken> {
        let root = self.known.root;
        if self.known.entity(entity) == root {
            return Ok(());
        }
        Err((PolicyRule::Root, format!("the query must be about {}, not about {}", quoted(root), quoted(entity))))
    }

    fn statement(&mut self, table: &'a TableExpr) -> Result<Role, Broken> {
        self.check_is_root(&table.entity)?;
        let columns = Columns::Entity(self.known.entity(&table.entity));
        let own = ColumnSource { alias: table.alias.as_ref(), columns: columns.clone() };
        let sources = vec![own, ColumnSource { alias: Some(&EXCLUDED), columns }];
        Ok(Role::Sees(Some(self.level(Level::of(sources)))))
    }

    fn level(&mut self, level: Level<'a>) -> usize {
        self.levels.push(level);
        self.levels.len() - 1
    }

    fn visit(&mut self, node: ExprRef<'a>, depth: usize, place: Role) -> Result<(), Broken> {
        match (node, place) {
            (ExprRef::Segment(_) | ExprRef::Select(_), Role::Query { .. } | Role::Clause { .. }) => {
                return self.query(node, depth, place);
            }
            (ExprRef::TableJoin(_), Role::Join { on, source }) => {
                self.children(node, depth, |child| match child {
                    ExprRef::Segment(_) => Role::Query { outer: source, rows: RowsUse::Passed },
                    _ => Role::Sees(Some(on)),
                });
            }
            (_, Role::Sees(scope)) => {
                let mut inner = scope;
                match node {
                    ExprRef::Value(ValueTypeExpr::Property(property)) => self.property(property, scope)?,
                    ExprRef::Logic(LogicExpr::Foreign(foreign)) => {
                        self.related(foreign, scope)?;
                        let columns = Columns::Entity(self.known.entity(&foreign.entity));
                        let sources = vec![ColumnSource { alias: foreign.alias.as_ref(), columns }];
                        inner = Some(self.level(Level { outer: scope, certain: true, ..Level::of(sources) }));
                    }
                    _ => self.assigned(node, scope)?,
                }
                let rows = if matches!(node, ExprRef::Logic(_)) { RowsUse::Passed } else { RowsUse::Used };
                let statement = matches!(node, ExprRef::Insert(_) | ExprRef::Update(_) | ExprRef::Delete(_));
                self.children(node, depth, |child| match child {
                    ExprRef::Segment(_) if statement => Role::Query { outer: None, rows },
                    ExprRef::Segment(_) => Role::Query { outer: inner, rows },
                    _ => Role::Sees(inner),
                });
            }
            // No other node has a place of another kind.
            _ => self.children(node, depth, |_| place),
        }
        Ok(())
    }

    fn children(&mut self, node: ExprRef<'a>, depth: usize, place: impl Fn(ExprRef<'a>) -> Role) {
        let from = self.waiting.len();
        node.for_each_child(|step, child| {
            self.waiting.push(WaitingNode { node: child, step, depth: depth + 1, place: place(child) });
        });
        if let Some(children) = self.waiting.get_mut(from..) {
            children.reverse();
        }
    }

    /// The properties that a statement names outside of expressions.
    fn assigned(&self, node: ExprRef<'a>, scope: Option<usize>) -> Result<(), Broken> {
        let mut each = |name: &Name| self.property(&PropertyExpr { alias: None, name: name.clone() }, scope);
        match node {
            ExprRef::Insert(node) => {
                node.columns.iter().try_for_each(&mut each)?;
                let Some(conflict) = &node.conflict else { return Ok(()) };
                conflict.target.iter().try_for_each(&mut each)?;
                match &conflict.action {
                    ConflictAction::Update(sets) => sets.iter().try_for_each(|(name, _)| each(name)),
                    _ => Ok(()),
                }
            }
            ExprRef::Update(node) => node.sets.iter().try_for_each(|(name, _)| each(name)),
            _ => Ok(()),
        }
    }

    /// A clause of a query. All clauses of one query see the same level.
    fn query(&mut self, node: ExprRef<'a>, depth: usize, place: Role) -> Result<(), Broken> {
        let select = match node {
            ExprRef::Select(select) => Some(select),
            ExprRef::Segment(SqlSegment::Select(select)) => Some(&**select),
            _ => None,
        };
        let (level, outer, rows) = match place {
            Role::Clause { level, outer, rows } => (level, outer, rows),
            Role::Query { outer, rows } => {
                let (segment, labels) = match (node, select) {
                    (_, Some(select)) => {
                        let labels = select.selects.iter().map(|item| item.alias.as_ref().map(Name::as_str));
                        (select.source.as_ref(), listed::Names::of(labels))
                    }
                    (ExprRef::Segment(segment), _) => (Some(segment), listed::Names::default()),
                    _ => return Ok(()),
                };
                let (sources, certain) = (self.rows(segment), is_certain(segment));
                // The first member of a set operation names the columns of the others, and compares theirs with its own.
                let member = select.is_some_and(|select| !select.next_selects.is_empty());
                let rows = if member { RowsUse::Used } else { rows };
                if rows != RowsUse::Passed && select.is_none_or(|select| select.selects.is_empty()) {
                    self.check_all(&sources, rows)?;
                }
                (self.level(Level { labels, outer, certain, ..Level::of(sources) }), outer, rows)
            }
            _ => return Ok(()),
        };
        let sees = match node {
            ExprRef::Segment(SqlSegment::OrderBy(order)) => self.order_level(order, level),
            ExprRef::Segment(SqlSegment::Section(section)) if !section.after.is_empty() => {
                check_cursor(section)?;
                level
            }
            _ => level,
        };
        let common = matches!(node, ExprRef::Segment(SqlSegment::CommonTable(_)));
        let joined = matches!(node, ExprRef::Segment(SqlSegment::From(_)));
        let mut joins = match node {
            ExprRef::Segment(SqlSegment::From(from)) => self.joins(from, outer),
            _ => Vec::new(),
        }
        .into_iter();
        // A select and a join name what they take.
        let below = if joined || select.is_some() { RowsUse::Passed } else { rows };
        let from = self.waiting.len();
        node.for_each_child(|step, child| {
            let place = match child {
                ExprRef::Segment(source) if !joined && is_clause(source) => Role::Clause { level, outer, rows: below },
                ExprRef::Segment(_) => Role::Query { outer, rows: below },
                // A common table sees nothing of the query around it.
                ExprRef::Select(_) if common => Role::Query { outer: None, rows: RowsUse::Passed },
                ExprRef::Select(_) => Role::Query { outer, rows },
                ExprRef::TableJoin(_) => joins.next().unwrap_or(Role::Sees(None)),
                _ => Role::Sees(Some(sees)),
            };
            self.waiting.push(WaitingNode { node: child, step, depth: depth + 1, place });
        });
        if let Some(children) = self.waiting.get_mut(from..) {
            children.reverse();
        }
        Ok(())
    }

    /// What the keys of an order see: behind a select list also the tables below it, whatever the list calls its items.
    fn order_level(&mut self, order: &'a OrderByExpr, level: usize) -> usize {
        let mut next = order.source.as_ref();
        while let Some(clause) = next {
            match clause {
                SqlSegment::Select(select) if !select.selects.is_empty() => {
                    let perhaps = self.rows(select.source.as_ref());
                    let Some(Level { sources, sure, outer, .. }) = self.levels.get(level) else { break };
                    let (sure, outer) = (*sure, *outer);
                    let sources = sources.list().iter().cloned().chain(perhaps).collect();
                    return self.level(Level { sure, outer, ..Level::of(sources) });
                }
                SqlSegment::Select(_) | SqlSegment::From(_) => break,
                clause => next = source_of(clause),
            }
        }
        level
    }

    /// A condition surely sees what is joined so far; a lateral source what is joined before it; another one nothing.
    fn joins(&mut self, from: &'a FromExpr, outer: Option<usize>) -> Vec<Role> {
        let mut all = self.rows(Some(&from.source));
        let mut ends = vec![all.len()];
        for join in &from.joins {
            all.extend(self.rows(Some(&join.source)));
            ends.push(all.len());
        }
        let (certain, all) = (are_certain(from), Rc::new(Sources::from(all)));
        let mut places = Vec::with_capacity(from.joins.len());
        for (join, bounds) in from.joins.iter().zip(ends.windows(2)) {
            let &[before, with] = bounds else { continue };
            let mut seen =
                |sure: usize| self.level(Level { sources: Rc::clone(&all), sure, outer, certain, ..Level::default() });
            places.push(Role::Join { on: seen(with), source: Some(seen(if join.lateral { before } else { 0 })) });
        }
        places
    }

    /// The sources whose columns the rows of a query have.
    fn rows(&self, segment: Option<&'a SqlSegment>) -> Vec<ColumnSource<'a>> {
        let mut found = Vec::new();
        let mut waiting: Vec<(Option<&'a SqlSegment>, Option<&'a Name>)> = vec![(segment, None)];
        while let Some((segment, alias)) = waiting.pop() {
            match segment {
                None => found.push(ColumnSource { alias, columns: Columns::Entity(self.known.root) }),
                Some(SqlSegment::Table(table)) => {
                    let alias = alias.or(table.alias.as_ref());
                    found.push(ColumnSource { alias, columns: Columns::Entity(self.known.entity(&table.entity)) });
                }
                Some(SqlSegment::From(from)) => {
                    waiting.extend(from.joins.iter().rev().map(|join| (Some(&join.source), alias)));
                    waiting.push((Some(&from.source), alias));
                }
                Some(SqlSegment::Select(select)) => {
                    let alias = alias.or(select.alias.as_ref());
                    if select.selects.is_empty() {
                        waiting.push((select.source.as_ref(), alias));
                    } else {
                        found.push(ColumnSource { alias, columns: columns(select) });
                    }
                }
                Some(SqlSegment::CommonTable(table)) => {
                    let columns = self.definition(table).map_or_else(|| Columns::Listed(Rc::default()), columns);
                    found.push(ColumnSource { alias: alias.or(Some(&table.alias)), columns });
                }
                Some(clause) => waiting.push((source_of(clause), alias)),
            }
        }
        found
    }

    /// A select without a list gives every property.
    fn check_all(&mut self, sources: &[ColumnSource<'a>], rows: RowsUse) -> Result<(), Broken> {
        for source in sources {
            let Some(entity) = source.entity() else { continue };
            // What the rows of the root give is the caller's to say, as it is without any select.
            if rows == RowsUse::Given && entity == self.known.root {
                continue;
            }
            if !*self.given.entry(entity).or_insert_with(|| self.known.permits_all(entity)) {
                return Err((PolicyRule::SelectAll, format!("a select from {} needs a select list", quoted(entity))));
            }
        }
        Ok(())
    }

    /// Looks a property up; each one that it may mean must be allowed.
    ///
    /// Of one that is hidden the message says what it would if it were not there: where it was found is not told.
    fn property(&self, property: &PropertyExpr, scope: Option<usize>) -> Result<(), Broken> {
        let PropertyExpr { alias, name } = property;
        let rule = match (self.found(property, scope), alias) {
            (Ok(Meaning::NoAlias) | Err(Hidden::Alias), Some(alias)) => {
                return Err((PolicyRule::UnknownAlias, format!("nothing here is called {}", quoted(alias))));
            }
            (Ok(Meaning::Allowed), _) => return Ok(()),
            (Ok(Meaning::Nothing | Meaning::NoAlias), _) => PolicyRule::UnknownProperty,
            (Err(_), _) => PolicyRule::HiddenProperty,
        };
        let place = alias.as_deref().or_else(|| self.nearest(scope));
        let place = place.map_or_else(String::new, |place| format!(" on {}", quoted(place)));
        Err((rule, format!("{} is not available{place}", quoted(name))))
    }

    fn found(&self, property: &PropertyExpr, scope: Option<usize>) -> Result<Meaning, Hidden> {
        let PropertyExpr { alias, name } = property;
        let (mut found, mut alias_found, mut next) = (false, alias.is_none(), scope);
        while let Some(level) = next.and_then(|level| self.levels.get(level)) {
            let mut sure = false;
            level.sources.try_each(alias.as_deref(), |place, source| {
                alias_found = true;
                let has = self.has(source, name)?;
                *(if place < level.sure { &mut sure } else { &mut found }) |= has;
                Ok(())
            })?;
            found |= sure || alias.is_none() && level.labels.find(name.as_str()).is_some();
            if let Some(alias) = alias {
                level.sources.try_each(None, |_, source| {
                    if let Some(joined) = self.joined(source, alias, name)? {
                        alias_found = true;
                        found |= joined;
                    }
                    Ok(())
                })?;
            } else if sure && level.certain {
                return Ok(Meaning::Allowed);
            }
            next = level.outer;
        }
        Ok(match alias {
            _ if found => Meaning::Allowed,
            Some(_) if !alias_found => Meaning::NoAlias,
            _ => Meaning::Nothing,
        })
    }

    /// An EXISTS along the relations between an entity and those around it, each of which may be the one that is meant.
    fn related(&self, node: &ForeignExpr, scope: Option<usize>) -> Result<(), Broken> {
        let level = scope.and_then(|level| self.levels.get(level)).filter(|_| node.auto_related);
        let Some(level) = level else { return Ok(()) };
        let target = self.known.entity(&node.entity);
        level.sources.try_each(None, |place, source| {
            let relations = source.entity().and_then(|entity| self.known.schema.relations(entity, target));
            let Some(relations) = relations else { return Ok(()) };
            // Of a main table without any the compiler would tell which entities lie between.
            let any = place > 0 || !relations.is_empty();
            if any && relations.iter().all(|relation| self.known.follows(relation)) {
                return Ok(());
            }
            Err((PolicyRule::Relation, format!("no relation to {} is available", quoted(&node.entity))))
        })
    }

    /// Whether a table that the source declares a join to has a property of that name, where that join has that alias.
    ///
    /// The compiler takes a declared join before anything further out: one that may not be followed ends the search, with the
    /// message of an alias that is not there.
    fn joined(&self, source: &ColumnSource<'a>, alias: &Name, name: &Name) -> Result<Option<bool>, Hidden> {
        let Some(entity) = source.entity() else { return Ok(None) };
        let known = self.known;
        let Some(path) = known.schema.joined(entity, alias) else { return Ok(None) };
        let target = path.first().map(|join| &join.target).filter(|target| known.allows(target));
        let Some(target) = target.filter(|_| path.iter().all(|join| known.leads_on(join) && known.follows(join)))
        else {
            return Err(Hidden::Alias);
        };
        self.entity_has(target, name).map(Some)
    }

    /// Whether the source has a column of that name.
    fn has(&self, source: &ColumnSource<'a>, name: &Name) -> Result<bool, Hidden> {
        match &source.columns {
            Columns::Listed(columns) => Ok(columns.find(name.as_str()).is_some()),
            Columns::Entity(entity) => self.entity_has(entity, name),
        }
    }

    fn entity_has(&self, entity: &Name, name: &Name) -> Result<bool, Hidden> {
        match self.known.property(entity, name) {
            None => Ok(false),
            Some(true) => Ok(true),
            Some(false) => Err(Hidden::Property),
        }
    }

    /// The entity that a message about an unknown property names.
    fn nearest(&self, scope: Option<usize>) -> Option<&'a Name> {
        let level = self.levels.get(scope?)?;
        level.sources.list().iter().take(level.sure).find_map(ColumnSource::entity)
    }
}

/// What a name means.
enum Meaning {
    Allowed,
    /// Nothing here has that alias.
    NoAlias,
    Nothing,
}

/// It means, or may mean, what may not be named.
enum Hidden {
    Property,
    /// A join that may not be followed.
    Alias,
}

/// The names of a select list's columns.
fn columns(select: &SelectExpr) -> Columns<'_> {
    Columns::Listed(Rc::new(listed::Names::of(select.selects.iter().map(|item| label(item).map(Name::as_str)))))
}

/// What a select list calls an item, if others can name it.
pub(super) fn label(item: &SelectItemExpr) -> Option<&Name> {
    match (&item.alias, &item.value) {
        (Some(alias), _) => Some(alias),
        (None, ValueTypeExpr::Property(property)) => Some(&property.name),
        _ => None,
    }
}

/// Whether resolving finds the columns of a query's sources by their names: no derived table stands between, which may
/// have fewer of them.
fn is_certain(mut segment: Option<&SqlSegment>) -> bool {
    while let Some(clause @ SqlSegment::OrderBy(_)) = segment {
        segment = source_of(clause);
    }
    // A filter of what is ordered is one of a derived table.
    while let Some(clause @ SqlSegment::Where(_)) = segment {
        segment = source_of(clause);
    }
    match segment {
        None | Some(SqlSegment::Table(_) | SqlSegment::CommonTable(_)) => true,
        Some(SqlSegment::From(from)) => are_certain(from),
        // The columns of a list keep their names, whatever they come through.
        Some(SqlSegment::Select(select)) => !select.selects.is_empty(),
        Some(_) => false,
    }
}

fn are_certain(from: &FromExpr) -> bool {
    let is = |segment: &SqlSegment| match segment {
        SqlSegment::Table(_) | SqlSegment::CommonTable(_) | SqlSegment::Select(_) => is_certain(Some(segment)),
        _ => false,
    };
    is(&from.source) && from.joins.iter().all(|join| is(&join.source))
}

/// A cursor is compared with the keys of an order. Without one these would be columns that nobody has named.
fn check_cursor(section: &SectionExpr) -> Result<(), Broken> {
    let named = |order: &OrderByExpr| {
        let mut walk = order.order_by.iter().flat_map(|key| Walk::new(&key.field));
        walk.any(|visit| matches!(visit, Visit::Enter(ExprRef::Value(ValueTypeExpr::Property(_)))))
    };
    match &section.source {
        Some(SqlSegment::OrderBy(order)) if named(order) => Ok(()),
        _ => Err((PolicyRule::Cursor, "a cursor needs an order right before it, whose keys it follows".to_owned())),
    }
}

/// Whether the segment belongs to the query of the clause above it, as its own rows are that query's.
fn is_clause(segment: &SqlSegment) -> bool {
    !matches!(segment, SqlSegment::Select(_) | SqlSegment::CommonTable(_))
}

/// What a clause applies to.
fn source_of(clause: &SqlSegment) -> Option<&SqlSegment> {
    match clause {
        SqlSegment::Where(clause) => clause.source.as_ref(),
        SqlSegment::GroupBy(clause) => clause.source.as_ref(),
        SqlSegment::Having(clause) => clause.source.as_ref(),
        SqlSegment::OrderBy(clause) => clause.source.as_ref(),
        SqlSegment::Section(clause) => clause.source.as_ref(),
        SqlSegment::Lock(clause) => clause.source.as_ref(),
        SqlSegment::From(clause) => Some(&clause.source),
        SqlSegment::Select(clause) => clause.source.as_ref(),
        SqlSegment::Table(_) | SqlSegment::CommonTable(_) => None,
    }
}
