//! Tests of the pool: a peer that the test controls, and a clock that stands still.

use tracing::Instrument as _;

use super::*;
use crate::uses::tests::Spans;

/// Numbers its connections; perhaps there are none to be had.
#[derive(Default)]
struct Numbers {
    made: AtomicU32,
    away: Arc<AtomicBool>,
    silent: Arc<AtomicBool>,
    /// The connections with smaller numbers give no sign of life.
    mute: Arc<AtomicU32>,
    /// How often it was asked for a connection, and for a sign of life.
    asked: Arc<[AtomicU32; 2]>,
}

/// How long a sign of life is waited for.
const SIGN_OF_LIFE: Duration = Duration::from_secs(5);

impl Manage for Numbers {
    type Connection = (u32, bool);

    fn server(&self) -> String {
        "db.example:77".into()
    }

    async fn connect(&self) -> Result<Self::Connection> {
        if self.silent.load(Ordering::Relaxed) {
            return std::future::pending().await;
        }
        self.asked[0].fetch_add(1, Ordering::Relaxed);
        if self.away.load(Ordering::Relaxed) {
            return Err(Error::new(ErrorKind::Connect, "nobody is there").with_code("111"));
        }
        Ok((self.made.fetch_add(1, Ordering::Relaxed), false))
    }

    async fn recycle(&self, connection: &mut Self::Connection, _: Duration) -> Result<()> {
        self.asked[1].fetch_add(1, Ordering::Relaxed);
        if connection.0 < self.mute.load(Ordering::Relaxed) {
            tokio::time::sleep(SIGN_OF_LIFE).await;
            return Err(Error::new(ErrorKind::Timeout, "no sign of life"));
        }
        Ok(())
    }

    fn is_broken(&self, connection: &mut Self::Connection) -> bool {
        connection.1
    }
}

fn options(cached: u32, max: u32) -> PoolOptions {
    PoolOptions { cached, max, wait: Duration::from_millis(50), ..PoolOptions::default() }
}

#[tokio::test(start_paused = true)]
async fn as_many_as_said_are_kept_and_a_broken_one_is_not() -> Result<()> {
    let pool = Pool::new(Numbers::default(), options(2, 5)).await?;
    let mut taken = Vec::new();
    for _ in 0..5 {
        taken.push(pool.get().await?);
    }
    assert_eq!((pool.status().open, pool.status().idle), (5, 0));
    let full = pool.get().await.map(drop).unwrap_err();
    let start = "pool exhausted: all of the 5 connections were in use for 50ms; longest for ";
    assert!(full.to_string().starts_with(start), "{full}");
    let held: Vec<Duration> = full.in_use().iter().map(|one| one.held).collect();
    assert_eq!(held, [Duration::from_millis(50); 5]);
    drop(taken);
    assert!(pool.shared.uses.longest().is_empty());
    assert_eq!((pool.status().open, pool.status().idle), (2, 2));
    let mut broken = pool.get().await?;
    broken.1 = true;
    drop(broken);
    assert_eq!(pool.status().open, 1);
    Ok(())
}

/// Also one that has waited for it, which is in a span of the pool meanwhile.
#[tokio::test(start_paused = true)]
async fn who_waits_in_vain_is_told_who_has_them() -> Result<()> {
    let _listens = isogloss_testkit::events::listen(Spans::default());
    let pool = Pool::new(Numbers::default(), options(1, 1)).await?;
    let first = pool.get().await?;
    let waits = pool.get().instrument(tracing::info_span!(target: "shop::orders", "page"));
    let gives_back = async {
        tokio::time::sleep(Duration::from_millis(5)).await;
        drop(first);
    };
    let (second, ()) = tokio::join!(waits, gives_back);
    let error = pool.get().await.map(drop).unwrap_err();
    assert!(error.to_string().ends_with("longest for 50ms by `shop::orders::page`"), "{error}");
    drop(second?);
    Ok(())
}

