//! Several programs behind PgBouncer, whose sessions they share from transaction to transaction.

use std::env;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::future::try_join_all;
use isogloss::dao::ObjectDao;
use isogloss::driver::ErrorKind;
use isogloss::session::Purpose;
use isogloss::{Compiled, OrmContext, OrmError};
use tokio::process::Command;

use super::{holds, kill, number};
use crate::own::{Listener, program, unprivileged};
use crate::place::Place;
use crate::rows::Row;
use crate::{Outcome, Scale};

/// How many sessions of the server are shared.
const SESSIONS: u32 = 6;

/// How many programs read at once; how many tasks run out of time, and how many others must not, all the while.
const PROGRAMS: i64 = 4;

/// What a statement may take that takes longer.
const LIMIT: Duration = Duration::from_millis(200);

pub(super) async fn run(place: &Place, scale: &Scale) -> Outcome {
    let Some(pgbouncer) = program("pgbouncer") else {
        return Ok("not run: install the package pgbouncer".into());
    };
    let told = Command::new(&pgbouncer).arg("--version").output().await?;
    let told = String::from_utf8(told.stdout)?;
    let version = told.lines().next().unwrap_or_default();
    let mut numbers = version.split_whitespace().nth(1).unwrap_or_default().split('.').map(str::parse::<u32>);
    let (major, minor) = (numbers.next().ok_or("a version")??, numbers.next().ok_or("a version")??);

    let context = place.context(&place.url, |source| source)?;
    let mut rows: Vec<Row> = (1..=PROGRAMS).flat_map(Row::pair).collect();
    ObjectDao::<Row>::new(&context.create_session()?).batch_insert(&mut rows).await?;
    context.close();
    if (major, minor) < (1, 21) {
        return Ok(format!("{} ({version}, which keeps no statements)", behind(place, scale, 0, "").await?));
    }
    let without = behind(place, scale, 0, "max_prepared_statements = 0").await?;
    let with = behind(place, scale, 1, "max_prepared_statements = 100").await?;
    Ok(format!("{without}, and {with} where it keeps statements ({version})"))
}

/// All of it, behind a PgBouncer with that setting.
async fn behind(place: &Place, scale: &Scale, time: i64, setting: &str) -> Outcome {
    let pooler = start(place, setting).await?;
    let url = format!("postgres://anybody@127.0.0.1:{}/{}?pooled=true", pooler.port, place.name);
    let others = place.context(&url, |source| source)?;
    let late = place.context(&url, |source| source.statement_timeout(LIMIT))?;
    let over = AtomicBool::new(false);
    let ended = async {
        let ended = try_join_all((0..PROGRAMS).map(|_| out_of_time(&late, scale.rounds * 3))).await;
        over.store(true, Ordering::Relaxed);
        Ok(ended?.into_iter().sum::<usize>())
    };
    let (reads, ended, _) = tokio::try_join!(
        try_join_all((1..=PROGRAMS).map(|program| reader(place, &url, scale, program))),
        ended,
        try_join_all((0..PROGRAMS).map(|_| undisturbed(&others, &over))),
    )?;
    late.close();
    others.close();
    let first = 1 + time * i64::try_from(scale.rounds)?;
    let killed = kill::killed(place, &url, first, scale).await?;
    place.nothing_at_work().await?;
    let reads = reads.into_iter().sum();
    Ok(format!("{}; 0; {ended}; 0; {}; 0", number(reads), number(killed)))
}

async fn start(place: &Place, setting: &str) -> Outcome<Listener> {
    let database = &place.name;
    let (user, password) = place.user()?;
    let password = password.map(|password| format!(" password={password}")).unwrap_or_default();
    let address = place.address()?;
    let (host, to) = address.rsplit_once(':').ok_or("an address with a port")?;
    let settings = |port| {
        format!(
            "[databases]\n{database} = host={host} port={to} user={user}{password}\n[pgbouncer]\n\
             listen_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\nauth_type = any\npool_mode = transaction\n\
             default_pool_size = {SESSIONS}\nmax_client_conn = 500\n{setting}\n"
        )
    };
    let command = unprivileged(program("pgbouncer").ok_or("there is no pgbouncer")?)?;
    Listener::start(&env::temp_dir(), settings, command).await
}

/// A program that reads what is its own, with texts that are its own. Gives how often.
async fn reader(place: &Place, url: &str, scale: &Scale, number: i64) -> Outcome<usize> {
    let mut child = Command::new(&scale.program);
    child.args(["--child", "read", &place.provider, url, &number.to_string()]).kill_on_drop(true);
    let done = child.output().await?;
    let said = String::from_utf8_lossy(&done.stdout);
    holds(done.status.success(), || format!("a program: {}", String::from_utf8_lossy(&done.stderr)))?;
    Ok(said.trim().parse()?)
}

/// Statements that take longer than they may.
async fn out_of_time(context: &OrmContext, times: usize) -> Outcome<usize> {
    for _ in 0..times {
        let slept = sleep(context, 5.0).await;
        let is_told = matches!(&slept, Err(error) if error.kind() == Some(ErrorKind::Timeout));
        holds(is_told, || format!("a statement of {LIMIT:?}: {slept:?}"))?;
    }
    Ok(times)
}

/// Statements of others, for which nobody has set a limit.
async fn undisturbed(context: &OrmContext, over: &AtomicBool) -> Outcome<()> {
    while !over.load(Ordering::Relaxed) {
        sleep(context, LIMIT.as_secs_f64() * 1.5).await?;
    }
    Ok(())
}

async fn sleep(context: &OrmContext, seconds: f64) -> Result<u64, OrmError> {
    let statement = Compiled { sql: format!("SELECT 1 FROM pg_sleep({seconds})"), ..Compiled::default() };
    let mut lease = context.create_session()?.lease(None, Purpose::Write).await?;
    lease.execute(&statement).await
}
