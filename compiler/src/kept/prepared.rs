//! Statements that a program prepares.

use std::collections::HashMap;
use std::hash::Hasher as _;
use std::sync::{Arc, OnceLock};

use compact_str::CompactString;

use super::statement::{KeptStatement, Record};
use super::table;
use crate::compiler::{Buffers, Compiled, Request, Verb};
use crate::error::{ErrorKind, Result};
use crate::expr::{Expr, InsertExpr, InsertSource, LogicExpr, LogicOperator, Value, ValueTypeExpr};
use crate::scope::Scope;
use crate::target::Target;
use crate::walk::shape::{Shape, ShapeLimits};
use crate::walk::{ExprMut, ExprRef, VisitOrder, rewrite, visit};

/// In how many forms a statement is kept: with other values it may have another text, as `= NULL` is `IS NULL`.
const FORMS: usize = 4;

/// A statement that is compiled once, and bound to other values as often as it runs.
///
/// [`Target::prepare`] takes a tree with any values of the usual kind. [`bind`](Self::bind) takes others in their place, in
/// the order in which they stand in the tree's JSON notation, and gives what a compilation of the tree with those values
/// gives: its parameters are converted and checked in the same way, and a value that needs another text, such as NULL, has
/// that text. Constants of the tree ([`constant`](crate::expr::constant)), and the numbers of a page, are parts of the
/// statement and not bound.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/plain.rs"));
/// # use isogloss_compiler::Compiler;
/// # use isogloss_compiler::expr::{DbValueType, Value, ValueOps, from, prop};
/// # use isogloss_compiler::model::{Catalog, ColumnDef, TableDef};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let user = TableDef::new("User")
/// #     .column(ColumnDef::new("Id", DbValueType::Int32).primary_key())
/// #     .column(ColumnDef::new("City", DbValueType::String).length(100).nullable())
/// #     .column(ColumnDef::new("Age", DbValueType::Int32));
/// # let compiler = Compiler::new(Catalog::builder().table(user).build()?);
/// let query = from("User").filter(prop("City").eq("city") & prop("Age").ge(0)).select(["Id"]);
/// let adults = compiler.target(&Plain).prepare(query)?;
///
/// let values = ["Rome".into(), 18.into()];
/// let statement = adults.bind(&values)?;
/// assert_eq!(statement.sql, r#"SELECT "T0"."Id" FROM "User" "T0" WHERE "T0"."City" = ? AND "T0"."Age" >= ?"#);
/// assert_eq!(*statement.params[0].value, Value::from("Rome"));
///
/// // NULL has another text, a value that does not fit is refused as it is by a compilation.
/// let values = [Value::Null, 18.into()];
/// let statement = adults.bind(&values)?;
/// assert!(statement.sql.contains(r#""T0"."City" IS NULL"#));
/// let error = adults.bind(&["Rome".into(), "old".into()]).unwrap_err();
/// assert!(error.to_string().contains("$.$select.Where.$and[1].Right"), "{error}");
/// # Ok(()) }
/// ```
///
/// To bind costs a twentieth to a quarter of a compilation, as neither a tree is built nor a name looked up. Values of a kind
/// that did not come before are compiled once; four kinds are kept. A value whose form no kind tells (bytes, a text of over
/// 255 bytes, a pattern with wildcards) is compiled each time, and so is a write within a scope. It can be shared between
/// threads, and waits for no lock.
#[derive(Debug)]
pub struct Prepared {
    target: Arc<Target>,
    tree: Expr,
    verb: Verb,
    root: Option<CompactString>,
    home: Option<CompactString>,
    table_args: Box<[CompactString]>,
    columns: bool,
    /// The operator beside each value that is the right side of a comparison.
    operators: Box<[Option<LogicOperator>]>,
    forms: [OnceLock<Form>; FORMS],
}

/// The statement of values of certain classes.
#[derive(Debug)]
struct Form {
    classes: Box<[u8]>,
    /// None where it depends on more than the classes.
    statement: Option<KeptStatement>,
}

