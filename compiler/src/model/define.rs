//! What a program says of its tables: definitions as they are written, unchecked.

use compact_str::CompactString;

use super::constraints::{Beside, ConstraintDef, IndexDef};
use super::{ColumnMode, RelationDef, SyncTableMode, TextMode};
use crate::expr::{DbType, LogicExpr, Name, TableJoinType, Value, ValueTypeExpr};

/// The definition of a table, or of a view over one.
#[derive(Debug, Clone, Default)]
pub(super) struct Definition {
    pub(super) name: Name,
    /// What a view is over.
    pub(super) of: Option<Name>,
    pub(super) table: Option<String>,
    pub(super) comment: Option<String>,
    pub(super) key_name: Option<CompactString>,
    pub(super) data_source: Option<CompactString>,
    pub(super) sync_table: SyncTableMode,
    pub(super) columns: Vec<ColumnDef>,
    pub(super) table_joins: Vec<TableJoinDef>,
    /// Foreign types that are given beside the column that they belong to.
    pub(super) foreigns: Vec<(Name, ForeignType)>,
    pub(super) foreign_columns: Vec<ForeignColumnDef>,
    pub(super) relations: Vec<RelationDef>,
    pub(super) fixed_filter: Option<LogicExpr>,
    pub(super) fixed_values: Vec<(Name, Value)>,
    pub(super) scoped: bool,
    pub(super) beside: Beside,
}

/// The definition of a table: an entity.
///
/// What is left out follows from the names: the table is named as the entity, a column as its property.
///
/// ```
/// use isogloss_compiler::expr::DbValueType;
/// use isogloss_compiler::model::{Catalog, ColumnDef, ForeignType, TableDef, ViewDef};
/// let id = || ColumnDef::new("Id", DbValueType::Int32).column("id").primary_key().identity(1, 1);
/// let catalog = Catalog::builder()
///     .table(TableDef::new("Department").table("hr.departments").column(id()))
///     .table(
///         TableDef::new("User")
///             .table("users_{0}") // sharded: a request or a query gives `{0}`
///             .column(id())
///             .column(ColumnDef::new("DeptId", DbValueType::Int32).foreign(ForeignType::new("Department")))
///             .column(ColumnDef::new("Deleted", DbValueType::Boolean).constant(false)),
///     )
///     .view(ViewDef::new("UserView", "User").foreign_column("Dept", "Department", "Id"))
///     .build()?;
/// assert!(catalog.entity("UserView").is_some());
/// # Ok::<(), isogloss_compiler::model::CatalogErrors>(())
/// ```
#[derive(Debug, Clone)]
pub struct TableDef(pub(super) Definition);

/// The definition of a view: an entity with columns from tables that are related to it. It has the entity's columns,
/// joins and fixed filter, and adds its own.
#[derive(Debug, Clone)]
pub struct ViewDef(pub(super) Definition);

impl TableDef {
    /// An entity of that name.
    pub fn new(name: impl Into<Name>) -> Self {
        Self(Definition { name: name.into(), ..Definition::default() })
    }

    /// The properties of its columns, in order of definition.
    pub fn properties(&self) -> impl ExactSizeIterator<Item = &Name> {
        self.0.columns.iter().map(|column| &column.name)
    }

    /// The properties that a select without a list gives, in order of definition: those of columns that queries may select.
    pub fn listed(&self) -> impl Iterator<Item = &Name> {
        let is_listed = |column: &&ColumnDef| column.mode.contains(ColumnMode::READ);
        self.0.columns.iter().filter(is_listed).map(|column| &column.name)
    }

    /// The table's name: up to four parts with dots between them, and `{0}`, `{1}`, ... where a sharded table takes its
    /// arguments.
    #[must_use]
    pub fn table(mut self, name: impl Into<String>) -> Self {
        self.0.table = Some(name.into());
        self
    }

    /// The data source that holds the table.
    #[must_use]
    pub fn data_source(mut self, name: impl Into<CompactString>) -> Self {
        self.0.data_source = Some(name.into());
        self
    }

