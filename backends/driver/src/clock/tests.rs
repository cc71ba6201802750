//! The clock over a connection that does as it is told.

use std::collections::VecDeque;

use super::*;

/// Answers in turn. What is asked of it beyond that, and what it is given, is counted.
#[derive(Debug, Default)]
struct Told {
    answers: VecDeque<Error>,
    unsettled: Option<Unsettled>,
    sent: usize,
    closed: bool,
    depth: u32,
    /// Whether statements are never answered.
    is_silent: bool,
    /// Whether what was sent was not committed yet.
    is_uncommitted: bool,
}

impl Told {
    fn answer<T>(&mut self, good: T) -> Result<T> {
        self.sent += 1;
        match self.answers.pop_front() {
            Some(error) => Err(error),
            None => Ok(good),
        }
    }
}

#[derive(Debug, Clone, Copy)]
enum Unsettled {
    Lasts,
    Fails,
}

fn lost() -> Error {
    Error::new(ErrorKind::ConnectionLost, "as it was told")
}

struct Empty;

impl Cursor for Empty {
    fn fill(&mut self, sink: Box<dyn RowSink>) -> BoxFuture<'_, Result<(Box<dyn RowSink>, bool)>> {
        Box::pin(async { Ok((sink, false)) })
    }
}

/// Rows of which there is none: their source fails.
struct Failing;

impl RowSource for Failing {
    fn next(&mut self, _: &mut Vec<Value>) -> Result<bool> {
        Err(Error::new(ErrorKind::ConnectionLost, "another connection is lost"))
    }
}

impl Connection for Told {
    fn execute<'c>(&'c mut self, _: &'c Compiled<'_>) -> BoxFuture<'c, Result<u64>> {
        Box::pin(async {
            if self.is_silent {
                std::future::pending::<()>().await;
            }
            self.answer(1)
        })
    }

    fn query<'c>(&'c mut self, _: &'c Compiled<'_>, sink: Box<dyn RowSink>) -> BoxFuture<'c, Result<Box<dyn RowSink>>> {
        Box::pin(async { self.answer(sink) })
    }

    fn open<'c>(&'c mut self, _: &'c Compiled<'_>) -> BoxFuture<'c, Result<Box<dyn Cursor + 'c>>> {
        Box::pin(async { self.answer(Box::new(Empty) as Box<dyn Cursor + 'c>) })
    }

    fn execute_many<'c>(&'c mut self, _: &'c Compiled<'_>, mut rows: Box<dyn RowSource>) -> BoxFuture<'c, Result<u64>> {
        Box::pin(async move { rows.next(&mut Vec::new()).map(u64::from) })
    }

    fn bulk_insert<'c>(&'c mut self, _: &'c BulkInsert, _: Box<dyn RowSource>) -> BoxFuture<'c, Result<u64>> {
        Box::pin(async { self.answer(0) })
    }

    fn bulk_insert_keys<'c>(
        &'c mut self,
        _: &'c BulkInsert,
        _: Box<dyn RowSource>,
    ) -> BoxFuture<'c, Result<Vec<Value>>> {
        Box::pin(async { self.answer(Vec::new()) })
    }

    fn script<'c>(&'c mut self, _: &'c str) -> BoxFuture<'c, Result<()>> {
        Box::pin(async { self.answer(()) })
    }

    fn begin<'c>(&'c mut self, _: &'c TransactionOptions) -> BoxFuture<'c, Result<()>> {
        self.depth += 1;
        Box::pin(async { self.answer(()) })
    }

    fn commit(&mut self) -> BoxFuture<'_, Result<()>> {
        self.depth -= 1;
        Box::pin(async { self.answer(()) })
    }

    fn rollback(&mut self) -> BoxFuture<'_, Result<()>> {
        self.depth -= 1;
        Box::pin(async { self.answer(()) })
    }

    fn depth(&self) -> u32 {
        self.depth
    }

    fn set_statement_timeout(&mut self, _: Option<Duration>) -> BoxFuture<'_, Result<()>> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn ping(&mut self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async { self.answer(()) })
    }

    fn close(&mut self) {
        self.closed = true;
    }

    fn unsettled(&mut self) -> Option<BoxFuture<'_, Result<()>>> {
        self.unsettled.map(|how| -> BoxFuture<'_, _> {
            match how {
                Unsettled::Lasts => Box::pin(std::future::pending()),
                Unsettled::Fails => Box::pin(async { Err(lost()) }),
            }
        })
    }

    fn may_have_taken_effect(&self) -> bool {
        !self.is_uncommitted
    }
}

fn bounded(told: Told) -> Bounded<Told> {
    let time = Duration::from_millis(5);
    Bounded::new(told, &PoolOptions::default().statement_timeout(Some(time)).grace(time))
}

fn write() -> Compiled<'static> {
    Compiled { sql: "DELETE FROM t".to_owned(), ..Compiled::default() }
}

/// A connection that answers so.
fn answering(answers: impl IntoIterator<Item = Error>) -> Bounded<Told> {
    bounded(Told { answers: answers.into_iter().collect(), ..Told::default() })
}

