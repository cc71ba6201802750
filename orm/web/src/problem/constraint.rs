//! The columns that an engine means by the name of a constraint.

use isogloss::model::{Column, ComputedPart, Entity};

/// The columns of a table that a constraint is about, as far as its name tells.
///
/// Engines name the columns themselves (SQLite), the constraint (PostgreSQL, SQL Server, Oracle) or the index (MySQL). A name
/// that says nothing gives no column.
pub(crate) fn columns_of(entity: &Entity, constraint: &str) -> Vec<usize> {
    let table = entity.table.plain().and_then(|parts| parts.last());
    listed(entity, constraint)
        .or_else(|| declared(entity, table.map_or("", |table| &**table), constraint))
        .or_else(|| is_primary_key(table.map(|table| &**table), constraint).then(|| entity.keys.clone()))
        .or_else(|| index_of_one(entity, constraint).map(|column| vec![column]))
        .or_else(|| key_of_postgres(entity, table?, constraint))
        .unwrap_or_default()
}

fn column_named(entity: &Entity, name: &str) -> Option<usize> {
    entity.columns.iter().position(|column| column.column.eq_ignore_ascii_case(name))
}

/// `Orders.TenantId, Orders.No`, each a column of the table.
fn listed(entity: &Entity, constraint: &str) -> Option<Vec<usize>> {
    let column = |item: &str| item.rsplit_once('.').and_then(|(_, name)| column_named(entity, name));
    constraint.split(", ").map(column).collect()
}

/// What the definition declares beside the columns: under its own name, or under the one that is made for it, such as
/// `UX_Orders_TenantId_No`.
fn declared(entity: &Entity, table: &str, constraint: &str) -> Option<Vec<usize>> {
    let is_it = |name: Option<&str>, start: &str, places: &[usize]| match name {
        Some(name) => name.eq_ignore_ascii_case(constraint),
        None => {
            let columns = places.iter().filter_map(|place| entity.columns.get(*place));
            let made = columns.fold(format!("{start}_{table}"), |made, column| made + "_" + &column.column);
            made.eq_ignore_ascii_case(constraint)
        }
    };
    let unique = entity.indexes.iter().filter(|index| index.unique);
    let mut keys = unique
        .map(|index| ("UX", &index.name, &index.columns))
        .chain(entity.constraints.iter().map(|key| ("FK", &key.name, &key.columns)));
    let key = keys.find(|(start, name, columns)| is_it(name.as_deref(), start, columns));
    key.map(|(_, _, columns)| columns.clone()).or_else(|| {
        let check = entity.checks.iter().find(|check| check.name.eq_ignore_ascii_case(constraint))?;
        let mut columns = Vec::new();
        for part in &check.condition {
            if let ComputedPart::Column(place) = part
                && !columns.contains(place)
            {
                columns.push(*place);
            }
        }
        Some(columns)
    })
}

/// The names that engines give to a primary key: `PRIMARY`, `orders_pkey`, `PK_Orders`, `PK__Orders__3214EC07`.
fn is_primary_key(table: Option<&str>, constraint: &str) -> bool {
    let lower = constraint.to_ascii_lowercase();
    let Some(table) = table.map(str::to_ascii_lowercase) else { return lower == "primary" };
    let of_table = lower.strip_prefix("pk_").map(|rest| rest.trim_start_matches('_'));
    lower == "primary"
        || lower.strip_suffix("_pkey") == Some(&table)
        || of_table
            .is_some_and(|rest| rest == table || rest.strip_prefix(&*table).is_some_and(|rest| rest.starts_with("__")))
}

/// The unique index of one column, as table synchronization names it (`IX_Orders_No`), or as the column: what MySQL does with
/// one that has no name, and what stands where a column is never NULL.
fn index_of_one(entity: &Entity, constraint: &str) -> Option<usize> {
    let is_its = |column: &Column| {
        let rest =
            constraint.len().checked_sub(column.column.len()).and_then(|start| constraint.split_at_checked(start));
        rest.is_some_and(|(before, name)| {
            name.eq_ignore_ascii_case(&column.column) && before.starts_with("IX_") && before.ends_with('_')
        })
    };
    let unique = entity.columns.iter().enumerate().filter(|(_, column)| column.is_unique && is_its(column));
    // `IX_A_B_C` may be of the column `C` of a table `A_B`, or of `B_C` of `A`: more of a name is less by chance.
    let named = unique.max_by_key(|(_, column)| column.column.len()).map(|(place, _)| place);
    named.or_else(|| {
        let place = column_named(entity, constraint)?;
        entity.columns.get(place).filter(|column| column.is_unique || !column.nullable).map(|_| place)
    })
}

