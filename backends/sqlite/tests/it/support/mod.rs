//! What the tests on SQLite share.
#![allow(clippy::expect_used, dead_code, unused_imports, reason = "each test takes what it needs, and may fail")]

#[path = "../../../../driver/testing/statements.rs"]
mod statements;

use std::path::PathBuf;
use std::pin::{Pin, pin};
use std::sync::mpsc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tempfile::TempDir;
use tokio::runtime::Builder;

pub(crate) use statements::{number, plain, with};

pub(crate) type Outcome = Result<(), Box<dyn std::error::Error>>;

/// The path of a database in a folder of its own, which is removed with this.
pub(crate) struct File(pub(crate) PathBuf, TempDir);

impl File {
    pub(crate) fn new() -> std::io::Result<Self> {
        let folder = tempfile::Builder::new().prefix("isogloss-").tempdir()?;
        Ok(Self(folder.path().join("a.db"), folder))
    }
}

/// Fails a test that hangs. The limit says nothing about the speed of the code under test.
pub(crate) async fn unless_it_hangs<T, E>(test: impl Future<Output = Result<T, E>>) -> Result<T, E> {
    tokio::time::timeout(Duration::from_secs(300), test).await.expect("the test hangs")
}

/// Runs a test on a runtime of one thread, with one blocking thread beside it.
pub(crate) fn with_one_blocking_thread(test: impl Future<Output = Outcome>) -> Outcome {
    let runtime = Builder::new_current_thread().max_blocking_threads(1).enable_all().build()?;
    runtime.block_on(unless_it_hangs(test))
}

/// Occupies the blocking thread until this is dropped.
pub(crate) struct BlockingThread {
    _occupied: mpsc::Sender<()>,
}

impl BlockingThread {
    pub(crate) fn occupy() -> Self {
        let (_occupied, freed) = mpsc::channel::<()>();
        tokio::task::spawn_blocking(move || freed.recv());
        Self { _occupied }
    }
}

/// Polls `work` once while the blocking thread is occupied. It is pending if it needs that thread.
pub(crate) fn poll_inline<T>(work: Pin<&mut impl Future<Output = T>>) -> (Poll<T>, BlockingThread) {
    let blocking = BlockingThread::occupy();
    (work.poll(&mut Context::from_waker(Waker::noop())), blocking)
}

/// Begins `work`, which needs the blocking thread, and waits there until the returned value is dropped.
pub(crate) fn begin_blocking<T>(work: Pin<&mut impl Future<Output = T>>) -> BlockingThread {
    let (done, blocking) = poll_inline(work);
    assert!(done.is_pending(), "it ran on the thread of its caller");
    blocking
}

/// Runs a call to its end. Returns whether it ended on this thread.
pub(crate) async fn is_inline<T, E>(call: impl Future<Output = Result<T, E>>) -> Result<bool, E> {
    let mut call = pin!(call);
    let (done, blocking) = poll_inline(call.as_mut());
    if let Poll::Ready(done) = done {
        return done.map(|_| true);
    }
    drop(blocking);
    call.await.map(|_| false)
}

/// Repeats a call until it ends on this thread: its statements are known to be quick then. On a busy machine that may take
/// some turns.
pub(crate) async fn until_inline<T, E>(mut call: impl AsyncFnMut() -> Result<T, E>) -> Result<(), E> {
    while !is_inline(call()).await? {}
    Ok(())
}
