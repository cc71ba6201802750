//! What the tests have in common.

mod certificate;
mod endless;
mod proxy;

use std::sync::Arc;
use std::time::{Duration, Instant};

use isogloss_compiler::Compiled;
use isogloss_compiler::expr::{DbValueType, Value};
use isogloss_compiler::render::Parameter;
use isogloss_driver::{AnyConnection, ConnectionExt};
use isogloss_sqlserver::driver::{Encryption, SqlServerBackend, SqlServerOptions};
use mssql_mock_tds::{
    ColumnDefinition, ColumnValue, MockTdsServer, QueryRegistry, QueryResponse, Row as MockRow, SqlDataType,
    TerminalError,
};
use proxy::Proxy;
use tokio::sync::Mutex;

pub(crate) type Outcome = Result<(), Box<dyn std::error::Error>>;

/// What has not happened after this time never happens.
pub(crate) const HANGS: Duration = Duration::from_secs(60);

pub(crate) const LEVEL: &str = "SELECT CAST(compatibility_level AS int) FROM sys.databases WHERE database_id = DB_ID()";
pub(crate) const ABANDON: &str =
    "IF @@TRANCOUNT > 0 ROLLBACK TRANSACTION; SET TRANSACTION ISOLATION LEVEL READ COMMITTED";
/// The mock finds the text of a call only in upper case.
pub(crate) const ITEMS: &str = "SELECT [ID], [NAME] FROM [ITEM]";
/// Rows without an end, which come from the proxy.
pub(crate) const ENDLESS: &str = endless::ENDLESS;
/// Rows that have all been sent before the server hears of an attention.
pub(crate) const LONG: &str = endless::LONG;
/// A write whose rows come for half a second, and one whose rows come for three.
pub(crate) const WRITE: &str = endless::WRITE;
pub(crate) const SLOW_WRITE: &str = endless::SLOW_WRITE;
/// Writes that fail behind their rows: after a while, and at once.
pub(crate) const FAILS: &str = endless::FAILS;
pub(crate) const FAILS_SOON: &str = endless::FAILS_SOON;
/// What asks for the error of what was not read.
pub(crate) const UNREAD: &str = "SELECT 1871513907, @@ERROR";
/// Rows that the mock sends at once.
pub(crate) const NUMBERS: &str = "SELECT [NUMBERS]";
pub(crate) const SLOW: &str = "SELECT [SLOW]";

/// A server with a proxy before it.
pub(crate) struct Server {
    pub(crate) proxy: Proxy,
    answers: Arc<Mutex<QueryRegistry>>,
    encryption: Encryption,
}

pub(crate) fn number(number: i32) -> QueryResponse {
    numbers([number])
}

pub(crate) fn numbers<const N: usize>(numbers: [i32; N]) -> QueryResponse {
    let columns = numbers.map(|_| ColumnDefinition::new("n", SqlDataType::Int)).to_vec();
    QueryResponse::new(columns, vec![MockRow::new(numbers.map(ColumnValue::Int).to_vec())])
}

pub(crate) fn fails(code: u32, class: u8, message: &str) -> QueryResponse {
    QueryResponse::error_only(TerminalError::new(code, class, message))
}

impl Server {
    pub(crate) async fn start() -> Result<Self, Box<dyn std::error::Error>> {
        Self::over(MockTdsServer::new("127.0.0.1:0").await?, Encryption::Off).await
    }

    /// One that speaks TLS.
    pub(crate) async fn start_with_tls() -> Result<Self, Box<dyn std::error::Error>> {
        Self::over(certificate::server().await?, Encryption::Strict).await
    }

    async fn over(server: MockTdsServer, encryption: Encryption) -> Result<Self, Box<dyn std::error::Error>> {
        let proxy = Proxy::new(server.local_addr()).await?;
        let answers = server.query_registry();
        tokio::spawn(server.run());
        let server = Self { proxy, answers, encryption };
        server.answer(LEVEL, number(150)).await;
        let columns =
            vec![ColumnDefinition::new("Id", SqlDataType::Int), ColumnDefinition::new("Name", SqlDataType::NVarChar)];
        let row = |id: i32| MockRow::new(vec![ColumnValue::Int(id), ColumnValue::NVarChar(format!("item {id} ł"))]);
        server.answer(ITEMS, QueryResponse::new(columns, (0..500).map(row).collect())).await;
        let rows = (0..5_000).map(|n| MockRow::new(vec![ColumnValue::Int(n)])).collect();
        let columns = vec![ColumnDefinition::new("n", SqlDataType::Int)];
        server.answer(NUMBERS, QueryResponse::new(columns, rows)).await;
        for asked in [1_871_513_907, 1_871_513_908] {
            server.answer(&format!("SELECT {asked}"), number(asked)).await;
        }
        server.answer(UNREAD, numbers([1_871_513_907, 0])).await;
        server.answer("SELECT XACT_STATE()", number(1)).await;
        server.answer(SLOW, number(1).with_delay(Duration::from_secs(60))).await;
        Ok(server)
    }

    pub(crate) async fn answer(&self, sql: &str, answer: QueryResponse) {
        self.answers.lock().await.register(sql, answer);
    }

    pub(crate) fn options(&self) -> SqlServerOptions {
        let mut options = SqlServerOptions::new("127.0.0.1", "sa", "secret");
        (options.port, options.encryption) = (self.proxy.address.port(), self.encryption);
        options.trust_certificate = true;
        options
    }

    pub(crate) async fn backend(&self) -> isogloss_driver::Result<SqlServerBackend> {
        SqlServerBackend::connect(self.options()).await
    }

    /// Whether a write has come to its end since it was last looked at, in that time.
    pub(crate) async fn is_written(&self, within: Duration) -> bool {
        until(within, || endless::is_written(&self.proxy.sent())).await
    }

    /// Whether the driver has had something ended since it was last looked at: an attention is a header and nothing else.
    pub(crate) fn was_interrupted(&self) -> bool {
        self.proxy.sent().windows(4).any(|packet| packet == [6, 1, 0, 8])
    }

    /// Whether the driver has sent that text since it was last looked at.
    pub(crate) fn was_sent(&self, text: &str) -> bool {
        times(&self.proxy.sent(), text) > 0
    }
}

/// How often a text is in what was sent.
pub(crate) fn times(sent: &[u8], text: &str) -> usize {
    let text: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    sent.windows(text.len()).filter(|window| *window == text).count()
}

/// Whether something comes true in that time.
pub(crate) async fn until(within: Duration, mut is_so: impl FnMut() -> bool) -> bool {
    let begun = Instant::now();
    while begun.elapsed() < within {
        if is_so() {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    is_so()
}

pub(crate) fn plain(sql: &str) -> Compiled<'static> {
    Compiled { sql: sql.to_owned(), ..Compiled::default() }
}

pub(crate) fn with(sql: &str, value: impl Into<Value>, ty: DbValueType) -> Compiled<'static> {
    let value = std::borrow::Cow::Owned(value.into());
    Compiled { params: vec![Parameter { value, ty: Some(ty.into()) }], ..plain(sql) }
}

pub(crate) async fn works(connection: &mut AnyConnection) -> isogloss_driver::Result<usize> {
    Ok(connection.fetch::<(i32, String)>(&plain(ITEMS)).await?.len())
}
