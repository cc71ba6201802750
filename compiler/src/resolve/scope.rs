//! Scopes: which tables a name may mean, innermost first.

use std::cell::Cell;

use crate::entity_texts::{EntityTexts, join_bits};
use crate::error::{ErrorKind, Result};
use crate::expr::{DbType, FilterOff, Name, PropertyExpr};
use crate::frame::{ColumnRef, Scalar, ScalarKind};
use crate::legalize::Cx;
use crate::model::{Column, Entity, EntityId, Property, TextMode};
use crate::names;

/// A source of rows in a scope.
pub(crate) struct Src<'a> {
    /// Its alias as names give it.
    pub(crate) alias: &'a str,
    /// Its alias as the text has it.
    pub(crate) quoted: &'a str,
    pub(crate) kind: SrcKind<'a>,
    /// The joins of an entity that some name needs, as a set of bits.
    pub(crate) used: Cell<u128>,
    /// Whether an outer join may give no row of it: each of its columns can be NULL then.
    pub(crate) missing: Cell<bool>,
    /// The named filters that it does without.
    pub(crate) off: &'a [FilterOff],
    /// The entity whose rows a derived table has, if they are whole.
    pub(crate) rows_of: Option<EntityId>,
    /// The columns of a derived table that tell its rows apart, if it is known.
    pub(crate) key: &'a [OutCol<'a>],
}

impl<'a> Src<'a> {
    /// A source of which nothing is used yet.
    pub(crate) fn new(alias: &'a str, quoted: &'a str, kind: SrcKind<'a>) -> Self {
        let (used, missing) = (Cell::new(0), Cell::new(false));
        Self { alias, quoted, kind, used, missing, off: &[], rows_of: None, key: &[] }
    }

    /// The entity whose rows it has.
    pub(super) fn entity(&self) -> Option<EntityId> {
        match self.kind {
            SrcKind::Entity { id, .. } => Some(id),
            SrcKind::Columns(_) => self.rows_of,
        }
    }

    /// Whether it is a table without an alias of the query's, and its entity has that name.
    fn goes_by(&self, name: &str) -> bool {
        let named = |entity: &Entity| names::same(entity.name.as_str(), name);
        matches!(self.kind, SrcKind::Entity { entity, .. } if named(entity)) && self.is_numbered()
    }

    /// Whether its alias is the compiler's.
    pub(super) fn is_numbered(&self) -> bool {
        names::is_reserved_alias(self.alias)
    }
}

/// What a source is.
pub(crate) enum SrcKind<'a> {
    /// An entity's table.
    Entity {
        id: EntityId,
        entity: &'a Entity,
        texts: &'a EntityTexts,
        style: Style<'a>,
        /// The arguments of its table's name.
        args: &'a [compact_str::CompactString],
        /// The quoted aliases of its joins where they are not their names: empty until one is used.
        joins: &'a [Cell<&'a str>],
    },
    /// A derived table or a common table expression.
    Columns(&'a [OutCol<'a>]),
}

/// How an entity's columns are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style<'a> {
    /// It is the main table under the alias that texts were made for.
    Main,
    /// Behind its alias.
    Alias,
    /// Without a qualifier; from inside of a subquery, behind the table's name.
    Bare(&'a str),
}

/// A column of a derived table.
#[derive(Clone, Copy)]
pub(crate) struct OutCol<'a> {
    pub(crate) name: &'a str,
    pub(crate) quoted: &'a str,
    pub(crate) ty: Option<DbType>,
    pub(crate) nullable: bool,
    pub(crate) column: Option<&'a Column>,
    /// See [`Scalar::text`].
    pub(crate) text: Option<TextMode>,
}

