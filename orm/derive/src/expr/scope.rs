//! Which names of a condition stand for columns.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Ident, Path, Type};

use super::Param;

/// Functions that speak of the database, whatever the program calls so.
pub(super) const FUNCTIONS: [&str; 14] = [
    "count",
    "now",
    "today",
    "utc_now",
    "exists",
    "exists_related",
    "exists_args",
    "exists_related_args",
    "row_number",
    "rank",
    "dense_rank",
    "percent_rank",
    "cume_dist",
    "ntile",
];

/// What a name means inside of the macro.
#[derive(Clone)]
enum Meaning {
    /// The columns of a table, by its level.
    Level(usize),
    /// A `let` that holds an expression of columns.
    Local,
    /// A name of the program's that hides one of those.
    Plain,
}

/// A parameter of a closure, and what it is over.
pub(super) struct Level {
    pub(super) param: Ident,
    pub(super) entity: Type,
    /// What closures inside of it call its table.
    pub(super) alias: String,
    /// Whether its columns have the alias in the closure itself, too.
    pub(super) aliased: bool,
    /// Whether its columns may be NULL since a join need not find a row.
    pub(super) optional: bool,
    /// Whether it is of the rows of a query.
    pub(super) derived: bool,
    /// Whether its columns are there: those of a query's parameters are once they are in FROM.
    pub(super) found: bool,
    /// Whether what is written is a joined query, which may not use the columns of this table.
    pub(super) beside: bool,
    /// The scope of the closure, whose expressions are of that.
    pub(super) scope: TokenStream,
    /// How many closures are around it.
    depth: usize,
}

/// The name of an entity, without the path to it.
fn entity_name(entity: &Type) -> Option<&Ident> {
    match entity {
        Type::Path(path) => path.path.segments.last().map(|last| &last.ident),
        Type::Group(group) => entity_name(&group.elem),
        Type::Paren(paren) => entity_name(&paren.elem),
        _ => None,
    }
}

/// Whether a name is written as those of constants are.
pub(super) fn is_constant(name: &str) -> bool {
    name.starts_with(|first: char| first.is_uppercase()) && !name.contains(char::is_lowercase)
}

/// The alias of a parameter's table: its name, unless the compiler calls tables so.
fn alias_of(param: &Ident) -> String {
    let mut name = param.to_string().trim_start_matches("r#").to_owned();
    let numbered = name.strip_prefix(['t', 'T', 'q', 'Q']).is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit()));
    if numbered && name.len() > 1 {
        name.push('_');
    }
    name
}

/// The names in scope.
#[derive(Default)]
pub(super) struct Scope {
    pub(super) levels: Vec<Level>,
    names: Vec<(String, Meaning)>,
    depth: usize,
}

impl Scope {
    /// A closure begins that is over one entity, whose columns need no alias in it.
    pub(super) fn enter(&mut self, param: &Ident, entity: &Type) {
        let alias =
            if self.depth == 0 { "T0".to_owned() } else { format!("{}_{}", alias_of(param), self.levels.len()) };
        self.push(Level {
            param: param.clone(),
            entity: entity.clone(),
            alias,
            aliased: false,
            optional: false,
            derived: false,
            found: true,
            beside: false,
            scope: entity.to_token_stream(),
            depth: self.depth,
        });
        self.depth += 1;
    }

    /// A closure begins whose tables have aliases.
    pub(super) fn enter_tables(&mut self, params: &[Param], scope: &TokenStream) {
        for param in params {
            let name = alias_of(&param.name);
            self.push(Level {
                param: param.name.clone(),
                entity: param.entity.clone(),
                alias: if self.depth == 0 { name } else { format!("{name}_{}", self.levels.len()) },
                aliased: true,
                optional: param.optional,
                derived: param.derived,
                found: param.found,
                beside: false,
                scope: scope.clone(),
                depth: self.depth,
            });
        }
        self.depth += 1;
    }

    fn push(&mut self, level: Level) {
        self.names.push((level.param.to_string(), Meaning::Level(self.levels.len())));
        self.levels.push(level);
    }

    /// A closure ends.
    pub(super) fn leave(&mut self) {
        self.depth -= 1;
        while self.levels.last().is_some_and(|level| level.depth == self.depth) {
            self.names.pop();
            self.levels.pop();
        }
    }

    /// The scope of the closure that is being written.
    pub(super) fn scope(&self) -> Option<&TokenStream> {
        self.levels.last().map(|level| &level.scope)
    }

    /// The closure of an EXISTS or a subquery that is being written, if one is.
    pub(super) fn innermost(&self) -> Option<&Level> {
        self.levels.last().filter(|level| level.depth > 0)
    }

    /// Whether the level is one of the closure that is being written.
    pub(super) fn is_own(&self, level: &Level) -> bool {
        level.depth + 1 == self.depth
    }

    /// Says whether what follows stands beside the tables of the closure that is being written.
    pub(super) fn set_beside(&mut self, beside: bool) {
        let depth = self.depth;
        self.levels.iter_mut().filter(|level| level.depth + 1 == depth).for_each(|level| level.beside = beside);
    }

