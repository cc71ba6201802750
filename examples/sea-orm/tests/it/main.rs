//! SeaORM beside Isogloss: names, and values of every type.

mod prelude;
mod stored;
