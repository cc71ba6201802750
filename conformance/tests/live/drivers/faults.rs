//! What goes wrong between a program and its server.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::StreamExt;
use isogloss_compiler::Compiled;
use isogloss_driver::{AnyConnection, Backend, ConnectionExt, Error, ErrorKind, PoolOptions, rows};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use crate::drivers::Outcome;
use crate::drivers::site::{Db, Site, pool};
use crate::drivers::statements::{number, plain};
use crate::drivers::transactions::plainly;

tests! {
    a_connection_that_is_cut_within_an_answer_is_nobody_s
    a_server_that_falls_silent_holds_nobody
    a_stream_that_drips_gives_the_rows_that_are_there
    ; threads
    whoever_is_hung_up_on_under_load_loses_nothing_that_was_confirmed
}

/// Only what hangs takes so long.
const HANGS: Duration = Duration::from_secs(120);

/// What stands between a program and its server.
struct Between {
    /// How many bytes of answers it passes on before it hangs up on everybody.
    most: Arc<AtomicUsize>,
    /// What it does then instead is to keep silent, and to hang up on nobody.
    keeps: Arc<AtomicBool>,
    /// Whether it passes nothing on, and hangs up on nobody.
    silent: watch::Sender<bool>,
    /// Hangs up on everybody, and on whoever comes.
    gone: watch::Sender<bool>,
}

impl Between {
    /// A pool of connections by way of it.
    async fn to(db: &Db, options: PoolOptions) -> Outcome<(Self, Arc<dyn Backend>)> {
        let server = db.needs_server()?;
        let (listener, to) = (TcpListener::bind("127.0.0.1:0").await?, server.host());
        let port = listener.local_addr()?.port();
        let between = Self {
            most: Arc::new(usize::MAX.into()),
            keeps: Arc::default(),
            silent: watch::channel(false).0,
            gone: watch::channel(false).0,
        };
        let (most, keeps) = (Arc::clone(&between.most), Arc::clone(&between.keeps));
        let (silence, gone) = (between.silent.subscribe(), between.gone.subscribe());
        tokio::spawn(async move {
            while let Ok((here, _)) = listener.accept().await {
                // Whoever comes meanwhile is hung up on. The port stays this one's.
                if *gone.borrow() {
                    continue;
                }
                let Ok(there) = TcpStream::connect((to.0.as_str(), to.1)).await else { return };
                let ((asks, hears), (answers, takes)) = (here.into_split(), there.into_split());
                let (most, keeps) = (Arc::clone(&most), Arc::clone(&keeps));
                let (silence, mut gone) = (silence.clone(), gone.clone());
                tokio::spawn(async move {
                    let all = AtomicUsize::new(usize::MAX);
                    tokio::select! {
                        () = pass(asks, takes, &silence, &all, &keeps) => {}
                        () = pass(answers, hears, &silence, &most, &keeps) => {}
                        () = turns(&mut gone, true) => {}
                    }
                });
            }
        });
        Ok((between, server.through(port, options).await?))
    }
}

/// Waits until the switch is in that position.
async fn turns(of: &mut watch::Receiver<bool>, to: bool) {
    let _ = of.wait_for(|is| *is == to).await;
}

async fn pass(
    mut from: tokio::net::tcp::OwnedReadHalf,
    mut to: tokio::net::tcp::OwnedWriteHalf,
    silence: &watch::Receiver<bool>,
    most: &AtomicUsize,
    keeps: &AtomicBool,
) {
    let (mut buffer, mut silence) = (vec![0; 4096], silence.clone());
    while let Ok(bytes @ 1..) = from.read(&mut buffer).await {
        let left = most.load(Ordering::Relaxed);
        if left < usize::MAX {
            most.store(left.saturating_sub(bytes), Ordering::Relaxed);
        }
        if left <= bytes && keeps.load(Ordering::Relaxed) {
            let _ = to.write_all(&buffer[..left]).await;
            return std::future::pending().await;
        }
        if left <= bytes
            || silence.wait_for(|silent| !silent).await.is_err()
            || to.write_all(&buffer[..bytes]).await.is_err()
        {
            return;
        }
    }
}

