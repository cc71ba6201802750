//! Compiled statements on PostgreSQL connections of [diesel] and diesel-async.

use std::io::Write as _;

use diesel::pg::{Pg, PgTypeMetadata};
use diesel::query_builder::{AstPass, QueryFragment};
use diesel::result::QueryResult;
use diesel::serialize::{self, Output, ToSql};
use diesel::sql_types::HasSqlType;
use isogloss_compiler::Compiled;
use isogloss_driver::Result;
use isogloss_driver::diesel::Statement;

use crate::wire::Sent;

/// A parameter in the binary form of its type.
#[derive(Debug)]
pub struct Bind(Sent);

/// A compiled statement for a `PgConnection`, or an `AsyncPgConnection` of diesel-async.
///
/// Its texts reckon with a session whose time zone is UTC and whose `standard_conforming_strings` is on.
///
/// # Errors
/// [`BadValue`](isogloss_driver::ErrorKind::BadValue) for what the type of a parameter does not hold.
pub fn statement<'s>(compiled: &'s Compiled<'_>) -> Result<Statement<'s, Bind>> {
    let binds: Result<Vec<Bind>> = compiled.params.iter().map(|parameter| Sent::of(parameter).map(Bind)).collect();
    Ok(Statement::new(&compiled.sql, binds.map_err(|error| error.with_statement(compiled))?))
}

/// A type of the server's, by its number.
#[derive(Debug)]
struct Oid<const OID: u32>;

impl<const OID: u32> HasSqlType<Oid<OID>> for Pg {
    fn metadata(_: &mut Self::MetadataLookup) -> PgTypeMetadata {
        PgTypeMetadata::new(OID, 0)
    }
}

impl<const OID: u32> ToSql<Oid<OID>, Pg> for Bind {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        let Some(bytes) = &self.0.bytes else { return Ok(serialize::IsNull::Yes) };
        out.write_all(bytes)?;
        Ok(serialize::IsNull::No)
    }
}

/// diesel wants to know a parameter's type from the program's text: here they are, each with that of its arrays.
macro_rules! push {
    ($bind:ident, $pass:ident: $($oid:literal $array:literal)*) => {
        match $bind.0.oid {
            $(
                $oid => $pass.push_bind_param_value_only::<Oid<$oid>, Bind>($bind),
                $array => $pass.push_bind_param_value_only::<Oid<$array>, Bind>($bind),
            )*
            // The server finds out: of a parameter of type 0 it has not been told one.
            _ => $pass.push_bind_param_value_only::<Oid<0>, Bind>($bind),
        }
    };
}

impl QueryFragment<Pg> for Bind {
    fn walk_ast<'b>(&'b self, mut pass: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        push!(self, pass:
            16 1000 21 1005 23 1007 20 1016 1700 1231 701 1022 700 1021 17 1001 1082 1182 1083 1183
            1114 1115 1184 1185 2950 2951 114 199 3802 3807 142 143
        )
    }
}