impl Target {
    /// Compiles a statement that is to run with other values: see [`Prepared`].
    ///
    /// # Errors
    /// What cannot be resolved, and what the dialect refuses.
    pub fn prepare(self: &Arc<Self>, statement: impl Into<Expr>) -> Result<Prepared> {
        self.prepare_with(statement, &Request::default())
    }

    /// Compiles a statement that is to run with other values, as a request says. The request's scope is checked here and
    /// is given anew with the values, by [`Prepared::bind_in`].
    ///
    /// # Errors
    /// What cannot be resolved, and what the dialect refuses.
    pub fn prepare_with(self: &Arc<Self>, statement: impl Into<Expr>, request: &Request<'_>) -> Result<Prepared> {
        let tree = statement.into();
        let prepared = Prepared {
            target: Arc::clone(self),
            operators: values_of(&tree).into_iter().map(|(_, operator)| operator).collect(),
            tree,
            verb: request.verb,
            root: request.root.map(CompactString::from),
            home: request.home.map(CompactString::from),
            table_args: request.table_args.into(),
            columns: request.columns,
            forms: Default::default(),
        };
        let values: Vec<Value> = values_of(&prepared.tree).into_iter().map(|(value, _)| value.clone()).collect();
        prepared.bind_in(&values, request.scope, Buffers::default())?;
        Ok(prepared)
    }
}

impl Prepared {
    /// The tree with the values that it was prepared with.
    #[must_use]
    pub fn tree(&self) -> &Expr {
        &self.tree
    }

    /// How many values it takes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.operators.len()
    }

    /// Whether it takes no values.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.operators.is_empty()
    }

    /// The statement with these values, which are in the order of the tree's JSON notation.
    ///
    /// # Errors
    /// Another number of values than the tree has; and those of [`Target::compile_with`]: a value that its column does not
    /// take, with its path in the tree.
    pub fn bind<'v>(&'v self, values: &'v [Value]) -> Result<Compiled<'v>> {
        self.bind_in(values, None, Buffers::default())
    }

    /// The statement with these values, within a scope, in buffers of an earlier statement: then it allocates nothing.
    ///
    /// # Errors
    /// Those of [`bind`](Self::bind), and what is outside of the scope.
    pub fn bind_in<'v>(
        &'v self,
        values: &'v [Value],
        scope: Option<&'v Scope>,
        buffers: Buffers,
    ) -> Result<Compiled<'v>> {
        if values.len() != self.operators.len() {
            return Err(ErrorKind::ValueCount { expected: self.operators.len(), given: values.len() }.into());
        }
        let target = &*self.target;
        // A scope looks at what is written, and what a value is stored as depends on it.
        let writes = !matches!(self.tree, Expr::Segment(_) | Expr::Logic(_));
        if target.dialect().stored_form().is_some() || (writes && scope.is_some()) {
            return self.anew(values, scope, buffers);
        }
        let write = |shape: &mut Shape<'v>| {
            shape.write_u8(target.has_default_source().into());
            shape.write_u8(scope.is_some().into());
            if let Some(scope) = scope {
                scope.shape(shape);
            }
            self.operators.iter().zip(values).for_each(|(operator, value)| shape.slot(*operator, value));
        };
        table::shaped(self.limits(), write, |shape| {
            let Some((classes, slots)) = shape.parts() else { return self.anew(values, scope, buffers) };
            let known = self.forms.iter().map_while(OnceLock::get).find(|form| *form.classes == *classes);
            match known {
                Some(Form { statement: Some(statement), .. }) => match statement.fitted(target, slots) {
                    Some(fitted) => Ok(statement.filled(slots, &fitted, buffers)),
                    None => self.anew(values, scope, buffers),
                },
                None if self.forms.iter().any(|form| form.get().is_none()) => self.formed(classes, values, scope),
                _ => self.anew(values, scope, buffers),
            }
        })
    }

    /// The whole compilation of the tree with these values.
    fn anew<'v>(&'v self, values: &[Value], scope: Option<&Scope>, buffers: Buffers) -> Result<Compiled<'v>> {
        let tree = with_values(&self.tree, values);
        Ok(self.target.compile_with(&tree, &self.request(scope), buffers)?.into_owned())
    }

    /// The compilation of the tree with values of classes that are not known, which are from then on.
    fn formed<'v>(&'v self, classes: &[u8], values: &[Value], scope: Option<&Scope>) -> Result<Compiled<'v>> {
        let tree = with_values(&self.tree, values);
        let request = self.request(scope);
        let mut record = Record::default();
        let compiled = self.target.compile_anew((&tree).into(), &request, Buffers::default(), Some(&mut record))?;
        let statement = table::shaped(
            self.limits(),
            |shape| {
                if let Some(scope) = scope {
                    scope.shape(shape);
                }
                shape.tree(ExprRef::from(&tree));
            },
            |shape| {
                let (_, slots) = shape.parts()?;
                // That of a scope are before those of the tree.
                let own = slots.len().checked_sub(values.len())?;
                let in_order =
                    slots.iter().skip(own).zip(values_of(&tree)).all(|(slot, (value, _))| std::ptr::eq(*slot, value));
                if in_order { KeptStatement::of(&self.target, &compiled, slots, &record) } else { None }
            },
        );
        let form = Form { classes: classes.into(), statement };
        // Another thread may have been quicker. Where there is no room, it is compiled again.
        let _ = self.forms.iter().try_fold(form, |form, place| match place.set(form) {
            Ok(()) => Err(()),
            Err(form) => Ok(form),
        });
        Ok(compiled.into_owned())
    }

    /// Its forms are few, so that each length of a list may be one.
    fn limits(&self) -> ShapeLimits {
        ShapeLimits { bytes: usize::MAX, list: usize::MAX, packed: self.target.packed() }
    }

    fn request<'r>(&'r self, scope: Option<&'r Scope>) -> Request<'r> {
        let Self { verb, root, home, table_args, columns, .. } = self;
        Request { verb: *verb, root: root.as_deref(), home: home.as_deref(), table_args, columns: *columns, scope }
    }
}