    /// Whether the table is made to agree with the definition at run time.
    #[must_use]
    pub fn sync_table(mut self, mode: SyncTableMode) -> Self {
        self.0.sync_table = mode;
        self
    }

    /// What the database says of the table to who looks at it. SQLite has no comments.
    #[must_use]
    pub fn comment(mut self, text: impl Into<String>) -> Self {
        self.0.comment = Some(text.into());
        self
    }

    /// The name of the primary key in the database, without which the engine makes one. Those of MySQL, MariaDB and SQLite have none.
    /// A sharded table has none, unless each is in a schema of its own.
    #[must_use]
    pub fn key_name(mut self, name: impl Into<CompactString>) -> Self {
        self.0.key_name = Some(name.into());
        self
    }

    /// Adds an index over several columns, or over some of the rows. One over one column is an attribute of the column.
    #[must_use]
    pub fn index(mut self, index: IndexDef) -> Self {
        self.0.beside.indexes.push(index);
        self
    }

    /// Adds a condition that the database keeps for each row: SQL of the engine, with columns in its holes, as in `{Price} >= 0`.
    #[must_use]
    pub fn check(mut self, name: impl Into<CompactString>, condition: impl Into<String>) -> Self {
        self.0.beside.checks.push((name.into(), condition.into()));
        self
    }

    /// Adds a foreign key that the database keeps.
    #[must_use]
    pub fn constraint(mut self, constraint: ConstraintDef) -> Self {
        self.0.beside.constraints.push(constraint);
        self
    }

    /// It is for statements with a [`Scope`](crate::Scope) that has a filter on it: any other statement that touches its
    /// table, by this entity, a view or another entity over it, is refused when it is compiled.
    #[must_use]
    pub fn scoped(mut self) -> Self {
        self.0.scoped = true;
        self
    }
}

impl ViewDef {
    /// A view of that name over an entity, or over another view.
    pub fn new(name: impl Into<Name>, of: impl Into<Name>) -> Self {
        Self(Definition { name: name.into(), of: Some(of.into()), ..Definition::default() })
    }
}

macro_rules! definition {
    ($($def:ident)*) => {$(
        impl $def {
            /// Adds a column.
            #[must_use]
            pub fn column(mut self, column: ColumnDef) -> Self {
                self.0.columns.push(column);
                self
            }

            /// Says that a column refers to another entity's primary key.
            #[must_use]
            pub fn foreign(mut self, property: impl Into<Name>, foreign: ForeignType) -> Self {
                self.0.foreigns.push((property.into(), foreign));
                self
            }

            /// Adds a join by one or more columns.
            #[must_use]
            pub fn table_join(mut self, join: TableJoinDef) -> Self {
                self.0.table_joins.push(join);
                self
            }

            /// Adds a column from a joined table: `foreign` is the alias of a join or the entity at its end, `property`
            /// the property there.
            #[must_use]
            pub fn foreign_column(
                self,
                name: impl Into<Name>,
                foreign: impl Into<Name>,
                property: impl Into<Name>,
            ) -> Self {
                self.foreign_column_def(ForeignColumnDef::new(name, foreign).property(property))
            }

            /// Adds a column from a joined table.
            #[must_use]
            pub fn foreign_column_def(mut self, column: ForeignColumnDef) -> Self {
                self.0.foreign_columns.push(column);
                self
            }

            /// Adds a relation, by which rows of another entity are loaded.
            #[must_use]
            pub fn relation(mut self, relation: RelationDef) -> Self {
                self.0.relations.push(relation);
                self
            }

            /// Adds to what holds for every row: this property has this value. The same as
            /// [`ColumnDef::constant`], said beside the column.
            #[must_use]
            pub fn fixed_value(mut self, property: impl Into<Name>, value: impl Into<Value>) -> Self {
                self.0.fixed_values.push((property.into(), value.into()));
                self
            }

            /// Adds to what holds for every row. It is for what the model itself fixes, never for the user, tenant or
            /// time of a request: a catalog is built once and shared by all requests. AND such a condition to the query,
            /// outside of what a client says: `from("Order").filter(theirs).filter(prop("TenantId").eq(tenant))`.
            ///
            /// Where it says that a column equals a constant, rows that are written get it.
            #[must_use]
            pub fn fixed_filter(mut self, filter: impl Into<LogicExpr>) -> Self {
                let filter = filter.into();
                self.0.fixed_filter = Some(match self.0.fixed_filter.take() {
                    Some(before) => LogicExpr::And([before, filter].into_iter().collect()),
                    None => filter,
                });
                self
            }
        }
    )*};
}