/// `orders_tenant_id_no_key` and `orders_customer_id_fkey`: what PostgreSQL calls keys that have no name.
fn key_of_postgres(entity: &Entity, table: &str, constraint: &str) -> Option<Vec<usize>> {
    let (start, rest) = constraint.split_at_checked(table.len())?;
    let columns = rest.strip_prefix('_')?;
    let columns = columns.strip_suffix("_key").or_else(|| columns.strip_suffix("_fkey"))?;
    if !start.eq_ignore_ascii_case(table) {
        return None;
    }
    let mut places = Vec::new();
    let mut rest = columns;
    while !rest.is_empty() {
        let begins = |column: &Column| {
            let after = rest.strip_prefix(&*column.column)?;
            after.strip_prefix('_').or(after.is_empty().then_some(after))
        };
        let found = entity.columns.iter().enumerate().filter_map(|(place, column)| Some((place, begins(column)?)));
        let (place, after) = found.min_by_key(|(_, after)| after.len())?;
        places.push(place);
        rest = after;
    }
    Some(places)
}

#[cfg(test)]
mod tests {
    use isogloss::expr::DbValueType as T;
    use isogloss::model::{Catalog, ColumnDef, ConstraintDef, IndexDef, TableDef};

    use super::*;

    #[test]
    fn names_of_every_engine_lead_to_columns() {
        let table = TableDef::new("User")
            .table("users")
            .column(ColumnDef::new("Id", T::Int64).column("id").primary_key())
            .column(ColumnDef::new("Tenant", T::Int64).column("tenant_id"))
            .column(ColumnDef::new("Name", T::String).column("name").length(20).unique())
            .column(ColumnDef::new("Login", T::String).column("login_name").length(20).unique())
            .column(ColumnDef::new("Note", T::String).column("note").length(20).nullable())
            .index(IndexDef::new(["Tenant", "Note"]).unique())
            .index(IndexDef::new(["Note", "Name"]).unique().name("one_note"))
            .index(IndexDef::new(["Note", "Login"]).name("many_notes"))
            .check("some_note", "{Note} <> '' AND {Tenant} > 0 OR {Note} IS NULL")
            .constraint(ConstraintDef::new(["Tenant"], "User"));
        let catalog = Catalog::builder().table(table).build().unwrap();
        let (_, user) = catalog.entity("User").unwrap();
        let of = |constraint: &str| {
            let columns = columns_of(user, constraint);
            columns.into_iter().map(|place| user.columns[place].name.to_string()).collect::<Vec<_>>().join(" ")
        };
        for (constraint, expected) in [
            ("users.name", "Name"),
            ("users.tenant_id, users.name", "Tenant Name"),
            ("PRIMARY", "Id"),
            ("users_pkey", "Id"),
            ("PK_users", "Id"),
            ("PK__users__3214EC07", "Id"),
            ("PK__usersold__3214EC07", ""),
            ("IX_users_name", "Name"),
            ("IX_users_login_name", "Login"),
            ("ix_of_the_program", ""),
            ("name", "Name"),
            ("note", ""),
            ("users_name_key", "Name"),
            ("users_login_name_key", "Login"),
            ("users_tenant_id_name_key", "Tenant Name"),
            ("users_tenant_id_fkey", "Tenant"),
            ("users_elsewhere_key", ""),
            ("UX_users_tenant_id_note", "Tenant Note"),
            ("ONE_NOTE", "Note Name"),
            ("many_notes", ""),
            ("some_note", "Note Tenant"),
            ("FK_users_tenant_id", "Tenant"),
            ("index 'ix'", ""),
            ("UQ__users__72E12F1B", ""),
        ] {
            assert_eq!(of(constraint), expected, "{constraint}");
        }
    }
}
