//! What a service, or what listens to it, may fail with.

use super::NotDynamic;
use crate::OrmError;

/// What a service cannot do, or what listens to it has failed with.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServiceError {
    /// A handler or subscriber panicked. What the call has written is taken back.
    #[error("`{who}` panicked: what the call has written is taken back")]
    Panicked {
        /// Its type, or what it was called for.
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
    /// A permission is asked for, and nothing says who calls.
    #[error(
        "`{method}` asks for a permission, and nothing says who calls: give the interception one, \
         `Interception::new().principals(SessionPrincipal)`, or let anyone call it"
    )]
    NoPrincipals {
        /// The service and the method.
        method: String,
    },
    /// What finds out who calls has itself called a method that asks for that.
    #[error(
        "`{method}` asks who calls while the `PrincipalProvider` finds that out: let it read by an `ObjectViewDao`, which asks \
         for no permission, or by a method that anyone may call"
    )]
    PrincipalAsked {
        /// The service and the method that the provider has called.
        method: String,
    },
    /// A call has succeeded though one in its transaction has failed or was given up, whose part is half done: all of it is taken back.
    #[error(
        "`{inner}` failed as a part of the transaction of `{method}`, which went on: all of it is taken back; let it fail, \
         too, or give `{inner}` a savepoint of its own by `#[transaction(nested = savepoint)]`"
    )]
    PartFailed {
        /// The service and the method that have gone on.
        method: String,
        /// The service and the method that have failed.
        inner: String,
    },
    /// A handler of `on_error` has answered with something else than what the method returns.
    #[error(
        "the answer of `{handler}` to the error of `{method}` is not of the type `{wanted}`, which the method returns"
    )]
    WrongAnswer {
        /// The handler.
        handler: String,
        /// The service and the method.
        method: String,
        /// What the method returns.
        wanted: &'static str,
    },
    /// A method is not for remote calls.
    #[error("`{method}` is not for remote calls")]
    NotRemote {
        /// The service and the method.
        method: String,
    },
    /// A subscriber could not be made. The next operation tries it again.
    #[error("subscriber `{subscriber}` of `{entity}` could not be made: {error}")]
    NotMade {
        /// Its type.
        subscriber: &'static str,
        /// The entity that it listens to.
        entity: &'static str,
        /// Why.
        #[source]
        error: OrmError,
    },
    /// What makes a subscriber has asked for it, as by writing the entity that it is to listen to.
    #[error("`{subscriber}` is asked for by what makes it, which must not write the entity")]
    Unmade {
        /// Its type.
        subscriber: &'static str,
    },
    /// An entity is not served by values.
    #[error("`{entity}` is not served by values: {reason}")]
    NotDynamic {
        /// Its name.
        entity: String,
        /// Why.
        reason: NotDynamic,
    },
    /// Subscribers have written, and what listens to that has written again, and so on.
    #[error("subscribers write without end: {chain}: let one of them leave alone what the other has written")]
    Cycle {
        /// The entities, from where they begin to come again.
        chain: String,
    },
    /// The services of a container are not there, or do not fit together.
    #[cfg(feature = "di")]
    #[error(transparent)]
    Container(#[from] crate::container::ContainerError),
}
