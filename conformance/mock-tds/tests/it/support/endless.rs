//! An answer that the mock cannot give: rows that are still being sent when the driver has had enough of them.

use std::sync::Mutex;
use std::time::Duration;

use mssql_mock_tds::protocol::{build_query_result, build_terminal_error_tokens};
use mssql_mock_tds::{ColumnDefinition, ColumnValue, QueryResponse, Row, SqlDataType, TerminalError};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};

pub(crate) const ENDLESS: &str = "SELECT [ENDLESS]";
pub(crate) const LONG: &str = "SELECT [LONG]";
/// Writes that take their time for their rows.
pub(crate) const WRITE: &str = "INSERT INTO [ITEM] ([ID]) OUTPUT inserted.[ID] SELECT [ID] FROM [MUCH]";
pub(crate) const SLOW_WRITE: &str = "INSERT INTO [ITEM] ([ID]) OUTPUT inserted.[ID] SELECT [ID] FROM [MORE]";
pub(crate) const FAILS: &str = "INSERT INTO [ITEM] ([ID]) OUTPUT inserted.[ID] SELECT [ID] FROM [BAD]";
pub(crate) const FAILS_SOON: &str = "INSERT INTO [ITEM] ([ID]) OUTPUT inserted.[ID] SELECT [ID] FROM [WORSE]";
/// What the proxy hears when one has come to its end.
const WRITTEN: &[u8] = b"written to its end";

/// A DONE token is so long, the header of a packet, and an attention, which is only that.
const DONE: usize = 13;
const HEADER: usize = 8;
/// Half of a row: each packet ends in the middle of one.
const HALF: usize = 3;

/// What comes of a request.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Asked {
    /// Rows until an attention.
    Endless,
    /// So many packets of them, and an attention behind them.
    Long,
    /// So many, with so many milliseconds between two of them, and an end of its own: an error, or none.
    Write { packets: u32, pause: u64, fails: bool },
}

pub(crate) fn is_written(heard: &[u8]) -> bool {
    heard.windows(WRITTEN.len()).any(|part| part == WRITTEN)
}

/// Whether a request asks for rows, and for which.
pub(crate) fn asked(request: &[u8]) -> Option<Asked> {
    let asks = |text: &str| {
        let text: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        request.windows(text.len()).any(|window| window == text)
    };
    let write = |packets, pause, fails| Asked::Write { packets, pause, fails };
    let known = [
        (ENDLESS, Asked::Endless),
        (LONG, Asked::Long),
        (WRITE, write(100, 5, false)),
        (SLOW_WRITE, write(100, 30, false)),
        (FAILS, write(100, 5, true)),
        (FAILS_SOON, write(0, 0, true)),
    ];
    known.into_iter().find(|(text, _)| asks(text)).map(|(_, asked)| asked)
}

/// The rows of an answer, without header and DONE.
fn tokens(rows: i32) -> Vec<u8> {
    let rows = (0..rows).map(|n| Row::new(vec![ColumnValue::Int(n)])).collect();
    let answer = build_query_result(&QueryResponse::new(vec![ColumnDefinition::new("n", SqlDataType::Int)], rows));
    answer[HEADER..answer.len() - DONE].to_vec()
}

async fn packet(to: &mut OwnedWriteHalf, payload: &[u8], last: bool) -> std::io::Result<()> {
    let length = u16::try_from(payload.len() + HEADER).unwrap().to_be_bytes();
    let mut packet = vec![0x04, u8::from(last), length[0], length[1], 0, 0, 1, 0];
    packet.extend_from_slice(payload);
    to.write_all(&packet).await
}

fn done(status: u8) -> Vec<u8> {
    let mut token = vec![0; DONE];
    (token[0], token[1]) = (0xfd, status);
    token
}

fn failed() -> Vec<u8> {
    let message = "Violation of PRIMARY KEY constraint 'PK_Item'. Cannot insert duplicate key in object 'dbo.Item'.";
    build_terminal_error_tokens(&TerminalError::new(2627, 14, message)).to_vec()
}

/// Sends packets of rows, and ends them at an attention; those that have all been sent before are not interrupted.
pub(crate) async fn answer(
    asked: Asked,
    from: &mut OwnedReadHalf,
    to: &mut OwnedWriteHalf,
    heard: &Mutex<Vec<u8>>,
) -> std::io::Result<()> {
    let (head, all) = (tokens(0), tokens(500));
    let rows = &all[head.len()..];
    let half = rows.len() - HALF;
    let (packets, pause, end) = match asked {
        Asked::Endless => (u32::MAX, 0, done(0)),
        Asked::Long => (100, 0, done(0)),
        Asked::Write { packets, pause, fails } => (packets, pause, if fails { failed() } else { done(0) }),
    };
    if packets == 0 {
        return packet(to, &[&head, rows, &end].concat(), true).await;
    }
    let mut attention = [0; HEADER];
    packet(to, &[&head, &rows[..half]].concat(), false).await?;
    let next = [&rows[half..], &rows[..half]].concat();
    let mut heard_one = false;
    for _ in 0..packets {
        packet(to, &next, false).await?;
        match pause {
            0 => tokio::task::yield_now().await,
            pause => tokio::time::sleep(Duration::from_millis(pause)).await,
        }
        if asked != Asked::Long {
            match from.try_read(&mut attention) {
                Ok(0) => return Ok(()),
                Ok(_) => heard_one = true,
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
        }
        if heard_one {
            heard.lock().unwrap().extend_from_slice(&attention);
            return packet(to, &[&rows[half..], &done(0x20)].concat(), true).await;
        }
    }
    packet(to, &[&rows[half..], &end].concat(), true).await?;
    if asked != Asked::Long {
        heard.lock().unwrap().extend_from_slice(WRITTEN);
        return Ok(());
    }
    from.read_exact(&mut attention).await?;
    heard.lock().unwrap().extend_from_slice(&attention);
    packet(to, &done(0x20), true).await
}
