//! The registry: named SQL fragments and functions of the program.

use std::fmt;
use std::sync::Arc;

use isogloss_lexis::{Lexis, Notation, Scanner, TextProblem, Token, is_word};

use crate::error::ErrorKind;
use crate::expr::{DbType, LogicExpr, Name, Value, ValueTypeExpr};
use crate::model::Entity;
use crate::names::NameTable;
use crate::render::FragmentText;
use crate::walk::{ExprRef, VisitOrder, visit_while};

/// Named SQL fragments and functions of the program, which trees can use by name.
///
/// ```
/// use isogloss_compiler::{FragmentContext, Registry};
/// let mut registry = Registry::default();
/// registry.fragment("visible_to", |cx: &mut FragmentContext<'_, '_>, arg| {
///     cx.text("(");
///     cx.column("OwnerId")?;
///     cx.text(" = ");
///     cx.bind(arg.clone());
///     cx.text(")");
///     Ok(())
/// });
/// ```
#[derive(Default)]
pub struct Registry {
    fragments: NameTable,
    callbacks: Vec<NamedFragment>,
    functions: NameTable,
    templates: Vec<CustomFunction>,
}

/// A fragment: what makes it, and what it is.
#[derive(Clone)]
pub(crate) struct NamedFragment {
    pub(crate) callback: Arc<Callback>,
    pub(crate) sort: FragmentSort,
}

/// What the text of a fragment is.
#[derive(Debug, Clone, Copy)]
pub(crate) enum FragmentSort {
    Predicate,
    /// A value, of a type if that is told.
    Value(Option<DbType>),
}

type Callback = dyn Fn(&mut FragmentContext<'_, '_>, &Value) -> Result<(), FragmentError> + Send + Sync;

/// The error of a fragment's callback.
pub type FragmentError = Box<dyn std::error::Error + Send + Sync>;

/// A function of the program: how each dialect spells it.
#[derive(Debug, Clone)]
pub(crate) struct CustomFunction {
    pub(crate) spellings: Vec<CustomSpelling>,
    /// The type of its result.
    pub(crate) result: Option<DbType>,
}

/// How a dialect spells a function of the program.
#[derive(Debug, Clone)]
pub(crate) struct CustomSpelling {
    pub(crate) dialect: String,
    pub(crate) template: String,
    /// How many arguments it takes.
    pub(crate) args: usize,
    /// Whether it takes more than those.
    pub(crate) more: bool,
    /// Whether it is a call or something in parentheses.
    pub(crate) atom: bool,
}

/// What a template has outside of literals, quoted names and comments.
#[derive(Debug, Default, PartialEq, Eq)]
struct TemplateShape {
    args: usize,
    more: bool,
    /// Where the first parenthesis is closed.
    closed_at: Option<usize>,
}

impl TemplateShape {
    /// What a template is in a reading; else the byte of what is wrong with it, and what that is.
    fn of(template: &str, lexis: Lexis) -> Result<Self, (usize, String)> {
        let notation = Notation { brackets: false, hole: Some(|inner| inner.find('}').ok_or(TextProblem::OpenHole)) };
        let (mut shape, mut depth) = (Self::default(), 0_usize);
        let mut before = None;
        for token in Scanner::new(template, lexis, notation) {
            let (at, token) = token.map_err(|(at, problem)| (at, told(problem)))?;
            let behind = before.take();
            match token {
                Token::Code(code) => {
                    before = code.chars().next_back();
                    for (offset, c) in code.char_indices() {
                        match c {
                            '(' => depth += 1,
                            ')' => {
                                let why = || (at + offset, "a parenthesis is closed that is not open".to_owned());
                                depth = depth.checked_sub(1).ok_or_else(why)?;
                                if depth == 0 {
                                    shape.closed_at = shape.closed_at.or(Some(at + offset));
                                }
                            }
                            _ => {}
                        }
                    }
                }
                Token::Hole(hole) => shape.hole(hole, behind).map_err(|why| (at, why))?,
                Token::Quoted(text) | Token::Comment(text) => {
                    if text.replace("{{", "").replace("}}", "").contains(['{', '}']) {
                        return Err((at, "a hole stands in a literal, a quoted name or a comment".into()));
                    }
                }
                Token::OpenComment(_) => {
                    return Err((at, "a line comment is left open: end it with a line feed".into()));
                }
                Token::Name(_) => {}
            }
        }
        if depth > 0 { Err((template.len(), told(TextProblem::OpenLiteral))) } else { Ok(shape) }
    }

