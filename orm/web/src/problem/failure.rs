//! What sessions, services and engines fail with.

use isogloss::OrmError;
use isogloss::driver::ErrorKind as E;
use isogloss::session::SessionError;

use super::{Problem, ProblemKind};

impl From<OrmError> for Problem {
    /// What the client is told. The log has the rest, where the program or its database is to be mended.
    fn from(error: OrmError) -> Self {
        let kind = kind(&error);
        // Not the sources: a driver's own error may have values of rows.
        let sql = error.driver().and_then(|error| error.sql());
        if kind.status().is_server_error() {
            tracing::error!(target: "isogloss::web", code = kind.code(), sql, "a request has failed: {error}");
        } else {
            tracing::debug!(target: "isogloss::web", code = kind.code(), sql, "a request is refused: {error}");
        }
        Self::of(kind)
    }
}

impl Problem {
    /// A write has failed. What the engine says of a constraint is told as the fields that clients know it by.
    pub(crate) fn of_write(error: OrmError, fields: impl FnOnce(&str) -> Vec<String>) -> Self {
        // On a write, a value that fits no field came from the client.
        let kind = match cause(&error) {
            OrmError::Field(_) => ProblemKind::BadValue,
            _ => kind(&error),
        };
        let named = matches!(
            kind,
            ProblemKind::UniqueViolation | ProblemKind::ForeignKeyViolation | ProblemKind::NotNullViolation
        );
        let constraint = error.driver().and_then(|error| error.constraint()).filter(|_| named);
        let fields = constraint.map(fields).unwrap_or_default();
        let mut problem = Self::from(error);
        (problem.0.kind, problem.0.detail) = (kind, kind.detail().into());
        problem.about(fields)
    }

    /// With the fields of the body that it is about.
    pub(crate) fn about(mut self, fields: Vec<String>) -> Self {
        let kind = self.0.kind;
        match &*fields {
            [] => self,
            [field] => self.at(super::pointer::path_of(field)).of_field(field),
            _ => {
                let error = |field| super::FieldProblem::new(field, kind.code(), kind.detail());
                self.0.errors = fields.into_iter().map(error).collect();
                self
            }
        }
    }
}

/// The error without the row of a batch that it is of.
fn cause(error: &OrmError) -> &OrmError {
    match error {
        OrmError::Row { error, .. } => cause(error),
        error => error,
    }
}

fn kind(error: &OrmError) -> ProblemKind {
    match cause(error) {
        _ if error.is_in_doubt() => ProblemKind::InDoubt,
        OrmError::Session(SessionError::Commit(failed)) if failed.is_partial() => ProblemKind::InDoubt,
        OrmError::Session(SessionError::Closed | SessionError::StillOpen { .. }) => ProblemKind::Unavailable,
        OrmError::OutOfScope { .. } => ProblemKind::OutOfScope,
        OrmError::Forbidden { .. } => ProblemKind::Forbidden,
        error => error.kind().map_or(ProblemKind::Internal, of_driver),
    }
}

fn of_driver(kind: E) -> ProblemKind {
    match kind {
        E::UniqueViolation => ProblemKind::UniqueViolation,
        E::ForeignKeyViolation => ProblemKind::ForeignKeyViolation,
        E::NotNullViolation => ProblemKind::NotNullViolation,
        E::CheckViolation => ProblemKind::CheckViolation,
        E::BadValue => ProblemKind::BadValue,
        E::Deadlock | E::SerializationFailure => ProblemKind::Contention,
        E::ReadOnly | E::Busy | E::PoolExhausted | E::Connect | E::ConnectionLost | E::StorageFull | E::Cancelled => {
            ProblemKind::Unavailable
        }
        E::Timeout => ProblemKind::Timeout,
        _ => ProblemKind::Internal,
    }
}

#[cfg(test)]
mod tests {
    use isogloss::driver::Error;

    use super::*;

    /// D.5 case 33, and what else an engine may report.
    #[test]
    fn kinds_have_statuses() {
        for (kind, status) in [
            (E::UniqueViolation, 409),
            (E::ForeignKeyViolation, 409),
            (E::NotNullViolation, 422),
            (E::CheckViolation, 422),
            (E::BadValue, 422),
            (E::Deadlock, 503),
            (E::SerializationFailure, 503),
            (E::ReadOnly, 503),
            (E::Busy, 503),
            (E::PoolExhausted, 503),
            (E::Connect, 503),
            (E::ConnectionLost, 503),
            (E::StorageFull, 503),
            (E::Timeout, 504),
            (E::Syntax, 500),
            (E::Corrupt, 500),
            (E::Permission, 500),
            (E::Decode, 500),
            (E::Other, 500),
        ] {
            let error = Error::new(kind, "Key (name)=(Ann) already exists").with_constraint("users_name_key");
            let problem = Problem::from(OrmError::from(error).at("main"));
            assert_eq!(problem.kind().status(), status, "{kind:?}");
            assert!(!format!("{problem:?}").contains("Ann") && !format!("{problem:?}").contains("users"), "{kind:?}");
        }
    }

    #[test]
    fn what_may_have_been_written_is_in_doubt() {
        let lost = Error::new(E::ConnectionLost, "it is gone").in_doubt();
        let kind = Problem::from(OrmError::from(lost)).kind();
        assert_eq!((kind, kind.status().as_u16()), (ProblemKind::InDoubt, 504));
    }

    #[test]
    fn the_fields_of_a_constraint_are_told() {
        let error = || Error::new(E::UniqueViolation, "duplicate").with_constraint("Users.Tenant, Users.Name");
        let told = |fields: &[&str]| {
            let fields: Vec<String> = fields.iter().map(|field| (*field).to_owned()).collect();
            let problem = Problem::of_write(error().into(), |constraint| {
                assert_eq!(constraint, "Users.Tenant, Users.Name");
                fields
            });
            (problem.0.field.clone(), problem.0.path.clone(), problem.0.errors.len())
        };
        assert_eq!(told(&[]), (None, None, 0));
        assert_eq!(told(&["name"]), (Some("name".to_owned()), Some("$.name".to_owned()), 0));
        assert_eq!(told(&["tenant", "name"]), (None, None, 2));
    }
}
