//! Two databases that differ only in what a stranger of the first tenant may not see.

use isogloss::config::DataSourceConfig;
use isogloss::driver::{Flow, Row, RowSink};
use isogloss::prelude::*;
use isogloss::session::Purpose;
use isogloss::walk::{ExprType, QueryPolicy};
use isogloss::{OrmContext, Session};

use crate::Outcome;
use crate::servers::Database;

/// The tenant whom the stranger belongs to.
pub const TENANT: i32 = 1;

/// The tables: documents of tenants, in departments that all of them see, and an audit that nobody sees.
///
/// # Errors
/// None: it fits together.
pub fn catalog() -> Outcome<Catalog> {
    let document = TableDef::new("Document")
        .table("documents")
        .column(ColumnDef::new("Id", DbValueType::Int32).primary_key())
        .column(ColumnDef::new("Tenant", DbValueType::Int32))
        .column(ColumnDef::new("Title", DbValueType::String).length(40))
        .column(ColumnDef::new("Pages", DbValueType::Int32).nullable())
        .column(ColumnDef::new("DepartmentId", DbValueType::Int32).foreign(ForeignType::new("Department")))
        .column(ColumnDef::new("Secret", DbValueType::String).length(40).not_filterable())
        .column(ColumnDef::new("Price", DbValueType::Int32).not_filterable());
    let department = TableDef::new("Department")
        .table("departments")
        .column(ColumnDef::new("Id", DbValueType::Int32).primary_key())
        .column(ColumnDef::new("Name", DbValueType::String).length(40))
        .column(ColumnDef::new("Floor", DbValueType::Int32))
        .column(ColumnDef::new("Budget", DbValueType::Int32).not_filterable());
    let audit = TableDef::new("Audit")
        .table("audits")
        .column(ColumnDef::new("Id", DbValueType::Int32).primary_key())
        .column(ColumnDef::new("Note", DbValueType::String).length(40));
    Ok(Catalog::builder().table(document).table(department).table(audit).build()?)
}

/// What a stranger may say, generously.
#[must_use]
pub fn policy() -> QueryPolicy {
    QueryPolicy::new("Document")
        .allow_entity("Department")
        .allow_functions(["Replace", "PadLeft", "Char", "StringAgg"])
        .allow([ExprType::CommonTable])
        .max_joins(4)
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
        context.add_data_source(DataSourceConfig::new("main", provider, url).pool_size(1), true)?;
        for entity in ["Document", "Department", "Audit"] {
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
                (if other { 1_000 - id } else { id * 7 }).into(),
            ];
            self.insert("Department", ["Id", "Name", "Floor", "Budget"], values).await?;
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
                secret.into(),
                (id * (1 + hidden * 3)).into(),
            ];
            let columns = ["Id", "Tenant", "Title", "Pages", "DepartmentId", "Secret", "Price"];
            self.insert("Document", columns, values).await
        };
        for n in 0..30 {
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
    pub async fn ask(&self, query: &Expr) -> Result<String, isogloss::OrmError> {
        let mut lease = self.session.lease(None, Purpose::Read).await?;
        let target = lease.target().clone();
        let statement = target.compile(query)?;
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
