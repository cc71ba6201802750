//! What the tables are: columns, keys, relations, fixed filters, shards. It knows no dialect.
