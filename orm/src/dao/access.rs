//! The session, entity and shard of a data access object.

use std::sync::Arc;

use isogloss_compiler::dialect::{Feature, Support};
use isogloss_compiler::expr::{Expr, LockMode, LockWait, Name, SqlSegment};
use isogloss_compiler::model::{Entity as Model, EntityId};
use isogloss_compiler::{Compiled, Request, StatementRef, Target};

use super::TableArgs;
use super::entity::named;
use crate::OrmResult;
use crate::session::{Lease, Purpose, Session};

/// A session, the entity of that name, and the shard of it.
#[derive(Debug, Clone)]
pub(crate) struct Access {
    pub(super) session: Session,
    pub(super) name: Name,
    pub(super) args: TableArgs,
}

impl Access {
    pub(crate) fn new(session: &Session, name: Name, args: TableArgs) -> Self {
        Self { session: session.clone(), name, args }
    }

    /// Access to the shard with these arguments.
    pub(crate) fn with_args(&self, args: &TableArgs) -> Self {
        Self::new(&self.session, self.name.clone(), args.clone())
    }

    #[cfg(feature = "services")]
    pub(crate) fn session(&self) -> &Session {
        &self.session
    }

    /// What the catalog knows of the entity.
    pub(crate) fn model(&self) -> OrmResult<&Model> {
        Ok(self.entity()?.1)
    }

    /// What the catalog knows of the entity, with its number.
    pub(super) fn entity(&self) -> OrmResult<(EntityId, &Model)> {
        named(self.session.context().catalog(), self.name.as_str())
    }

    /// What compiles for the entity's source.
    pub(super) async fn target(&self) -> OrmResult<Arc<Target>> {
        self.session.context().data_source_of(self.model()?)?.target().await
    }

    /// Whether there may be rows in the table that are not seen.
    pub(super) async fn is_filtered(&self, model: &Model) -> OrmResult<bool> {
        let by_model = model.fixed_filter.is_some() || model.soft_delete.is_some();
        match self.session.current_scope().filter(|_| !by_model) {
            Some(scope) => Ok(!self.target().await?.scoped_rows(self.name.as_str(), scope)?.is_silent()),
            None => Ok(by_model),
        }
    }

    /// A query of the entity's rows that keeps them as they are until the transaction ends, where the engine locks rows.
    pub(crate) async fn locked(&self, query: SqlSegment) -> OrmResult<SqlSegment> {
        let locks = matches!(self.target().await?.support(Feature::LockUpdate), Support::Native);
        Ok(if locks { query.lock(LockMode::Update, LockWait::default()) } else { query })
    }

    /// A request over the entity.
    pub(super) fn request(&self) -> Request<'_> {
        Request::of(self.name.as_str()).table_args(&self.args)
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
        leased(&self.session, self.name.as_str(), purpose, args, statement).await
    }
}

/// A connection to the source of the entity of that name.
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

/// Defines a data access object over a session.
macro_rules! over_session {
    ($(#[$doc:meta])* $dao:ident<$of:ident: $bound:ident>, $shard:literal) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $dao<$of>(pub(super) super::access::Access, std::marker::PhantomData<fn() -> $of>);

        impl<$of> Clone for $dao<$of> {
            fn clone(&self) -> Self {
                Self(self.0.clone(), std::marker::PhantomData)
            }
        }

        impl<$of> $dao<$of> {
            /// Creates a data access object that works in a session. It is cheap: create one where you need it.
            // A bound of the function, not of the block: rustc tells what the trait says of who lacks it.
            #[must_use]
            pub fn new(session: &crate::session::Session) -> Self
            where
                $of: $bound,
            {
                let name = isogloss_compiler::expr::Name::from_static($of::NAME);
                Self(super::access::Access::new(session, name, Vec::new()), std::marker::PhantomData)
            }
        }

        impl<$of: $bound> $dao<$of> {

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
