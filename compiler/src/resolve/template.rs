//! Templates of the program: tokens and holes.

mod in_scope;

use bumpalo::collections::Vec as BumpVec;

use crate::compiler::Verb;
use crate::dialect::Placeholder;
use crate::entity_texts::join_bits;
use crate::error::{At, ErrorKind, Result};
use crate::expr::{DbType, Expr, SelectItemExpr, SqlSegment, Value, ValueExpr};
use crate::frame::{Item, Items, Piece, Pred, ScalarKind, Source, Statement};
use crate::model::EntityId;
use crate::template::{ExprString, Hole, HoleKind, TemplatePart, TextProblem, Token, problem, scanner, unbracketed};

use super::chain::Use;
use super::scope::{NameScope, Src, SrcKind, Style};
use super::{Matters, Resolver, source};

/// The names of holes that the catalog fills.
const TOKENS: [&str; 4] = ["Table", "From", "AllFields", "FixedFilter"];

/// A template that is being put together.
struct Parts<'a, 'e> {
    template: &'e ExprString,
    /// The entity's table and its id, if there is one.
    main: Option<(EntityId, Src<'a>, Source<'a, 'e>)>,
    pieces: BumpVec<'a, Piece<'a, 'e>>,
    /// Where `{From}` stands: it is known last, as holes may need joins.
    froms: BumpVec<'a, usize>,
    /// Which names and arguments have been met.
    met: BumpVec<'a, bool>,
    met_args: BumpVec<'a, bool>,
    /// The next argument for `{}`.
    next: usize,
    /// Whether a hole for the entity has been met, and how many of `{Table}` and `{FixedFilter}`.
    tabled: bool,
    tables: usize,
    filters: usize,
}

impl<'a, 'e> Resolver<'_, '_, 'a, 'e> {
    /// A template.
    pub(crate) fn template(&mut self, template: &'e ExprString) -> Result<Statement<'a, 'e>> {
        if self.request.verb != Verb::Select {
            return Err(wrong("it is a statement of its own: write COUNT or EXISTS in its text".to_owned()));
        }
        let main = self.template_main(template)?;
        // Queries in holes are the program's: they may be over any entity.
        self.root_open = false;
        self.cx.main_is_taken();
        let mut parts = Parts {
            template,
            main,
            pieces: self.cx.vec(16),
            froms: self.cx.vec(1),
            met: self.cx.vec(template.named.len()),
            met_args: self.cx.vec(template.args.len()),
            next: 0,
            tabled: false,
            tables: 0,
            filters: 0,
        };
        parts.met.extend(template.named.iter().map(|_| false));
        parts.met_args.extend(template.args.iter().map(|_| false));
        if template.is_search() {
            if let (true, Some((_, main, _))) = (self.request.columns, &parts.main) {
                let mut columns = self.cx.vec(8);
                self.source_columns(main, &mut columns);
                self.result_columns(&columns);
            }
            self.template_text(&mut parts, "SELECT {AllFields} FROM {From} ", false)?;
        }
        for (index, part) in template.parts.iter().enumerate() {
            match part {
                TemplatePart::Text(text) => {
                    let last = index + 1 == template.parts.len();
                    self.template_text(&mut parts, text, last).map_err(|error| {
                        // A place is within its text.
                        if template.parts.len() > 1 { error.at_index(index) } else { error }
                    })?;
                }
                TemplatePart::Hole(hole) => {
                    let piece = self.hole(&parts, hole).at_index(index)?;
                    parts.pieces.push(piece);
                }
            }
        }
        let unmet = template.named.iter().zip(&parts.met).find(|(_, met)| !**met).map(|((name, _), _)| name.as_str());
        if let Some(name) = unmet {
            let why = if TOKENS.contains(&name) { "the catalog fills it" } else { "braces in a literal are text" };
            return Err(wrong(format!("it has no hole `{name}` to fill: {why}")));
        }
        if let Some(index) = parts.met_args.iter().position(|met| !met) {
            return Err(wrong(format!("it has no hole for argument {index}: braces in a literal are text")));
        }
        self.template_from(&mut parts)?;
        self.is_in_scope(&parts)?;
        Ok(Statement::Template(parts.pieces.into_bump_slice()))
    }