impl<'a> OutCol<'a> {
    /// The column as the name of an item.
    pub(crate) fn by_name<'e>(&self, cx: &Cx<'a, 'e>) -> Scalar<'a, 'e> {
        self.named(cx.bare(self.quoted))
    }

    /// The column as the text has it.
    pub(crate) fn named<'e>(&self, name: &'a ColumnRef<'a>) -> Scalar<'a, 'e> {
        let Self { ty, nullable, column, text, .. } = *self;
        Scalar { kind: ScalarKind::Column(name), ty, nullable, column, text }
    }
}

/// The sources that names may mean, and the scope around them.
pub(crate) struct NameScope<'s, 'a> {
    pub(crate) sources: &'s [Src<'a>],
    pub(crate) parent: Option<&'s NameScope<'s, 'a>>,
    /// The names of the conflict clause of an INSERT: the proposed row's columns.
    pub(crate) proposed: Option<&'s Src<'a>>,
    /// The select list whose names come before those of the sources, by its place among the resolver's.
    pub(crate) list: Option<usize>,
}

impl<'s, 'a> NameScope<'s, 'a> {
    pub(crate) fn of(sources: &'s [Src<'a>], parent: Option<&'s NameScope<'s, 'a>>) -> Self {
        Self { sources, parent, proposed: None, list: None }
    }

    /// The main entity of the scope, if it is one.
    pub(crate) fn main(&self) -> Option<(EntityId, &'a Entity, &Src<'a>)> {
        let source = self.sources.first()?;
        match source.kind {
            SrcKind::Entity { id, entity, .. } => Some((id, entity, source)),
            SrcKind::Columns(_) => None,
        }
    }
}

/// The column that a property means: mostly one of the innermost scope's main source.
#[inline]
pub(crate) fn property<'a, 'e>(
    cx: &Cx<'a, 'e>,
    scope: &NameScope<'_, 'a>,
    property: &PropertyExpr,
) -> Result<Scalar<'a, 'e>> {
    let name = &property.name;
    match (&property.alias, scope.sources.first()) {
        (Some(alias), _) => qualified_name(cx, scope, alias.as_str(), name),
        (None, None) => bare_name(cx, scope, name),
        (None, Some(main)) => match column_in(cx, main, name.as_str(), false) {
            Some(found) => of_source(cx, main, name, found),
            None => bare_name(cx, scope, name),
        },
    }
}

/// Checks a column that was found in a source: where the program has named the column of an entity, it is of that one.
#[inline]
fn of_source<'a, 'e>(cx: &Cx<'a, 'e>, source: &Src<'a>, name: &Name, found: Scalar<'a, 'e>) -> Result<Scalar<'a, 'e>> {
    match (name.entity(), source.entity()) {
        (Some(_), Some(id)) => of_entity(cx, id, name).map(|()| found),
        _ => Ok(found),
    }
}

/// Checks a name that an item of a select list has: where the item is a column under its own name, it is the column that was
/// named.
#[inline]
pub(super) fn of_item<'a, 'e>(
    cx: &Cx<'a, 'e>,
    scope: &NameScope<'_, 'a>,
    name: &PropertyExpr,
    item: &Scalar<'a, 'e>,
) -> Result<()> {
    let is_column = |column: &Column| matches!(item.kind, ScalarKind::Column(_)) && column.name == name.name;
    if name.name.entity().is_none() || !item.column.is_some_and(is_column) {
        return Ok(());
    }
    match property(cx, scope, name) {
        Err(error) if matches!(error.kind(), ErrorKind::OtherEntity { .. }) => Err(error),
        _ => Ok(()),
    }
}

/// Checks that the column of an entity, where the program has named one, is of that entity.
#[inline]
pub(super) fn of_entity(cx: &Cx<'_, '_>, id: EntityId, name: &Name) -> Result<()> {
    match name.entity() {
        Some(of) if cx.target.catalog().get(id).name != *of => of_table(cx, id, of, name),
        _ => Ok(()),
    }
}

