//! Isogloss' compiler: one expression tree, typed or from JSON, compiled to SQL for PostgreSQL, MySQL and MariaDB,
//! SQLite, SQL Server and Oracle.

pub mod expr;
pub mod json;
pub mod model;
pub mod walk;
