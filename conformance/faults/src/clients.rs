//! Clients of the [API](crate::api), each with a connection that it keeps.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use futures_util::future::try_join_all;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use crate::Outcome;
use crate::api::{CUSTOMERS, ORDERS};

/// What a client waits between an answer and its next request: what `Retry-After` says, too.
const PAUSE: Duration = Duration::from_secs(1);

/// How long a client waits for an answer. A request may take half of it.
const PATIENCE: Duration = Duration::from_secs(60);

/// The number of the next request, of all clients of this process.
static NEXT: AtomicI64 = AtomicI64::new(1);

/// Clients that ask until they are ended.
pub struct Clients {
    ended: Arc<AtomicBool>,
    /// How many answers each of them has that its request was done.
    done: Arc<[AtomicU64]>,
    tasks: Vec<JoinHandle<Outcome<Vec<Answer>>>>,
}

/// A request, by its number.
#[derive(Debug, Clone, Copy)]
pub enum Asked {
    /// An order or a customer by id.
    Row(i64),
    /// A page of the orders of a customer, by name.
    Page(i64),
    /// An order is inserted that has this number.
    Insert(i64),
}

/// What became of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It was done.
    Done,
    /// It was refused with a 503, or its time was over: nothing was written.
    Refused,
    /// Whether it was written is not known, and the client was told so.
    InDoubt,
}

/// A request with its answer.
#[derive(Debug, Clone, Copy)]
pub struct Answer {
    /// What was asked for.
    pub asked: Asked,
    /// What became of it.
    pub fate: Fate,
    /// When it was sent.
    pub sent: Instant,
    /// When the answer was there.
    pub told: Instant,
}

impl Answer {
    /// How long it took.
    #[must_use]
    pub fn took(&self) -> Duration {
        self.told - self.sent
    }
}

impl Clients {
    /// Connects so many, who ask for the first time within so long. Each asks once at least.
    ///
    /// # Errors
    /// One is not let in.
    pub async fn start(address: &str, clients: u32, within: Duration) -> Outcome<Self> {
        let ended = Arc::new(AtomicBool::new(false));
        let done: Arc<[AtomicU64]> = (0..clients).map(|_| AtomicU64::new(0)).collect();
        let mut tasks = Vec::new();
        for client in 0..clients {
            let stream = BufReader::new(TcpStream::connect(address).await?);
            stream.get_ref().set_nodelay(true)?;
            let (ended, done) = (Arc::clone(&ended), Arc::clone(&done));
            tasks.push(tokio::spawn(async move {
                sleep(within * client / clients).await;
                let done = done.get(usize::try_from(client)?).ok_or("a client of these")?;
                ask(stream, &ended, done).await
            }));
        }
        Ok(Self { ended, done, tasks })
    }

    /// Waits until a request of each is done that is sent from now on.
    pub async fn are_all_served(&self) {
        // An answer may be under way already.
        let counts = || self.done.iter().map(|done| done.load(Ordering::Relaxed));
        let wanted: Vec<u64> = counts().map(|count| count + 2).collect();
        while counts().zip(&wanted).any(|(count, wanted)| count < *wanted) {
            sleep(Duration::from_millis(20)).await;
        }
    }

    /// Ends them, and gives what each was told.
    ///
    /// # Errors
    /// A connection has ended, or an answer did not come or was none that they expect.
    pub async fn end(self) -> Outcome<Vec<Vec<Answer>>> {
        self.ended.store(true, Ordering::Relaxed);
        try_join_all(self.tasks).await?.into_iter().collect()
    }
}

