//! Tables and joins.

use std::borrow::Cow;
use std::cell::Cell;

use compact_str::CompactString;

use crate::compiler::Request;
use crate::dialect::{Proposed, UpsertNames};
use crate::entity_texts::{EntityTexts, MAIN, MainTexts, join_bit, join_bits};
use crate::error::{At, ErrorKind, Result};
use crate::expr::{Name, SqlSegment, TableExpr, TableJoinExpr, TableJoinType};
use crate::frame::{BuiltJoin, CompareOp, Items, Join, Pred, Query, Select, Source, ViewJoins};
use crate::legalize::{Cx, compare, exact, logic, query};
use crate::model::{Entity, EntityId};
use crate::names;
use crate::render::{Prec, Writer};
use crate::target::{Target, Texts};

use super::scope::{NameScope, Src, SrcKind, Style};
use super::{Context, Place, Resolver, chain, scope};

/// The entity of that name.
pub(crate) fn entity<'t>(target: &'t Target, name: &str) -> Result<(EntityId, &'t Entity)> {
    target.catalog().entity(name).ok_or_else(|| {
        let near = target.catalog().near_matches(name).first().map(|n| (*n).to_owned());
        ErrorKind::UnknownEntity { name: name.chars().take(80).collect(), near }.into()
    })
}

/// The parts of a table's name, with the arguments of a sharded one in their places.
pub(crate) fn table_parts<'t>(
    target: &Target,
    entity: &'t Entity,
    args: &[CompactString],
) -> Result<Cow<'t, [CompactString]>> {
    let parts = entity.table.expand(args).map_err(|error| {
        crate::Error::from(ErrorKind::Shard { entity: entity.name.to_string(), why: error.to_string() })
    })?;
    let limits = target.dialect().sheet().limits;
    if let Some(name) = parts.iter().find(|part| limits.no_name(part, target.quotes()).is_some()) {
        return Err(bad_name(target, name));
    }
    let limit = limits.identifier;
    if let Some(long) = parts.iter().find(|part| limits.length_of(part) > limit) {
        let (name, length, dialect) = (long.to_string(), limits.length_of(long), target.dialect().label());
        return Err(ErrorKind::NameTooLong { name, length, limit, dialect }.into());
    }
    Ok(parts)
}

/// An error for a name that the engine has no way to write.
pub(crate) fn bad_name(target: &Target, name: &str) -> crate::Error {
    let why = target.dialect().sheet().limits.no_name(name, target.quotes()).unwrap_or_default();
    let why = format!("{why}, on {}", target.dialect().label());
    ErrorKind::BadName { name: name.chars().take(80).collect(), why }.into()
}

/// An error for arguments that have no place in the name of a table.
pub(crate) fn too_many_args(entity: &Entity, places: usize, given: usize) -> crate::Error {
    let why = match places {
        0 => format!("it is not sharded, and takes no table arguments, got {given}"),
        _ => format!("it takes {places} table argument(s), got {given}"),
    };
    ErrorKind::Shard { entity: entity.name.to_string(), why }.into()
}

fn no_texts(entity: &Entity) -> crate::Error {
    ErrorKind::UnknownEntity { name: entity.name.to_string(), near: None }.into()
}

impl<'a, 'e> Resolver<'_, '_, 'a, 'e> {
    /// A table as the main source of a query.
    pub(crate) fn main_table(
        &mut self,
        id: EntityId,
        table: Option<&'e TableExpr>,
        nested: bool,
        parent: Option<&NameScope<'_, 'a>>,
    ) -> Result<(Src<'a>, Source<'a, 'e>)> {
        let plain = !nested && self.cx.aliases.get() == 0 && table.is_none_or(|t| t.alias.is_none());
        if plain {
            self.cx.main_is_taken();
            let (entity, texts) = self.texts(id)?;
            let args = self.args_or(entity, table.map(|t| &*t.table_args))?;
            let name = self.table_name(entity, texts, args)?;
            let quoted = self.cx.target.main_alias();
            let kind = SrcKind::Entity { id, entity, texts, style: Style::Main, args, joins: &[] };
            let off = table.map_or(&[][..], |table| &table.filters_off);
            let source = Src { off, ..Src::new(MAIN, quoted, kind) };
            return Ok((source, Source::Table { name, alias: Some(quoted) }));
        }
        let (alias, quoted) = self.table_alias(table.and_then(|t| t.alias.as_ref()), parent)?;
        let (mut source, from) = self.aliased_table(id, table.map(|t| &*t.table_args), alias, quoted)?;
        source.off = table.map_or(&[], |table| &table.filters_off);
        Ok((source, from))
    }

