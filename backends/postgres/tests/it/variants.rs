//! What the driver makes of servers that are variants of PostgreSQL, or only speak its protocol: by a server of the test's own,
//! which answers what those say.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use isogloss_driver::ddl::SyncLock;
use isogloss_driver::{Backend, ErrorKind};
use isogloss_postgres::driver::{PostgresBackend, PostgresOptions};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::support::{Outcome, in_time};

/// What a server says of itself: an error for the settings, or the answers to what it is asked.
#[derive(Debug, Clone, Copy)]
struct Says {
    settings: bool,
    answers: [Option<&'static str>; 6],
    /// Texts that it takes beside those.
    knows: &'static str,
}

const PLAIN: Says = Says {
    settings: true,
    answers: [Some("PostgreSQL 15.7 on x86_64-pc-linux-gnu"), Some("150007"), None, Some("f"), Some("f"), Some("f")],
    knows: "",
};

impl Says {
    fn version(self, version: &'static str, number: &'static str) -> Self {
        let [_, _, rest @ ..] = self.answers;
        let [a, b, c, d] = rest;
        Self { answers: [Some(version), Some(number), a, b, c, d], ..self }
    }
}

/// A server, and the texts that it was sent.
struct Fake {
    url: String,
    texts: Arc<Mutex<Vec<String>>>,
}

impl Fake {
    async fn start(says: Says) -> Outcome<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("postgres://ann@{}/shop?sslmode=disable", listener.local_addr()?);
        let texts = Arc::new(Mutex::new(Vec::new()));
        let told = Arc::clone(&texts);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let told = Arc::clone(&told);
                tokio::spawn(async move { serve(stream, says, &told).await });
            }
        });
        Ok(Self { url, texts })
    }

    async fn connect(&self) -> isogloss_driver::Result<PostgresBackend> {
        PostgresBackend::connect(PostgresOptions::url(&self.url)?).await
    }

    fn texts(&self) -> Vec<String> {
        self.texts.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn message(kind: u8, body: &[u8]) -> Vec<u8> {
    let mut message = vec![kind];
    message.extend(u32::try_from(body.len() + 4).unwrap_or(4).to_be_bytes());
    message.extend(body);
    message
}

fn done(tag: &str) -> Vec<u8> {
    message(b'C', format!("{tag}\0").as_bytes())
}

fn row(answers: &[Option<&str>]) -> Vec<u8> {
    let count = u16::try_from(answers.len()).unwrap_or(0).to_be_bytes();
    let (mut columns, mut values) = (count.to_vec(), count.to_vec());
    for answer in answers {
        columns.extend(b"it\0\0\0\0\0\0\0\0\0\0\x19\xff\xff\xff\xff\xff\xff\0\0");
        values.extend(answer.map_or(-1, |answer| i32::try_from(answer.len()).unwrap_or(0)).to_be_bytes());
        values.extend(answer.unwrap_or_default().as_bytes());
    }
    [message(b'T', &columns), message(b'D', &values), done("SELECT 1")].concat()
}

fn error(code: &str, text: &str) -> Vec<u8> {
    message(b'E', format!("SERROR\0VERROR\0C{code}\0M{text}\0\0").as_bytes())
}

/// The answer to a text of one statement or more: an error ends it.
fn answer(text: &str, says: Says) -> Vec<u8> {
    let mut answer = Vec::new();
    for statement in text.split("; ") {
        if statement.starts_with("SELECT version(), ") {
            answer.extend(row(&says.answers));
        } else if statement == "SELECT version()" {
            answer.extend(row(&says.answers[..1]));
        } else if statement.starts_with("SET ") && (says.settings || says.knows == statement) {
            answer.extend(done("SET"));
        } else if says.knows == statement {
            answer.extend(row(&[Some("off")]));
        } else {
            answer.extend(error("42704", "unrecognized configuration parameter"));
            break;
        }
    }
    answer
}

async fn serve(mut stream: TcpStream, says: Says, told: &Mutex<Vec<String>>) -> io::Result<()> {
    let ready = message(b'Z', b"I");
    let length = stream.read_u32().await?;
    let mut begin = vec![0; usize::try_from(length).unwrap_or(4).saturating_sub(4)];
    stream.read_exact(&mut begin).await?;
    let hello =
        [message(b'R', &[0; 4]), message(b'S', b"client_encoding\0UTF8\0"), message(b'K', &[7; 8]), ready.clone()];
    stream.write_all(&hello.concat()).await?;
    loop {
        let kind = stream.read_u8().await?;
        let length = stream.read_u32().await?;
        let mut body = vec![0; usize::try_from(length).unwrap_or(4).saturating_sub(4)];
        stream.read_exact(&mut body).await?;
        if kind == b'Q' {
            let text = String::from_utf8_lossy(&body).trim_end_matches('\0').to_owned();
            let answer = if text.is_empty() { message(b'I', b"") } else { answer(&text, says) };
            told.lock().unwrap_or_else(PoisonError::into_inner).push(text);
            stream.write_all(&[answer, ready.clone()].concat()).await?;
        }
    }
}

#[tokio::test]
async fn postgresql_is_asked_in_one_round_trip() -> Outcome {
    let server = Fake::start(PLAIN).await?;
    let backend = server.connect().await?;
    assert_eq!((backend.dialect().label().as_str(), backend.origin().system), ("postgres 15", "postgresql"));
    assert!(backend.collations().is_some());
    let texts = server.texts();
    assert!(texts.len() == 1 && texts[0].starts_with("SET TimeZone = 'UTC'"), "{texts:?}");
    Ok(())
}

#[tokio::test]
async fn cockroachdb_is_told_where_nulls_are() -> Outcome {
    let says = PLAIN.version("CockroachDB CCL v25.4.1 (x86_64-pc-linux-gnu, built 2025/11/20)", "130000");
    let server = Fake::start(says).await?;
    let backend = server.connect().await?;
    assert_eq!((backend.dialect().label().as_str(), backend.origin().system), ("cockroachdb 25.4", "cockroachdb"));
    assert!(backend.collations().is_none() && matches!(backend.ddl().sync_lock(), SyncLock::None));
    let own = "SET null_ordered_last = on; SET enable_shared_locking_for_serializable = on";
    assert_eq!(server.texts().get(1).map(String::as_str), Some(own));
    assert_eq!(server.texts().len(), 2);
    Ok(())
}

#[tokio::test]
async fn a_session_of_cockroachdb_is_reset_in_its_own_way() -> Outcome {
    let says = PLAIN.version("CockroachDB CCL v25.4.1 (x86_64)", "130000");
    let server = Fake::start(Says { knows: "SET search_path = app", ..says }).await?;
    let backend = server.connect().await?;
    let mut connection = Backend::connect(&backend).await?;
    connection.script("SET search_path = app").await?;
    drop(connection);
    let is_reset = || server.texts().last().is_some_and(|text| text.starts_with("CLOSE ALL"));
    in_time(async {
        while !is_reset() {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
    })
    .await;
    let texts = server.texts();
    let last = texts.last().map(String::as_str).unwrap_or_default();
    assert!(
        last.contains("DISCARD SEQUENCES") && !last.contains("pg_advisory") && !last.contains("UNLISTEN"),
        "{last}"
    );
    assert!(last.contains("RESET ALL") && last.find("RESET ALL") < last.find("SET null_ordered_last = on"), "{last}");
    Ok(())
}

#[tokio::test]
async fn yugabytedb_and_citus_are_known() -> Outcome {
    let says = PLAIN.version("PostgreSQL 15.12-YB-2025.1.0.1-b3 on x86_64", "150012");
    let backend = Fake::start(says).await?.connect().await?;
    assert_eq!((backend.dialect().label().as_str(), backend.origin().system), ("yugabytedb 2025.1", "postgresql"));
    let [version, number, _, rest @ ..] = PLAIN.answers;
    let [aurora, alloydb, neon] = rest;
    let says = Says { answers: [version, number, Some("13.2-1"), aurora, alloydb, neon], ..PLAIN };
    let backend = Fake::start(says).await?.connect().await?;
    assert_eq!(backend.dialect().label(), "citus 13.2");
    Ok(())
}

#[tokio::test]
async fn servers_that_only_speak_the_protocol_are_refused_by_name() -> Outcome {
    let none = Says { settings: false, ..PLAIN };
    let redshift = none.version("PostgreSQL 8.0.2 on i686-pc-linux-gnu, Redshift 1.0.77467", "80002");
    let spanner = Says { knows: "SHOW spanner.readonly", ..none };
    for (says, name) in [(redshift, "Amazon Redshift"), (spanner, "Spanner")] {
        let found = Fake::start(says).await?.connect().await.expect_err(name);
        assert!(found.kind() == ErrorKind::Configuration && found.message().contains(name), "{found}");
    }
    let found = Fake::start(none).await?.connect().await.expect_err("an unknown setting");
    assert_eq!((found.kind(), found.code()), (ErrorKind::Connect, Some("42704")));
    let dsql = "postgres://admin@abcdefghijklmnopqrst.dsql.us-east-1.on.aws/postgres";
    let found = PostgresBackend::connect(PostgresOptions::url(dsql)?).await.expect_err("dsql");
    assert!(found.kind() == ErrorKind::Configuration && found.message().contains("Aurora DSQL"), "{found}");
    Ok(())
}
