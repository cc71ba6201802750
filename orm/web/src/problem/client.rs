//! What clients have wrong in their JSON.

use isogloss::driver::ErrorKind as Failure;
use isogloss::json::{JsonError, JsonErrorKind};
use isogloss::walk::{PolicyRule, Refusal};
use isogloss::{Error, ErrorKind, OrmError};

use super::{Problem, ProblemKind};

impl From<JsonError> for Problem {
    fn from(error: JsonError) -> Self {
        let kind = match error.kind {
            JsonErrorKind::TooManyBytes { .. } => ProblemKind::TooLarge,
            _ => ProblemKind::BadJson,
        };
        Self::new(kind, error.message()).at(error.path)
    }
}

impl From<Refusal> for Problem {
    /// A property that may not be named is told as one that is not there.
    fn from(refusal: Refusal) -> Self {
        if refusal.rule == PolicyRule::Policy {
            let source = refusal.source.as_ref().map(ToString::to_string).unwrap_or_default();
            tracing::error!(target: "isogloss::web", "the policy does not fit the catalog: {source}");
            return Self::of(ProblemKind::Internal);
        }
        Self::new(ProblemKind::BadQuery, refusal.message).at(refusal.path)
    }
}

impl Problem {
    /// The problem of a client's query that has failed. If the query cannot be compiled, that is the client's mistake.
    #[must_use]
    pub fn of_query(error: OrmError) -> Self {
        let compile = match &error {
            OrmError::Compile(compile) => Some(compile),
            OrmError::Driver { error, .. } => {
                std::error::Error::source(error).and_then(|source| source.downcast_ref::<Error>())
            }
            _ => None,
        };
        match compile.and_then(|compile| Some((told(compile.kind())?, compile.path()))) {
            Some((detail, path)) => Self::new(ProblemKind::BadQuery, detail).at(path),
            None => error.into(),
        }
    }
}

impl Problem {
    /// The query of a client, with a select list of its own, has failed: a value that does not fit its type is one that the
    /// client computes.
    pub(crate) fn of_list(error: OrmError) -> Self {
        match error.kind() {
            Some(Failure::Decode) => {
                tracing::debug!(target: "isogloss::web", "a request is refused: {error}");
                Self::of(ProblemKind::BadValue)
            }
            _ => Self::of_query(error),
        }
    }
}

/// What a client is told of a query that does not compile: without the engine, and without what the program has registered.
/// Of what is the program's to mend there is nothing.
fn told(kind: &ErrorKind) -> Option<String> {
    Some(match kind {
        ErrorKind::Refused { feature, .. } => format!("`{feature}` is not supported by this server"),
        ErrorKind::NoRelation { from, to, .. } => format!("no relation leads from `{from}` to `{to}`"),
        ErrorKind::RelationBothWays { from, to, .. } => {
            format!(
                "relations lead both ways between `{from}` and `{to}`: leave `AutoRelated` out, and give a condition"
            )
        }
        ErrorKind::OtherSource { entity, beside, .. } => {
            format!("`{entity}` cannot be queried together with `{beside}`")
        }
        ErrorKind::TooManyParameters { count, limit, .. } => {
            format!("the query has {count} values, and may have {limit}")
        }
        ErrorKind::NameTooLong { name, length, limit, .. } => {
            format!("name `{name}` has a length of {length}, it may have {limit}")
        }
        ErrorKind::UnknownFunction { name, .. } => format!("unknown function `{name}`"),
        ErrorKind::UnknownFragment { key } => format!("unknown SQL fragment `{key}`"),
        // The rest of these may name columns and tables as they are called in SQL.
        ErrorKind::UnknownProperty { property, .. } => format!("unknown property `{property}`"),
        ErrorKind::Ambiguous { name, .. } => format!("`{name}` is ambiguous: give the alias of the one that is meant"),
        ErrorKind::Misplaced { why, .. } => format!("this is misplaced: {why}"),
        ErrorKind::UnknownEntity { .. }
        | ErrorKind::UnknownAlias { .. }
        | ErrorKind::Arity { .. }
        | ErrorKind::CommonTable { .. }
        | ErrorKind::BadName { .. }
        | ErrorKind::BadValue { .. }
        | ErrorKind::BadArgument { .. }
        | ErrorKind::Unbindable { .. }
        | ErrorKind::TooDeep { .. }
        | ErrorKind::TooLarge { .. }
        | ErrorKind::Regex { .. }
        | ErrorKind::Cursor { .. }
        | ErrorKind::NoStatement { .. }
        | ErrorKind::OtherRoot { .. } => kind.to_string(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use isogloss::json::{self, ReadLimits};

    use super::*;

    #[test]
    fn a_text_that_is_too_long_is_another_kind() {
        let text = r##"{"$":"==","Left":{"#":"Age"},"Right":5}"##;
        let kind = |limits| Problem::from(json::from_str_with(text, &limits).unwrap_err()).kind();
        assert_eq!(kind(ReadLimits::DEFAULT.bytes(9)), ProblemKind::TooLarge);
        assert_eq!(kind(ReadLimits::DEFAULT.depth(1)), ProblemKind::BadJson);
        let error = json::from_str(r##"{"$":"==","Left":{"#":"Age"},"Right":{"!":{"#":"Active"}}}"##).unwrap_err();
        assert_eq!(Problem::from(error).0.path.as_deref(), Some("$.Right.!"));
    }

    #[test]
    fn a_refused_query_does_not_name_the_engine() {
        let refused = ErrorKind::Refused {
            feature: "Regex".to_owned(),
            dialect: "sqlserver 2019".to_owned(),
            reason: "SQL Server has no regular expressions".to_owned(),
        };
        let problem = Problem::of_query(OrmError::Compile(Error::new(refused)));
        assert_eq!(
            (problem.kind(), problem.detail()),
            (ProblemKind::BadQuery, "`Regex` is not supported by this server")
        );
        let fragment = ErrorKind::Fragment { key: "k".to_owned(), message: "secret".to_owned() };
        let problem = Problem::of_query(OrmError::Compile(Error::new(fragment)));
        assert_eq!(problem.kind(), ProblemKind::Internal);
    }

    #[test]
    fn a_refused_query_does_not_name_tables_of_the_sql() {
        let name = || "Id".to_owned();
        for kind in [
            ErrorKind::UnknownProperty { property: name(), owner: "`T1`".to_owned(), near: None },
            ErrorKind::Ambiguous { name: name(), first: "`T0`".to_owned(), second: "`T1`".to_owned() },
            ErrorKind::OtherRoot { root: "Order".into(), entity: "Customer".into() },
            ErrorKind::Misplaced { what: "the column \"T0\".\"Id\"".to_owned(), why: "each group has many rows" },
        ] {
            let problem = Problem::of_query(OrmError::Compile(Error::new(kind)));
            assert_eq!(problem.kind(), ProblemKind::BadQuery);
            assert!(!problem.detail().contains("T0") && !problem.detail().contains("T1"), "{}", problem.detail());
        }
    }
}