    /// A table under an alias.
    pub(crate) fn aliased_table(
        &mut self,
        id: EntityId,
        table_args: Option<&'e [CompactString]>,
        alias: &'a str,
        quoted: &'a str,
    ) -> Result<(Src<'a>, Source<'a, 'e>)> {
        self.reads(id);
        let (entity, texts) = self.texts(id)?;
        let args = self.args_or(entity, table_args)?;
        let name = self.table_name(entity, texts, args)?;
        let joins = self.cx.bump.alloc_slice_fill_with(entity.joins.len(), |_| Cell::new(""));
        let kind = SrcKind::Entity { id, entity, texts, style: Style::Alias, args, joins };
        Ok((Src::new(alias, quoted, kind), Source::Table { name, alias: Some(quoted) }))
    }

    /// An alias of the user's, or the next one: as names give it, and as the text has it.
    pub(crate) fn table_alias(
        &mut self,
        alias: Option<&Name>,
        around: Option<&NameScope<'_, 'a>>,
    ) -> Result<(&'a str, &'a str)> {
        let Some(alias) = alias else {
            let quoted = self.cx.next_alias();
            return Ok((unquoted(quoted), quoted));
        };
        let quoted = self.cx.alias(alias.as_str())?;
        let name = unquoted(quoted);
        Ok((name, if self.is_taken(name, around) { self.cx.next_alias() } else { quoted }))
    }

    /// Whether the engine's upsert has a row of that name.
    fn is_upserts(&self, alias: &str) -> bool {
        let UpsertNames { proposed, existing } = self.cx.target.dialect().upsert_names(self.written_name);
        let proposed = if let Proposed::Qualifier(name) = proposed { Some(name) } else { None };
        // A name that is a word of SQL has no quotes.
        let plain = |name: &'static str| if name.starts_with(char::is_alphanumeric) { name } else { unquoted(name) };
        proposed.into_iter().chain(existing).any(|name| names::same(plain(name), alias))
    }