/// Checks that an entity, which has another name, is of one table with the entity whose column is named, as a view is.
#[inline(never)]
fn of_table(cx: &Cx<'_, '_>, id: EntityId, of: &str, name: &Name) -> Result<()> {
    let catalog = cx.target.catalog();
    let entity = catalog.get(id);
    if entity.lineage.iter().any(|id| catalog.get(*id).name == *of) {
        return Ok(());
    }
    let (other, found) = super::source::entity(cx.target, of)?;
    if catalog.may_be_over(id, other) && entity.data_source == found.data_source {
        return Ok(());
    }
    let (property, table) = (name.to_string(), entity.name.to_string());
    Err(ErrorKind::OtherEntity { property, entity: of.to_owned(), table }.into())
}

/// A name without an alias, of any source in scope.
#[inline(never)]
fn bare_name<'a, 'e>(cx: &Cx<'a, 'e>, scope: &NameScope<'_, 'a>, name: &Name) -> Result<Scalar<'a, 'e>> {
    let mut next = Some(scope);
    let mut nested = false;
    while let Some(scope) = next {
        if let Some((main, others)) = scope.sources.split_first() {
            if let Some(found) = column_in(cx, main, name.as_str(), nested) {
                return of_source(cx, main, name, found);
            }
            let mut hits = others.iter().filter_map(|s| column_in(cx, s, name.as_str(), nested).map(|c| (s, c)));
            if let Some((source, found)) = hits.next() {
                return match hits.next() {
                    None => of_source(cx, source, name, found),
                    Some((other, _)) => Err(ErrorKind::Ambiguous {
                        name: name.to_string(),
                        first: format!("`{}`", source.alias),
                        second: format!("`{}`", other.alias),
                    }
                    .into()),
                };
            }
        }
        nested = true;
        next = scope.parent;
    }
    Err(unknown_property(scope, name.as_str()))
}

/// A name behind an alias. In each scope, from the innermost on, it means a source of that alias, then a joined
/// table of that name that has no alias, then a join that an entity declares, then the main table.
fn qualified_name<'a, 'e>(
    cx: &Cx<'a, 'e>,
    scope: &NameScope<'_, 'a>,
    alias: &str,
    name: &Name,
) -> Result<Scalar<'a, 'e>> {
    let mut next = Some(scope);
    let mut nested = false;
    while let Some(inner) = next {
        if let Some(proposed) = inner.proposed
            && alias.eq_ignore_ascii_case("excluded")
        {
            // The spelling is a function, such as VALUES(a), which engines accept in an assignment only.
            if nested && proposed.quoted.is_empty() {
                let reason = "a subquery cannot read it there: compare with the column that the row is given, or upsert row by row";
                return Err(cx.target.refused("`excluded` in a subquery of an upsert", reason));
            }
            return own_column(cx, proposed, name, false);
        }
        for source in inner.sources {
            if names::same(source.alias, alias) {
                return own_column(cx, source, name, nested);
            }
        }
        if let Some(source) = joined_of(inner, alias)? {
            return own_column(cx, source, name, nested);
        }
        for source in inner.sources {
            if let Some(found) = column_of_join(cx, source, alias, name)? {
                not_around(inner, source, alias)?;
                return Ok(found);
            }
        }
        if let Some(main) = inner.sources.first().filter(|main| main.goes_by(alias)) {
            return own_column(cx, main, name, nested);
        }
        nested = true;
        next = inner.parent;
    }
    let mut known = Vec::new();
    let mut next = Some(scope);
    while let Some(inner) = next {
        for source in inner.sources {
            known.push(source.alias);
            if let SrcKind::Entity { entity, .. } = source.kind {
                known.extend(entity.joins.iter().map(|join| join.alias.as_str()));
            }
        }
        next = inner.parent;
    }
    let near = names::nearest(alias, known.into_iter()).map(str::to_owned);
    Err(ErrorKind::UnknownAlias { alias: alias.to_owned(), near }.into())
}

