//! The macros of isogloss. Programs use them by the facade, `isogloss`.

mod attributes;
mod auto_register;
mod checks;
mod columns;
mod constraints;
mod db_enum;
mod entity;
mod expr;
mod from_row;
mod from_services;
mod items;
mod naming;
mod newtype;
mod query;
mod related;
mod relations;
mod service;
mod service_factory;
mod sql;
mod types;
mod view;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// A struct that is a table: one field a column.
///
/// On the struct `#[table(...)]`, all of it optional:
///
/// | | |
/// |---|---|
/// | `name = "orders"` | the table's name, up to four parts with dots between; `{0}`, `{1}` for shards; else the struct's |
/// | `entity = "Sales.Order"` | the name in trees and in the catalog, if not the struct's |
/// | `data_source = "archive"` | the data source that holds it |
/// | `comment = "What is sold"` | what the database says of the table; SQLite has no comments |
/// | `key_name = "orders_key"` | the name of the primary key in the database, without which the engine makes one; it has none on MySQL, MariaDB and SQLite |
/// | `sync_table = always` | `never`, `always` or `default`: whether the table is made to agree with the struct |
/// | `columns = "snake_case"` | how columns are named: `PascalCase` (as the property is, the default), `camelCase`, `snake_case`, `SCREAMING_SNAKE_CASE`, `as_is` |
/// | `properties = "camelCase"` | the same for the names in trees |
/// | `fixed_filter = prop("Deleted").eq(false)` | what holds for every row |
/// | `arged` | rows say their shard: the struct implements `Arged` |
/// | `scoped` | a statement that touches the table without a filter of a scope on it is refused |
/// | `register = false` | it is not put into the catalog by itself |
/// | `crate = "::isogloss"` | where the facade is |
///
/// On a field `#[column(...)]`: `name = ".."`, `property = ".."`, `primary_key`, `identity`, `identity(start, increment)`,
/// `identity_expression = ".."`, `constant = value`, `timestamp`, `index`, `unique`, `soft_delete`, `distribution_key`,
/// `length = 20`, `precision = 18` and `scale = 2` of a decimal, `precision = 0` of a time (the digits behind its seconds), `type = "DateTime2"`, `computed = "{Price} * {Qty}"`, `nullable`, `not_null`, `default = "sql"`, `comment = ".."`,
/// `mode = "read|insert"`, `text = "exact"` (or `database`), `converter = Type`, `json`, `not_filterable`, `writable`, `flags`, `skip`; and
/// `#[foreign(Type, alias = "..", join = Left, auto_expand, enforced)]`, once for each entity that the column refers to.
///
/// `#[log(skip)]` on a field leaves it out of what logs show of a row.
///
/// An `identity_expression`, such as the next value of a sequence, is the column's default: MySQL and SQLite have none.
///
/// `#[table_join(Type, keys(field, ..), prime_keys(field, ..), source = Type, alias = "..", join = Left, auto_expand, enforced)]` on
/// the struct is a relation by several columns, in the order of the other's key, or from a table that is joined itself. A
/// type may be given as a text, too: the name of an entity that is known only at run time, or the alias of a join.
///
/// What the table has beside its columns stands on the struct as well, each as often as needed:
///
/// | | |
/// |---|---|
/// | `#[index(columns(customer_id, no), unique, filter = "{State} = 1", name = "..")]` | an index, of some of the rows where the engine has that |
/// | `#[check(name = "..", sql = "{Price} >= 0")]` | a condition that the database keeps for each row, with properties in braces |
/// | `#[foreign_key(Customer, columns(customer_id), on_delete = cascade, on_update = set_null, deferred, name = "..")]` | a foreign key that the database keeps: the columns are the primary key of the other entity, in its order |
///
/// A field of the type `Many<Item>` or `One<Customer>` is no column, and holds rows that are loaded by a relation:
///
/// | | |
/// |---|---|
/// | `#[belongs_to] customer: One<Customer>` | the row that a foreign key of this struct refers to |
/// | `#[has_one] invoice: One<Invoice>` | the row whose foreign key refers to this one |
/// | `#[has_many] items: Many<Item>` | the rows whose foreign key refers to this one |
/// | `#[many_to_many(through = OrderTag)] tags: Many<Tag>` | the rows that rows of an entity between relate to this one |
///
/// `key = field` says which foreign key is meant where there are several, and `target_key = field` which one of the entity
/// between refers to the target. `name = ".."` is the relation's name at run time. For each there is a function of the field's
/// name, `Order::items()`, that `Session::load` takes.
///
/// It makes `Order::AMOUNT`, a typed column for each field, and `OrderColumns`, a struct of them.
/// The guide's page on entities has examples.
#[proc_macro_derive(
    Entity,
    attributes(
        table,
        column,
        foreign,
        table_join,
        index,
        check,
        foreign_key,
        log,
        belongs_to,
        has_one,
        has_many,
        many_to_many
    )
)]
pub fn entity(input: TokenStream) -> TokenStream {
    given(entity::derive(&parse_macro_input!(input as DeriveInput)))
}