definition!(TableDef ViewDef);

/// The definition of a column.
///
/// ```
/// use isogloss_compiler::expr::DbValueType;
/// use isogloss_compiler::model::{ColumnDef, ColumnMode};
/// let price = ColumnDef::new("Price", DbValueType::Decimal).column("unit_price").precision(18, 2);
/// let role = ColumnDef::new("Role", DbValueType::String).length(10).enumeration([("Guest", 0), ("Admin", 1)]);
/// let created = ColumnDef::new("Created", DbValueType::DateTime2).default_sql("CURRENT_TIMESTAMP").mode(ColumnMode::FINAL);
/// let secret = ColumnDef::new("Password", DbValueType::String).length(60).not_filterable();
/// # let _ = (price, role, created, secret);
/// ```
#[derive(Debug, Clone)]
pub struct ColumnDef {
    pub(super) name: Name,
    pub(super) column: Option<CompactString>,
    pub(super) ty: DbType,
    pub(super) length: Option<u32>,
    pub(super) precision: Option<u8>,
    pub(super) scale: Option<u8>,
    pub(super) nullable: bool,
    pub(super) primary_key: bool,
    pub(super) identity: Option<super::Identity>,
    pub(super) is_timestamp: bool,
    pub(super) is_index: bool,
    pub(super) is_unique: bool,
    pub(super) default: Option<String>,
    pub(super) computed: Option<ComputedDef>,
    pub(super) mode: ColumnMode,
    pub(super) filterable: bool,
    pub(super) writable: bool,
    pub(super) text: Option<TextMode>,
    pub(super) enum_members: Option<Vec<(Name, i64)>>,
    pub(super) enum_flags: bool,
    pub(super) constant: Option<Value>,
    pub(super) soft_delete: bool,
    pub(super) distribution_key: bool,
    pub(super) comment: Option<String>,
    pub(super) foreigns: Vec<ForeignType>,
}

/// What a computed column is computed from, as it is written.
#[derive(Debug, Clone)]
pub(super) enum ComputedDef {
    Text(String),
    Expr(ValueTypeExpr),
}

impl ColumnDef {
    /// A column under the name of its property. It is named as the property, may not hold NULL, takes part in every
    /// statement, and clients may name it.
    pub fn new(property: impl Into<Name>, ty: impl Into<DbType>) -> Self {
        Self {
            name: property.into(),
            column: None,
            ty: ty.into(),
            length: None,
            precision: None,
            scale: None,
            nullable: false,
            primary_key: false,
            identity: None,
            is_timestamp: false,
            is_index: false,
            is_unique: false,
            default: None,
            computed: None,
            mode: ColumnMode::FULL,
            filterable: true,
            writable: false,
            text: None,
            enum_members: None,
            enum_flags: false,
            constant: None,
            soft_delete: false,
            distribution_key: false,
            comment: None,
            foreigns: Vec::new(),
        }
    }

    /// Its name in the database.
    #[must_use]
    pub fn column(mut self, name: impl Into<CompactString>) -> Self {
        self.column = Some(name.into());
        self
    }

    /// The most characters or bytes that it holds.
    #[must_use]
    pub fn length(mut self, length: u32) -> Self {
        self.length = Some(length);
        self
    }

    /// What its texts are compared, sorted and grouped by, whatever the data source says.
    #[must_use]
    pub fn text(mut self, mode: TextMode) -> Self {
        self.text = Some(mode);
        self
    }

    /// The digits of a decimal, and how many of them stand after the point.
    #[must_use]
    pub fn precision(mut self, digits: u8, scale: u8) -> Self {
        (self.precision, self.scale) = (Some(digits), Some(scale));
        self
    }