    fn hole(&mut self, hole: &str, behind: Option<char>) -> Result<(), String> {
        match behind {
            Some('-') if !hole.ends_with('^') => {
                return Err(format!("`-{{{hole}}}` would begin a comment with what is negative: write `-{{0^}}`"));
            }
            // `E` before what is a literal would make it another one.
            Some(c) if is_word(c) => {
                return Err(format!("`{{{hole}}}` stands directly behind a word: put a blank between them"));
            }
            _ => {}
        }
        let digits = hole.trim_end_matches(|c: char| !c.is_ascii_digit());
        let mark = hole.get(digits.len()..).unwrap_or_default();
        match (digits.parse::<usize>(), mark) {
            (Ok(index), "" | "^" | "=" | "'" | "i" | "f" | "t" | "s" | "j") if index < 100 => {
                self.args = self.args.max(index + 1);
            }
            (Ok(index), "*") if index < 100 => (self.args, self.more) = (self.args.max(index), true),
            (Err(_), "*" | "*t" | "*j") if digits.is_empty() => self.more = true,
            _ => return Err(format!("`{{{hole}}}` is no hole: arguments are `{{0}}`, `{{0^}}`, `{{*}}` ..")),
        }
        Ok(())
    }
}

fn told(problem: TextProblem) -> String {
    match problem {
        TextProblem::OpenLiteral | TextProblem::OpenQuotedName => "a parenthesis or a quote is left open".into(),
        TextProblem::OpenHole => "a hole is left open".into(),
        TextProblem::LoneBrace => "a brace by itself is written twice".into(),
        other => other.to_string(),
    }
}

impl CustomSpelling {
    fn new(dialect: &str, template: &str) -> Result<Self, String> {
        // The dialect is a name here: `reads` asks for its own reading.
        let shape = Lexis::any(|lexis| TemplateShape::of(template, lexis)).map_err(|(_, why)| why)?;
        let named = template.split('(').next().unwrap_or_default();
        let closed = shape.closed_at.and_then(|at| template.get(at..)).is_some_and(|end| end == ")");
        let atom = closed && named.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.'));
        let (dialect, template) = (dialect.to_owned(), template.to_owned());
        Ok(Self { dialect, template, args: shape.args, more: shape.more, atom })
    }

    /// Whether the engine reads the template as it was read when it was registered.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn reads(&self, lexis: Lexis) -> Result<(), String> {
        let TemplateShape { args, more, closed_at } =
            TemplateShape::of(&self.template, lexis).map_err(|(_, why)| why)?;
        let closed = closed_at.and_then(|at| self.template.get(at..)).is_some_and(|end| end == ")");
        if (args, more) != (self.args, self.more) || self.atom && !closed {
            return Err("the engine takes for a literal or a comment what another one does not".to_owned());
        }
        Ok(())
    }

    /// How many arguments it takes, for a message.
    pub(crate) fn arity(&self) -> String {
        let s = if self.args == 1 { "" } else { "s" };
        format!("{}{} argument{s}", if self.more { "at least " } else { "" }, self.args)
    }
}

impl Registry {
    /// Registers a fragment as a predicate. A later one with the same key replaces it.
    ///
    /// Its text is put in parentheses, so that an `OR` in it cannot affect its surroundings. In the place of a value,
    /// it is used as one on engines where a predicate is a value, and inside of a CASE on others.
    pub fn fragment<F>(&mut self, key: impl AsRef<str>, callback: F) -> &mut Self
    where
        F: Fn(&mut FragmentContext<'_, '_>, &Value) -> Result<(), FragmentError> + Send + Sync + 'static,
    {
        self.named(key.as_ref(), NamedFragment { callback: Arc::new(callback), sort: FragmentSort::Predicate })
    }