/// A struct that is an entity, in the field of its type, with columns from tables that it is related to.
///
/// On the struct `#[view(of = Order)]`, with `entity`, `properties`, `columns`, `fixed_filter`, `register` and `crate` as for
/// an entity; `#[table_join(...)]`; and `#[foreign(Type, key = field, ...)]` for a relation of a column of the entity's.
///
/// Each other field is `#[foreign_column(Type, property = name)]`, where the type may be the alias of a join as a text, and
/// the property is the field's own if it is left out; or `#[column(...)]`, a column of the table that the entity leaves out.
#[proc_macro_derive(View, attributes(view, entity, column, foreign, table_join, foreign_column, log))]
pub fn view(input: TokenStream) -> TokenStream {
    given(view::derive(&parse_macro_input!(input as DeriveInput)))
}

/// An enum that a column holds: by its numbers, or by its names with `#[db_enum(text)]`.
///
/// `#[db_enum(rename_all = "snake_case")]` names all of its variants, `#[db_enum(rename = "..")]` one.
#[proc_macro_derive(DbEnum, attributes(db_enum))]
pub fn db_enum(input: TokenStream) -> TokenStream {
    given(db_enum::derive(&parse_macro_input!(input as DeriveInput)))
}

/// A struct that rows are read as, each field by the column's alias: the field's name in `PascalCase` or as it is, or that
/// of `#[column(name = "..")]`.
///
/// `#[column(json)]` and `#[column(converter = Type)]` are as for an entity, `#[column(skip)]` leaves a field to its default.
/// `#[from_row(flatten)]` reads a field that has columns itself, an entity say.
#[proc_macro_derive(FromRow, attributes(column, from_row))]
pub fn from_row(input: TokenStream) -> TokenStream {
    given(from_row::derive(&parse_macro_input!(input as DeriveInput)))
}

/// A struct around one value, as a type of column of its own: it compares with nothing else.
#[proc_macro_derive(Field, attributes(field))]
pub fn field(input: TokenStream) -> TokenStream {
    given(newtype::derive(&parse_macro_input!(input as DeriveInput)))
}

/// A service of the program that every container with a context gets: a struct or enum without generics that is
/// `FromServices`, as is whatever is `FromSession`.
///
/// | | |
/// |---|---|
/// | `lifetime = scoped` | `scoped`, one a scope, is the default; `singleton`; `transient`, one each time |
/// | `interfaces(dyn Trait, ..)` | traits that it implements, each of which is `Send` and `Sync` |
/// | `policy = all` | how it is found: by its type and by its interfaces, which is the default; `self`, by its type alone; `interface`, by its interfaces alone |
/// | `key = Key` | found under a key, which is a type: as `KeyedRef<Key, T>` |
/// | `enabled = false` | not registered |
/// | `crate = "::isogloss"` | where the facade is |
///
/// All ways to find it lead to the same instance. A singleton outlives every session, so that it is not made over one: it
/// implements `FromServices` by hand, or holds other singletons.
///
/// If it is a service, a program that cannot do what its methods ask for is refused when the context is added.
#[proc_macro_attribute]
pub fn auto_register(arguments: TokenStream, item: TokenStream) -> TokenStream {
    auto_register::expand(arguments.into(), &item.into()).into()
}

/// A struct that is made of services, each field of a type that is `FromServices` itself: `Arc<OrderService>`,
/// `ObjectDao<Order>`, `Session`. `#[from_services(crate = "::isogloss")]` says where the facade is.
#[proc_macro_derive(FromServices, attributes(from_services))]
pub fn from_services(input: TokenStream) -> TokenStream {
    given(from_services::derive(&parse_macro_input!(input as DeriveInput)))
}