async fn ask(mut stream: BufReader<TcpStream>, ended: &AtomicBool, done: &AtomicU64) -> Outcome<Vec<Answer>> {
    let mut answers = Vec::new();
    loop {
        let asked = Asked::nth(NEXT.fetch_add(1, Ordering::Relaxed));
        let sent = Instant::now();
        let told = timeout(PATIENCE, exchange(&mut stream, &asked.request())).await;
        let told = told.map_err(|_| format!("{asked:?} has no answer after {PATIENCE:?}"))?;
        let told = told.map_err(|error| format!("{asked:?} on a connection that ends: {error}"))?;
        let fate = told.fate()?;
        answers.push(Answer { asked, fate, sent, told: Instant::now() });
        done.fetch_add(u64::from(fate == Fate::Done), Ordering::Relaxed);
        if ended.load(Ordering::Relaxed) {
            return Ok(answers);
        }
        sleep(PAUSE).await;
    }
}

impl Asked {
    fn nth(number: i64) -> Self {
        match number % 4 {
            0 => Self::Insert(number),
            1 => Self::Page(number),
            _ => Self::Row(number),
        }
    }

    /// The request as HTTP/1.1 has it.
    fn request(self) -> String {
        let post = |path: &str, body: String| {
            let (head, length) = ("Host: localhost\r\nContent-Type: application/json", body.len());
            format!("POST {path} HTTP/1.1\r\n{head}\r\nContent-Length: {length}\r\n\r\n{body}")
        };
        let get = |path: String| format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
        match self {
            Self::Row(number) if number % 4 == 2 => get(format!("/Order/{}", 1 + number % ORDERS)),
            Self::Row(number) => get(format!("/Customer/{}", 1 + number % 3)),
            Self::Page(number) => post("/Order/page", page(number)),
            Self::Insert(number) => post("/Order", format!(r#"{{"customerId":{},"number":{number}}}"#, 1 + number % 3)),
        }
    }
}

fn page(number: i64) -> String {
    let name = CUSTOMERS.into_iter().cycle().nth(usize::try_from(number % 3).unwrap_or_default()).unwrap_or_default();
    format!(
        r##"{{"$section":{{"$orderby":{{"$where":{{"$table":"OrderView"}},"Where":{{"$and":[
        {{"$":"<=","Left":{{"#":"Id"}},"Right":{{"@":{ORDERS}}}}},
        {{"$":"==","Left":{{"#":"CustomerName"}},"Right":{{"@":"{name}"}}}}]}}}},
        "OrderBys":[{{"Field":{{"#":"Number"}},"Asc":false}}]}},"Skip":5,"Take":20}}"##
    )
}

/// An answer as HTTP/1.1 has it.
#[derive(Debug, Default)]
struct Told {
    status: u16,
    is_problem: bool,
    says_when: bool,
    body: String,
}

async fn exchange(stream: &mut BufReader<TcpStream>, request: &str) -> Outcome<Told> {
    stream.write_all(request.as_bytes()).await?;
    let (mut told, mut length, mut line) = (Told::default(), 0, String::new());
    loop {
        line.clear();
        if stream.read_line(&mut line).await? == 0 {
            return Err("no more bytes".into());
        }
        match line.trim_end().split_once([' ', ':']) {
            Some(("HTTP/1.1", status)) => told.status = status.split(' ').next().unwrap_or_default().parse()?,
            Some(("content-type", media)) => told.is_problem = media.trim() == "application/problem+json",
            Some(("content-length", bytes)) => length = bytes.trim().parse()?,
            Some(("retry-after", seconds)) => told.says_when = seconds.trim() == "1",
            Some(_) => {}
            None => break,
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await?;
    told.body = String::from_utf8(body)?;
    Ok(told)
}

impl Told {
    /// What it says of the request.
    ///
    /// # Errors
    /// It is none of those that a server may give whose database is away.
    fn fate(&self) -> Outcome<Fate> {
        let is = |code: &str| self.is_problem && self.body.contains(&format!(r#""code":"{code}""#));
        match self.status {
            200 if !self.body.is_empty() && self.body != "null" => Ok(Fate::Done),
            503 if self.says_when && (is("unavailable") || is("contention")) => Ok(Fate::Refused),
            504 if is("timeout") => Ok(Fate::Refused),
            504 if is("in-doubt") => Ok(Fate::InDoubt),
            _ => Err(format!("an answer that may not be: {self:?}").into()),
        }
    }
}
