//! What stands between tokio-postgres and its socket.
//!
//! That library names the statements that it prepares `s0`, `s1`, and so on, in each process from the beginning, and knows
//! no parameters of the session but a few. Where a pooler gives a session of the server to one program after the other,
//! `s7` of one would be `s7` of another: wrong rows, and no error. So the names are changed on their way:
//!
//! - as a rule they have something of the process behind them: a strange one is not there, which is an error;
//! - for a pooler they are taken away: an unnamed statement is gone with the next one.
//!
//! For a pooler, types that are not the server's own get a stand-in on their way back, and their numbers stand where the
//! number of the column's table was. To find out about them, the library would prepare statements and keep them.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::pin::Pin;
use std::sync::OnceLock;
use std::task::{Context, Poll, ready};

use bytes::{Buf, BufMut, BytesMut};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::types::Type;

use super::dial::Wire;

/// What stands for a type that is not the server's own: no column and no parameter is of it.
pub(super) const STAND_IN: Type = Type::INTERNAL;

/// How much is read at once for a pooler.
const PIECE: usize = 16 << 10;

/// A wire with the names of its statements changed.
pub(super) struct Relay {
    wire: Wire,
    /// What a statement's name ends with; absent: it has none.
    ending: Option<&'static str>,
    /// Parameters for the first message.
    parameters: &'static [(&'static str, &'static str)],
    /// Whether the first message, which has no letter, has been sent.
    begun: bool,
    /// The beginning of a message whose rest is to come.
    asked: BytesMut,
    /// Messages on their way to the server.
    out: BytesMut,
    answers: Option<Answers>,
}

/// Answers on their way back.
#[derive(Default)]
struct Answers {
    read: BytesMut,
    /// What is ready for the library.
    ready: BytesMut,
    /// How much of a message may pass as it is.
    passing: usize,
}

impl Relay {
    /// With names that no other process has.
    pub(super) fn unique(wire: Wire) -> Self {
        Self::new(wire, Some(of_this_process()), &[], None)
    }

    /// Without names, and with parameters for the session that the pooler sees to.
    pub(super) fn nameless(wire: Wire, parameters: &'static [(&'static str, &'static str)]) -> Self {
        Self::new(wire, None, parameters, Some(Answers::default()))
    }

    fn new(
        wire: Wire,
        ending: Option<&'static str>,
        parameters: &'static [(&'static str, &'static str)],
        answers: Option<Answers>,
    ) -> Self {
        let (asked, out) = (BytesMut::new(), BytesMut::new());
        Self { wire, ending, parameters, begun: false, asked, out, answers }
    }

    /// Passes whole messages on. How many bytes they had.
    fn pass(&mut self, bytes: &[u8]) -> usize {
        let mut rest = bytes;
        while let Some((message, behind)) = message(rest, self.begun.into()) {
            if self.begun {
                self.rename(message);
            } else {
                self.greet(message);
            }
            rest = behind;
        }
        bytes.len() - rest.len()
    }

    /// The first message: pairs of a name and a value, and a zero byte.
    fn greet(&mut self, message: &[u8]) {
        self.begun = true;
        let at = self.out.len();
        self.out.extend_from_slice(message.strip_suffix(&[0]).unwrap_or(message));
        for text in self.parameters.iter().flat_map(|(name, value)| [name, value]) {
            self.out.extend_from_slice(text.as_bytes());
            self.out.put_u8(0);
        }
        self.out.put_u8(0);
        set_len(&mut self.out, at, at);
    }

    fn rename(&mut self, message: &[u8]) {
        let Some((before, name, behind)) = named(message) else {
            self.out.extend_from_slice(message);
            return;
        };
        let at = self.out.len();
        self.out.extend_from_slice(before);
        if let Some(ending) = self.ending {
            self.out.extend_from_slice(name);
            self.out.extend_from_slice(ending.as_bytes());
        }
        self.out.extend_from_slice(behind);
        set_len(&mut self.out, at, at + 1);
    }

    /// Writes what is on its way.
    fn drain(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.out.is_empty() {
            let written = ready!(Pin::new(&mut self.wire).poll_write(cx, &self.out))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.out.advance(written);
        }
        Poll::Ready(Ok(()))
    }
}

