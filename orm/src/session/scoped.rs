//! The scope of a session, which applies to everything that is compiled for it.

use compact_str::CompactString;
use isogloss_compiler::{
    AppliedFilter, Buffers, BulkInsert, Compiled, ExprString, Request, RowsStatement, Scope, StatementRef, Target,
};

use super::Session;
use crate::OrmResult;
use crate::entity::FieldError;

impl Session {
    /// Returns this session with a scope, whose filters apply to everything that it reads and writes. If the session
    /// has a scope already, both apply: the result is narrower, except for deleted rows that the scope asks for
    /// ([`with_deleted`](Scope::with_deleted)).
    ///
    /// The scope applies to the returned clone and everything that is created from it: data access objects, closures of
    /// transactions, and what runs inside of [`scope`](Self::scope). The original session keeps its own. Both share a
    /// transaction.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> isogloss::OrmResult<()> {
    /// use isogloss::config::DataSourceConfig;
    /// use isogloss::entity::Linked;
    /// use isogloss::prelude::*;
    /// use isogloss::{OrmContext, Scope};
    ///
    /// #[derive(Debug, Default, Entity)]
    /// struct Note {
    ///     #[column(primary_key)]
    ///     id: i32,
    ///     tenant_id: Option<i32>,
    /// }
    ///
    /// let context = OrmContext::new(Catalog::builder().entity::<Note>().build()?);
    /// let source = DataSourceConfig::new("main", "sqlite", ":memory:").sync_table(true);
    /// context.add_data_source(source)?;
    ///
    /// let session = context.create_session()?;
    /// let seven = session.scoped(&Scope::new().column("TenantId", 7))?;
    /// let mut note = Note { id: 1, tenant_id: None };
    /// ObjectDao::new(&seven).insert(&mut note).await?;
    /// assert_eq!(note.tenant_id, Some(7));
    ///
    /// let eight = session.scoped(&Scope::new().column("TenantId", 8))?;
    /// assert_eq!(ObjectViewDao::<Note>::new(&eight).count(()).await?, 0);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// The scope does not fit the catalog: it names something that does not exist, or has two filters of one name.
    pub fn scoped(&self, scope: &Scope) -> OrmResult<Self> {
        let scope = match self.current_scope() {
            Some(around) => around.clone().and(scope),
            None => scope.clone(),
        };
        scope.check(self.context().catalog())?;
        Ok(self.within(scope))
    }

    /// Returns this session without any scope: it sees the rows of all tenants, and may use entities that require a
    /// scope. The reason is logged.
    ///
    /// Other ways around a scope are narrower: [`without_filter`](isogloss_compiler::expr::TableExpr::without_filter)
    /// switches off one named filter on one table, and [`Scope::with_deleted`] and [`Scope::only_deleted`] show deleted
    /// rows. A session that never got a scope has no filters of one, and is refused by entities that require it.
    ///
    /// ```
    /// # use isogloss::{OrmResult, Session};
    /// # use isogloss::dao::ObjectViewDao;
    /// # use isogloss::entity::Entity;
    /// async fn how_many_in_all<E: Entity>(session: &Session) -> OrmResult<u64> {
    ///     let session = session.unscoped("the operator's report counts all tenants");
    ///     ObjectViewDao::<E>::new(&session).count(()).await
    /// }
    /// ```
    #[must_use]
    pub fn unscoped(&self, reason: impl Into<CompactString>) -> Self {
        self.within(Scope::unscoped(reason))
    }

    /// The scope of the session, if there is one.
    #[must_use]
    pub fn current_scope(&self) -> Option<&Scope> {
        self.terms()?.scope.as_ref()
    }

    /// This session among the deleted rows of an entity, and no others of it.
    pub(crate) fn among_deleted(&self, entity: &str) -> Self {
        let scope = self.current_scope().cloned().unwrap_or_default().only_deleted(entity);
        self.on(|terms| terms.scope = Some(scope))
    }

    fn within(&self, scope: Scope) -> Self {
        if let Some(reason) = scope.reason() {
            tracing::info!(target: "isogloss", session = self.id(), reason, "a session does without a scope");
        }
        self.on(|terms| terms.scope = Some(scope))
    }

    /// Compiles a statement of the program's own within the scope, to be run by a [`Lease`](super::Lease).
    ///
    /// ```
    /// # use isogloss::Request;
    /// # use isogloss::prelude::*;
    /// # use isogloss::session::Purpose;
    /// async fn copy(session: &Session) -> OrmResult<u64> {
    ///     let copies = from("Order").select([(prop("Id") + 1000).alias("Id"), prop("Total").alias("Total")]);
    ///     let insert = table("Archived").insert_query(["Id", "Total"], copies);
    ///     let mut lease = session.lease(None, Purpose::Write).await?;
    ///     let statement = session.compile(lease.target(), &insert, Request::default())?;
    ///     lease.execute(&statement).await
    /// }
    /// ```
    ///
    /// # Errors
    /// Names that cannot be resolved, statements that the dialect refuses or that leave the scope, and a request that
    /// has a scope of its own.
    pub fn compile<'e>(
        &'e self,
        target: &Target,
        statement: impl Into<StatementRef<'e>>,
        request: Request<'e>,
    ) -> OrmResult<Compiled<'e>> {
        if request.scope.is_some() {
            let why = "the request has a scope, and so may the session: give it to the session, by `scoped`";
            return Err(FieldError::new(why).into());
        }
        let compiled = target.compile_with(statement, &self.request(request), Buffers::default())?;
        self.tell_of(&compiled.filters);
        Ok(compiled)
    }

    /// Compiles a statement that is shown and not run, so that nothing is logged of it.
    pub(crate) fn compile_shown<'e>(
        &'e self,
        target: &Target,
        statement: impl Into<StatementRef<'e>>,
        request: Request<'e>,
    ) -> OrmResult<Compiled<'e>> {
        Ok(target.compile_with(statement, &self.request(request), Buffers::default())?)
    }

    /// Compiles a look at a table whatever the scope says, and whether it has one. What it finds is not shown to anybody.
    pub(crate) fn compile_unscoped(
        &self,
        target: &Target,
        statement: &ExprString,
        request: Request<'_>,
    ) -> OrmResult<Compiled<'static>> {
        let scope = Scope::unscoped("whether a key is taken");
        Ok(target.compile_with(statement, &request.scope(&scope), Buffers::default())?.into_owned())
    }

    /// Compiles a write of many rows, where the engine has a statement for them.
    pub(crate) fn compile_rows<'e>(
        &'e self,
        target: &Target,
        statement: impl Into<StatementRef<'e>>,
    ) -> OrmResult<Option<RowsStatement>> {
        Ok(target.compile_rows_with(statement, &self.request(Request::default()))?)
    }

    /// An INSERT of many rows by the fast path.
    pub(crate) fn bulk_insert(
        &self,
        target: &Target,
        entity: &str,
        columns: &[&str],
        args: &[CompactString],
    ) -> OrmResult<BulkInsert> {
        let request = self.request(Request::default().table_args(args));
        Ok(target.bulk_insert_with(entity, columns, &request)?)
    }

    fn request<'e>(&'e self, mut request: Request<'e>) -> Request<'e> {
        request.scope = self.current_scope();
        request
    }

    /// Logs which filters a node does without, and why.
    fn tell_of(&self, filters: &[AppliedFilter]) {
        for AppliedFilter { entity, alias, filter, off, .. } in filters {
            if let Some(reason) = off {
                let session = self.id();
                tracing::info!(
                    target: "isogloss", session, %entity, %alias, %filter, %reason, "a statement does without a filter"
                );
            }
        }
    }
}