/// As a test of a program may end while another connection is opened for it.
#[test]
fn a_place_is_not_lost_with_the_runtime_of_an_attempt_to_connect() -> Result<()> {
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let silent = Arc::new(AtomicBool::new(false));
    let numbers = Numbers { silent: Arc::clone(&silent), ..Numbers::default() };
    let options = PoolOptions { wait: Duration::from_secs(60), ..options(2, 2) };
    let (pool, first) = runtime().block_on(async {
        let pool = Arc::new(Pool::new(numbers, options).await?);
        let first = pool.get().await?;
        silent.store(true, Ordering::Relaxed);
        let other = Arc::clone(&pool);
        tokio::spawn(async move { other.get().await.map(drop) });
        while pool.shared.opening.load(Ordering::Acquire) == 0 {
            tokio::task::yield_now().await;
        }
        Ok::<_, Error>((pool, first))
    })?;
    silent.store(false, Ordering::Relaxed);
    runtime().block_on(async {
        let second = pool.get().await?;
        assert_eq!((first.0, second.0, pool.shared.open.load(Ordering::Acquire)), (0, 1, 2));
        drop((first, second));
        assert_eq!(pool.get().await?.0, 1);
        Ok(())
    })
}

#[tokio::test(start_paused = true)]
async fn a_connection_is_not_good_because_nobody_waited_for_its_sign_of_life() -> Result<()> {
    let mute = Arc::new(AtomicU32::new(0));
    let pool = Pool::new(Numbers { mute: Arc::clone(&mute), ..Numbers::default() }, options(1, 1)).await?;
    mute.store(1, Ordering::Relaxed);
    assert!(tokio::time::timeout(Duration::from_millis(10), pool.get()).await.is_err());
    assert_eq!(pool.get().await?.0, 1);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_waiter_gets_what_comes_back() -> Result<()> {
    let pool = Arc::new(Pool::new(Numbers::default(), options(1, 1)).await?);
    let first = pool.get().await?;
    let other = Arc::clone(&pool);
    let waits = tokio::spawn(async move { other.get().await.map(|connection| connection.0) });
    tokio::time::sleep(Duration::from_millis(5)).await;
    drop(first);
    assert_eq!(waits.await.unwrap()?, 0);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_server_that_says_nothing_is_no_pool_in_use() -> Result<()> {
    let silence = "cannot connect: db.example:77: the server did not answer within 50ms";
    let silent = Arc::new(AtomicBool::new(true));
    let numbers = || Numbers { silent: Arc::clone(&silent), ..Numbers::default() };
    let first = Pool::new(numbers(), options(1, 2)).await.map(drop).unwrap_err();
    assert_eq!(first.to_string(), silence);
    silent.store(false, Ordering::Relaxed);
    let pool = Pool::new(numbers(), options(1, 2)).await?;
    let held = pool.get().await?;
    silent.store(true, Ordering::Relaxed);
    // One that could be opened is waited for, another one stands in line behind it.
    let (opening, in_line) = tokio::join!(pool.get(), pool.get());
    assert_eq!(opening.map(drop).unwrap_err().to_string(), silence);
    let in_line = in_line.map(drop).unwrap_err();
    let start = "pool exhausted: all of the 2 connections were in use or being opened for 50ms; longest for ";
    assert!(in_line.to_string().starts_with(start) && in_line.in_use().len() == 1, "{in_line}");
    drop(held);
    pool.get().await.map(drop)
}

#[tokio::test(start_paused = true)]
async fn where_others_are_open_the_reason_why_no_more_are_is_told() -> Result<()> {
    let away = Arc::new(AtomicBool::new(false));
    let numbers = Numbers { away: Arc::clone(&away), ..Numbers::default() };
    let pool = Pool::new(numbers, options(1, 2)).await?;
    let _held = pool.get().await?;
    away.store(true, Ordering::Relaxed);
    let error = pool.get().await.map(drop).unwrap_err();
    assert_eq!(error.to_string(), "cannot connect (111): nobody is there");
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_server_that_comes_back_is_found() -> Result<()> {
    let (away, asked) = (Arc::default(), Arc::default());
    let numbers = Numbers { away: Arc::clone(&away), asked: Arc::clone(&asked), ..Numbers::default() };
    let pool = Pool::new(numbers, PoolOptions { wait: Duration::from_secs(30), ..options(8, 8) }).await?;
    let _held = pool.get().await?;
    for (outage, attempts) in [(Duration::from_secs(1), 7..=16), (Duration::from_secs(20), 10..=26)] {
        away.store(true, Ordering::Relaxed);
        asked[0].store(0, Ordering::Relaxed);
        let begin = Instant::now();
        let ends = async {
            tokio::time::sleep(outage).await;
            away.store(false, Ordering::Relaxed);
        };
        let callers = futures_util::future::join_all((0..7).map(|_| pool.get()));
        let (connections, ()) = tokio::join!(callers, ends);
        let connections = connections.into_iter().collect::<Result<Vec<_>>>()?;
        let late = begin.elapsed() - outage;
        assert!(late <= LONGEST_PAUSE + FIRST_PAUSE * 7, "{late:?}");
        // Seven try at once, then one at a time.
        let found = asked[0].load(Ordering::Relaxed);
        assert!(attempts.contains(&(found - 7)), "{found} attempts in {outage:?}");
        for mut connection in connections {
            connection.1 = true;
        }
    }
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn nobody_tries_again_for_callers_who_have_gone() -> Result<()> {
    let (away, asked) = (Arc::default(), Arc::default());
    let numbers = Numbers { away: Arc::clone(&away), asked: Arc::clone(&asked), ..Numbers::default() };
    let pool = Pool::new(numbers, PoolOptions { wait: Duration::from_secs(30), ..options(8, 8) }).await?;
    let _held = pool.get().await?;
    away.store(true, Ordering::Relaxed);
    assert!(tokio::time::timeout(Duration::from_secs(10), pool.get()).await.is_err());
    let tried = asked[0].load(Ordering::Relaxed);
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(asked[0].load(Ordering::Relaxed), tried);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn what_was_idle_for_longer_than_a_silent_one_is_not_asked() -> Result<()> {
    let (mute, asked) = (Arc::default(), Arc::default());
    let numbers = Numbers { mute: Arc::clone(&mute), asked: Arc::clone(&asked), ..Numbers::default() };
    let pool = Pool::new(numbers, PoolOptions { wait: Duration::from_secs(30), ..options(16, 16) }).await?;
    let mut taken = Vec::new();
    for _ in 0..16 {
        taken.push(pool.get().await?);
    }
    let new = taken.pop();
    while taken.pop().is_some() {
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    mute.store(16, Ordering::Relaxed);
    asked[1].store(0, Ordering::Relaxed);
    let begin = Instant::now();
    let found = pool.get().await?;
    // The newest of them, and one that was opened then.
    assert_eq!((found.0, begin.elapsed(), asked[1].load(Ordering::Relaxed)), (16, SIGN_OF_LIFE, 2));
    // One that was given back since is asked.
    drop(new);
    mute.store(0, Ordering::Relaxed);
    assert_eq!((pool.get().await?.0, pool.status().open), (15, 2));
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn silence_is_no_pool_in_use() -> Result<()> {
    let mute = Arc::default();
    let pool = Pool::new(Numbers { mute: Arc::clone(&mute), ..Numbers::default() }, options(16, 16)).await?;
    mute.store(1, Ordering::Relaxed);
    let error = pool.get().await.map(drop).unwrap_err();
    assert_eq!(error.to_string(), "cannot connect: db.example:77: the server did not answer within 50ms");
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_connection_has_an_end() -> Result<()> {
    let lifetime = Duration::from_secs(100);
    let limited = |lifetime| PoolOptions { max_lifetime: lifetime, keep_alive: Duration::ZERO, ..options(2, 2) };
    let pool = Pool::new(Numbers::default(), limited(lifetime)).await?;
    let busy = pool.get().await?;
    drop(pool.get().await?);
    tokio::time::sleep(lifetime - lifetime / 9).await;
    assert_eq!(pool.get().await?.0, 1);
    tokio::time::sleep(lifetime / 9).await;
    // One that is used is closed when it comes back, an idle one when it is wanted.
    assert_eq!((busy.0, pool.get().await?.0), (0, 2));
    drop(busy);
    assert_eq!((pool.status().open, pool.get().await?.0), (1, 2));
    for forever in [Duration::ZERO, Duration::MAX] {
        let pool = Pool::new(Numbers::default(), limited(forever)).await?;
        tokio::time::sleep(lifetime * 1000).await;
        assert_eq!(pool.get().await?.0, 0);
    }
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn without_a_server_nobody_waits() -> Result<()> {
    let away = Arc::new(AtomicBool::new(false));
    let numbers = Numbers { away: Arc::clone(&away), ..Numbers::default() };
    let pool = Pool::new(numbers, PoolOptions { wait: Duration::from_secs(60), ..options(0, 4) }).await?;
    away.store(true, Ordering::Relaxed);
    let error = pool.get().await.map(drop).unwrap_err();
    assert_eq!(error.to_string(), "cannot connect (111): nobody is there");
    away.store(false, Ordering::Relaxed);
    pool.get().await.map(drop)
}