    /// Whether the text has an alias for another table that can be seen from here. Used again it would capture what
    /// the tree says of that one, so the text gets another; names mean what they say, the innermost table first.
    pub(super) fn is_taken(&self, alias: &str, around: Option<&NameScope<'_, 'a>>) -> bool {
        if names::is_reserved_alias(alias) || self.written.is_some() && self.is_upserts(alias) {
            return true;
        }
        let has = |source: &Src<'a>| {
            let joined = |entity: &Entity| entity.joins.iter().any(|join| names::same(join.alias.as_str(), alias));
            names::same(unquoted(source.quoted), alias)
                || match source.kind {
                    SrcKind::Entity { entity, args, style: Style::Bare(_), .. } => {
                        let parts = entity.table.expand(args);
                        parts.is_ok_and(|parts| parts.last().is_some_and(|last| names::same(last, alias)))
                    }
                    SrcKind::Entity { entity, style: Style::Main, .. } => joined(entity),
                    _ => false,
                }
        };
        let mut next = around;
        while let Some(scope) = next {
            if scope.sources.iter().any(has) {
                return true;
            }
            next = scope.parent;
        }
        false
    }

    /// Notes that a subquery looks at the table that is written.
    fn reads(&mut self, id: EntityId) {
        let catalog = self.cx.target.catalog();
        if self.written.is_some_and(|written| catalog.table_of(written) == catalog.table_of(id)) {
            self.reads_written = true;
        }
    }

    /// An entity with its texts. It is in the data source of the others of the statement, or refused.
    pub(crate) fn texts(&self, id: EntityId) -> Result<(&'a Entity, &'a EntityTexts)> {
        let target = self.cx.target;
        let entity = target.catalog().get(id);
        if target.catalog().has_several_sources() {
            self.in_source(id, entity)?;
        }
        let texts = target.entity_texts(id).ok_or_else(|| no_texts(entity))?;
        match &texts.bad_name {
            Some(name) => Err(bad_name(target, name)),
            None => Ok((entity, texts)),
        }
    }

    #[cold]
    fn in_source(&self, id: EntityId, entity: &Entity) -> Result<()> {
        let home = self.home.get().unwrap_or(id);
        self.home.set(Some(home));
        let first = self.cx.target.catalog().get(home);
        if home == id || self.cx.target.in_one_source(first, entity) {
            return Ok(());
        }
        let source = |entity: &Entity| entity.data_source.as_ref().map(ToString::to_string);
        let (beside, beside_source) = (first.name.to_string(), source(first));
        let (entity, data_source) = (entity.name.to_string(), source(entity));
        Err(ErrorKind::OtherSource { entity, data_source, beside, beside_source }.into())
    }

    /// The arguments for the name of an entity's table and of those that it joins: what the tree gives, else the
    /// request's, of which other tables may take more.
    pub(crate) fn args_or(
        &mut self,
        entity: &Entity,
        given: Option<&'e [CompactString]>,
    ) -> Result<&'a [CompactString]> {
        let (given, requested) = (given.unwrap_or_default(), self.request.table_args);
        if given.is_empty() && requested.is_empty() {
            return Ok(&[]);
        }
        let catalog = self.cx.target.catalog();
        let joined = entity.joins.iter().map(|join| catalog.get(join.target).table.args());
        let places = joined.fold(entity.table.args(), usize::max);
        if given.is_empty() {
            self.args_taken = self.args_taken.max(Some(places));
            return Ok(self.cx.bump.alloc_slice_clone(requested.get(..places).unwrap_or(requested)));
        }
        if given.len() > places {
            return Err(too_many_args(entity, places, given.len()));
        }
        Ok(self.cx.bump.alloc_slice_clone(given))
    }

    /// Refuses arguments of the request that no table of the statement has a place for.
    pub(crate) fn args_are_taken(&self) -> Result<()> {
        let given = self.request.table_args.len();
        match (self.args_taken, self.root) {
            (Some(taken), Some(root)) if taken < given => {
                Err(too_many_args(self.cx.target.catalog().get(root), taken, given))
            }
            (Some(taken), None) if taken < given => {
                let why = format!("no table of the statement takes more than {taken} table argument(s), got {given}");
                Err(ErrorKind::Shard { entity: "the request".into(), why }.into())
            }
            _ => Ok(()),
        }
    }

    /// The quoted name of a table.
    pub(crate) fn table_name(
        &mut self,
        entity: &Entity,
        texts: &'a EntityTexts,
        args: &[CompactString],
    ) -> Result<&'a str> {
        match &texts.table {
            Some(name) => Ok(name),
            None => {
                let parts = table_parts(self.cx.target, entity, args)?;
                let list: Vec<&str> = parts.iter().map(CompactString::as_str).collect();
                if let [name] = list.as_slice() {
                    self.ctes.free_of(name)?;
                }
                Ok(self.cx.quoted(&list))
            }
        }
    }

    /// The texts of an entity as a main table.
    pub(crate) fn whole(&self, id: EntityId) -> Result<&'a MainTexts> {
        let (entity, texts) = self.texts(id)?;
        if let Some(whole) = texts.whole.get() {
            return Ok(whole);
        }
        let made = make_whole(self.cx.target, id, entity, texts);
        Ok(texts.whole.get_or_init(|| made))
    }

    /// The joins of a source that its names need, in the order of the catalog, which the engine keeps if `in_order` is set.
    pub(crate) fn view_joins(
        &mut self,
        source: &Src<'a>,
        in_order: bool,
        joins: &mut bumpalo::collections::Vec<'a, Join<'a, 'e>>,
    ) -> Result<()> {
        let used = source.used.get();
        let SrcKind::Entity { id, entity, style, args, .. } = source.kind else { return Ok(()) };
        if used == 0 {
            return Ok(());
        }
        if self.written.is_some() {
            let used = entity.joins.iter().enumerate().filter(|(index, _)| used & join_bit(*index) != 0);
            used.for_each(|(_, join)| self.reads(join.target));
        }
        let whole = if style == Style::Main && args.is_empty() && !in_order { self.whole(id).ok() } else { None };
        // A text that was made in advance knows nothing of the request's scope.
        let scoped = self.request.scope.is_some();
        if let Some(whole) = whole
            && !scoped
            && used == whole.items_use
            && let Some(all) = &whole.all_joins
        {
            joins.push(Join::View(all));
            return Ok(());
        }
        for index in 0..entity.joins.len() {
            if used & join_bit(index) == 0 {
                continue;
            }
            let as_ever = match entity.joins.get(index) {
                Some(join) if scoped => self.scope_is_silent(join.target)?,
                _ => true,
            };
            match whole.filter(|_| as_ever).and_then(|w| w.joins.get(index)).and_then(Option::as_ref) {
                Some(text) => joins.push(Join::View(text)),
                None => {
                    let join = self.view_join(source, index, in_order)?;
                    joins.push(join);
                }
            }
        }
        Ok(())
    }

    /// One join of an entity, made for this statement.
    fn view_join(&mut self, source: &Src<'a>, index: usize, in_order: bool) -> Result<Join<'a, 'e>> {
        let SrcKind::Entity { entity, args, .. } = source.kind else {
            return Err(ErrorKind::Misplaced { what: "a join".into(), why: "only an entity declares joins" }.into());
        };
        let (Some(join), Some(alias)) = (entity.joins.get(index), scope::join_alias(self.cx, source, index)) else {
            return Err(no_texts(entity));
        };
        let (target, texts) = self.texts(join.target)?;
        let name = self.table_name(target, texts, args)?;
        let kind = SrcKind::Entity { id: join.target, entity: target, texts, style: Style::Alias, args, joins: &[] };
        let inner = Src::new(unquoted(alias), alias, kind);
        let mut tests = self.cx.vec(join.keys.len() + 1);
        for (from, to) in &join.keys {
            let outer = match join.source {
                None => scope::entity_column(self.cx, source, crate::model::Property::Column(*from), false),
                Some(parent) => self.joined_column(source, parent, *from)?,
            };
            let own = scope::entity_column(self.cx, &inner, crate::model::Property::Column(*to), false);
            let (Some(outer), Some(own)) = (outer, own) else { return Err(no_texts(target)) };
            tests.push(compare::compare(self.cx, outer, CompareOp::Equal, own)?);
        }
        let mut source = Source::Table { name, alias: Some(alias) };
        let fixed = self.in_join(|r| r.fixed_pred(&inner))?;
        match fixed {
            Some(fixed) if keeps_joined(join.join_type) => source = self.filtered(source, fixed),
            Some(fixed) => tests.push(fixed),
            None => {}
        }
        let (kind, on) = match join.join_type {
            TableJoinType::Cross if tests.is_empty() => (TableJoinType::Cross, None),
            // What holds for the rows of its table makes a cross join an inner one.
            TableJoinType::Cross => (TableJoinType::Inner, Some(logic::all(self.cx, &tests))),
            kind => (kind, Some(logic::all(self.cx, &tests))),
        };
        let in_order = in_order && kind == TableJoinType::Inner;
        query::join(self.cx, BuiltJoin { kind, lateral: false, source, on, in_order })
    }

    /// A column of the table that a join of an entity joins.
    fn joined_column(
        &mut self,
        source: &Src<'a>,
        join: usize,
        column: usize,
    ) -> Result<Option<crate::frame::Scalar<'a, 'e>>> {
        let joined = self.joined_by(source, join)?;
        Ok(joined
            .and_then(|joined| scope::entity_column(self.cx, &joined, crate::model::Property::Column(column), false)))
    }

    /// The table that a join of an entity joins, as a source.
    pub(super) fn joined_by(&self, source: &Src<'a>, join: usize) -> Result<Option<Src<'a>>> {
        let SrcKind::Entity { entity, .. } = source.kind else { return Ok(None) };
        let (Some(join), Some(alias)) = (entity.joins.get(join), scope::join_alias(self.cx, source, join)) else {
            return Ok(None);
        };
        let (target, texts) = self.texts(join.target)?;
        let kind =
            SrcKind::Entity { id: join.target, entity: target, texts, style: Style::Alias, args: &[], joins: &[] };
        Ok(Some(Src::new(unquoted(alias), alias, kind)))
    }

    /// An explicit join.
    pub(crate) fn explicit_join(
        &mut self,
        building: &mut chain::Building<'a, 'e>,
        join: &'e TableJoinExpr,
        parent: Option<&NameScope<'_, 'a>>,
    ) -> Result<()> {
        let (source, from) = {
            let scope = NameScope::of(&building.sources, parent);
            let around = if join.lateral { Some(&scope) } else { parent };
            self.joined_source(&join.source, around, &scope).at("$join")?
        };
        if building.sources.iter().any(|s| s.alias.eq_ignore_ascii_case(source.alias)) {
            let why = "another table of the query has it already".to_owned();
            return Err(ErrorKind::BadName { name: source.alias.to_owned(), why }.into());
        }
        let fixed = self.in_join(|r| r.fixed_pred(&source))?;
        let (from, fixed) = match fixed {
            Some(fixed) if keeps_joined(join.join_type) => (self.filtered(from, fixed), None),
            fixed => (from, fixed),
        };
        if keeps_joined(join.join_type) {
            self.filter_before_join(building);
        }
        building.sources.push(source);
        let on = match &join.on {
            Some(on) => {
                let scope = NameScope::of(&building.sources, parent);
                let context = Context { place: Place::Rows, in_join: true, ..self.context() };
                Some(self.within(context, |r| r.logic(&scope, on)).at("On")?)
            }
            None => None,
        };
        if building.sources.last().is_some_and(|joined| joined.used.get() != 0) {
            let why = "the tables that it comes from are joined behind this condition: join a select of the view";
            return Err(ErrorKind::Misplaced { what: "a joined view's column from another table".into(), why }.into());
        }
        let on = match (on, fixed) {
            (Some(on), Some(fixed)) => Some(logic::all(self.cx, &[fixed, on])),
            (on, fixed) => on.or(fixed),
        };
        let mut kind = join.join_type;
        let on = match (kind, on) {
            (TableJoinType::Cross, Some(on)) => {
                // A condition on a cross join, or the fixed filter of its table, makes it an inner join.
                kind = TableJoinType::Inner;
                Some(on)
            }
            (TableJoinType::Cross, None) => None,
            (_, None) if !join.lateral => {
                return Err(ErrorKind::Misplaced { what: "a join".into(), why: "it needs a condition" }.into());
            }
            (_, None) => Some(Pred::Const(true)),
            (_, on) => on,
        };
        // A table has nothing in it that could look at the rows on its left.
        let lateral = join.lateral && matches!(from, Source::Derived { .. });
        let built = query::join(self.cx, BuiltJoin { kind, lateral, source: from, on, in_order: false })?;
        building.joins.push(built);
        // The rows that an outer join keeps of one side have none of the other beside them.
        if let Some((last, before)) = building.sources.split_last() {
            last.missing.set(matches!(kind, TableJoinType::Left | TableJoinType::Full));
            if keeps_joined(kind) {
                before.iter().for_each(|source| source.missing.set(true));
            }
        }
        Ok(())
    }

    /// A table without the rows that its fixed filter excludes, for a join that keeps rows whatever its condition is.
    ///
    /// ```sql
    /// -- before                              -- after
    /// a RIGHT JOIN b ON b.state = 1 AND p    a RIGHT JOIN (SELECT * FROM b WHERE b.state = 1) b ON p
    /// ```
    ///
    /// In the condition, the filter would let every row of `b` pass; in WHERE, it would remove the rows of `a` without
    /// a partner where `b` is on the other side.
    fn filtered(&mut self, from: Source<'a, 'e>, fixed: Pred<'a, 'e>) -> Source<'a, 'e> {
        let Source::Table { alias: Some(alias), .. } = from else { return from };
        Source::Derived { query: self.all_of(from, fixed), alias }
    }

    /// `SELECT * FROM table WHERE filter`
    pub(super) fn all_of(&mut self, table: Source<'a, 'e>, filter: Pred<'a, 'e>) -> &'a Query<'a, 'e> {
        query::select_query(
            self.cx,
            Select {
                distinct: false,
                distinct_on: &[],
                items: Items::Text("*"),
                from: Some(table),
                joins: &[],
                filter: Some(filter),
                group: &[],
                having: None,
            },
        )
    }

    /// Before a join that keeps every row of the joined table: the fixed filter of the main table goes to its table, as
    /// WHERE would remove the rows that have none of it.
    fn filter_before_join(&mut self, building: &mut chain::Building<'a, 'e>) {
        if building.filters.is_empty() {
            return;
        }
        if let Some(from @ Source::Table { alias: Some(_), .. }) = building.from {
            let fixed = logic::all(self.cx, &building.filters);
            building.filters.clear();
            building.from = Some(self.filtered(from, fixed));
        }
    }

    fn joined_source(
        &mut self,
        segment: &'e SqlSegment,
        parent: Option<&NameScope<'_, 'a>>,
        beside: &NameScope<'_, 'a>,
    ) -> Result<(Src<'a>, Source<'a, 'e>)> {
        match segment {
            SqlSegment::Table(table) => {
                let (id, _) = entity(self.cx.target, table.entity.as_str())?;
                let (alias, quoted) = self.table_alias(table.alias.as_ref(), Some(beside))?;
                let (mut source, from) = self.aliased_table(id, Some(&table.table_args), alias, quoted)?;
                source.off = &table.filters_off;
                Ok((source, from))
            }
            SqlSegment::CommonTable(cte) => Ok(self.cte_source(cte, Some(beside))?.0),
            other => self.derived_source(other, parent, Some(beside)),
        }
    }
}