/// The column that a source has under that name, as its alias says.
fn own_column<'a, 'e>(cx: &Cx<'a, 'e>, source: &Src<'a>, name: &Name, nested: bool) -> Result<Scalar<'a, 'e>> {
    match column_in(cx, source, name.as_str(), nested) {
        Some(found) => of_source(cx, source, name, found),
        None => Err(unknown_in(source, name.as_str())),
    }
}

/// A column of a join that a view declares, under the join's name.
fn column_of_join<'a, 'e>(
    cx: &Cx<'a, 'e>,
    source: &Src<'a>,
    alias: &str,
    name: &Name,
) -> Result<Option<Scalar<'a, 'e>>> {
    let SrcKind::Entity { entity, .. } = source.kind else { return Ok(None) };
    let Some(index) = entity.joins.iter().position(|join| join.alias == *alias) else { return Ok(None) };
    // A further relation may have taken the name from the other join. Which one that is may be hidden from a client.
    if entity.joins.iter().enumerate().any(|(other, join)| other != index && join.wish == *alias) {
        let why = "two joins would have it: give the relation an alias of its own, and name that one".to_owned();
        return Err(ErrorKind::BadName { name: alias.to_owned(), why }.into());
    }
    let (Some(join), Some(quoted)) = (entity.joins.get(index), join_alias(cx, source, index)) else {
        return Ok(None);
    };
    let target = cx.target.catalog().get(join.target);
    let Some((_, column)) = target.column(name.as_str()) else {
        return Err(ErrorKind::UnknownProperty {
            property: name.to_string(),
            owner: format!("entity `{}`", target.name),
            near: target.near_matches(name.as_str()).first().map(|n| (*n).to_owned()),
        }
        .into());
    };
    of_entity(cx, join.target, name)?;
    source.used.set(source.used.get() | join_bits(entity, index));
    let text = cx.dotted(quoted, cx.quoted(&[column.column.as_str()]));
    Ok(Some(Scalar {
        kind: ScalarKind::Column(text),
        ty: Some(column.ty),
        nullable: true,
        column: Some(column),
        text: None,
    }))
}

/// The column of that name in a source.
// Not in a debug build, where it would take room in the frames of the recursion around it.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn column_in<'a, 'e>(cx: &Cx<'a, 'e>, source: &Src<'a>, name: &str, nested: bool) -> Option<Scalar<'a, 'e>> {
    match source.kind {
        SrcKind::Entity { entity, .. } => entity_column(cx, source, entity.property(name)?, nested),
        SrcKind::Columns(columns) => derived_column(cx, source, columns, name),
    }
}

/// The column of that name in a derived table.
#[inline(never)]
fn derived_column<'a, 'e>(
    cx: &Cx<'a, 'e>,
    source: &Src<'a>,
    columns: &'a [OutCol<'a>],
    name: &str,
) -> Option<Scalar<'a, 'e>> {
    find_column(cx, columns, name).map(|found| held(cx, source, found))
}

/// The column of that name.
pub(crate) fn find_column<'a, 'e>(cx: &Cx<'a, 'e>, columns: &'a [OutCol<'a>], name: &str) -> Option<&'a OutCol<'a>> {
    columns.get(cx.wide.find(columns, |column| column.name, name)?)
}

/// A column of a derived table as a value.
pub(crate) fn held<'a, 'e>(cx: &Cx<'a, 'e>, source: &Src<'a>, found: &OutCol<'a>) -> Scalar<'a, 'e> {
    let value = found.named(cx.dotted(source.quoted, found.quoted));
    Scalar { nullable: value.nullable || source.missing.get(), ..value }
}

