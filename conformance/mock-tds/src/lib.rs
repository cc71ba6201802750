//! The tests of SQL Server's driver beside a server that answers what it is told to.
//!
//! They are a package of the second workspace, `outside/Cargo.toml`: the mock of a server links OpenSSL, whose headers a
//! machine need not have. With them (`apt-get install libssl-dev pkg-config`), `cargo test` here runs them.