    /// The entity's table, as the main source of the scope.
    fn template_main(&mut self, template: &'e ExprString) -> Result<Option<(EntityId, Src<'a>, Source<'a, 'e>)>> {
        let id = match &template.entity {
            None => self.root,
            Some(name) => {
                let (id, entity) = source::entity(self.cx.target, name.as_str())?;
                let catalog = self.cx.target.catalog();
                if let Some(root) = self.root
                    && catalog.table_of(root) != catalog.table_of(id)
                {
                    let root = catalog.get(root).name.to_string();
                    return Err(ErrorKind::OtherRoot { root, entity: entity.name.to_string() }.into());
                }
                Some(id)
            }
        };
        let Some(id) = id else { return Ok(None) };
        let (src, from) = self.main_table(id, None, false, None)?;
        if !template.unqualified {
            return Ok(Some((id, src, from)));
        }
        let (SrcKind::Entity { entity, texts, args, joins, .. }, Source::Table { name, .. }) = (src.kind, from) else {
            return Ok(None);
        };
        let kind = SrcKind::Entity { id, entity, texts, style: Style::Bare(name), args, joins };
        Ok(Some((id, Src::new(src.alias, name, kind), from)))
    }

    /// Scans a text, and fills the holes in it.
    fn template_text(&mut self, parts: &mut Parts<'a, 'e>, text: &'e str, last: bool) -> Result<()> {
        let lexis = self.cx.target.dialect().lexis();
        for token in scanner(text, lexis) {
            let (at, token) = token.map_err(|(at, what)| problem(text, at, what))?;
            let piece = match token {
                Token::Code(code) => {
                    if let Some(stray) = stray_parameter(code, self.cx.target.placeholder(), lexis.parameters) {
                        return Err(problem(text, at + stray, TextProblem::Parameter));
                    }
                    self.names_no_table(parts, code)?;
                    Piece::Code(code)
                }
                Token::Quoted(quoted) => {
                    self.quoted_is_no_table(parts, quoted)?;
                    Piece::Quoted(quoted)
                }
                Token::Comment(comment) => Piece::Comment(comment),
                Token::OpenComment(comment) if last => Piece::Comment(comment),
                Token::OpenComment(_) => return Err(problem(text, at, TextProblem::HoleInComment)),
                Token::Name(name) => {
                    let name = unbracketed(name);
                    self.is_no_table(parts, "", &name)?;
                    Piece::Name(self.any_name(&name)?)
                }
                Token::Hole(name) => {
                    match self.named_hole(parts, name.trim()).map_err(|error| error.at(name.trim()))? {
                        Some(piece) => piece,
                        None => {
                            parts.froms.push(parts.pieces.len());
                            Piece::Code("")
                        }
                    }
                }
            };
            parts.pieces.push(piece);
        }
        Ok(())
    }

    /// A quoted identifier, whatever it is made of.
    fn any_name(&self, name: &str) -> Result<&'a str> {
        if name.is_empty() || name.contains('\0') {
            let why = "a name is not empty and has no NUL character".to_owned();
            return Err(ErrorKind::BadName { name: name.chars().take(80).collect(), why }.into());
        }
        let limits = self.cx.target.dialect().sheet().limits;
        if limits.no_name(name, self.cx.target.quotes()).is_some() {
            return Err(source::bad_name(self.cx.target, name));
        }
        let length = limits.length_of(name);
        if length > limits.identifier {
            let (name, dialect) = (name.chars().take(80).collect(), self.cx.target.dialect().label());
            return Err(ErrorKind::NameTooLong { name, length, limit: limits.identifier, dialect }.into());
        }
        Ok(self.cx.quoted(&[name]))
    }

