//! The thread of a connection. What blocks in the client library blocks nothing else: a thread of the runtime for what blocks
//! would be waited for when the runtime ends, for as long as a server says nothing.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;
use std::thread;

use isogloss_driver::{Error, ErrorKind, Result};
use tokio::sync::oneshot;

type Job = Box<dyn FnOnce() + Send>;

/// A thread that does one job after the other. It ends with the last one after this and its clones are dropped, and not
/// by a job that panics: the connection is still to be closed on it.
#[derive(Debug, Clone)]
pub(super) struct Worker(mpsc::Sender<Job>);

impl Worker {
    /// Starts the thread.
    ///
    /// # Errors
    /// The system has none left.
    pub(super) fn start() -> Result<Self> {
        let (sender, jobs) = mpsc::channel::<Job>();
        let started = thread::Builder::new().name("isogloss-oracle".into()).spawn(move || {
            for job in jobs {
                // Whoever waits for the answer is told that there is none. What the job has borrowed is given up then.
                let _ = catch_unwind(AssertUnwindSafe(job));
            }
        });
        match started {
            Ok(_detached) => Ok(Self(sender)),
            Err(found) => {
                let message = format!("there is no thread for the connection: {found}");
                Err(Error::new(ErrorKind::Connect, message).with_source(found))
            }
        }
    }

    /// Does a job, and gives what came of it; nothing if it panicked.
    pub(super) fn run<T: Send + 'static>(&self, job: impl FnOnce() -> T + Send + 'static) -> oneshot::Receiver<T> {
        let (answer, done) = oneshot::channel();
        // With a job that nobody takes its answer is gone, which the caller is told.
        let _ = self.0.send(Box::new(move || {
            let _ = answer.send(job());
        }));
        done
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn a_job_that_panics_ends_alone() {
        let worker = Worker::start().unwrap();
        assert_eq!(worker.run(|| 7).await, Ok(7));
        assert!(worker.run(|| -> u8 { panic!("as the test wants") }).await.is_err());
        assert_eq!(worker.run(|| 8).await, Ok(8));
    }

    /// The job stands for a call to a server that never answers: it ends only after the runtime has.
    #[test]
    fn the_end_of_a_runtime_waits_for_no_job() {
        let (answer, server) = mpsc::channel::<()>();
        let (ends, ended) = mpsc::channel();
        thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().unwrap();
            runtime.block_on(async {
                let worker = Worker::start().unwrap();
                let (begins, begun) = oneshot::channel();
                drop(worker.run(move || {
                    begins.send(()).unwrap();
                    server.recv()
                }));
                begun.await.unwrap();
            });
            drop(runtime);
            ends.send(()).unwrap();
        });
        ended.recv_timeout(Duration::from_secs(60)).expect("the runtime ends while the job still runs");
        drop(answer);
    }
}