/// A struct with a field for each service that a part of the program needs, and an accessor of the field's name for each.
/// The struct is `FromServices` by it. `#[from_services(crate = "::isogloss")]` says where the facade is.
#[proc_macro_derive(ServiceFactory, attributes(from_services))]
pub fn derive_service_factory(input: TokenStream) -> TokenStream {
    given(service_factory::derive(&parse_macro_input!(input as DeriveInput)))
}

/// A trait with a method for each service that a part of the program needs: `fn orders(&self) -> Arc<OrderService>;`, by
/// value or as a reference.
///
/// Its implementation takes all of them from the scope when it is made, and is added to services by
/// `add_service_factory::<dyn Trait>()`. `#[service_factory(crate = "::isogloss")]` says
/// where the facade is.
#[proc_macro_attribute]
pub fn service_factory(arguments: TokenStream, item: TokenStream) -> TokenStream {
    given(service_factory::expand(arguments.into(), item.into()))
}

/// A service: an `impl` whose public async methods have events, permissions, transactions and logs around them.
///
/// | on the `impl` | |
/// |---|---|
/// | `#[service(name = "Orders")]` | its name in logs and errors, if not the type's |
/// | `session = field` | the field with its session, `session` by default; or how it is reached, `session = self.orders.session()` |
/// | `part = reports`, `with(reports)` | another `impl` of the type, and on the first one which others there are |
/// | `crate = "::isogloss"` | where the facade is |
///
/// On a method, or on the `impl` for all methods that do not say it themselves:
///
/// | | |
/// |---|---|
/// | `#[transaction]` | in a transaction: READ COMMITTED, committed on `Ok`, taken back on `Err` and by a panic; in one that is open, a part of it |
/// | `isolation = serializable`, `read_only`, `retry = 3` | how it begins, and how often it is tried if others get in the way: then its arguments are cloned |
/// | `isolation = server` | the level of the server or of its session, whatever that is; the others are `read_committed`, `repeatable_read`, `snapshot` |
/// | `nested = savepoint` | in one that is open, a savepoint of its own |
/// | `commit_on = path` | a `fn(&Error) -> bool`: for which errors it is committed |
/// | `#[transaction(false)]` | none, whatever the `impl` says |
/// | `#[service_permission]` | for somebody who is logged in |
/// | `roles = "Sales, Admin"`, `allow_anonymous` | for one of these roles; for anyone |
/// | `check = path` | a `fn(&dyn Principal, &A, &B, ..) -> bool` that sees the arguments, too |
/// | `#[service_log(level = debug, format = args, slow = "3s")]` | levels `trace`, `debug`, `information`, `warning`, `error`, `critical`, `none`; formats `none`, `args`, `result`, `full` |
/// | `#[service_method(remote = false)]` | not for calls from other programs |
///
/// `#[log(skip)]` on an argument shows it as `*`.
///
/// A call by `self.other()` is one like any other. Private methods, those that are not async, and those without `self` are
/// left as they are. On the `impl` of a trait it stands above `#[async_trait]`.
#[proc_macro_attribute]
pub fn service(options: TokenStream, item: TokenStream) -> TokenStream {
    given(service::expand(options.into(), item.into()))
}

/// A struct that is made over a session, as each of its fields is: sessions, data access objects, services.
///
/// If it is a service, a program that cannot do what its methods ask for cannot make it.
#[proc_macro_derive(FromSession, attributes(from_session))]
pub fn from_session(input: TokenStream) -> TokenStream {
    given(service::derive(&parse_macro_input!(input as DeriveInput)))
}

fn given(tokens: syn::Result<proc_macro2::TokenStream>) -> TokenStream {
    tokens.unwrap_or_else(|error| error.into_compile_error()).into()
}

#[allow(missing_docs, reason = "the facade documents it")]
#[proc_macro]
pub fn expr(input: TokenStream) -> TokenStream {
    expr::expand(input.into()).into()
}

#[allow(missing_docs, reason = "the facade documents it")]
#[proc_macro]
pub fn query(input: TokenStream) -> TokenStream {
    query::expand(input.into()).into()
}

#[allow(missing_docs, reason = "the facade documents it")]
#[proc_macro]
pub fn sql(input: TokenStream) -> TokenStream {
    sql::expand(input.into()).into()
}
