//! Errors of services.

use std::error::Error;

use crate::OrmError;

/// An error that a method of a service returns. A type of the program's needs a line, beside a `From<OrmError>`:
///
/// ```
/// use isogloss::OrmError;
/// use isogloss::service::ServiceFailure;
/// #[derive(Debug)]
/// enum ShopError {
///     SoldOut,
///     Database(OrmError),
/// }
///
/// impl ServiceFailure for ShopError {}
///
/// impl From<OrmError> for ShopError {
///     fn from(error: OrmError) -> Self {
///         Self::Database(error)
///     }
/// }
/// # impl std::fmt::Display for ShopError {
/// #     fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
/// #         f.write_str(match self { Self::SoldOut => "sold out", Self::Database(_) => "the database" })
/// #     }
/// # }
/// # impl std::error::Error for ShopError {
/// #     fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
/// #         match self { Self::Database(error) => Some(error), Self::SoldOut => None }
/// #     }
/// # }
/// assert!(ShopError::SoldOut.is_business());
/// let lost = OrmError::from(isogloss::driver::Error::new(isogloss::driver::ErrorKind::Connect, "lost"));
/// assert!(!ShopError::from(lost).is_business());
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no error of a service",
    note = "write `impl isogloss::service::ServiceFailure for {Self} {{}}`: it needs `std::error::Error`, `Send` and `Sync`"
)]
pub trait ServiceFailure: Error + Send + Sync + 'static {
    /// Whether the program is as it should be, and has said no: a warning in the log, where everything else is an error.
    /// By default it is where no error of the data access layer has caused it, or one that is itself a no.
    fn is_business(&self) -> bool {
        is_business(self.source())
    }
}

impl ServiceFailure for OrmError {
    fn is_business(&self) -> bool {
        matches!(self, Self::Forbidden { .. })
    }
}

/// Whether nothing in a chain is of the data access layer, or what is, is a no.
fn is_business(mut error: Option<&(dyn Error + 'static)>) -> bool {
    while let Some(found) = error {
        if let Some(orm) = found.downcast_ref::<OrmError>() {
            return orm.is_business();
        }
        // A transparent error of the program's shows what is behind that of the data access layer.
        if found.is::<isogloss_driver::Error>() {
            return false;
        }
        error = found.source();
    }
    true
}

/// What a method of a service returns: a `Result`.
#[diagnostic::on_unimplemented(
    message = "a method of a service returns a `Result`, not `{Self}`",
    note = "before it runs, and when it commits, something may fail: return `OrmResult<{Self}>`, or another `Result` whose error is `From<OrmError>`"
)]
pub trait Returned: Sized {
    /// It, of an error.
    fn refused(error: OrmError) -> Self;
}

#[diagnostic::do_not_recommend]
impl<T, E: From<OrmError> + ServiceFailure> Returned for Result<T, E> {
    fn refused(error: OrmError) -> Self {
        Err(error.into())
    }
}

/// What a method returns that is not run.
pub fn refused<R: Returned>(error: OrmError) -> R {
    R::refused(error)
}