async fn is_in_doubt(connection: &mut Bounded<Told>) -> bool {
    connection.execute(&write()).await.unwrap_err().is_in_doubt()
}

/// However often the connection was lost before that.
#[tokio::test(start_paused = true)]
async fn a_lost_write_is_in_doubt_unless_it_was_not_sent() {
    let mut connection = answering([lost(), lost(), lost().unsent(), lost(), lost().unsent()]);
    for doubt in [true, true, false] {
        assert_eq!(is_in_doubt(&mut connection).await, doubt);
    }
    for doubt in [true, false] {
        assert_eq!(connection.script("DELETE FROM t").await.unwrap_err().is_in_doubt(), doubt);
    }
    let late = || Error::new(ErrorKind::Timeout, "as it was told");
    connection.inner.answers.extend([late(), late().unsent(), late().with_code("1317")]);
    for doubt in [true, false, false] {
        assert_eq!(is_in_doubt(&mut connection).await, doubt);
    }
}

#[tokio::test(start_paused = true)]
async fn a_write_that_was_not_committed_is_in_no_doubt() {
    for is_silent in [true, false] {
        for is_uncommitted in [true, false] {
            let mut connection = answering([lost()]);
            (connection.inner.is_silent, connection.inner.is_uncommitted) = (is_silent, is_uncommitted);
            let error = connection.execute(&write()).await.unwrap_err();
            let kind = if is_silent { ErrorKind::Timeout } else { ErrorKind::ConnectionLost };
            assert_eq!((error.kind(), error.is_in_doubt()), (kind, !is_uncommitted), "{error}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn what_the_rows_fail_with_is_no_matter_of_the_connection() {
    let mut connection = answering([]);
    let error = connection.execute_many(&write(), Box::new(Failing)).await.unwrap_err();
    assert_eq!((error.kind(), error.is_in_doubt()), (ErrorKind::ConnectionLost, false));
    connection.inner.answers.push_back(lost());
    assert!(is_in_doubt(&mut connection).await);
}

#[tokio::test(start_paused = true)]
async fn what_was_given_up_before_does_not_put_what_is_next_in_doubt() {
    for unsettled in [Unsettled::Lasts, Unsettled::Fails] {
        let mut connection = bounded(Told { unsettled: Some(unsettled), ..Told::default() });
        let error = connection.execute(&write()).await.unwrap_err();
        assert_eq!(
            (error.kind(), error.is_in_doubt(), error.sql()),
            (ErrorKind::ConnectionLost, false, Some("DELETE FROM t"))
        );
        let cause = std::error::Error::source(&error).map(ToString::to_string);
        let told = matches!(unsettled, Unsettled::Fails).then(|| lost().to_string());
        assert_eq!(cause, told, "{error}");
        assert!(connection.inner.closed && connection.inner.sent == 0);
        // Nobody waits for what is taken back.
        let mut connection = bounded(Told { unsettled: Some(unsettled), depth: 1, ..Told::default() });
        assert_eq!(connection.commit().await.unwrap_err().kind(), ErrorKind::ConnectionLost);
        connection.rollback().await.unwrap();
        assert_eq!(connection.inner.sent, 1);
    }
}

fn read_only() -> Error {
    Error::new(ErrorKind::ReadOnly, "as it was told").with_code("25006")
}

#[tokio::test(start_paused = true)]
async fn a_connection_to_a_server_that_accepts_no_writes_is_closed() {
    let mut connection = answering([read_only()]);
    let error = connection.execute(&write()).await.unwrap_err();
    assert!(error.kind() == ErrorKind::ReadOnly && error.kind().is_transient() && !error.is_in_doubt());
    assert!(connection.in_time().closed);
    let mut connection = answering([read_only()]);
    assert_eq!(connection.open(&write()).await.map(drop).unwrap_err().kind(), ErrorKind::ReadOnly);
    assert!(connection.in_time().closed);
    // A transaction is rolled back first.
    let mut connection = answering([]);
    connection.begin(&TransactionOptions::default()).await.unwrap();
    connection.inner.answers.push_back(read_only());
    assert_eq!(connection.script("DELETE FROM t").await.unwrap_err().kind(), ErrorKind::ReadOnly);
    assert!(!connection.in_time().closed);
    connection.rollback().await.unwrap();
    assert_eq!((connection.in_time().closed, connection.inner.sent), (true, 3));
}

#[tokio::test(start_paused = true)]
async fn a_transaction_for_reading_says_nothing_about_the_server() {
    let mut connection = answering([]);
    connection.begin(&TransactionOptions::default().read_only()).await.unwrap();
    connection.inner.answers.push_back(read_only());
    let error = connection.execute(&write()).await.unwrap_err();
    assert_eq!((error.kind(), error.code()), (ErrorKind::Permission, Some("25006")));
    connection.rollback().await.unwrap();
    assert!(!connection.in_time().closed);
    connection.inner.answers.push_back(read_only());
    assert_eq!(connection.execute(&write()).await.unwrap_err().kind(), ErrorKind::ReadOnly);
    assert!(connection.in_time().closed);
}