/// What the names of this process end with.
pub(super) fn of_this_process() -> &'static str {
    static ENDING: OnceLock<String> = OnceLock::new();
    // Its keys are the system's random numbers.
    ENDING.get_or_init(|| format!("_{:016x}", RandomState::new().build_hasher().finish()))
}

/// The first message, whose length stands behind so many bytes, and what is behind it.
fn message(bytes: &[u8], head: usize) -> Option<(&[u8], &[u8])> {
    let len = bytes.get(head..)?.first_chunk::<4>()?;
    bytes.split_at_checked(head + usize::try_from(u32::from_be_bytes(*len)).ok()?)
}

/// Writes the length of a message that goes to the end.
fn set_len(out: &mut BytesMut, message: usize, place: usize) {
    let head = place - message;
    if let (Ok(len), Some(place)) = (u32::try_from(out.len() - message - head), out.get_mut(place..place + 4)) {
        place.copy_from_slice(&len.to_be_bytes());
    }
}

/// A message that has the name of a statement: what is before it, it, and the rest with its zero byte.
fn named(message: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let end = |from: usize| Some(from + message.get(from..)?.iter().position(|byte| *byte == 0)?);
    let at = match message.first()? {
        // Parse.
        b'P' => 5,
        // Bind: behind the name of the portal.
        b'B' => end(5)? + 1,
        // Describe and close, of a statement.
        b'D' | b'C' if message.get(5) == Some(&b'S') => 6,
        _ => return None,
    };
    let (before, rest) = message.split_at_checked(at)?;
    let (name, behind) = rest.split_at_checked(end(at)? - at)?;
    (!name.is_empty()).then_some((before, name, behind))
}

impl Answers {
    /// Lets pass what has come, with stand-ins for types.
    fn pass(&mut self) {
        loop {
            if self.passing > 0 {
                let some = self.passing.min(self.read.len());
                self.ready.extend_from_slice(&self.read.split_to(some));
                self.passing -= some;
            }
            let (Some(letter), Some(len)) = (self.read.first(), self.read.get(1..5).and_then(<[u8]>::first_chunk))
            else {
                return;
            };
            let len = usize::try_from(u32::from_be_bytes(*len)).unwrap_or(usize::MAX).saturating_add(1);
            if !matches!(letter, b'T' | b't') {
                self.passing = len;
                continue;
            }
            if self.read.len() < len {
                return;
            }
            let mut message = self.read.split_to(len);
            // What is not as it should be, the library will say.
            let _ = if message.first() == Some(&b'T') { columns(&mut message) } else { parameters(&mut message) };
            self.ready.extend_from_slice(&message);
        }
    }
}

fn is_strange(oid: [u8; 4]) -> bool {
    Type::from_oid(u32::from_be_bytes(oid)).is_none()
}

/// The columns of rows, each with the number of its table before that of its type.
fn columns(message: &mut [u8]) -> Option<()> {
    let count = u16::from_be_bytes(*message.get(5..)?.first_chunk()?);
    let mut rest = message.get_mut(7..)?;
    for _ in 0..count {
        let name = rest.iter().position(|byte| *byte == 0)?;
        let (column, behind) = rest.get_mut(name + 1..)?.split_at_mut_checked(18)?;
        let ty: [u8; 4] = *column.get(6..)?.first_chunk()?;
        if is_strange(ty) {
            column.get_mut(..4)?.copy_from_slice(&ty);
            column.get_mut(6..10)?.copy_from_slice(&STAND_IN.oid().to_be_bytes());
        }
        rest = behind;
    }
    Some(())
}

/// The types of parameters.
fn parameters(message: &mut [u8]) -> Option<()> {
    for place in message.get_mut(7..)?.chunks_exact_mut(4) {
        if is_strange(*place.first_chunk()?) {
            place.copy_from_slice(&STAND_IN.oid().to_be_bytes());
        }
    }
    Some(())
}

impl AsyncWrite for Relay {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        ready!(this.drain(cx))?;
        if this.asked.is_empty() {
            let passed = this.pass(bytes);
            this.asked.extend_from_slice(bytes.get(passed..).unwrap_or_default());
        } else {
            let mut asked = std::mem::take(&mut this.asked);
            asked.extend_from_slice(bytes);
            let passed = this.pass(&asked);
            asked.advance(passed);
            this.asked = asked;
        }
        // What the socket does not take now goes with the next bytes.
        match this.drain(cx) {
            Poll::Ready(Err(found)) => Poll::Ready(Err(found)),
            _ => Poll::Ready(Ok(bytes.len())),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(this.drain(cx))?;
        Pin::new(&mut this.wire).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(this.drain(cx))?;
        Pin::new(&mut this.wire).poll_shutdown(cx)
    }
}

