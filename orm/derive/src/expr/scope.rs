//! Which names of a condition stand for columns.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Ident, Type};

/// Functions that speak of the database, whatever the program calls so.
pub(super) const FUNCTIONS: [&str; 8] =
    ["count", "now", "today", "utc_now", "exists", "exists_related", "exists_args", "exists_related_args"];

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

/// A closure, and what it is over.
pub(super) struct Level {
    pub(super) param: Ident,
    pub(super) entity: Type,
    /// Its alias, once a closure inside of it needs one.
    pub(super) alias: Option<String>,
}

/// The names in scope.
pub(super) struct Scope {
    pub(super) levels: Vec<Level>,
    names: Vec<(String, Meaning)>,
}

impl Scope {
    pub(super) fn new(param: &Ident, entity: &Type) -> Self {
        let mut scope = Self { levels: Vec::new(), names: Vec::new() };
        scope.enter(param, entity);
        scope
    }

    /// A closure begins.
    pub(super) fn enter(&mut self, param: &Ident, entity: &Type) {
        self.names.push((param.to_string(), Meaning::Level(self.levels.len())));
        self.levels.push(Level { param: param.clone(), entity: entity.clone(), alias: None });
    }

    /// A closure ends.
    pub(super) fn leave(&mut self) -> Option<Level> {
        self.names.pop();
        self.levels.pop()
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
