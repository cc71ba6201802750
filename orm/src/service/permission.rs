//! The caller of services.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;

use super::PermissionRule;
use crate::{OrmResult, Session};

/// The caller of a service, as the program knows its users.
///
/// ```
/// use isogloss::service::Principal;
/// #[derive(Debug)]
/// struct User {
///     id: String,
///     roles: Vec<String>,
/// }
///
/// impl Principal for User {
///     fn id(&self) -> &str {
///         &self.id
///     }
///
///     fn has_role(&self, role: &str) -> bool {
///         self.roles.iter().any(|own| own == role)
///     }
/// }
/// let ann = User { id: "ann".into(), roles: vec!["Sales".into()] };
/// let somebody: &dyn Principal = &ann;
/// assert!(somebody.has_role("Sales") && somebody.downcast_ref::<User>().is_some());
/// ```
pub trait Principal: Any + Send + Sync {
    /// The identifier of the principal in the program.
    fn id(&self) -> &str;

    /// Whether the principal has a role.
    fn has_role(&self, role: &str) -> bool;
}

impl dyn Principal {
    /// The program's own type, for checks that need more than roles.
    #[must_use]
    pub fn downcast_ref<P: Principal>(&self) -> Option<&P> {
        (self as &dyn Any).downcast_ref()
    }
}

/// By its id alone.
impl fmt::Debug for dyn Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Principal").field(&self.id()).finish()
    }
}

/// Determines the caller. It is asked for each call that requires a permission.
#[async_trait]
pub trait PrincipalProvider: Send + Sync {
    /// The principal that the session works for; `None` is an unknown caller.
    ///
    /// # Errors
    /// The caller cannot be determined, and the call is not made.
    async fn principal(&self, session: &Session) -> OrmResult<Option<Arc<dyn Principal>>>;
}

/// A provider that returns the principal of [`Session::with_principal`].
#[derive(Debug, Clone, Copy, Default)]
pub struct SessionPrincipal;

#[async_trait]
impl PrincipalProvider for SessionPrincipal {
    async fn principal(&self, session: &Session) -> OrmResult<Option<Arc<dyn Principal>>> {
        Ok(session.principal().cloned())
    }
}

impl PermissionRule {
    /// Whether it lets somebody through, as far as roles go.
    pub(crate) fn admits(&self, principal: Option<&dyn Principal>) -> bool {
        let roles = self.allowed_roles();
        let has_role =
            |principal: &dyn Principal| roles.is_empty() || roles.iter().any(|role| principal.has_role(role));
        self.allows_anonymous() || principal.is_some_and(has_role)
    }
}
