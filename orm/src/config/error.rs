//! Errors of a configuration.

use super::DurationError;

/// What is wrong with a configuration. Messages show names, and never a value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "each variant's message is its documentation")]
pub enum ConfigError {
    #[error("the configuration is no {format}: see line {line}, column {column}")]
    Syntax { format: &'static str, line: usize, column: usize },
    #[error("{at}: unknown key `{key}`{}", suggestion(.near, .known))]
    UnknownKey { at: String, key: String, near: Option<String>, known: Vec<&'static str> },
    #[error("{at}: `{key}` is there twice, in two spellings: leave one out")]
    DuplicateKey { at: String, key: &'static str },
    #[error("{at}: {expected} is expected, there is {found}")]
    Value { at: String, expected: &'static str, found: &'static str },
    #[error("{at}: {error}")]
    Duration { at: String, error: DurationError },
    #[error("the configuration has no data source: name one in `DataSources`, or add one before the first session")]
    NoDataSource,
    #[error("a data source has no name")]
    EmptyName,
    #[error(
        "there is a data source `{name}` already: give this one another name; the case of letters does not tell two apart"
    )]
    DuplicateName { name: String },
    #[error("no data source is the default: say which in `Default`")]
    NoDefault,
    #[error("the default is `{name}`, and {}", listed("data source", .known))]
    UnknownDefault { name: String, known: Vec<String> },
    #[error("data source `{name}` has no connection string")]
    NoConnectionString { name: String },
    #[error("data source `{name}` has no provider: {}", listed("provider", .known))]
    NoProvider { name: String, known: Vec<String> },
    #[error("data source `{name}`: `{provider}` is no provider: {}. A feature of the crate adds one, or the program registers it", listed("provider", .known))]
    UnknownProvider { name: String, provider: String, known: Vec<String> },
    #[error("data source `{name}`: `{dialect}` is no dialect: {}", listed("dialect", .known))]
    UnknownDialect { name: String, dialect: String, known: Vec<String> },
    #[error("data source `{name}` may open no connection: `MaxPoolSize` is 1 or more")]
    NoConnections { name: String },
    #[error("data source `{name}`: `Pooled` is for PostgreSQL, and `{provider}` has no such mode")]
    NotPooled { name: String, provider: String },
    #[error("entity `{entity}` is of data source `{data_source}`, and {}", listed("data source", .known))]
    UnknownDataSourceOfEntity { entity: String, data_source: String, known: Vec<String> },
    #[error("there is no data source `{name}`: {}", listed("data source", .known))]
    UnknownDataSource { name: String, known: Vec<String> },
    #[error("data source `{name}` comes too late: the first session has been created")]
    Sealed { name: String },
}

fn suggestion(near: &Option<String>, known: &[&str]) -> String {
    match near {
        Some(near) => format!(" (did you mean `{near}`?)"),
        None => format!("; there are {}", known.join(", ")),
    }
}

/// `the data sources are a, b`, for a message.
fn listed(what: &str, names: &[String]) -> String {
    if names.is_empty() { format!("there is no {what}") } else { format!("the {what}s are {}", names.join(", ")) }
}