/// The values of a tree that are no constants, and the operator of which each is the right side.
pub(super) fn values_of(tree: &Expr) -> Vec<(&Value, Option<LogicOperator>)> {
    let mut found = Vec::new();
    let mut operators: HashMap<*const Value, LogicOperator> = HashMap::new();
    visit(tree, VisitOrder::Pre, |node| match node {
        ExprRef::Logic(LogicExpr::Binary(comparison)) => {
            if let ValueTypeExpr::Value(node) = &comparison.right {
                operators.insert(&node.value, comparison.operator);
            }
        }
        ExprRef::Value(ValueTypeExpr::Value(node)) | ExprRef::Constant(node) if !node.is_const => {
            found.push((&node.value, operators.get(&std::ptr::from_ref(&node.value)).copied()));
        }
        ExprRef::Insert(InsertExpr { source: InsertSource::Values(values), .. }) => {
            found.extend(values.iter().map(|value| (value, None)));
        }
        _ => {}
    });
    found
}

/// A copy of a tree with other values, in the order of [`values_of`].
fn with_values(tree: &Expr, values: &[Value]) -> Expr {
    let mut tree = tree.clone();
    let mut values = values.iter();
    let mut set = |value: &mut Value| {
        if let Some(new) = values.next() {
            *value = new.clone();
        }
    };
    rewrite(&mut tree, |node| match node {
        ExprMut::Value(ValueTypeExpr::Value(node)) | ExprMut::Constant(node) if !node.is_const => set(&mut node.value),
        ExprMut::Insert(InsertExpr { source: InsertSource::Values(values), .. }) => {
            values.iter_mut().for_each(&mut set);
        }
        _ => {}
    });
    tree
}
