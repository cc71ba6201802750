//! Two databases that differ only in what a stranger of the first tenant may not see.

use isogloss::config::DataSourceConfig;
use isogloss::driver::{Flow, Row, RowSink};
use isogloss::expr::{DbValueType, Expr, SqlSegment, Value};
use isogloss::model::{ColumnDef, ForeignType, TableDef, ViewDef};
use isogloss::prelude::*;
use isogloss::session::Purpose;
use isogloss::walk::{ExprType, QueryPolicy};
use isogloss::{Buffers, OrmContext, Request, Session};

use crate::Outcome;
use crate::servers::Database;

/// The tenant whom the stranger belongs to.
pub const TENANT: i32 = 1;

/// The last of the documents of the tenant. Those behind it are others'.
const LAST: i32 = 30;

/// What a stranger may ask about: documents, by their table or by a view. The program names them without their namespace.
pub const ROOTS: [&str; 2] = ["Document", "DocumentView"];

/// Documents of tenants, over whose table there is a second, shorter entity. Each document has a parent, and is in a department
/// that all tenants see; an audit is seen by nobody. Remarks and departments, which all of them see, lead back to documents, and
/// so do views. Departments lead to a view of suppliers, which shows what is hidden of these, and so does a view of departments
/// through it.
///
/// # Errors
/// None: it fits together.
pub fn catalog() -> Outcome<Catalog> {
    let id = || ColumnDef::new("Id", DbValueType::Int32).primary_key();
    let number = |name: &'static str| ColumnDef::new(name, DbValueType::Int32);
    let text = |name: &'static str| ColumnDef::new(name, DbValueType::String).length(40);
    let to = |entity: &'static str, alias: &'static str| ForeignType::new(entity).alias(alias).auto_expand();
    // Before the documents: what an entity opens does not hang on which of two over one table comes first.
    let brief = TableDef::new("Shop.Brief").table("documents").column(id()).column(text("Title"));
    let document = TableDef::new("Shop.Document")
        .table("documents")
        .column(id())
        .column(number("Tenant"))
        .column(text("Title"))
        .column(number("Pages").nullable())
        .column(number("DepartmentId").foreign(to("Department", "Department")))
        .column(number("ParentId").nullable().foreign(ForeignType::new("Document").alias("Parent")))
        .column(text("Secret").not_filterable())
        .column(number("Price").not_filterable())
        .column(number("Leaves").nullable().computed_expr(prop("Pages") * 2))
        .column(number("Worth").nullable().computed_expr(prop("Price") + 1));
    let department = TableDef::new("Shop.Department")
        .table("departments")
        .column(id())
        .column(text("Name"))
        .column(number("Floor"))
        .column(number("LatestId").foreign(ForeignType::new("Document").alias("Latest")))
        .column(number("SupplierId").foreign(ForeignType::new("SupplierView").alias("Supplier")))
        .column(number("Budget").not_filterable());
    let remark = TableDef::new("Shop.Remark")
        .table("remarks")
        .column(id())
        .column(number("DocumentId").foreign(to("Document", "Document")))
        .column(text("Text"));
    let supplier =
        TableDef::new("Shop.Supplier").table("suppliers").column(id()).column(text("Name")).column(text("Terms"));
    let audit = TableDef::new("Audit").table("audits").column(id()).column(text("Note"));
    let tables = [brief, document, department, remark, supplier, audit]
        .into_iter()
        .fold(Catalog::builder(), |all, one| all.table(one));
    Ok(tables
        .view(ViewDef::new("DocumentView", "Document").foreign_column("DepartmentName", "Department", "Name"))
        .view(ViewDef::new("SupplierView", "Supplier"))
        .view(
            ViewDef::new("Shop.DepartmentView", "Department")
                .foreign_column("LatestTitle", "Latest", "Title")
                .foreign_column("SupplierName", "Supplier", "Name")
                .foreign_column("SupplierTerms", "Supplier", "Terms"),
        )
        .view(
            ViewDef::new("RemarkView", "Remark")
                .foreign_column("DocumentTitle", "Document", "Title")
                .foreign_column("DocumentWorth", "Document", "Worth")
                .foreign_column("DepartmentName", "Department", "Name"),
        )
        .build()?)
}