    /// Registers a fragment as a value, with its type if it is known. A later one with the same key replaces it.
    ///
    /// Its text is put in parentheses. In the place of a predicate, it is used as a boolean.
    pub fn value_fragment<F>(&mut self, key: impl AsRef<str>, ty: Option<DbType>, callback: F) -> &mut Self
    where
        F: Fn(&mut FragmentContext<'_, '_>, &Value) -> Result<(), FragmentError> + Send + Sync + 'static,
    {
        self.named(key.as_ref(), NamedFragment { callback: Arc::new(callback), sort: FragmentSort::Value(ty) })
    }

    fn named(&mut self, key: &str, named: NamedFragment) -> &mut Self {
        match self.fragments.insert(key, self.callbacks.len()) {
            Some(known) => {
                if let Some(slot) = self.callbacks.get_mut(known) {
                    *slot = named;
                }
            }
            None => self.callbacks.push(named),
        }
        self
    }

    /// Registers a function by a template for each dialect (`postgres`, `mysql`, `mariadb`, `sqlite`, `sqlserver`,
    /// `oracle`), such as `"similarity({0}, {1})"`; see [`Form::Text`](crate::dialect::Form::Text). A variant without a
    /// template of its own takes that of its [base](crate::dialect::Dialect::base), as MariaDB that of MySQL. Other dialects
    /// refuse the function. A call must have as many arguments as the template. It hides a portable function of the same name
    /// on every dialect.
    ///
    /// ```
    /// use isogloss_compiler::Registry;
    /// use isogloss_compiler::expr::DbValueType;
    /// let mut registry = Registry::default();
    /// registry.function("Similarity", Some(DbValueType::Double.into()), [("postgres", "similarity({0}, {1})")])?;
    /// let open = registry.function("Open", None, [("postgres", "open({0}")]).unwrap_err();
    /// assert!(open.to_string().contains("a parenthesis or a quote is left open"));
    /// # Ok::<(), isogloss_compiler::Error>(())
    /// ```
    ///
    /// Literals, quoted names and comments of a template are the engine's own: `q'[it's]'` in one for Oracle. It is refused where it is
    /// compiled for an engine that reads it in another way.
    ///
    /// # Errors
    /// A template with an invalid hole, with a hole in a literal, a quoted name or a comment, or with an unbalanced
    /// parenthesis or quote, as any engine reads it.
    pub fn function<'t>(
        &mut self,
        name: impl AsRef<str>,
        result: Option<DbType>,
        spellings: impl IntoIterator<Item = (&'t str, &'t str)>,
    ) -> crate::Result<&mut Self> {
        let name = name.as_ref();
        let spelling = |(dialect, template): (&str, &str)| {
            CustomSpelling::new(dialect, template).map_err(|why| {
                crate::Error::new(ErrorKind::Template { why: format!("function `{name}` for {dialect}: {why}") })
            })
        };
        let spellings = spellings.into_iter().map(spelling).collect::<Result<Vec<_>, _>>()?;
        let function = CustomFunction { spellings, result };
        match self.functions.insert(name, self.templates.len()) {
            Some(known) => {
                if let Some(slot) = self.templates.get_mut(known) {
                    *slot = function;
                }
            }
            None => self.templates.push(function),
        }
        Ok(self)
    }

    pub(crate) fn find_fragment(&self, key: &Name) -> Option<&NamedFragment> {
        self.fragments.get(key.as_str()).and_then(|index| self.callbacks.get(index))
    }

    /// Whether a text of the program's is in a condition, which may name tables and columns as it likes.
    pub(crate) fn speaks_in(&self, condition: &LogicExpr) -> bool {
        if self.templates.is_empty() && self.callbacks.is_empty() {
            return false;
        }
        !visit_while(condition, VisitOrder::Pre, |node| match node {
            ExprRef::Logic(LogicExpr::Sql(_)) | ExprRef::Value(ValueTypeExpr::Sql(_)) => false,
            ExprRef::Value(ValueTypeExpr::Function(call)) => self.find_function(call.name.as_str()).is_none(),
            ExprRef::Function(call) => self.find_function(call.name.as_str()).is_none(),
            _ => true,
        })
    }

    pub(crate) fn find_function(&self, name: &str) -> Option<&CustomFunction> {
        if self.templates.is_empty() {
            return None;
        }
        self.functions.get(name).and_then(|index| self.templates.get(index))
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registry")
            .field("fragments", &self.callbacks.len())
            .field("functions", &self.templates.len())
            .finish()
    }
}

