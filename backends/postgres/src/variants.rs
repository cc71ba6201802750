//! Engines that speak PostgreSQL's language over a storage of their own.
//!
//! Each is a variant of [`Postgres`](crate::Postgres): its data sheet says what differs, and the rest is PostgreSQL's in the version
//! that it follows.

mod citus;
mod cockroachdb;
mod hosted;
mod yugabytedb;

#[cfg(feature = "ddl")]
pub(crate) use cockroachdb::BASE as COCKROACHDB_BASE;

pub use citus::*;
pub use cockroachdb::*;
pub use hosted::*;
pub use yugabytedb::*;

#[cfg(test)]
mod tests {
    use isogloss_compiler::Compiler;
    use isogloss_compiler::dialect::{Dialect, check};
    use isogloss_compiler::expr::{DbType, DbValueType as T, Value, table};
    use isogloss_compiler::model::{Catalog, ColumnDef, TableDef, sample};

    use super::*;
    use crate::Postgres;

    #[test]
    fn tables_are_complete() {
        let all: [&dyn Dialect; 8] = [
            &CockroachDb::V24_1,
            &CockroachDb::V25_2,
            &CockroachDb::new(26, 3),
            &yugabytedb(2025, 1),
            &citus(13, 2, Postgres::V15),
            &aurora_postgres(16, 6),
            &alloydb(16, 3),
            &neon(17, 2),
        ];
        for dialect in all {
            if let Err(faults) = check(dialect) {
                panic!("{}:\n{faults}", dialect.label());
            }
        }
    }

    #[test]
    fn cockroachdb_has_its_own_types() {
        let cockroach = CockroachDb::V24_1;
        assert_eq!(cockroach.cast_type(T::Int32.into()).unwrap(), "int4");
        assert_eq!(cockroach.cast_type(DbType::array_of(T::UInt16)).unwrap(), "int4[]");
        assert_eq!(cockroach.cast_type(T::Int64.into()).unwrap(), "bigint");
        let refused = cockroach.cast_type(T::Xml.into()).unwrap_err().to_string();
        assert_eq!(refused, "`CAST to Xml` is refused by cockroachdb 24.1: it has no XML: store a text at $");
    }

    #[test]
    fn citus_knows_a_row_by_the_key_that_places_it() {
        let compiler = Compiler::new(sample::catalog());
        let item = |target: &[&str]| {
            let columns = ["OrderId", "LineNo", "ProductId", "Qty", "Price"];
            let insert = table("OrderItem").insert(columns, vec![Value::from(1); columns.len()]);
            insert.on_conflict_update(target.iter().copied())
        };
        let citus = citus(13, 2, Postgres::V15);
        // What the engine gives is a place as well.
        let ticket = TableDef::new("Ticket")
            .column(ColumnDef::new("Id", T::Int64).primary_key().distribution_key().identity(1, 1));
        let ticket = ticket.column(ColumnDef::new("Title", T::String).length(20));
        let numbered = Compiler::new(Catalog::builder().table(ticket).build().unwrap());
        assert!(numbered.compile(&table("Ticket").insert(["Title"], vec!["one".into()]), &citus).is_ok());
        let refused = compiler.compile(&item(&["LineNo"]), &citus).unwrap_err().to_string();
        let expected = "`an upsert by a key without the distribution key` is refused by citus 13.2: rows are unique on one server \
                        alone: name `OrderId` among the columns that collide at $.Conflict.Target";
        assert_eq!(refused, expected);
        assert!(compiler.compile(&item(&["OrderId", "LineNo"]), &citus).is_ok());
        assert!(compiler.compile(&item(&["LineNo"]), &Postgres::V15).is_ok());
    }

    #[test]
    fn labels_have_the_version() {
        assert_eq!(CockroachDb::V25_2.label(), "cockroachdb 25.2");
        assert_eq!(yugabytedb(2025, 1).label(), "yugabytedb 2025.1");
        assert_eq!(citus(13, 2, Postgres::V15).label(), "citus 13.2");
        assert_eq!(neon(17, 2).label(), "neon 17.2");
    }
}
