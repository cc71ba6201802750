//! A pooler that knows prepared statements by their texts, and shares them, as PgBouncer does with `max_prepared_statements`.

use std::collections::HashMap;

use isogloss_driver::{Backend, ConnectionExt};
use isogloss_postgres::driver::PostgresBackend;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};

use crate::support::{Outcome, each, plain};

/// Passes on what a program asks. A text that was prepared before is not prepared again: its first statement is taken.
async fn share(mut asks: OwnedReadHalf, mut to: OwnedWriteHalf) -> std::io::Result<()> {
    let len = asks.read_u32().await?;
    let mut first = vec![0; len as usize - 4];
    asks.read_exact(&mut first).await?;
    to.write_all(&[&len.to_be_bytes()[..], &first].concat()).await?;
    let (mut texts, mut names) = (HashMap::<Vec<u8>, Vec<u8>>::new(), HashMap::<Vec<u8>, Vec<u8>>::new());
    loop {
        let letter = asks.read_u8().await?;
        let mut body = vec![0; asks.read_u32().await? as usize - 4];
        asks.read_exact(&mut body).await?;
        let mut parts = body.split(|byte| *byte == 0);
        let mut part = || parts.next().unwrap_or_default().to_vec();
        let body = match letter {
            b'P' => {
                let (name, text) = (part(), part());
                let shared = texts.entry(text).or_insert_with(|| name.clone()).clone();
                let is_new = shared == name;
                names.insert(name, shared);
                if is_new { body } else { b"\0SELECT\0\0\0".to_vec() }
            }
            b'B' => {
                let (_portal, name) = (part(), part());
                let name_of = names.get(&name).cloned().unwrap_or_else(|| name.clone());
                [&[0][..], &name_of, body.get(1 + name.len()..).unwrap_or_default()].concat()
            }
            b'D' if body.first() == Some(&b'S') => {
                let name = part().split_off(1);
                [&b"S"[..], names.get(&name).unwrap_or(&name), &[0]].concat()
            }
            b'C' => b"Snone\0".to_vec(),
            _ => body,
        };
        let len = u32::try_from(body.len() + 4).unwrap_or_default();
        to.write_all(&[&[letter][..], &len.to_be_bytes(), &body].concat()).await?;
    }
}

async fn between(to: String) -> Outcome<u16> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let port = listener.local_addr()?.port();
    tokio::spawn(async move {
        while let Ok((here, _)) = listener.accept().await {
            let Ok(there) = TcpStream::connect(&to).await else { return };
            let ((asks, mut answers_to), (mut answers, asks_to)) = (here.into_split(), there.into_split());
            tokio::spawn(share(asks, asks_to));
            tokio::spawn(async move { tokio::io::copy(&mut answers, &mut answers_to).await });
        }
    });
    Ok(port)
}

/// The statement that the pooler has prepared is of no use any more, and it prepares no other one for the text.
#[tokio::test]
async fn a_table_that_changes_is_no_error_where_texts_are_shared() -> Outcome {
    each("shared", async |db| {
        db.script("CREATE TABLE t (a int); INSERT INTO t VALUES (1)").await?;
        let (host, port) = &db.options.hosts[0];
        let mut options = db.options.clone();
        options.ssl = isogloss_postgres::driver::Ssl::Disable;
        options.hosts = vec![("127.0.0.1".into(), between(format!("{host}:{port}")).await?)];
        let backend = PostgresBackend::connect(options).await?;
        let mut connection = Backend::connect(&backend).await?;
        let all = plain("SELECT * FROM t -- all");
        for _ in 0..2 {
            assert_eq!(connection.fetch_one::<(i32,)>(&all).await?, (1,));
        }
        db.script("ALTER TABLE t ADD b text DEFAULT 'x'").await?;
        for _ in 0..2 {
            assert_eq!(connection.fetch_one::<(i32, String)>(&all).await?, (1, "x".into()));
        }
        db.script("ALTER TABLE t DROP b").await?;
        for _ in 0..2 {
            assert_eq!(connection.fetch_one::<(i32,)>(&all).await?, (1,));
        }
        Ok(())
    })
    .await
}
