//! What a program adds to the compiler: named SQL fragments and functions.

use std::fmt;
use std::sync::Arc;

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
    callbacks: Vec<Arc<Callback>>,
    functions: NameTable,
    templates: Vec<CustomFunction>,
}

type Callback = dyn Fn(&mut FragmentContext<'_, '_>, &Value) -> Result<(), FragmentError> + Send + Sync;

/// Why a fragment could not be made.
pub type FragmentError = Box<dyn std::error::Error + Send + Sync>;

/// A function of the program: how each dialect spells it.
#[derive(Debug, Clone)]
pub(crate) struct CustomFunction {
    /// Dialect names and templates.
    pub(crate) spellings: Vec<(String, String)>,
    /// The type of its result.
    pub(crate) result: Option<DbType>,
}

impl Registry {
    /// Registers a fragment under a key. The last one registered counts.
    ///
    /// Its text is put in parentheses, so an `OR` in it cannot leave its place.
    pub fn fragment<F>(&mut self, key: impl AsRef<str>, callback: F) -> &mut Self
    where
        F: Fn(&mut FragmentContext<'_, '_>, &Value) -> Result<(), FragmentError> + Send + Sync + 'static,
    {
        match self.fragments.insert(key.as_ref(), self.callbacks.len()) {
            Some(known) => {
                if let Some(slot) = self.callbacks.get_mut(known) {
                    *slot = Arc::new(callback);
                }
            }
            None => self.callbacks.push(Arc::new(callback)),
        }
        self
    }

    /// Registers a function: for each dialect's name (`postgres`, `mysql`, ...) a template such as
    /// `"similarity({0}, {1})"`; see [`Form::Text`](crate::dialect::Form::Text). On the others it is refused.
    pub fn function<'t>(
        &mut self,
        name: impl AsRef<str>,
        result: Option<DbType>,
        spellings: impl IntoIterator<Item = (&'t str, &'t str)>,
    ) -> &mut Self {
        let spellings = spellings.into_iter().map(|(d, t)| (d.to_owned(), t.to_owned())).collect();
        let function = CustomFunction { spellings, result };
        match self.functions.insert(name.as_ref(), self.templates.len()) {
            Some(known) => {
                if let Some(slot) = self.templates.get_mut(known) {
                    *slot = function;
                }
            }
            None => self.templates.push(function),
        }
        self
    }

    pub(crate) fn find_fragment(&self, key: &Name) -> Option<&Arc<Callback>> {
        self.fragments.get(key.as_str()).and_then(|index| self.callbacks.get(index))
    }

    pub(crate) fn find_function(&self, name: &str) -> Option<&CustomFunction> {
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
