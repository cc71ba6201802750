//! Errors of services.

use super::NotDynamic;
use crate::OrmError;

/// An operation that a service does not support, or the failure of a subscriber or handler.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServiceError {
    /// A handler or subscriber panicked. The writes of the call are rolled back.
    #[error("`{who}` panicked: what the call has written is taken back")]
    Panicked {
        /// Its type, or the name of the call.
        who: String,
    },
    /// An attribute of a method has no effect, as the program runs without interception.
    #[error(
        "`{method}` has attributes that need interception: build the context by \
         `Orm::builder().with_interception(Interception::new())`, or take the attributes away"
    )]
    NoInterception {
        /// The service and the method.
        method: String,
    },
    /// A method requires a permission, and the program has no provider of principals.
    #[error(
        "`{method}` asks for a permission, and nothing says who calls: give the interception one, \
         `Interception::new().principals(SessionPrincipal)`, or let anyone call it"
    )]
    NoPrincipals {
        /// The service and the method.
        method: String,
    },
    /// The provider of principals has itself called a method that requires a permission.
    #[error(
        "`{method}` asks who calls while the `PrincipalProvider` finds that out: let it read by an `ObjectViewDao`, which asks \
         for no permission, or by a method that anyone may call"
    )]
    PrincipalAsked {
        /// The service and the method that it has called.
        method: String,
    },
    /// A call has succeeded although a call inside of its transaction has failed or was dropped, and was only done in
    /// part. The whole transaction is rolled back.
    #[error(
        "`{inner}` failed as a part of the transaction of `{method}`, which went on: all of it is taken back; let it fail, \
         too, or give `{inner}` a savepoint of its own by `#[transaction(nested = savepoint)]`"
    )]
    PartFailed {
        /// The service and the method that has continued.
        method: String,
        /// The service and the method that has failed.
        inner: String,
    },
    /// A handler of `on_error` has returned a value of another type than the method's.
    #[error(
        "the answer of `{handler}` to the error of `{method}` is not of the type `{wanted}`, which the method returns"
    )]
    WrongAnswer {
        /// The type of the handler.
        handler: String,
        /// The service and the method.
        method: String,
        /// The return type of the method.
        wanted: &'static str,
    },
    /// The method is not available for remote calls.
    #[error("`{method}` is not for remote calls")]
    NotRemote {
        /// The service and the method.
        method: String,
    },
    /// A subscriber could not be created. The next operation tries it again.
    #[error("subscriber `{subscriber}` of `{entity}` could not be made: {error}")]
    NotMade {
        /// The type of the subscriber.
        subscriber: &'static str,
        /// The entity that it subscribes to.
        entity: &'static str,
        /// Why it could not be created.
        #[source]
        error: OrmError,
    },
    /// The creation of a subscriber requires the subscriber itself, such as by writing the entity that it subscribes
    /// to.
    #[error("`{subscriber}` is asked for by what makes it, which must not write the entity")]
    Unmade {
        /// The type of the subscriber.
        subscriber: &'static str,
    },
    /// The entity cannot be served by values.
    #[error("`{entity}` is not served by values: {reason}")]
    NotDynamic {
        /// The name of the entity.
        entity: String,
        /// Why it cannot.
        reason: NotDynamic,
    },
    /// Subscribers have written entities whose subscribers have written again, and so on.
    #[error("subscribers write without end: {chain}: let one of them leave alone what the other has written")]
    Cycle {
        /// The entities, from the beginning of the cycle.
        chain: String,
    },
    /// The services of a container are missing or contradict each other.
    #[cfg(feature = "di")]
    #[error(transparent)]
    Container(#[from] crate::container::ContainerError),
}