/// The output of a fragment's callback.
pub struct FragmentContext<'c, 'q> {
    pub(crate) text: FragmentText,
    pub(crate) dialect: &'c dyn crate::dialect::Dialect,
    pub(crate) quotes: crate::dialect::Quotes,
    pub(crate) entity: Option<&'c Entity>,
    pub(crate) lookup: &'q mut dyn FnMut(&str) -> Result<String, FragmentError>,
}

impl FragmentContext<'_, '_> {
    /// The dialect of the compilation.
    pub fn dialect(&self) -> &dyn crate::dialect::Dialect {
        self.dialect
    }

    /// The entity in whose scope the fragment is used.
    pub fn entity(&self) -> Option<&Entity> {
        self.entity
    }

    /// Writes text as it is. It must not come from outside of the program.
    pub fn text(&mut self, text: &str) {
        self.piece().push_str(text);
    }

    /// Writes an identifier, quoted and escaped.
    pub fn identifier(&mut self, name: &str) {
        let quotes = self.quotes;
        quotes.quote_into(self.piece(), name);
    }

    /// Writes the column of a property in scope, qualified if necessary.
    ///
    /// # Errors
    /// There is no such property.
    pub fn column(&mut self, property: &str) -> Result<(), FragmentError> {
        let column = (self.lookup)(property)?;
        self.text(&column);
        Ok(())
    }

    /// Binds a value, and writes its placeholder.
    pub fn bind(&mut self, value: impl Into<Value>) {
        let value = value.into();
        let ty = value.natural_type().map(DbType::from);
        self.bind_as(value, ty);
    }

    /// Binds a value as a type, and writes its placeholder.
    pub fn bind_as(&mut self, value: impl Into<Value>, ty: impl Into<Option<DbType>>) {
        let before = std::mem::take(&mut self.text.last);
        self.text.values.push((before, value.into(), ty.into()));
    }

    fn piece(&mut self) -> &mut String {
        &mut self.text.last
    }
}

impl fmt::Debug for FragmentContext<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FragmentContext").field("text", &self.text).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_tells_how_many_arguments_it_takes() {
        let takes = |template: &str| CustomSpelling::new("postgres", template).map(|s| (s.args, s.more, s.atom));
        assert_eq!(takes("similarity({0}, {1})"), Ok((2, false, true)));
        assert_eq!(takes("pg_catalog.now()"), Ok((0, false, true)));
        assert_eq!(takes("{0^} <-> {1^}"), Ok((2, false, false)));
        assert_eq!(takes("{0}-{1^} - {1}"), Ok((2, false, false)));
        assert_eq!(takes("f({0}) + g({1})"), Ok((2, false, false)));
        assert_eq!(takes("concat_ws({0}, {1*})"), Ok((1, true, true)));
        assert_eq!(takes("jsonb_build_object({*})"), Ok((0, true, true)));
        assert_eq!(takes("format('{{}} (', {0t})"), Ok((1, false, true)));
    }

    #[test]
    fn a_template_with_something_left_open_is_refused() {
        let hole = |hole: &str| format!("`{{{hole}}}` is no hole: arguments are `{{0}}`, `{{0^}}`, `{{*}}` ..");
        for (template, why) in [
            ("f({0}", "a parenthesis or a quote is left open".to_owned()),
            ("f('{0})", "a parenthesis or a quote is left open".to_owned()),
            ("f {0})", "a parenthesis is closed that is not open".to_owned()),
            ("f({0", "a hole is left open".to_owned()),
            ("f({0}})", "a brace by itself is written twice".to_owned()),
            ("f({})", hole("")),
            ("f({x})", hole("x")),
            ("f(-{0})", "`-{0}` would begin a comment with what is negative: write `-{0^}`".to_owned()),
            ("f(1 -{*})", "`-{*}` would begin a comment with what is negative: write `-{0^}`".to_owned()),
            ("f(E{0})", "`{0}` stands directly behind a word: put a blank between them".to_owned()),
            ("f({999999999999999999999})", hole("999999999999999999999")),
        ] {
            assert_eq!(CustomSpelling::new("postgres", template).unwrap_err(), why, "{template}");
        }
    }
}
