//! Error types of service methods.

use std::error::Error;

use crate::OrmError;

/// An error that a service method returns. Implement it, beside `From<OrmError>`, for an error type of the program:
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
    /// Whether the error is a regular refusal by the program, which is logged as a warning; all others are logged as
    /// errors. By default, it is one if it was not caused by an error of the data access layer, or by one that is
    /// itself a refusal.
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

/// The return type of a service method: a `Result`.
#[diagnostic::on_unimplemented(
    message = "a method of a service returns a `Result`, not `{Self}`",
    note = "before it runs, and when it commits, something may fail: return `OrmResult<{Self}>`, or another `Result` whose error is `From<OrmError>`"
)]
pub trait Returned: Sized {
    /// Creates the result of a failed call.
    fn refused(error: OrmError) -> Self;
}

#[diagnostic::do_not_recommend]
impl<T, E: From<OrmError> + ServiceFailure> Returned for Result<T, E> {
    fn refused(error: OrmError) -> Self {
        Err(error.into())
    }
}

/// The result of a method that was not run.
pub fn refused<R: Returned>(error: OrmError) -> R {
    R::refused(error)
}