/// A column of an entity in a scope.
#[inline(always)]
pub(crate) fn entity_column<'a, 'e>(
    cx: &Cx<'a, 'e>,
    source: &Src<'a>,
    property: Property,
    nested: bool,
) -> Option<Scalar<'a, 'e>> {
    let SrcKind::Entity { entity, texts, style, .. } = source.kind else { return None };
    match property {
        Property::Column(index) => {
            let (column, text) = (entity.columns.get(index)?, texts.columns.get(index)?);
            let kind = ScalarKind::Column(match style {
                Style::Main => &text.main,
                Style::Alias => cx.dotted(source.quoted, text.bare.text()),
                Style::Bare(_) if !nested => &text.bare,
                Style::Bare(table) => {
                    cx.correlated.set(true);
                    cx.dotted(table, text.bare.text())
                }
            });
            let nullable = column.nullable || source.missing.get();
            Some(Scalar { kind, ty: Some(column.ty), nullable, column: Some(column), text: None })
        }
        Property::Foreign(index) => {
            let (foreign, text) = (entity.foreign_columns.get(index)?, texts.foreign.get(index)?);
            let column = cx.target.catalog().foreign(foreign)?;
            source.used.set(source.used.get() | join_bits(entity, foreign.join));
            let kind = ScalarKind::Column(match style {
                Style::Main => &text.main,
                _ => cx.dotted(join_alias(cx, source, foreign.join)?, text.bare.text()),
            });
            // The row of an outer join may be missing.
            Some(Scalar { kind, ty: Some(column.ty), nullable: true, column: Some(column), text: None })
        }
    }
}

/// The quoted alias of a join that an entity declares: its name at the root, where nothing else has it.
pub(crate) fn join_alias<'a, 'e>(cx: &Cx<'a, 'e>, source: &Src<'a>, index: usize) -> Option<&'a str> {
    let SrcKind::Entity { texts, style, joins, .. } = source.kind else { return None };
    if style != Style::Alias {
        return texts.joins.get(index).map(|name| &**name);
    }
    let alias = joins.get(index)?;
    if alias.get().is_empty() {
        alias.set(cx.next_alias());
    }
    Some(alias.get())
}

fn unknown_property(scope: &NameScope<'_, '_>, name: &str) -> crate::Error {
    match scope.sources.first() {
        Some(source) => unknown_in(source, name),
        None => ErrorKind::UnknownProperty {
            property: name.to_owned(),
            owner: "nothing: the query has no source".to_owned(),
            near: None,
        }
        .into(),
    }
}

/// The table that a query joins without an alias, by its entity's name.
fn joined_of<'s, 'a>(scope: &NameScope<'s, 'a>, name: &str) -> Result<Option<&'s Src<'a>>> {
    let mut named = scope.sources.iter().skip(1).filter(|source| source.goes_by(name));
    let first = named.next();
    match (first, named.next()) {
        (Some(first), Some(second)) => Err(ErrorKind::Ambiguous {
            name: name.to_owned(),
            first: format!("`{}`", first.alias),
            second: format!("`{}`", second.alias),
        }
        .into()),
        _ => Ok(first),
    }
}

/// A join that an entity declares is not taken for a table that the query itself has given the same alias further out.
fn not_around(scope: &NameScope<'_, '_>, source: &Src<'_>, alias: &str) -> Result<()> {
    let mut next = scope.parent;
    while let Some(outer) = next {
        if outer.sources.iter().any(|other| names::same(other.alias, alias)) {
            return Err(ErrorKind::Ambiguous {
                name: alias.to_owned(),
                first: format!("a join of `{}`", source.alias),
                second: format!("the table `{alias}` around it"),
            }
            .into());
        }
        next = outer.parent;
    }
    Ok(())
}

/// The error for a name that a source does not have.
pub(crate) fn unknown_in(source: &Src<'_>, name: &str) -> crate::Error {
    let (owner, near) = match source.kind {
        SrcKind::Entity { entity, .. } => {
            (format!("entity `{}`", entity.name), entity.near_matches(name).first().map(|n| (*n).to_owned()))
        }
        SrcKind::Columns(columns) => {
            (format!("`{}`", source.alias), names::nearest(name, columns.iter().map(|c| c.name)).map(str::to_owned))
        }
    };
    ErrorKind::UnknownProperty { property: name.to_owned(), owner, near }.into()
}