    /// The digits that a time keeps behind its seconds, 0 to 6: `DATETIME(0)` has none.
    ///
    /// What is assigned to the column, a value or what the database computes, is cut to them, and not rounded, whatever the
    /// engine does; so is a value that the column is compared with by `=`, `<>`, `IN` or `IS [NOT] DISTINCT FROM`: the row
    /// is found by the time that was written. One that is compared by order stays as it is.
    ///
    /// ```
    /// use isogloss_compiler::expr::DbValueType;
    /// use isogloss_compiler::model::ColumnDef;
    /// let created = ColumnDef::new("Created", DbValueType::DateTime2).time_precision(0);
    /// # let _ = created;
    /// ```
    #[must_use]
    pub fn time_precision(mut self, digits: u8) -> Self {
        (self.precision, self.scale) = (Some(digits), None);
        self
    }

    /// It may hold NULL.
    #[must_use]
    pub fn nullable(mut self) -> Self {
        self.nullable = true;
        self
    }

    /// It is the primary key, or one of its columns.
    #[must_use]
    pub fn primary_key(mut self) -> Self {
        self.primary_key = true;
        self
    }

    /// The database numbers it.
    #[must_use]
    pub fn identity(mut self, start: i64, increment: i64) -> Self {
        let expression = self.identity.and_then(|identity| identity.expression);
        self.identity = Some(super::Identity { start, increment, expression });
        self
    }

    /// The database numbers it by this SQL text of the program, as in `seq_orders.NEXTVAL`.
    #[must_use]
    pub fn identity_expression(mut self, expression: impl Into<String>) -> Self {
        let (start, increment) = self.identity.map_or((1, 1), |identity| (identity.start, identity.increment));
        self.identity = Some(super::Identity { start, increment, expression: Some(expression.into()) });
        self
    }

    /// It is the row's version.
    #[must_use]
    pub fn timestamp(mut self) -> Self {
        self.is_timestamp = true;
        self
    }

    /// Table synchronization makes an index on it.
    #[must_use]
    pub fn index(mut self) -> Self {
        self.is_index = true;
        self
    }

    /// Table synchronization makes a unique index on it.
    #[must_use]
    pub fn unique(mut self) -> Self {
        self.is_unique = true;
        self
    }

    /// Its default, as SQL text of the program.
    #[must_use]
    pub fn default_sql(mut self, sql: impl Into<String>) -> Self {
        self.default = Some(sql.into());
        self
    }

    /// What the database says of the column to who looks at it. SQLite has no comments.
    #[must_use]
    pub fn comment(mut self, text: impl Into<String>) -> Self {
        self.comment = Some(text.into());
        self
    }

    /// It is a generated column: the table has it, and the database computes it by this SQL text of the program, with
    /// properties of the same entity in braces, as in `{Price} * {Qty}`. `{{` and `}}` are plain braces.
    ///
    /// A query reads it by its name, as any other column; the text is never put in its place. INSERT and UPDATE do not
    /// write it. For what the table does not have, select an expression.
    ///
    /// A [`QueryPolicy`](crate::walk::QueryPolicy) closes it with the properties in braces; of a column that the text names
    /// in another way it knows nothing.
    #[must_use]
    pub fn computed(mut self, text: impl Into<String>) -> Self {
        self.computed = Some(ComputedDef::Text(text.into()));
        self
    }

    /// It is a generated column, as in [`computed`](Self::computed), by an expression over the same entity. Its values
    /// must be constants.
    #[must_use]
    pub fn computed_expr(mut self, expr: impl Into<ValueTypeExpr>) -> Self {
        self.computed = Some(ComputedDef::Expr(expr.into()));
        self
    }

    /// Which statements it takes part in.
    #[must_use]
    pub fn mode(mut self, mode: ColumnMode) -> Self {
        self.mode = mode;
        self
    }