impl AsyncRead for Relay {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let Some(answers) = &mut this.answers else { return Pin::new(&mut this.wire).poll_read(cx, into) };
        while answers.ready.is_empty() {
            let mut piece = [0; PIECE];
            let mut piece = ReadBuf::new(&mut piece);
            ready!(Pin::new(&mut this.wire).poll_read(cx, &mut piece))?;
            if piece.filled().is_empty() {
                return Poll::Ready(Ok(()));
            }
            answers.read.extend_from_slice(piece.filled());
            answers.pass();
        }
        let some = answers.ready.len().min(into.remaining());
        into.put_slice(&answers.ready.split_to(some));
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    fn tagged(letter: u8, body: &[u8]) -> Vec<u8> {
        let len = u32::try_from(body.len() + 4).unwrap().to_be_bytes();
        [&[letter], &len[..], body].concat()
    }

    fn first(body: &[u8]) -> Vec<u8> {
        tagged(b'-', &[&[0, 3, 0, 0], body].concat())[1..].to_vec()
    }

    /// What comes out of a relay, written in pieces of that size.
    async fn passed(relay: impl Fn(Wire) -> Relay, asked: &[u8], piece: usize) -> Vec<u8> {
        let (here, mut there) = tokio::io::duplex(1 << 16);
        let mut relay = relay(Box::new(here));
        for piece in asked.chunks(piece) {
            relay.write_all(piece).await.unwrap();
            relay.flush().await.unwrap();
        }
        drop(relay);
        let mut out = Vec::new();
        there.read_to_end(&mut out).await.unwrap();
        out
    }

    #[tokio::test]
    async fn statements_have_names_of_their_process_or_none() {
        let asked = |name: &str| {
            let name = [name.as_bytes(), b"\0"].concat();
            [
                tagged(b'P', &[&name, &b"SELECT 's1'\0\0\0"[..]].concat()),
                tagged(b'D', &[b"S", &name[..]].concat()),
                tagged(b'B', &[b"\0", &name[..], b"\0\0\0\0\0\0"].concat()),
                tagged(b'C', &[b"S", &name[..]].concat()),
                tagged(b'D', b"Ps1\0"),
                tagged(b'Q', b"s1\0"),
                tagged(b'P', b"\0SELECT\0\0\0"),
            ]
            .concat()
        };
        let begun = first(b"user\0ann\0\0");
        let own = format!("s1{}", of_this_process());
        let set: &[(&str, &str)] = &[("TimeZone", "UTC")];
        for piece in [1, 7, 1_000] {
            let all = [begun.clone(), asked("s1")].concat();
            assert_eq!(passed(Relay::unique, &all, piece).await, [begun.clone(), asked(&own)].concat());
            let greeted = first(b"user\0ann\0TimeZone\0UTC\0\0");
            assert_eq!(passed(|wire| Relay::nameless(wire, set), &all, piece).await, [greeted, asked("")].concat());
        }
    }

    #[tokio::test]
    async fn a_strange_type_has_a_stand_in() {
        let column = |table: u32, ty: u32| {
            [b"c\0", &table.to_be_bytes()[..], &[0, 1], &ty.to_be_bytes(), &[0, 4, 0, 0, 0, 0, 0, 1]].concat()
        };
        let types = |strange: (u32, u32)| {
            [
                tagged(b'T', &[&[0, 2], &column(77, 25)[..], &column(strange.0, strange.1)].concat()),
                tagged(b't', &[&[0, 2, 0, 0, 0, 25], &strange.1.to_be_bytes()[..]].concat()),
                tagged(b'D', b"T"),
            ]
            .concat()
        };
        let sent = types((77, 16_400));
        for piece in [1, 7, 1_000] {
            let (here, mut there) = tokio::io::duplex(1 << 16);
            let mut relay = Relay::nameless(Box::new(here), &[]);
            let mut got = Vec::new();
            for piece in sent.chunks(piece) {
                there.write_all(piece).await.unwrap();
            }
            drop(there);
            relay.read_to_end(&mut got).await.unwrap();
            assert_eq!(got, types((16_400, STAND_IN.oid())));
        }
    }
}
