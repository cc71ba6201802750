//! Other drivers: how to bind the parameters of a [`Compiled`](crate::Compiled) with a driver of your choice.
//!
//! `compiled.sql` is the text, `compiled.params` are the values in the order of the placeholders (`$1`, `?`, `@P1`, `:1`). A
//! [`Parameter`](crate::render::Parameter) has a [`Value`](crate::expr::Value) and, where it is known, the
//! [database type](crate::expr::DbType) of the place that it is used in. What a binder must know:
//!
//! - **The value and its place may have different types.** `prop("Total").gt(100)` over a decimal column binds
//!   `Value::Int(100)` with `ty` `Decimal`. Engines compare the two as numbers; a driver that needs the exact type uses `ty`.
//! - **NULL** has no type of its own: a driver that needs one takes it from `ty`.
//! - **A list** is bound as one parameter only on engines with arrays, which is PostgreSQL. On others a long list is a
//!   `Value::Json`, and a short one has a parameter for each item.
//! - **A date and time with an offset** is an instant. Engines without such a type get it in UTC.
//! - **A map** is never bound.
//! - `compiled.outputs` is empty but for Oracle's `RETURNING .. INTO`: placeholders behind those of the parameters.
//!
//! # Required session settings
//!
//! Isogloss' own drivers set them. On a connection of yours, run these statements once:
//!
//! | engine | statements |
//! |---|---|
//! | PostgreSQL | `SET TimeZone = 'UTC'; SET DateStyle = 'ISO, YMD'; SET IntervalStyle = 'postgres'; SET standard_conforming_strings = on` |
//! | MySQL | `SET NAMES utf8mb4; SET time_zone = '+00:00', lc_time_names = 'en_US', group_concat_max_len = 4294967295`; strict modes, `NO_UNSIGNED_SUBTRACTION` and `NO_AUTO_VALUE_ON_ZERO` in `sql_mode`, neither `ANSI_QUOTES` nor `NO_BACKSLASH_ESCAPES` |
//! | MariaDB | the same |
//! | SQLite | `PRAGMA foreign_keys = ON`; the mathematical functions, which it may be built without |
//! | SQL Server | `SET ANSI_NULLS, ANSI_PADDING, ANSI_WARNINGS, QUOTED_IDENTIFIER, CONCAT_NULL_YIELDS_NULL, ARITHABORT ON`: what its drivers begin with |
//! | Oracle | `ALTER SESSION SET NLS_TERRITORY = 'AMERICA' NLS_LANGUAGE = 'AMERICAN' NLS_NUMERIC_CHARACTERS = '.,' NLS_SORT = 'BINARY' NLS_COMP = 'BINARY'`, `ALTER SESSION SET TIME_ZONE = '+00:00'` |
//!
//! A program has one SQLite library. Isogloss' own driver takes that of sqlx 0.9, SeaORM 2 and diesel 2.3: Cargo chooses
//! versions that agree, and all of them stand in one program.
//!
//! # PostgreSQL: `postgres`, `tokio-postgres`
//!
//! Sent as text, a value is read by the server as the type that it takes the placeholder for. That spares a table of types,
//! and lets a whole number meet a `numeric` column. `bytes` is the crate that both drivers use; with `tokio-postgres` say
//! `tokio_postgres::types`.
//!
//! ```ignore
#![doc = include_str!("postgres.rs")]
//! ```
//!
//! ```ignore
//! let compiled = target.compile(&query)?;
//! let binds: Vec<Bind<'_>> = compiled.params.iter().map(Bind).collect();
//! let params: Vec<&(dyn ToSql + Sync)> = binds.iter().map(|bind| bind as _).collect();
//! let rows = client.query(&compiled.sql, &params)?; // `.await?` with tokio-postgres
//! ```
//!
//! A statement of the same text can be prepared once: the text depends on the tree's shape, not on its values.
//!
//! # SQL Server: `tiberius`
//!
//! With its features `chrono` and `tds73`:
//!
//! ```ignore
#![doc = include_str!("sqlserver.rs")]
//! ```
//!
//! ```ignore
//! let mut query = Query::new(compiled.sql.as_str());
//! compiled.params.iter().try_for_each(|parameter| bind(&mut query, parameter))?;
//! let rows = query.query(&mut client).await?;
//! ```
//!
//! # SQLite: `rusqlite`
//!
//! `stored` gives a value as one of the types that SQLite has; a decimal is a double there, so one of more than 15 digits is
//! rounded unless the program looks:
//!
//! ```ignore
#![doc = include_str!("sqlite.rs")]
//! ```
//!
//! ```ignore
//! let params = compiled.params.iter().map(bind).collect::<Result<Vec<_>, _>>()?;
//! let rows = connection.prepare(&compiled.sql)?.query(rusqlite::params_from_iter(params))?;
//! ```
//!
//! # sqlx
//!
//! With the feature `sqlx`, for version 0.9 and its Rust 1.94:
//!
//! ```ignore
//! use isogloss::postgres::sqlx::arguments; // also in `mysql` and `sqlite`
//! use sqlx::AssertSqlSafe;
//!
//! let text = AssertSqlSafe(compiled.sql.as_str());
//! let users: Vec<User> = sqlx::query_as_with(text, arguments(&compiled)?).fetch_all(&pool).await?;
//! ```
//!
//! SQLite has no types for instants and UUIDs: sqlx writes `2026-01-02T10:00:00+00:00` and 16 bytes, Isogloss
//! `2026-01-02 10:00:00+00:00` and a text. Say whose rows they are, and texts and parameters have that form:
//!
//! ```ignore
//! use isogloss::sqlite::{Sqlite, Storage};
//!
//! let target = compiler.target(&Sqlite::default().stored_by(Storage::Sqlx));
//! ```
//!
//! An instant has to be stored in UTC, as `DateTime<Utc>`: with other offsets the order of the texts is not that of the
//! times. A function that makes an instant of another is refused there.
//!
//! # diesel, diesel-async
//!
//! With the feature `diesel`, a compiled statement is a query of diesel, for programs that have its connections:
//!
//! ```ignore
//! use isogloss::sqlite::diesel::statement; // also in `postgres` and `mysql`
//!
//! let users: Vec<User> = statement(&compiled)?.load(&mut connection)?; // User: QueryableByName
//! let rows: Vec<(i64, String)> = statement(&compiled)?.typed::<(BigInt, Text)>().load(&mut connection)?;
//! ```
//!
//! # sea-query, SeaORM
//!
//! With the feature `sea-query`, a filter becomes an expression of sea-query, for queries that it or SeaORM builds. Its columns
//! are qualified with the name of the table there:
//!
//! ```ignore
//! use isogloss::sqlite::sea_query::condition; // also in `postgres` and `mysql`
//!
//! let filter = condition(&target, &filter, &Request::of("User"), Some("users"))?;
//! let users = user::Entity::find().filter(filter).all(&db).await?;
//! ```
//!
//! On SQLite the rows are those of SeaORM: the target is one of `stored_by(Storage::Sqlx)`, as for sqlx; without it, an
//! instant or a UUID is an error. On PostgreSQL a text stands in the statement as a literal, since sea-query would bind it as
//! `text`, with which an enum has no comparison and `citext` one that minds case.
//!
//! # Decimals of other crates
//!
//! With the features `rust_decimal` and `bigdecimal`, [`Decimal`](crate::expr::Decimal) converts from and to their types, exactly
//! or not at all: `Decimal::from(price)`, `rust_decimal::Decimal::try_from(total)?`.
//!
//! [`Target::condition`](crate::Target::condition) gives the text and the parameters for anything else.
