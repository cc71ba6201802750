//! Reads the section. By hand, as serde's errors show values, and some of these are secret.

use std::time::Duration;

use isogloss_compiler::model::TextMode;
use serde_json::{Map, Value};

use super::{ConfigError, DataSourceConfig, OrmConfig, ReplicaConfig, duration_from_text};

type Result<T> = std::result::Result<T, ConfigError>;

const SECTION: [&str; 2] = ["Default", "DataSources"];
const SOURCE: [&str; 21] = [
    "Name",
    "ConnectionString",
    "Provider",
    "SqlBuilder",
    "KeepAliveDuration",
    "PoolSize",
    "MaxPoolSize",
    "ParamCountLimit",
    "MaxLifetime",
    "PoolWait",
    "ConnectTimeout",
    "StatementTimeout",
    "Grace",
    "BusyTimeout",
    "Pooled",
    "PreparedStatements",
    "ValueBytes",
    "SlowStatement",
    "SyncTable",
    "ReadYourWrites",
    "Text",
];
const WITH_REPLICAS: &str = "ReadOnlyConfigs";
const REPLICA: [&str; 5] = ["ConnectionString", "KeepAliveDuration", "PoolSize", "MaxPoolSize", "ParamCountLimit"];

/// Settings with a section `Orm`, or that section.
pub(super) fn settings(value: Value) -> Result<OrmConfig> {
    match value {
        Value::Object(mut settings) => match settings.remove("Orm").or_else(|| settings.remove("orm")) {
            Some(orm) => section(orm),
            None => section(Value::Object(settings)),
        },
        other => section(other),
    }
}

pub(super) fn section(value: Value) -> Result<OrmConfig> {
    let mut orm = SettingsObject::new("Orm".into(), value, &SECTION)?;
    let default = orm.text("Default")?;
    let data_sources = orm.list("DataSources")?.into_iter().map(|(at, value)| source(at, value));
    Ok(OrmConfig { default, data_sources: data_sources.collect::<Result<_>>()? })
}

fn source(at: String, value: Value) -> Result<DataSourceConfig> {
    let known: Vec<&'static str> = SOURCE.into_iter().chain([WITH_REPLICAS]).collect();
    let mut keys = SettingsObject::new(at, value, &known)?;
    let mut text = |key| Ok::<_, ConfigError>(keys.text(key)?.unwrap_or_default());
    let new = DataSourceConfig::new(text("Name")?, text("Provider")?, text("ConnectionString")?);
    let replicas = keys.list(WITH_REPLICAS)?.into_iter().map(|(at, value)| replica(at, value));
    Ok(DataSourceConfig {
        read_only_configs: replicas.collect::<Result<_>>()?,
        sql_builder: keys.text("SqlBuilder")?,
        keep_alive_duration: keys.duration("KeepAliveDuration")?.unwrap_or(new.keep_alive_duration),
        pool_size: keys.number("PoolSize")?.unwrap_or(new.pool_size),
        max_pool_size: keys.number("MaxPoolSize")?.unwrap_or(new.max_pool_size),
        param_count_limit: keys.number("ParamCountLimit")?.unwrap_or(new.param_count_limit),
        max_lifetime: keys.duration("MaxLifetime")?,
        pool_wait: keys.duration("PoolWait")?,
        connect_timeout: keys.duration("ConnectTimeout")?,
        statement_timeout: keys.duration("StatementTimeout")?,
        grace: keys.duration("Grace")?,
        busy_timeout: keys.duration("BusyTimeout")?,
        pooled: keys.truth("Pooled")?,
        prepared: keys.number("PreparedStatements")?,
        value_bytes: keys.number("ValueBytes")?,
        slow_statement: keys.duration("SlowStatement")?,
        sync_table: keys.truth("SyncTable")?.unwrap_or(new.sync_table),
        read_your_writes: keys.truth("ReadYourWrites")?.unwrap_or(new.read_your_writes),
        text: keys.text_mode("Text")?.unwrap_or(new.text),
        ..new
    })
}

fn replica(at: String, value: Value) -> Result<ReplicaConfig> {
    let mut keys = SettingsObject::new(at, value, &REPLICA)?;
    Ok(ReplicaConfig {
        connection_string: keys.text("ConnectionString")?,
        keep_alive_duration: keys.duration("KeepAliveDuration")?,
        pool_size: keys.number("PoolSize")?,
        max_pool_size: keys.number("MaxPoolSize")?,
        param_count_limit: keys.number("ParamCountLimit")?,
    })
}

/// An object of settings, and where it is. A key that is null or an empty text is as good as absent. Keys stand as `PoolSize` or
/// as `pool_size`.
struct SettingsObject {
    at: String,
    values: Map<String, Value>,
}