/// What a stranger may say of that root, generously.
#[must_use]
pub fn policy(root: &'static str) -> QueryPolicy {
    with_terms(root).deny_properties("SupplierView", ["Terms"])
}

/// The policy of a stranger who may see the terms of suppliers, too. Where the root is a view, a list of its table narrows it.
#[must_use]
pub fn with_terms(root: &'static str) -> QueryPolicy {
    let others = ["Brief", "Department", "DepartmentView", "DocumentView", "Remark", "RemarkView", "SupplierView"];
    let policy = others
        .into_iter()
        .filter(|other| *other != root)
        .fold(QueryPolicy::new(root), QueryPolicy::allow_entity)
        .allow_functions(["Replace", "PadLeft", "Char", "StringAgg"])
        .allow([ExprType::CommonTable])
        .max_joins(4);
    if root == "Document" {
        return policy;
    }
    policy.only_properties("Document", ["Id", "Tenant", "Title", "Pages", "DepartmentId", "ParentId", "Leaves"])
}

/// What keeps a stranger to the rows of the own tenant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guard {
    /// A filter of the program, in front of the stranger's: the policy has to see to it that no way leads past it.
    Filter,
    /// A scope, which holds for each table of the query.
    Scope,
}

impl Guard {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Filter, Self::Scope];

    /// What a stranger may say. Behind a scope no rows are to be hidden by the policy any more: a stranger may look at the
    /// documents anew wherever a table may stand, and take every way back to them.
    #[must_use]
    pub fn policy(self, root: &'static str) -> QueryPolicy {
        let policy = policy(root);
        if self == Self::Filter {
            return policy;
        }
        let ways = [
            ("Document", "Parent"),
            ("DocumentView", "Parent"),
            ("Department", "Latest"),
            ("DepartmentView", "Latest"),
            ("Remark", "Document"),
            ("RemarkView", "Document"),
        ];
        let policy = policy.allow_entity("Document").allow_entity("DocumentView");
        ways.into_iter().fold(policy, |policy, (entity, alias)| policy.allow_relation(entity, alias))
    }

    /// The rows of the root that the stranger may ask about, as far as it is the query that says so.
    #[must_use]
    pub fn rows(self, root: &'static str) -> SqlSegment {
        let own = (self == Self::Filter).then(|| prop("Tenant").eq(TENANT));
        from(root).filter(own)
    }

    /// What the query is compiled with.
    #[must_use]
    pub fn scope(self) -> Option<Scope> {
        (self == Self::Scope).then(|| Scope::new().column("Tenant", TENANT))
    }
}

/// One of the two databases.
pub struct Shop {
    /// What statements are compiled by, and run with.
    pub session: Session,
    context: OrmContext,
    database: Option<Database>,
}

impl Shop {
    /// Makes a database. What is hidden in it is the one thing or the other.
    ///
    /// # Errors
    /// It cannot be made there.
    pub async fn make(provider: &str, server: &str, other: bool) -> Outcome<Self> {
        let database = match provider {
            "sqlite" => None,
            _ => Some(Database::make("isogloss_attacks", provider, server).await?),
        };
        let url = database.as_ref().map_or(":memory:", |database| &database.url);
        let context = OrmContext::new(catalog()?);
        context.add_data_source(DataSourceConfig::new("main", provider, url).pool_size(1))?;
        for entity in ["Document", "Department", "Remark", "Supplier", "Audit"] {
            context.sync_table(entity, [""; 0]).await?;
        }
        let session = context.create_session()?;
        let shop = Self { session, context, database };
        shop.fill(other).await?;
        Ok(shop)
    }

