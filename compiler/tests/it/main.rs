//! Compiles trees with a dialect of defaults, over catalogs that the sample does not cover.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

mod aliases;
mod columns;
mod ctes;
mod dialects;
mod enforced;
mod refused;
mod scopes;
mod sources;
mod template;
mod ways;

mod support {
    include!("../support/plain.rs");
}