    /// What fills a hole of the text; nothing yet for `{From}`.
    fn named_hole(&mut self, parts: &mut Parts<'a, 'e>, name: &'e str) -> Result<Option<Piece<'a, 'e>>> {
        if TOKENS.contains(&name) {
            return self.token(parts, name);
        }
        let template = parts.template;
        let (hole, met) = if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
            let index = if name.is_empty() {
                parts.next += 1;
                parts.next - 1
            } else {
                name.parse().unwrap_or(usize::MAX)
            };
            (template.args.get(index), parts.met_args.get_mut(index))
        } else {
            let index = template.named.iter().position(|(known, _)| known == name).unwrap_or(usize::MAX);
            (template.named.get(index).map(|(_, hole)| hole), parts.met.get_mut(index))
        };
        let (Some(hole), Some(met)) = (hole, met) else {
            let token = TOKENS.iter().find(|token| token.eq_ignore_ascii_case(name));
            return Err(wrong(match token {
                Some(token) => format!("nothing fills the hole `{{{name}}}`; did you mean `{{{token}}}`?"),
                None => format!("nothing fills the hole `{{{name}}}`"),
            }));
        };
        *met = true;
        self.hole(parts, hole).map(Some)
    }

    fn token(&mut self, parts: &mut Parts<'a, 'e>, name: &str) -> Result<Option<Piece<'a, 'e>>> {
        let Some((id, src, from)) = &parts.main else {
            return Err(wrong(format!("`{{{name}}}` needs an entity: name it with `entity`, or in the request")));
        };
        if parts.template.unqualified && matches!(name, "From" | "AllFields") {
            return Err(wrong(format!("`{{{name}}}` has the alias T0, which an unqualified template lacks")));
        }
        parts.tabled = true;
        parts.tables += usize::from(name == "Table");
        parts.filters += usize::from(name == "FixedFilter");
        match (name, from) {
            ("Table", Source::Table { name, .. }) => Ok(Some(Piece::Name(name))),
            ("AllFields", _) => {
                let whole = self.whole(*id)?;
                src.used.set(src.used.get() | whole.items_use);
                Ok(Some(Piece::Items(Items::Text(&whole.items))))
            }
            ("FixedFilter", _) => Ok(Some(Piece::Pred(self.fixed(src)?.unwrap_or(Pred::Const(true))))),
            _ => Ok(None),
        }
    }

    /// What fills a hole.
    fn hole(&mut self, parts: &Parts<'a, 'e>, hole: &'e Hole) -> Result<Piece<'a, 'e>> {
        let sources = parts.main.as_ref().map(|(_, src, _)| std::slice::from_ref(src)).unwrap_or_default();
        let scope = NameScope::of(sources, None);
        match &hole.0 {
            HoleKind::Raw(raw) => {
                self.names_no_table(parts, raw.as_str())?;
                Ok(Piece::Raw(raw.as_str()))
            }
            HoleKind::Identifier(name) => {
                self.is_no_table(parts, "", name)?;
                Ok(Piece::Name(self.any_name(name)?))
            }
            HoleKind::Value(value) => self.hole_value(value),
            HoleKind::Items(items) => self.hole_items(&scope, items),
            HoleKind::Orders(keys) => Ok(Piece::Orders(self.inner_order(&scope, keys)?)),
            HoleKind::Expr(expr) => match expr {
                Expr::Value(value) => {
                    let value = self.row_or_value(&scope, value)?;
                    Ok(match value.kind {
                        ScalarKind::Row(items) => Piece::List(items),
                        _ => Piece::Value(value),
                    })
                }
                Expr::Logic(logic) => Ok(Piece::Pred(self.logic(&scope, logic)?)),
                // Its definition is hand-written: only the name is ours.
                Expr::Segment(SqlSegment::CommonTable(cte)) => Ok(Piece::Name(self.cx.alias(cte.alias.as_str())?)),
                Expr::Segment(segment) => self.hole_query(parts, &scope, segment),
                Expr::SelectItem(item) => self.hole_items(&scope, std::slice::from_ref(item)),
                Expr::OrderByItem(key) => Ok(Piece::Orders(self.inner_order(&scope, std::slice::from_ref(key))?)),
                Expr::TableJoin(_) => Err(wrong("no join fills a hole: write it in the text".to_owned())),
                Expr::Insert(_) | Expr::Update(_) | Expr::Delete(_) => {
                    Err(wrong("no write fills a hole: compile it as a statement of its own".to_owned()))
                }
            },
        }
    }

    /// A query in a hole. The definitions of its common table expressions are not written.
    fn hole_query(
        &mut self,
        parts: &Parts<'a, 'e>,
        scope: &NameScope<'_, 'a>,
        segment: &'e SqlSegment,
    ) -> Result<Piece<'a, 'e>> {
        self.ctes.look_in(segment);
        // By itself it is the statement, and its order counts.
        let usage = if parts.template.parts.len() == 1 && !parts.template.is_search() && parts.pieces.is_empty() {
            Use::Root
        } else {
            Use::Table
        };
        let matters = if usage == Use::Root { Matters::Order } else { Matters::Rows };
        let building = self.mattering(matters, |r| r.fold(segment, Some(scope)))?;
        if usage == Use::Root {
            self.note_columns(building)?;
        }
        Ok(Piece::Query(self.finish(building, usage)?))
    }

    fn hole_items(&mut self, scope: &NameScope<'_, 'a>, items: &'e [SelectItemExpr]) -> Result<Piece<'a, 'e>> {
        if items.is_empty() {
            return Err(wrong("an empty list of items fills no hole".to_owned()));
        }
        let mut list: BumpVec<'a, Item<'a, 'e>> = self.cx.vec(items.len());
        for (index, item) in items.iter().enumerate() {
            let named = self.item(scope, &item.value, item).at_index(index)?;
            list.push(self.returned(&named));
        }
        Ok(Piece::Items(Items::List(list.into_bump_slice())))
    }

    fn hole_value(&mut self, value: &'e ValueExpr) -> Result<Piece<'a, 'e>> {
        let items = match &value.value {
            Value::Null => return Ok(Piece::Value(self.cx.null(None))),
            Value::List(items) => items,
            _ => return Ok(Piece::Value(self.plain(value)?)),
        };
        let predicate = "bind the predicate `prop(..).in_list(..)` instead";
        if items.is_empty() {
            return Err(wrong(format!("an empty list has no text that is right for IN and NOT IN: {predicate}")));
        }
        let limit = self.cx.target.dialect().sheet().limits.in_items;
        if items.len() > limit {
            let count = items.len();
            return Err(wrong(format!("{count} items are more than the {limit} that the engine takes: {predicate}")));
        }
        let mut list = self.cx.vec(items.len());
        for (index, item) in items.iter().enumerate() {
            let ty = match item {
                Value::Null => {
                    let why = format!("a list with NULL makes NOT IN true of nothing: {predicate}, or test IS NULL");
                    return Err(wrong(why)).at_index(index);
                }
                Value::List(_) | Value::Map(_) => {
                    return Err(wrong(format!("a list takes plain values: {predicate}"))).at_index(index);
                }
                plain => plain.natural_type().map(DbType::from),
            };
            self.finite(item)?;
            list.push(if value.is_const && self.cx.target.dialect().writes_constant(item) {
                self.constant(item, ty)
            } else {
                self.cx.param(item, ty)
            });
        }
        Ok(Piece::List(list.into_bump_slice()))
    }

    /// Fills in `{From}`: the table, and the joins of a view and of every name in a hole.
    fn template_from(&mut self, parts: &mut Parts<'a, 'e>) -> Result<()> {
        let Some((id, src, from)) = &parts.main else { return Ok(()) };
        if parts.template.unqualified {
            if src.used.get() != 0 {
                let why = "an unqualified template has no joins: a column of a view's join needs `{From}`";
                return Err(wrong(why.to_owned()));
            }
            return Ok(());
        }
        if parts.froms.is_empty() {
            return Ok(());
        }
        let SrcKind::Entity { entity, texts, args, joins, .. } = src.kind else { return Ok(()) };
        for (index, join) in entity.joins.iter().enumerate() {
            if join.used_by_default {
                src.used.set(src.used.get() | join_bits(entity, index));
            }
        }
        let mut list = self.cx.vec(entity.joins.len());
        self.view_joins(src, false, &mut list)?;
        let mut from = *from;
        if let Source::Table { name, .. } = from {
            let kind = SrcKind::Entity { id: *id, entity, texts, style: Style::Bare(name), args, joins };
            let bare = Src::new(src.alias, name, kind);
            if let Some(filter) = self.fixed(&bare)? {
                let table = Source::Table { name, alias: None };
                from = Source::Derived { query: self.all_of(table, filter), alias: src.quoted };
            }
        }
        let joins = list.into_bump_slice();
        for at in &parts.froms {
            if let Some(slot) = parts.pieces.get_mut(*at) {
                *slot = Piece::Source(from, joins);
            }
        }
        Ok(())
    }
}

fn wrong(why: String) -> crate::Error {
    ErrorKind::Template { why }.into()
}

/// Where code has what the engine would take for a parameter of ours.
fn stray_parameter(code: &str, placeholder: Placeholder, parameters: &str) -> Option<usize> {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let mut before = ' ';
    for (at, c) in code.char_indices() {
        let after = code.get(at + c.len_utf8()..).unwrap_or("");
        // What may stand within a word, on the engines where it begins a parameter.
        let goes_on = word(before) && (c == '$' || c == '@' && !parameters.contains(c));
        let ours = match placeholder {
            Placeholder::Question => c == '?',
            Placeholder::Numbered(prefix) => {
                let here = code.get(at..).unwrap_or("");
                let follows = here.get(..prefix.len()).is_some_and(|text| text.eq_ignore_ascii_case(prefix))
                    && here.get(prefix.len()..).is_some_and(|rest| rest.starts_with(|d: char| d.is_ascii_digit()));
                follows && !goes_on && before != c
            }
        };
        let named = after.trim_start_matches("::").starts_with(|c| word(c) || c == '$' || !c.is_ascii());
        let named = named && parameters.contains(c) && !goes_on && before != c;
        if ours || named {
            return Some(at);
        }
        before = c;
    }
    None
}