impl SettingsObject {
    fn new(at: String, value: Value, known: &[&'static str]) -> Result<Self> {
        let values = match value {
            Value::Object(values) => values,
            other => return Err(ConfigError::Value { at, expected: "an object", found: kind(&other) }),
        };
        let mut own = Map::with_capacity(values.len());
        for (key, value) in values {
            let Some(name) = known.iter().find(|name| is_spelled(&key, name)) else {
                let near = nearest(&key, known).map(str::to_owned);
                return Err(ConfigError::UnknownKey { at, key: shown(&key), near, known: known.to_vec() });
            };
            if own.insert((*name).to_owned(), value).is_some() {
                return Err(ConfigError::DuplicateKey { at, key: name });
            }
        }
        Ok(Self { at, values: own })
    }

    fn take(&mut self, key: &str) -> Option<Value> {
        self.values.remove(key).filter(|value| !value.is_null() && value.as_str() != Some(""))
    }

    fn wrong<T>(&self, key: &str, expected: &'static str, found: &Value) -> Result<T> {
        Err(ConfigError::Value { at: format!("{}.{key}", self.at), expected, found: kind(found) })
    }

    fn text(&mut self, key: &str) -> Result<Option<String>> {
        match self.take(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => self.wrong(key, "a text", &other),
        }
    }

    fn number<T: TryFrom<u64>>(&mut self, key: &str) -> Result<Option<T>> {
        let Some(value) = self.take(key) else { return Ok(None) };
        match value.as_u64().and_then(|number| T::try_from(number).ok()) {
            Some(number) => Ok(Some(number)),
            None => self.wrong(key, "a whole number from 0", &value),
        }
    }

    fn truth(&mut self, key: &str) -> Result<Option<bool>> {
        match self.take(key) {
            None => Ok(None),
            Some(Value::Bool(truth)) => Ok(Some(truth)),
            Some(other) => self.wrong(key, "true or false", &other),
        }
    }

    fn text_mode(&mut self, key: &str) -> Result<Option<TextMode>> {
        let Some(word) = self.text(key)? else { return Ok(None) };
        match word.parse() {
            Ok(mode) => Ok(Some(mode)),
            Err(_) => self.wrong(key, "`database` or `exact`", &Value::String(word)),
        }
    }

    fn duration(&mut self, key: &str) -> Result<Option<Duration>> {
        let Some(text) = self.text(key)? else { return Ok(None) };
        match duration_from_text(&text) {
            Ok(duration) => Ok(Some(duration)),
            Err(error) => Err(ConfigError::Duration { at: format!("{}.{key}", self.at), error }),
        }
    }

    fn list(&mut self, key: &str) -> Result<Vec<(String, Value)>> {
        match self.take(key) {
            None => Ok(Vec::new()),
            Some(Value::Array(items)) => {
                let at = |index| format!("{}.{key}[{index}]", self.at);
                Ok(items.into_iter().enumerate().map(|(index, item)| (at(index), item)).collect())
            }
            Some(other) => self.wrong(key, "a list", &other),
        }
    }
}

/// Whether a key is a name such as `PoolSize`, as it is or in small letters with `_` between its words.
fn is_spelled(key: &str, name: &str) -> bool {
    let snake = name.chars().enumerate().flat_map(|(at, c)| {
        let gap = (at > 0 && c.is_ascii_uppercase()).then_some('_');
        gap.into_iter().chain([c.to_ascii_lowercase()])
    });
    key == name || key.chars().eq(snake)
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number out of its range",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// A key, but not what may be a secret that stands in its place.
fn shown(key: &str) -> String {
    let plain = key.len() <= 40 && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ' '));
    if plain { key.to_owned() } else { "?".to_owned() }
}

/// The known key that differs least, if that is little.
fn nearest(key: &str, known: &[&'static str]) -> Option<&'static str> {
    let folded = |text: &str| text.chars().filter(|c| !matches!(c, '_' | '-')).collect::<String>().to_lowercase();
    let key = folded(key);
    let near = known.iter().map(|name| (edits(&key, &folded(name)), *name)).min()?;
    (near.0 <= near.1.len().div_ceil(3)).then_some(near.1)
}

/// How many letters are changed, added or left out between two words.
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut above = std::mem::replace(row.first_mut().unwrap_or(&mut 0), i + 1);
        let mut left = i + 1;
        for (cell, y) in row.iter_mut().skip(1).zip(&b) {
            let here = (above + usize::from(x != *y)).min(left + 1).min(*cell + 1);
            above = std::mem::replace(cell, here);
            left = here;
        }
    }
    row.last().copied().unwrap_or(0)
}
