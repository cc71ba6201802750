//! What a child process does until it is killed.

use std::io::Write as _;

use isogloss::dao::{ObjectDao, ObjectViewDao};
use isogloss::driver::{Isolation, TransactionOptions};
use isogloss::session::{Purpose, RetryOptions};
use isogloss::{Compiled, OrmContext, OrmError, Session};

use crate::Outcome;
use crate::rows::Row;

/// How many tasks of a child write.
const WRITERS: i64 = 4;

/// Writes pairs of rows from that number on, each in a transaction, and says of each that it is committed. It does not end.
///
/// # Errors
/// The first that the database gives.
pub async fn write(context: OrmContext, from: i64) -> Outcome<()> {
    let tasks = (0..WRITERS).map(|writer| {
        let context = context.clone();
        tokio::spawn(async move {
            for pair in (from + writer..).step_by(usize::try_from(WRITERS).unwrap_or(1)) {
                one(&context, pair).await?;
                // One call writes a whole line.
                let line = format!("{pair}\n");
                std::io::stdout().write_all(line.as_bytes())?;
            }
            Outcome::Ok(())
        })
    });
    for task in futures_util::future::join_all(tasks).await {
        task??;
    }
    Ok(())
}

/// Writes a pair of rows in a transaction.
///
/// # Errors
/// Those of the database.
pub async fn one(context: &OrmContext, pair: i64) -> Result<(), OrmError> {
    let session = context.create_session()?;
    session
        .transaction_with(RetryOptions::attempts(20), async |tx: &Session| {
            let rows = ObjectDao::<Row>::new(tx);
            for mut row in Row::pair(pair) {
                rows.insert(&mut row).await?;
            }
            Ok::<_, OrmError>(())
        })
        .await
}

/// Reads what is that program's own, with texts that are its own, each so often that it would be kept; says how often.
///
/// # Errors
/// Those of the database, and what is somebody else's.
pub async fn read(context: OrmContext, number: i64) -> Outcome<()> {
    let session = context.create_session()?;
    let own = Row::pair(number);
    let mut reads = 0;
    for round in 0..40 {
        for text in 0..8 {
            let (wanted, sql) = (number * 1_000 + text, format!("SELECT CAST({number} * 1000 + {text} AS bigint)"));
            let statement = Compiled { sql, ..Compiled::default() };
            let found: (i64,) = session.lease(None, Purpose::Read).await?.fetch_one(&statement).await?;
            if found != (wanted,) {
                return Err(format!("{wanted} read as {found:?} in round {round}").into());
            }
        }
        for row in &own {
            let found = ObjectViewDao::<Row>::new(&session).get(row.id).await?;
            if found.as_ref() != Some(row) {
                return Err(format!("{row:?} read as {found:?}").into());
            }
        }
        reads += 8 + own.len();
    }
    println!("{reads}");
    Ok(())
}

/// Counts a row up, so many times, by reading it and writing what comes next.
///
/// # Errors
/// Those of the database.
pub async fn count(context: OrmContext, times: i64) -> Outcome<()> {
    let session = context.create_session()?;
    let serial = TransactionOptions::default().isolation(Isolation::Serializable);
    for _ in 0..times {
        session
            .transaction_with(RetryOptions::attempts(100).options(serial), async |tx: &Session| {
                let row = ObjectViewDao::<Row>::new(tx).get(1).await?;
                let mut row = row.unwrap_or_default();
                row.pair += 1;
                ObjectDao::<Row>::new(tx).update(&mut row).await
            })
            .await?;
    }
    Ok(())
}