    /// The level that a name stands for.
    pub(super) fn level(&self, name: &Ident) -> Option<&Level> {
        self.levels.get(self.index(name)?)
    }

    /// The level that a name stands for, to be changed.
    pub(super) fn level_mut(&mut self, name: &Ident) -> Option<&mut Level> {
        let index = self.index(name)?;
        self.levels.get_mut(index)
    }

    /// Its place among the levels.
    pub(super) fn index(&self, name: &Ident) -> Option<usize> {
        match self.meaning(&name.to_string()) {
            Some(Meaning::Level(index)) => Some(*index),
            _ => None,
        }
    }

    /// The levels over the entity of that name. Outside of an EXISTS there is one table, and nobody asks.
    fn over(&self, entity: &Ident) -> impl Iterator<Item = usize> {
        let levels = if self.levels.len() > 1 { self.levels.as_slice() } else { &[] };
        let is = move |(_, level): &(usize, &Level)| entity_name(&level.entity).is_some_and(|name| name == entity);
        levels.iter().enumerate().filter(is).map(|(index, _)| index)
    }

    /// Whether it is a constant of an entity in scope, `Order::AMOUNT`; and which level's, if it is of one alone.
    pub(super) fn constant(&self, path: &Path) -> Option<Option<usize>> {
        let mut segments = path.segments.iter().rev().map(|segment| &segment.ident);
        let (last, entity) = (segments.next()?, segments.next()?);
        let mut levels = self.over(entity);
        let first = levels.next().filter(|_| is_constant(&last.to_string()))?;
        Some(if levels.next().is_some() { None } else { Some(first) })
    }

    /// Where names end that are in scope now.
    pub(super) fn mark(&self) -> usize {
        self.names.len()
    }

    /// Forgets names since a mark.
    pub(super) fn reset(&mut self, mark: usize) {
        self.names.truncate(mark);
    }

    /// A `let` or a pattern binds a name.
    pub(super) fn bind(&mut self, name: &Ident, of_columns: bool) {
        let meaning = if of_columns { Meaning::Local } else { Meaning::Plain };
        self.names.push((name.to_string(), meaning));
    }

    fn meaning(&self, name: &str) -> Option<&Meaning> {
        self.names.iter().rev().find(|(known, _)| known == name).map(|(_, meaning)| meaning)
    }

    /// Whether the name is a `let` of columns.
    pub(super) fn is_local(&self, name: &Ident) -> bool {
        matches!(self.meaning(&name.to_string()), Some(Meaning::Local))
    }

    /// Whether the tokens mention columns.
    pub(super) fn touches(&self, tokens: impl ToTokens) -> bool {
        let level = |meaning: &Meaning| !matches!(meaning, Meaning::Plain);
        self.find(tokens.to_token_stream(), &|name| self.meaning(name).is_some_and(level), true).is_some()
    }

    /// Whether the tokens mention the columns of that level.
    pub(super) fn mentions(&self, tokens: TokenStream, wanted: usize) -> bool {
        let of = |name: &str| matches!(self.meaning(name), Some(Meaning::Level(level)) if *level == wanted);
        self.find(tokens, &of, false).is_some()
    }

    /// A `let` of columns that the tokens mention.
    pub(super) fn local_in(&self, tokens: TokenStream) -> Option<Ident> {
        self.find(tokens, &|name| matches!(self.meaning(name), Some(Meaning::Local)), false)
    }

    fn find(&self, tokens: TokenStream, wanted: &dyn Fn(&str) -> bool, calls: bool) -> Option<Ident> {
        // A name behind a dot is a field, and behind a colon a part of a path; two dots are a range.
        let (mut dots, mut colons) = (0_usize, 0_usize);
        // `Order::AMOUNT` is a column if `Order` is in scope.
        let mut of_entity = false;
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            match &token {
                TokenTree::Ident(ident) if dots != 1 && colons != 2 => {
                    let name = ident.to_string();
                    let called = calls && self.meaning(&name).is_none() && FUNCTIONS.contains(&name.as_str());
                    let follows = |next: &TokenTree| match next {
                        TokenTree::Group(group) => group.delimiter() == proc_macro2::Delimiter::Parenthesis,
                        TokenTree::Punct(punct) => punct.as_char() == ':',
                        _ => false,
                    };
                    if wanted(&name) || (called && tokens.peek().is_some_and(follows)) {
                        return Some(ident.clone());
                    }
                    of_entity = calls && self.over(ident).next().is_some();
                }
                TokenTree::Ident(ident) if colons == 2 => {
                    if of_entity && is_constant(&ident.to_string()) {
                        return Some(ident.clone());
                    }
                    of_entity = calls && self.over(ident).next().is_some();
                }
                TokenTree::Group(group) => {
                    let found = self.find(group.stream(), wanted, calls);
                    if found.is_some() {
                        return found;
                    }
                }
                _ => {}
            }
            let punct = |wanted: char| matches!(&token, TokenTree::Punct(punct) if punct.as_char() == wanted);
            dots = if punct('.') { dots + 1 } else { 0 };
            colons = if punct(':') { colons + 1 } else { 0 };
        }
        None
    }
}