    /// No query of a client may name it: a [`QueryPolicy`](crate::walk::QueryPolicy) denies it, also on views that show it.
    /// The program's own queries select it as any other; a [`mode`](Self::mode) without
    /// [`READ`](ColumnMode::READ) keeps it out of selects without a list.
    /// A column that is computed from it is denied as well, unless the policy lists that one by name.
    #[must_use]
    pub fn not_filterable(mut self) -> Self {
        self.filterable = false;
        self
    }

    /// A client may set it. Without a word, the row of a client sets nothing: neither a key nor an owner, a tenant or a state
    /// that only the program may give.
    ///
    /// ```
    /// use isogloss_compiler::expr::DbValueType;
    /// use isogloss_compiler::model::{Catalog, ColumnDef, TableDef};
    /// let order = TableDef::new("Order")
    ///     .column(ColumnDef::new("Id", DbValueType::Int64).primary_key().identity(1, 1))
    ///     .column(ColumnDef::new("OwnerId", DbValueType::Int64))
    ///     .column(ColumnDef::new("Note", DbValueType::String).length(200).writable());
    /// let catalog = Catalog::builder().table(order).build()?;
    /// let (_, order) = catalog.entity("Order").ok_or("no entity")?;
    /// let writable = order.columns.iter().filter(|column| column.writable).map(|column| column.name.as_str());
    /// assert!(writable.eq(["Note"]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn writable(mut self) -> Self {
        self.writable = true;
        self
    }

    /// It holds an enumeration: its numbers if the column has integers, its names if it has text.
    #[must_use]
    pub fn enumeration<N: Into<Name>>(mut self, members: impl IntoIterator<Item = (N, i64)>) -> Self {
        self.enum_members = Some(members.into_iter().map(|(name, number)| (name.into(), number)).collect());
        self
    }

    /// It holds an enumeration of flags, so that a sum of numbers is a value too.
    #[must_use]
    pub fn flags<N: Into<Name>>(mut self, members: impl IntoIterator<Item = (N, i64)>) -> Self {
        self.enum_flags = true;
        self.enumeration(members)
    }

    /// It always has this value: a part of the entity's fixed filter. An INSERT writes it to rows that are given none;
    /// another value is an error, in an UPDATE too.
    #[must_use]
    pub fn constant(mut self, value: impl Into<Value>) -> Self {
        self.constant = Some(value.into());
        self
    }

    /// It marks the rows that are deleted, and stay in the table: a boolean that is true of them, or a date and time that is
    /// NULL of the others.
    ///
    /// A DELETE sets it, to true or to the time (UTC), and statements do not see the rows that are marked: the entity has a
    /// named filter `soft_delete`, which stands where a fixed filter does. A [`Scope`](crate::Scope) that says
    /// `with_deleted` or `only_deleted` switches it for a request, and
    /// [`without_filter`](crate::expr::TableExpr::without_filter) at one node.
    ///
    /// It is of this entity and its views, and not of the table: another entity over the same table marks its own column,
    /// or it sees the marked rows and deletes for good. In a template, `{Table}` shows the marked rows unless
    /// `{FixedFilter}` stands behind it.
    #[must_use]
    pub fn soft_delete(mut self) -> Self {
        self.soft_delete = true;
        self
    }

    /// Its value says on which server a row lies, where the engine [distributes](crate::dialect::Distribution) the rows of
    /// a table over several: Citus and Vitess. Elsewhere it means nothing.
    ///
    /// It is never NULL, and belongs to the primary key, so that a row is found by its key on one server. On Citus, table
    /// sync distributes the table that it makes. Where rows are distributed, an INSERT without the column, an upsert whose
    /// key lacks it, and an UPDATE of it are refused. A foreign key of several columns that holds it keeps joins and EXISTS
    /// on one server.
    #[must_use]
    pub fn distribution_key(mut self) -> Self {
        self.distribution_key = true;
        self
    }

    /// It refers to another entity's primary key. A column may do so several times, under different aliases.
    #[must_use]
    pub fn foreign(mut self, foreign: ForeignType) -> Self {
        self.foreigns.push(foreign);
        self
    }
}