/// Of a query, of a stream, and of a transaction, which is gone with it.
async fn a_connection_that_is_cut_within_an_answer_is_nobody_s(site: &Site) -> Outcome {
    let db = site.db().await?;
    let (between, backend) = Between::to(&db, pool(2)).await?;
    let long = plain(db.numbers(6));
    for _ in 0..3 {
        let mut connection = backend.connect().await?;
        between.most.store(300_000, Ordering::Relaxed);
        let error = connection.fetch::<(i64,)>(&long).await.unwrap_err();
        assert_eq!((error.kind(), error.sql()), (ErrorKind::ConnectionLost, Some(&*long.sql)), "{error}");
        between.most.store(usize::MAX, Ordering::Relaxed);
        drop(connection);
        let mut connection = backend.connect().await?;
        db.works(&mut *connection).await?;
        between.most.store(300_000, Ordering::Relaxed);
        let rows = connection.stream::<(i64,)>(&long).collect::<Vec<_>>().await;
        assert!(rows.len() > 100 && rows.last().is_some_and(Result::is_err));
        between.most.store(usize::MAX, Ordering::Relaxed);
        drop(connection);
        let mut connection = backend.connect().await?;
        connection.begin(&plainly()).await?;
        connection.execute(&db.insert(1..2)).await?;
        between.most.store(0, Ordering::Relaxed);
        let error = connection.execute(&db.insert(2..3)).await.unwrap_err();
        assert_eq!((error.kind(), error.is_in_doubt()), (ErrorKind::ConnectionLost, false));
        between.most.store(usize::MAX, Ordering::Relaxed);
        assert_eq!(connection.commit().await.unwrap_err().kind(), ErrorKind::ConnectionLost);
        drop(connection);
        assert_eq!(db.count(&mut *backend.connect().await?).await?, 0);
    }
    Ok(())
}

/// A connection that works, in a transaction with that write if there is one. A machine that is too slow for the limit tries
/// again.
async fn ready(db: &Db, backend: &dyn Backend, write: Option<&Compiled<'_>>) -> Outcome<AnyConnection> {
    loop {
        let mut connection = backend.connect().await?;
        let done = async {
            number(&mut *connection, &db.select("7")).await?;
            if let Some(write) = write {
                connection.begin(&plainly()).await?;
                connection.execute(write).await?;
            }
            Ok(())
        };
        match done.await {
            Ok(()) => return Ok(connection),
            Err(error) => ended_by_clock(error)?,
        }
    }
}

/// Returns any error but a timeout.
fn ended_by_clock(error: Error) -> isogloss_driver::Result<()> {
    if error.kind() == ErrorKind::Timeout { Ok(()) } else { Err(error) }
}

/// Each call ends by its own clock. What commits is in doubt then, and nothing else.
async fn a_server_that_falls_silent_holds_nobody(site: &Site) -> Outcome {
    const SHORT: Duration = Duration::from_secs(1);
    let db = site.db().await?;
    let options = pool(1).statement_timeout(Some(SHORT)).grace(SHORT).wait(HANGS).connect_timeout(HANGS);
    let (between, backend) = Between::to(&db, options).await?;
    let (query, mut id) = (plain(db.select("8")), 0);
    for what in ["execute", "query", "stream", "many", "begin", "commit", "rollback", "dropped"] {
        let write = db.insert(id..id + 1);
        let mut connection = ready(&db, &*backend, matches!(what, "commit" | "rollback").then_some(&write)).await?;
        id += 10;
        let insert = db.insert(id..id + 1);
        between.silent.send_replace(true);
        let call = async {
            match what {
                "execute" => connection.execute(&insert).await.map(drop),
                "query" => connection.fetch::<(i64,)>(&query).await.map(drop),
                "stream" => connection.open(&query).await.map(drop),
                "many" => connection.execute_many(&plain("UPDATE item SET n = 7"), rows([[], []])).await.map(drop),
                "begin" => connection.begin(&plainly()).await,
                "commit" => connection.commit().await,
                "rollback" => connection.rollback().await,
                _ => {
                    let _ = timeout(Duration::from_millis(20), connection.execute(&insert)).await;
                    connection.ping().await
                }
            }
        };
        let error: Error = call.await.unwrap_err();
        // What was given up before does not end: nothing else is sent.
        let lost = what == "dropped" && error.kind() == ErrorKind::ConnectionLost;
        assert!(lost || error.kind() == ErrorKind::Timeout, "{what}: {error}");
        assert_eq!(error.is_in_doubt(), matches!(what, "execute" | "many" | "commit"), "{what}: {error}");
        // It is closed for good, and that is known without a word to the server.
        if connection.depth() > 0 {
            let _ = connection.rollback().await;
        }
        let lost = connection.execute(&insert).await.unwrap_err();
        assert_eq!((lost.kind(), lost.is_in_doubt()), (ErrorKind::ConnectionLost, false), "{what}: {lost}");
        drop(connection);
        // The word that nobody hears holds its place for the grace and no longer.
        sleep(SHORT * 2).await;
        between.silent.send_replace(false);
        ready(&db, &*backend, None).await?;
    }
    Ok(())
}

