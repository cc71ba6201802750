//! What a program adds to the compiler: named SQL fragments and functions.

use std::fmt;
use std::sync::Arc;

use crate::error::ErrorKind;
use crate::expr::{DbType, Name, Value};
use crate::model::Entity;
use crate::names::NameTable;
use crate::render::FragmentText;

/// Named SQL fragments and functions of the program.
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
    callbacks: Vec<Named>,
    functions: NameTable,
    templates: Vec<CustomFunction>,
}

/// A fragment: what makes it, and what it is.
#[derive(Clone)]
pub(crate) struct Named {
    pub(crate) callback: Arc<Callback>,
    pub(crate) sort: Sort,
}

/// What the text of a fragment is.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Sort {
    Predicate,
    /// A value, of a type if that is told.
    Value(Option<DbType>),
}

type Callback = dyn Fn(&mut FragmentContext<'_, '_>, &Value) -> Result<(), FragmentError> + Send + Sync;

/// Why a fragment could not be made.
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

impl CustomSpelling {
    fn new(dialect: &str, template: &str) -> Result<Self, String> {
        let (mut args, mut more, mut depth, mut closed_at) = (0, false, 0_usize, None);
        let mut quote = None;
        let mut rest = template;
        while let Some(c) = rest.chars().next() {
            let at = template.len() - rest.len();
            let mut after = rest.get(c.len_utf8()..).unwrap_or_default();
            match c {
                '{' if !after.starts_with('{') => {
                    let (hole, behind) = after.split_once('}').ok_or("a hole is left open")?;
                    let digits = hole.trim_end_matches(|c: char| !c.is_ascii_digit());
                    let mark = hole.get(digits.len()..).unwrap_or_default();
                    match (digits.parse::<usize>(), mark) {
                        (Ok(index), "" | "^" | "=" | "'" | "i" | "f" | "t" | "s" | "j") if index < 100 => {
                            args = args.max(index + 1);
                        }
                        (Ok(index), "*") if index < 100 => (args, more) = (args.max(index), true),
                        (Err(_), "*" | "*t" | "*j") if digits.is_empty() => more = true,
                        _ => {
                            return Err(format!(
                                "`{{{hole}}}` is no hole: arguments are `{{0}}`, `{{0^}}`, `{{*}}` .."
                            ));
                        }
                    }
                    after = behind;
                }
                '{' | '}' => {
                    after = after.strip_prefix(c).ok_or("a brace by itself is written twice")?;
                }
                _ if quote.is_some() => quote = quote.filter(|quote| *quote != c),
                '\'' | '"' | '`' => quote = Some(c),
                '(' => depth += 1,
                ')' => {
                    depth = depth.checked_sub(1).ok_or("a parenthesis is closed that is not open")?;
                    if depth == 0 {
                        closed_at = closed_at.or(Some(at));
                    }
                }
                _ => {}
            }
            rest = after;
        }
        if depth > 0 || quote.is_some() {
            return Err("a parenthesis or a quote is left open".into());
        }
        let named = template.split('(').next().unwrap_or_default();
        let atom = closed_at == template.len().checked_sub(1)
            && named.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.'));
        Ok(Self { dialect: dialect.to_owned(), template: template.to_owned(), args, more, atom })
    }

    /// How many arguments it takes, for a message.
    pub(crate) fn arity(&self) -> String {
        let s = if self.args == 1 { "" } else { "s" };
        format!("{}{} argument{s}", if self.more { "at least " } else { "" }, self.args)
    }
}

impl Registry {
    /// Registers a fragment under a key: a predicate. The last one registered counts.
    ///
    /// Its text is put in parentheses, so an `OR` in it cannot leave its place. Where a value is due, it is used as one
    /// on engines that take a predicate for a value, and in a CASE on the others.
    pub fn fragment<F>(&mut self, key: impl AsRef<str>, callback: F) -> &mut Self
    where
        F: Fn(&mut FragmentContext<'_, '_>, &Value) -> Result<(), FragmentError> + Send + Sync + 'static,
    {
        self.named(key.as_ref(), Named { callback: Arc::new(callback), sort: Sort::Predicate })
    }

    /// Registers a fragment that is a value, of a type if that is told. The last one registered counts.
    ///
    /// Its text is put in parentheses. Where a predicate is due, it is taken for a truth value.
    pub fn value_fragment<F>(&mut self, key: impl AsRef<str>, ty: Option<DbType>, callback: F) -> &mut Self
    where
        F: Fn(&mut FragmentContext<'_, '_>, &Value) -> Result<(), FragmentError> + Send + Sync + 'static,
    {
        self.named(key.as_ref(), Named { callback: Arc::new(callback), sort: Sort::Value(ty) })
    }

    fn named(&mut self, key: &str, named: Named) -> &mut Self {
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

    /// Registers a function: for each dialect's name (`postgres`, `mysql`, `mariadb`, `sqlite`, `sqlserver`, `oracle`) a
    /// template such as `"similarity({0}, {1})"`; see [`Form::Text`](crate::dialect::Form::Text). On the others it is
    /// refused. A call must give as many arguments as the template takes. A function of the portable table that has the
    /// same name is hidden by it, on every dialect.
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
    /// # Errors
    /// For a template with a hole that is none, or with a parenthesis or a quote that has no partner.
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

    pub(crate) fn find_fragment(&self, key: &Name) -> Option<&Named> {
        self.fragments.get(key.as_str()).and_then(|index| self.callbacks.get(index))
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

/// What a fragment's callback writes to.
pub struct FragmentContext<'c, 'q> {
    pub(crate) text: FragmentText,
    pub(crate) dialect: &'c dyn crate::dialect::Dialect,
    pub(crate) quotes: crate::dialect::Quotes,
    pub(crate) entity: Option<&'c Entity>,
    pub(crate) lookup: &'q mut dyn FnMut(&str) -> Result<String, FragmentError>,
}

impl FragmentContext<'_, '_> {
    /// The dialect that is compiled for.
    pub fn dialect(&self) -> &dyn crate::dialect::Dialect {
        self.dialect
    }

    /// The entity in whose scope the fragment stands.
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
        crate::render::quote_into(self.piece(), name, quotes);
    }

    /// Writes the column of a property in scope, qualified as its place needs.
    ///
    /// # Errors
    /// If there is no such property.
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
            ("f{0})", "a parenthesis is closed that is not open".to_owned()),
            ("f({0", "a hole is left open".to_owned()),
            ("f({0}})", "a brace by itself is written twice".to_owned()),
            ("f({})", hole("")),
            ("f({x})", hole("x")),
            ("f({999999999999999999999})", hole("999999999999999999999")),
        ] {
            assert_eq!(CustomSpelling::new("postgres", template).unwrap_err(), why, "{template}");
        }
    }
}