/// A column's relation to another entity: the column holds that entity's primary key, as a foreign key does.
#[derive(Debug, Clone)]
pub struct ForeignType {
    pub(super) entity: Name,
    pub(super) alias: Option<Name>,
    pub(super) join_type: TableJoinType,
    pub(super) auto_expand: bool,
    pub(super) enforced: bool,
}

impl ForeignType {
    /// A relation to that entity, by a left join under its name.
    pub fn new(entity: impl Into<Name>) -> Self {
        Self { entity: entity.into(), alias: None, join_type: TableJoinType::Left, auto_expand: false, enforced: false }
    }
}

/// A relation to another entity by one or more columns, of the table itself or of one that it joins; a foreign key of
/// several columns, or a way over a table between.
#[derive(Debug, Clone)]
pub struct TableJoinDef {
    pub(super) source: Option<Name>,
    pub(super) entity: Name,
    pub(super) foreign_keys: Vec<Name>,
    pub(super) prime_keys: Vec<Name>,
    pub(super) alias: Option<Name>,
    pub(super) join_type: TableJoinType,
    pub(super) auto_expand: bool,
    pub(super) enforced: bool,
}

impl TableJoinDef {
    /// A relation to that entity: the properties of the source that make up its primary key, in the order in which the
    /// entity defines its key.
    pub fn new<N: Into<Name>>(entity: impl Into<Name>, foreign_keys: impl IntoIterator<Item = N>) -> Self {
        Self {
            source: None,
            entity: entity.into(),
            foreign_keys: foreign_keys.into_iter().map(Into::into).collect(),
            prime_keys: Vec::new(),
            alias: None,
            join_type: TableJoinType::Left,
            auto_expand: false,
            enforced: false,
        }
    }

    /// What the foreign keys belong to, if not to the main table: the alias of a join, or the entity at its end.
    #[must_use]
    pub fn source(mut self, source: impl Into<Name>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// The properties of the target that the foreign keys equal, one each, if they are not its primary key (the
    /// "prime keys" of the specification).
    #[must_use]
    pub fn prime_keys<N: Into<Name>>(mut self, keys: impl IntoIterator<Item = N>) -> Self {
        self.prime_keys = keys.into_iter().map(Into::into).collect();
        self
    }
}

macro_rules! relation {
    ($($def:ident)*) => {$(
        impl $def {
            /// The name of the join, if it is not the entity's.
            #[must_use]
            pub fn alias(mut self, alias: impl Into<Name>) -> Self {
                self.alias = Some(alias.into());
                self
            }

            /// The kind of join.
            #[must_use]
            pub fn join_type(mut self, join_type: TableJoinType) -> Self {
                self.join_type = join_type;
                self
            }

            /// The database enforces it by a foreign key constraint: the row that it refers to is always there.
            ///
            /// Where nobody sees the columns of an inner join, as in a count, it is left out if it changes no row: if it leads
            /// to the primary key of its target, its own columns are never NULL, and no filter holds for the target. Without
            /// the constraint, rows without a target would be counted.
            #[must_use]
            pub fn enforced(mut self) -> Self {
                self.enforced = true;
                self
            }

            /// What the target relates to can be reached too.
            #[must_use]
            pub fn auto_expand(mut self) -> Self {
                self.auto_expand = true;
                self
            }
        }
    )*};
}

relation!(ForeignType TableJoinDef);

/// A column that comes from a joined table.
#[derive(Debug, Clone)]
pub struct ForeignColumnDef {
    pub(super) name: Name,
    pub(super) foreign: Name,
    pub(super) property: Option<Name>,
    pub(super) filterable: bool,
}

impl ForeignColumnDef {
    /// A column from the join of that alias, or to that entity; there it has the same name.
    pub fn new(name: impl Into<Name>, foreign: impl Into<Name>) -> Self {
        Self { name: name.into(), foreign: foreign.into(), property: None, filterable: true }
    }

    /// Its name there.
    #[must_use]
    pub fn property(mut self, property: impl Into<Name>) -> Self {
        self.property = Some(property.into());
        self
    }

    /// No query of a client may name it.
    #[must_use]
    pub fn not_filterable(mut self) -> Self {
        self.filterable = false;
        self
    }
}
