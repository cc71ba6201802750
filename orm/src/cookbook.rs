//! The recipes of the book run as they stand there.

/// Attaches each page to a module of its name, by which `cargo test --doc -- cookbook::retry` finds it.
macro_rules! recipes {
    ($($name:ident)*) => {$(
        #[doc = include_str!(concat!("../../docs/src/cookbook/", stringify!($name), ".md"))]
        mod $name {}
    )*};
}

recipes! {
    all_of_several_tags audit_log bulk_insert duplicates errors_at_the_place filter_from_a_client in_pairs
    in_thousands increment insert_ignore json_columns keyset_paging latest_of_each money no_children null_safe
    only_the_compiler optional_fields own_function page_with_total queue_table raw_sql retry rows_of_a_user
    saved_searches several_columns sort_by_a_clients_column stream_to_csv sums_by_month tenants tests_in_memory
    tests_on_engines time_zones timeouts top_n_lateral top_n_per_group two_databases update_from_another_table upsert what_was_run
    without_case
}
