//! Orders of two tenants: a service with events, transactions, permissions and a log, and a scope that nobody can forget.
//!
//! `cargo run -p services`. The database is an SQLite in memory; what it prints is in `output.txt`.

mod log;
mod orders;

use std::error::Error;
use std::io::{self, Write};
use std::sync::Arc;

use isogloss::config::DataSourceConfig;
use isogloss::prelude::*;
use isogloss::service::{Interception, SessionPrincipal};

use log::Log;
use orders::{Audit, Clerk, Desk, Order, OrderService, Told};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    run(&mut io::stdout()).await
}

async fn run(out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let told = Told::default();
    let desk = told.clone();
    let context = Orm::builder()
        .with_interception(Interception::new().principals(SessionPrincipal))
        .entity_events::<Order, _>(move |_| Ok(Desk(desk.clone())))
        .build()
        .await?;
    context.add_data_source(DataSourceConfig::new("shop", "sqlite", ":memory:").sync_table(true))?;
    context.sync_all().await?;
    let _log = tracing::subscriber::set_default(Log(told.clone()));
    let mut step = |title: &str, result: String| -> io::Result<()> {
        writeln!(out, "{title}")?;
        told.take().iter().try_for_each(|line| writeln!(out, "    {line}"))?;
        writeln!(out, "  = {result}")
    };

    // A session that says nothing of its tenant gets nothing, whatever it asks.
    let anyone = context.create_session()?;
    let forgotten = ObjectViewDao::<Order>::new(&anyone).count(()).await;
    step("somebody forgets the tenant", shown(&forgotten))?;

    let ann = login(&context, Clerk { name: "Ann", tenant: 1, role: "clerk" })?;
    let mia = login(&context, Clerk { name: "Mia", tenant: 1, role: "manager" })?;
    let bob = login(&context, Clerk { name: "Bob", tenant: 2, role: "manager" })?;

    // Who may call is asked before a transaction begins.
    let nobody = orders(&anyone.scoped(&tenant(1))?)?;
    step("nobody in particular places an order", shown(&nobody.place("Eve", 10, "4000").await))?;

    let placed = orders(&ann)?.place(" Cem ", 120, "4000").await;
    step("Ann places an order", shown(&placed))?;
    let declined = orders(&ann)?.place("Dan", 80, "").await;
    step("Ann places one that cannot be paid", shown(&declined))?;
    let nothing = orders(&ann)?.place("Dan", 0, "4000").await;
    step("Ann places one of nothing", shown(&nothing))?;
    let cancelled = orders(&ann)?.cancel(1).await;
    step("Ann cancels it, which she may not", shown(&cancelled))?;

    // Bob is of the other tenant: there is no such order, also by its key, and he writes none for tenant 1.
    let of_bob = orders(&bob)?;
    let seen = (of_bob.customers().await?, of_bob.cancel(1).await?);
    step("Bob looks for orders, and cancels one by its number", format!("{seen:?}"))?;
    let mut theirs = Order { tenant_id: Some(1), customer: "Bob".to_owned(), amount: 1, ..Order::default() };
    let smuggled = ObjectDao::<Order>::new(&bob).insert(&mut theirs).await;
    step("Bob writes one for the other tenant", shown(&smuggled))?;

    let cancelled = orders(&mia)?.cancel(1).await;
    step("Mia cancels it", shown(&cancelled))?;
    let delete = mia.sql_stack().into_iter().find(|sql| sql.starts_with("UPDATE")).unwrap_or_default();
    step("what the DELETE was", delete)?;
    let deleted = mia.scoped(&Scope::new().only_deleted("Order"))?;
    let seen = (orders(&mia)?.customers().await?, orders(&deleted)?.customers().await?);
    step("what Mia sees, and what is deleted", format!("{seen:?}"))?;

    let operator = context.create_session()?.unscoped("the operator reads the audit of all tenants");
    let audits = ObjectViewDao::<Audit>::new(&operator);
    let rows = audits
        .search_as::<(String, String, i64)>(query!(|a: Audit| a.order_by(a.id).select((a.by, a.done, a.order_id))));
    step("the operator looks at all tenants", format!("{:?}", rows.all().await?))?;
    context.close();
    Ok(())
}

/// The scope of a tenant: every table that has such a column.
fn tenant(id: i32) -> Scope {
    Scope::new().column("TenantId", id).named("tenant")
}

/// What a server does at the start of a request.
fn login(context: &OrmContext, clerk: Clerk) -> OrmResult<Session> {
    Ok(context.create_session()?.scoped(&tenant(clerk.tenant))?.with_principal(Arc::new(clerk)))
}

fn orders(session: &Session) -> OrmResult<OrderService> {
    session.service()
}

fn shown<T: std::fmt::Debug, E: Error>(done: &Result<T, E>) -> String {
    match done {
        Ok(value) => format!("{value:?}"),
        Err(error) => format!("refused: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(flavor = "current_thread")]
    async fn it_does_what_it_says() {
        let mut out = Vec::new();
        run(&mut out).await.unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), include_str!("../output.txt"));
    }
}
