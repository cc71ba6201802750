//! Scopes of which each differs from the others in one part, for tests of what depends on a scope.

use super::{Filter, FilteredRows, Scope, ScopeInner};
use crate::expr::{Value, ValueOps as _, prop};

/// Returns scopes by what they are. They differ in a filter's rows, its name, its condition and its reach, in the number of
/// filters, in the deleted rows, and in the reason why there are none.
pub(crate) fn scopes() -> Vec<(&'static str, Scope)> {
    // A new part has no scopes below: it does not compile here.
    let on = FilteredRows::Column("TenantId".into());
    let filter = Filter { on, name: None, condition: prop("TenantId").eq(7), reads_only: false, with_empty: false };
    let _ = ScopeInner { filters: vec![filter], states: Vec::new(), unscoped: None, fault: None };

    let tenant = |value: i32| Scope::new().column("TenantId", value);
    let note = |text: &str| Scope::new().filter_of("Note", prop("Text").eq(text));
    vec![
        ("nothing", Scope::new()),
        ("unscoped", Scope::unscoped("a report")),
        ("7", tenant(7)),
        ("8", tenant(8)),
        ("7, a tenant", tenant(7).named("tenant")),
        ("7, an owner", tenant(7).named("owner")),
        ("7 for reads", tenant(7).for_reads()),
        ("7, a tenant for reads", tenant(7).named("tenant").for_reads()),
        ("another column", Scope::new().column("Id", 7)),
        ("NULL", Scope::new().column("TenantId", Value::Null)),
        ("7 and 8", Scope::new().column_in("TenantId", [7, 8])),
        ("8 and 9", Scope::new().column_in("TenantId", [8, 9])),
        ("7 to 9", Scope::new().column_in("TenantId", [7, 8, 9])),
        ("none of a list", Scope::new().column_in::<i32>("TenantId", [])),
        ("notes that are a", note("a")),
        ("notes that are b", note("b")),
        ("notes that are empty", note("")),
        ("notes that are not a", Scope::new().filter_of("Note", prop("Text").ne("a"))),
        ("a part", Scope::new().filter_of("Part", prop("Id").eq(7))),
        ("notes before 7", note("a").column("TenantId", 7)),
        ("7 before notes", tenant(7).filter_of("Note", prop("Text").eq("a"))),
        ("with notes", Scope::new().with_deleted("Note")),
        ("only notes", Scope::new().only_deleted("Note")),
        ("with parts", Scope::new().with_deleted("Part")),
        ("only parts", Scope::new().only_deleted("Part")),
        ("with notes and parts", Scope::new().with_deleted("Note").with_deleted("Part")),
        ("with notes, only parts", Scope::new().with_deleted("Note").only_deleted("Part")),
        ("7 with notes", tenant(7).with_deleted("Note")),
        ("7, only notes", tenant(7).only_deleted("Note")),
        ("a name of nothing", Scope::new().named("nothing")),
    ]
}