    async fn fill(&self, other: bool) -> Outcome<()> {
        let hidden = i32::from(other);
        for id in 1..=6 {
            let name = ["Sales", "Purchase", "Legal", "Research", "", "Über 'uns'"].get(usize::try_from(id - 1)?);
            let values = vec![
                id.into(),
                (*name.unwrap_or(&"")).into(),
                (id % 3).into(),
                (if id % 2 == 0 { LAST + id } else { id * 3 }).into(),
                (1 + id % 3).into(),
                (if other { 1_000 - id } else { id * 7 }).into(),
            ];
            self.insert("Department", ["Id", "Name", "Floor", "LatestId", "SupplierId", "Budget"], values).await?;
        }
        for id in 1..=3 {
            let terms = if other { format!("theirs {id}") } else { format!("plan {}", id * 2) };
            self.insert("Supplier", ["Id", "Name", "Terms"], vec![id.into(), format!("a{id}").into(), terms.into()])
                .await?;
        }
        let mut id = 0;
        let mut document = async |tenant: i32, title: String, pages: Option<i32>, department: i32, secret: String| {
            id += 1;
            let values = vec![
                id.into(),
                tenant.into(),
                title.into(),
                pages.into(),
                department.into(),
                [None, Some(1 + id * 7 % LAST), Some(LAST + id % 9)]
                    .get(usize::try_from(id % 3)?)
                    .copied()
                    .flatten()
                    .into(),
                secret.into(),
                (id * (1 + hidden * 3)).into(),
            ];
            let columns = ["Id", "Tenant", "Title", "Pages", "DepartmentId", "ParentId", "Secret", "Price"];
            self.insert("Document", columns, values).await
        };
        for n in 0..LAST {
            let title = ["plan", "Plan B", "100%", "a_b", "o'neil", "", "tab\tle"].get(usize::try_from(n % 7)?);
            let pages = (n % 5 != 0).then_some(n % 11);
            let secret = if other { format!("open {n}") } else { format!("sesame {}", n * 3) };
            document(TENANT, (*title.unwrap_or(&"")).to_owned(), pages, 1 + n % 6, secret).await?;
        }
        // Other tenants: in the one database few rows, in the other many, of other contents.
        for n in 0..if other { 60 } else { 9 } {
            let title = if other { format!("theirs {n}") } else { format!("{}", n * n) };
            document(2 + n % 3, title, Some(n * 5 + hidden), 1 + (n + hidden) % 6, "theirs".to_owned()).await?;
        }
        // Of documents of this tenant and of others.
        for n in 0..24 {
            let document = if n % 2 == 0 { 1 + n } else { LAST + 1 + n % 9 };
            let values = vec![n.into(), document.into(), format!("{}", n % 5).into()];
            self.insert("Remark", ["Id", "DocumentId", "Text"], values).await?;
        }
        for n in 0..if other { 1 } else { 20 } {
            self.insert("Audit", ["Id", "Note"], vec![n.into(), format!("note {n}").into()]).await?;
        }
        Ok(())
    }

    async fn insert<const N: usize>(
        &self,
        entity: &'static str,
        columns: [&'static str; N],
        values: Vec<Value>,
    ) -> Outcome<()> {
        let mut lease = self.session.lease(None, Purpose::Write).await?;
        let target = lease.target().clone();
        lease.execute(&target.compile(&table(entity).insert(columns, values))?).await?;
        Ok(())
    }

    /// Runs a query, and gives its rows as text, each in a line.
    ///
    /// # Errors
    /// It does not compile; or the engine refuses it.
    pub async fn ask(&self, query: &Expr, guard: Guard) -> Result<String, isogloss::OrmError> {
        let mut lease = self.session.lease(None, Purpose::Read).await?;
        let (target, scope) = (lease.target().clone(), guard.scope());
        let mut request = Request::default();
        request.scope = scope.as_ref();
        let statement = target.compile_with(query, &request, Buffers::default())?;
        let Texts(texts) = lease.query_into(&statement, Texts(String::new())).await?;
        Ok(texts)
    }

    /// Takes the database away.
    ///
    /// # Errors
    /// The server does not let it be taken away.
    pub async fn end(self) -> Outcome<()> {
        self.context.close();
        drop(self.session);
        match self.database {
            Some(database) => database.end().await,
            None => Ok(()),
        }
    }
}

/// Rows as text.
struct Texts(String);

impl RowSink for Texts {
    fn row(&mut self, row: &dyn Row) -> isogloss::driver::Result<Flow> {
        for column in 0..row.len() {
            self.0.push_str(&row.value(column, None)?.to_string());
            self.0.push('|');
        }
        self.0.push('\n');
        Ok(Flow::More)
    }
}