impl SrcKind<'_> {
    pub(crate) fn copy(&self) -> Self {
        match *self {
            SrcKind::Columns(columns) => SrcKind::Columns(columns),
            SrcKind::Entity { id, entity, texts, style, args, joins } => {
                SrcKind::Entity { id, entity, texts, style, args, joins }
            }
        }
    }
}

/// A quoted alias of our own, without its quotes.
pub(crate) fn unquoted(quoted: &str) -> &str {
    let mut chars = quoted.chars();
    chars.next();
    chars.next_back();
    chars.as_str()
}

/// Whether a join keeps the rows of the joined table that have no partner.
pub(super) fn keeps_joined(kind: TableJoinType) -> bool {
    matches!(kind, TableJoinType::Right | TableJoinType::Full)
}

/// Makes the texts of an entity as a main table.
fn make_whole(target: &Target, id: EntityId, entity: &Entity, texts: &EntityTexts) -> MainTexts {
    let mut whole = MainTexts::default();
    let mut items = String::new();
    let mut add = |text: &str, rename: &Option<Box<str>>| {
        if !items.is_empty() {
            items.push_str(", ");
        }
        items.push_str(text);
        if let Some(name) = rename {
            items.push_str(" AS ");
            items.push_str(name);
        }
    };
    for (column, text) in entity.columns.iter().zip(&texts.columns) {
        if column.is_readable() {
            add(text.main.text(), &text.rename);
        }
    }
    for (column, text) in entity.foreign_columns.iter().zip(&texts.foreign) {
        add(text.main.text(), &text.rename);
        whole.items_use |= join_bits(entity, column.join);
    }
    whole.items = items.into();
    let bump = bumpalo::Bump::new();
    let mut cx = Cx::new(&bump, target, Vec::new());
    let request = Request::default();
    let mut resolver = Resolver::new(&mut cx, &request, None);
    resolver.home = Cell::new(Some(id));
    let render = |resolver: &Resolver<'_, '_, '_, '_>, write: &dyn Fn(&mut Writer<'_, '_>) -> Result<()>| {
        let mut writer = Writer::new(target, &resolver.cx.made, &resolver.cx.fragments);
        match write(&mut writer) {
            Ok(()) if writer.params.is_empty() => Some(Box::<str>::from(writer.sql)),
            _ => None,
        }
    };
    let source = |style| {
        let quoted = bump.alloc_str(&crate::entity_texts::quoted(target, &[MAIN]));
        Src::new(MAIN, quoted, SrcKind::Entity { id, entity, texts, style, args: &[], joins: &[] })
    };
    let main = source(Style::Main);
    if entity.fixed_filter.is_some() {
        if let Ok(Some(pred)) = resolver.model_filter(&main) {
            whole.fixed = render(&resolver, &|w| w.pred(&pred, Prec::And));
        }
        if let Ok(Some(pred)) = resolver.model_filter(&source(Style::Bare(""))) {
            whole.fixed_bare = render(&resolver, &|w| w.pred(&pred, Prec::And));
        }
    }
    for index in 0..entity.joins.len() {
        let made = match resolver.view_join(&main, index, false) {
            Ok(join @ Join::Built(_)) => {
                let joins = bump.alloc_slice_copy(&[join]);
                let joins =
                    if target.texts() == Texts::Plain { Ok(&*joins) } else { exact::exact_joins(resolver.cx, joins) };
                joins.ok().and_then(|joins| render(&resolver, &|w| joins.iter().try_for_each(|join| w.join(join))))
            }
            _ => None,
        };
        let (declared, alias) = (entity.joins.get(index), texts.joins.get(index));
        whole.joins.push(made.zip(declared).zip(alias).map(|((text, declared), alias)| ViewJoins {
            text,
            aliases: vec![alias.clone()],
            outer: !matches!(declared.join_type, TableJoinType::Inner | TableJoinType::Cross),
        }));
    }
    let needed = whole.joins.iter().enumerate().filter(|(index, _)| whole.items_use & join_bit(*index) != 0);
    let needed: Option<Vec<&ViewJoins>> = needed.map(|(_, join)| join.as_ref()).collect();
    whole.all_joins = needed.map(|joins| ViewJoins {
        text: joins.iter().map(|join| &*join.text).collect(),
        aliases: joins.iter().flat_map(|join| join.aliases.iter().cloned()).collect(),
        outer: joins.iter().any(|join| join.outer),
    });
    whole
}
