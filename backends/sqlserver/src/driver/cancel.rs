//! Giving up a statement at the server, wherever its answer has got to.
//!
//! The server answers an attention within the answer that it ends, or behind one that it has already sent. The driver
//! reads an attention's answer only from the beginning of a token, and within one answer only. So it hears nothing while it
//! says the attention, throws away the packets up to the end of an answer, and a question tells which of the two it was.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

use futures_util::TryStreamExt;
use isogloss_driver::Error;
use tiberius::error::Error as Found;
use tiberius::{Client, ColumnData, Command};

use super::error::unread;
use super::raw::Raw;
use super::row::SqlServerRow;
use super::wire::{Ear, Wire};

/// Two questions, and what is answered to them: numbers that nobody else asks for.
const FIRST: (&str, i64) = ("SELECT 1871513907", 1_871_513_907);
const SECOND: (&str, i64) = ("SELECT 1871513908", 1_871_513_908);

/// The first one, with the error of the statement before it.
const OUTLASTED: &str = "SELECT 1871513907, @@ERROR";

impl Raw {
    /// Reads the answer that is under way to its end, which the driver does before it asks something else. It throws it away
    /// without a look: the error in it, that of the last statement, is asked for.
    pub(super) async fn outlast(&mut self) -> Result<Option<Error>, Found> {
        // A question that was sent and not heard, as its future was dropped, is answered once.
        if self.ear.has_said() && self.state.asked {
            return Err(mixed_up());
        }
        self.state.asked = true;
        match numbers(&mut self.client, OUTLASTED).await? {
            [Some(found), Some(0)] if found == FIRST.1 => Ok(None),
            [Some(found), Some(code)] if found == FIRST.1 => Ok(Some(unread(code))),
            _ => Err(mixed_up()),
        }
    }

    /// Ends the statement that is under way, and throws its answer away. Where this fails or is dropped, the connection is of
    /// no use.
    pub(super) async fn cancel(&mut self) -> Result<(), Found> {
        // What the driver has of the answer would be read as another one.
        self.ear.stop(true);
        {
            let mut skipped = pin!(skip(&mut self.client));
            poll_fn(|cx| {
                let _ = skipped.as_mut().poll(cx);
                Poll::Ready(())
            })
            .await;
        }
        self.ear.stop(true);
        said(&self.ear, self.client.cancel_query()).await?;
        self.ear.stop(false);
        // An answer's end is waited for, and another answer.
        if numbers(&mut self.client, FIRST.0).await? == [Some(FIRST.1)] {
            return Ok(());
        }
        // That was the attention's own. The question's follows.
        skip(&mut self.client).await;
        match numbers(&mut self.client, SECOND.0).await? {
            [Some(found)] if found == SECOND.1 => Ok(()),
            _ => Err(mixed_up()),
        }
    }
}

fn mixed_up() -> Found {
    Found::Protocol("the answers are not those of what was asked".into())
}

/// Throws away the answer that is under way, if there is one, and lets the driver expect another one.
///
/// It does so before it finds that what it is to send has no form: a parameter's name is not that long.
async fn skip(client: &mut Client<Wire>) {
    let mut command = Command::new("skip");
    command.bind_param("x".repeat(256), ColumnData::Bit(None));
    // Its error is what it is for. One of the wire is found out by what comes next.
    let _ = command.exec(client).await;
}

/// Waits until that was sent, and not for its answer.
async fn said(ear: &Ear, attention: impl Future<Output = Result<(), Found>>) -> Result<(), Found> {
    let mut attention = pin!(attention);
    poll_fn(|cx| match attention.as_mut().poll(cx) {
        Poll::Pending if ear.was_asked() => Poll::Ready(Ok(())),
        done => done,
    })
    .await
}

/// The numbers that a question gives; none from the answer to something else.
async fn numbers<const N: usize>(client: &mut Client<Wire>, sql: &str) -> Result<[Option<i64>; N], Found> {
    let mut answer = client.simple_query(sql).await?;
    let mut found = [None; N];
    while let Some(item) = answer.try_next().await? {
        if let Some(row) = item.into_row() {
            found = std::array::from_fn(|at| isogloss_driver::Row::i64(&SqlServerRow(&row), at).ok().flatten());
        }
    }
    Ok(found)
}