/// They are fewer than are read at once, and the next of them does not come in time.
async fn a_stream_that_drips_gives_the_rows_that_are_there(site: &Site) -> Outcome {
    const SHORT: Duration = Duration::from_secs(1);
    let db = site.db().await?;
    let options = pool(1).statement_timeout(Some(SHORT)).grace(SHORT).wait(HANGS).connect_timeout(HANGS);
    let (between, backend) = Between::to(&db, options).await?;
    let mut connection = ready(&db, &*backend, None).await?;
    let many = plain(db.numbers(2));
    // It is prepared by then.
    assert_eq!(connection.stream::<(i64,)>(&many).count().await, 100);
    between.keeps.store(true, Ordering::Relaxed);
    between.most.store(300, Ordering::Relaxed);
    let rows: Vec<_> = connection.stream::<(i64,)>(&many).collect().await;
    let (last, rows) = rows.split_last().expect("an error");
    let numbers: Vec<_> = rows.iter().flatten().map(|row| row.0).collect();
    assert!((1..32).contains(&numbers.len()) && rows.iter().all(Result::is_ok), "{rows:?}");
    assert_eq!(last.as_ref().map_err(Error::kind), Err(ErrorKind::Timeout));
    Ok(())
}

/// Waits until a condition holds.
async fn until(mut holds: impl FnMut() -> bool) -> Outcome {
    let held = async {
        while !holds() {
            sleep(Duration::from_millis(10)).await;
        }
    };
    Ok(timeout(HANGS, held).await?)
}

/// The pool heals by itself.
async fn whoever_is_hung_up_on_under_load_loses_nothing_that_was_confirmed(site: &Site) -> Outcome {
    let db = site.db().await?;
    let (between, backend) = Between::to(&db, pool(8).wait(HANGS / 2)).await?;
    let over = Arc::new(std::sync::atomic::AtomicBool::new(false));
    // How often each has succeeded, and all of them have failed.
    let written: Arc<Vec<AtomicUsize>> = Arc::new((0..16).map(|_| AtomicUsize::new(0)).collect());
    let failures = Arc::new(AtomicUsize::new(0));
    let writers = (0..16_i64).zip(0_usize..).map(|(writer, place)| {
        let (backend, over) = (Arc::clone(&backend), Arc::clone(&over));
        let (written, failures) = (Arc::clone(&written), Arc::clone(&failures));
        tokio::spawn(async move {
            let (mut confirmed, mut failed) = (Vec::new(), Vec::new());
            for n in 0.. {
                if over.load(Ordering::Relaxed) {
                    break;
                }
                let id = writer * 1_000_000 + n;
                let insert = plain(format!("INSERT INTO item (id) VALUES ({id})"));
                let call = async {
                    let mut connection = backend.connect().await?;
                    if n % 3 != 0 {
                        return connection.execute(&insert).await;
                    }
                    connection.begin(&plainly()).await?;
                    let done = connection.execute(&insert).await?;
                    connection.commit().await.map(|()| done)
                };
                let done = timeout(HANGS, call).await.expect("no call waits for good");
                match done {
                    Ok(count) => {
                        confirmed.extend((count == 1).then_some(id));
                        written[place].fetch_add(1, Ordering::Relaxed);
                    }
                    Err(error) => {
                        failed.push(error.kind());
                        failures.fetch_add(1, Ordering::Relaxed);
                        sleep(Duration::from_millis(20)).await;
                    }
                }
            }
            (confirmed, failed)
        })
    });
    let writers: Vec<_> = writers.collect();
    let counts = || written.iter().map(|count| count.load(Ordering::Relaxed)).collect::<Vec<_>>();
    let all_write = async || {
        let before = counts();
        until(|| counts().iter().zip(&before).all(|(now, before)| now > before)).await
    };
    for _ in 0..3 {
        all_write().await?;
        let before = failures.load(Ordering::Relaxed);
        between.gone.send_replace(true);
        sleep(Duration::from_millis(300)).await;
        until(|| failures.load(Ordering::Relaxed) > before).await?;
        between.gone.send_replace(false);
    }
    // The pool heals.
    all_write().await?;
    until(|| counts().iter().sum::<usize>() > 100).await?;
    over.store(true, Ordering::Relaxed);
    let mut confirmed = Vec::new();
    for writer in writers {
        let (ids, failed) = writer.await?;
        let known = [ErrorKind::ConnectionLost, ErrorKind::Connect, ErrorKind::PoolExhausted];
        assert!(failed.iter().all(|kind| known.contains(kind)), "{failed:?}");
        confirmed.extend(ids);
    }
    let there: Vec<(i64,)> = db.connect().await?.fetch(&plain("SELECT id FROM item")).await?;
    let there: std::collections::HashSet<i64> = there.into_iter().map(|row| row.0).collect();
    assert!(confirmed.iter().all(|id| there.contains(id)), "{} confirmed, {} there", confirmed.len(), there.len());
    assert!(confirmed.len() > 100, "{} writes", confirmed.len());
    Ok(())
}
