//! What each data access object is over.

use std::marker::PhantomData;
use std::sync::Arc;

use isogloss_compiler::expr::Expr;
use isogloss_compiler::model::{Entity as Model, EntityId};
use isogloss_compiler::{Compiled, Request, StatementRef, Target};

use super::TableArgs;
use super::entity::entity;
use crate::OrmResult;
use crate::entity::Entity;
use crate::session::{Lease, Purpose, Session};

/// A session, an entity, and the shard of it.
#[derive(Debug)]
pub(super) struct Access<E> {
    pub(super) session: Session,
    pub(super) args: TableArgs,
    of: PhantomData<fn() -> E>,
}

/// Whether the entity can be cloned makes no difference.
impl<E> Clone for Access<E> {
    fn clone(&self) -> Self {
        Self::new(&self.session, self.args.clone())
    }
}

impl<E> Access<E> {
    pub(super) fn new(session: &Session, args: TableArgs) -> Self {
        Self { session: session.clone(), args, of: PhantomData }
    }
}

impl<E: Entity> Access<E> {
    /// What the catalog knows of the entity.
    pub(super) fn model(&self) -> OrmResult<&Model> {
        Ok(self.entity()?.1)
    }

    /// The same with its number.
    pub(super) fn entity(&self) -> OrmResult<(EntityId, &Model)> {
        entity::<E>(self.session.context().catalog())
    }

    /// What compiles for the entity's source.
    pub(super) async fn target(&self) -> OrmResult<Arc<Target>> {
        self.session.context().data_source_of(self.model()?)?.target().await
    }

    /// Whether there may be rows in the table that are not seen.
    pub(super) async fn is_filtered(&self, model: &Model) -> OrmResult<bool> {
        let by_model = model.fixed_filter.is_some() || model.soft_delete.is_some();
        match self.session.current_scope().filter(|_| !by_model) {
            Some(scope) => Ok(!self.target().await?.scoped_rows(E::NAME, scope)?.is_silent()),
            None => Ok(by_model),
        }
    }

    /// Compiles a statement that names its entity itself.
    pub(super) fn compile<'e>(
        &'e self,
        target: &Target,
        statement: impl Into<StatementRef<'e>>,
    ) -> OrmResult<Compiled<'e>> {
        self.session.compile(target, statement, Request::default())
    }

    /// A connection to the entity's source, where the tables of these arguments and of a statement are there.
    pub(super) async fn lease(&self, purpose: Purpose, args: &TableArgs, statement: Option<&Expr>) -> OrmResult<Lease> {
        leased(&self.session, E::NAME, purpose, args, statement).await
    }
}

/// The same for the entity of that name.
pub(super) async fn leased(
    session: &Session,
    entity: &str,
    purpose: Purpose,
    args: &TableArgs,
    statement: Option<&Expr>,
) -> OrmResult<Lease> {
    let context = session.context();
    context.ready_for(session, entity, args, statement).await?;
    let source = context.catalog().entity(entity).and_then(|(_, entity)| entity.data_source.as_deref());
    session.lease(source, purpose).await
}

/// Data access objects are made and bound to a shard in one way.
macro_rules! over_session {
    ($(#[$doc:meta])* $dao:ident<$of:ident: $bound:ident>, $shard:literal) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $dao<$of>(pub(super) super::access::Access<$of>);

        impl<$of> Clone for $dao<$of> {
            fn clone(&self) -> Self {
                Self(self.0.clone())
            }
        }

        impl<$of: $bound> $dao<$of> {
            /// One over a session.
            #[must_use]
            pub fn new(session: &crate::session::Session) -> Self {
                Self(super::access::Access::new(session, Vec::new()))
            }

            #[doc = $shard]
            #[must_use]
            pub fn with_args<A: Into<compact_str::CompactString>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
                self.0.args = super::table_args(args);
                self
            }
        }
    };
}

pub(super) use over_session;
