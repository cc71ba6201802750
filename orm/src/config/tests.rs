use super::*;
use std::time::Duration;

use isogloss_compiler::model::TextMode;
use isogloss_driver::PoolOptions;

const JSON: &str = r#"{
    "Logging": {"Level": "info"},
    "Orm": {
        "Default": "main",
        "DataSources": [
            {
                "Name": "main",
                "Provider": "postgres",
                "ConnectionString": "postgres://app:s3cret@db/shop",
                "SqlBuilder": null,
                "KeepAliveDuration": "1.02:03:04",
                "PoolSize": 3,
                "MaxPoolSize": 7,
                "ParamCountLimit": 0,
                "MaxLifetime": "00:50:00",
                "PoolWait": "00:00:11",
                "ConnectTimeout": "00:00:12",
                "StatementTimeout": "00:00:13",
                "Grace": "00:00:14",
                "BusyTimeout": "00:00:15",
                "Pooled": true,
                "PreparedStatements": 16,
                "ValueBytes": 17,
                "SlowStatement": "00:00:18",
                "SyncTable": true,
                "Text": "exact",
                "ReadOnlyConfigs": [
                    {"ConnectionString": "postgres://app:s3cret@r1/shop"},
                    {"ConnectionString": "", "KeepAliveDuration": "00:00:00", "PoolSize": 0, "ParamCountLimit": 9}
                ]
            },
            {"Name": "archive", "Provider": "sqlite", "ConnectionString": "archive.db"}
        ]
    }
}"#;

#[test]
fn every_field_and_every_default() {
    let config = OrmConfig::from_json(JSON).unwrap();
    assert_eq!(config.default.as_deref(), Some("main"));
    let main = DataSourceConfig::new("main", "postgres", "postgres://app:s3cret@db/shop")
        .keep_alive_duration(Duration::from_secs(26 * 3600 + 184))
        .pool_size(3)
        .max_pool_size(7)
        .param_count_limit(0)
        .max_lifetime(Duration::from_secs(3000))
        .pool_wait(Duration::from_secs(11))
        .connect_timeout(Duration::from_secs(12))
        .statement_timeout(Duration::from_secs(13))
        .grace(Duration::from_secs(14))
        .busy_timeout(Duration::from_secs(15))
        .pooled(true)
        .prepared(16)
        .value_bytes(17)
        .slow_statement(Duration::from_secs(18))
        .sync_table(true)
        .text(TextMode::Exact)
        .replica(ReplicaConfig::new().connection_string("postgres://app:s3cret@r1/shop"))
        .replica(ReplicaConfig::new().keep_alive_duration(Duration::ZERO).pool_size(0).param_count_limit(9));
    assert_eq!(config.data_sources, [main.clone(), DataSourceConfig::new("archive", "sqlite", "archive.db")]);

    let archive = &config.data_sources[1];
    assert_eq!((archive.pool_size, archive.max_pool_size, archive.param_count_limit), (16, 100, 1000));
    assert_eq!((archive.keep_alive_duration, archive.sync_table), (Duration::from_secs(600), false));
    assert!(archive.sql_builder.is_none() && archive.read_only_configs.is_empty());
    assert_eq!((archive.slow_statement, archive.text), (None, TextMode::Database));
    let unsaid = archive.primary();
    assert_eq!((unsaid.busy_timeout, unsaid.pooled), (None, None));
    let expected = PoolOptions::default().name("archive").cached(16).max(100);
    assert_eq!(unsaid.options(), expected.keep_alive(Duration::from_secs(600)));

    let [first, second] = &main.replicas()[..] else { panic!("two replicas") };
    let url = "postgres://app:s3cret@r1/shop";
    assert_eq!(first, &PoolConfig { connection_string: url.into(), replica: Some(0), ..main.primary() });
    assert_eq!(
        second,
        &PoolConfig {
            keep_alive_duration: Duration::ZERO,
            pool_size: 0,
            param_count_limit: 9,
            replica: Some(1),
            ..main.primary()
        }
    );
    // What a replica does not say is that of its source.
    for pool in [main.primary(), first.clone(), second.clone()] {
        assert_eq!((pool.busy_timeout, pool.pooled), (Some(Duration::from_secs(15)), Some(true)));
        let said = PoolOptions::default().wait(Duration::ZERO).connect_timeout(Duration::ZERO).grace(Duration::ZERO);
        let options = pool.options_over(said.statement_timeout(None).prepared(0).value_bytes(0));
        assert_eq!(
            [Some(options.wait), Some(options.connect_timeout), options.statement_timeout, Some(options.grace)],
            [11, 12, 13, 14].map(|seconds| Some(Duration::from_secs(seconds)))
        );
        assert_eq!((options.prepared, options.value_bytes), (16, 17));
        assert_eq!(options.max_lifetime, Duration::from_secs(3000));
    }
    assert_eq!(
        (main.primary().options().name.as_deref(), second.options().name.as_deref()),
        (Some("main"), Some("main/1"))
    );
}

#[test]
fn toml_and_the_program_s_own_settings_say_the_same() {
    let text = r#"
        Default = "main"
        [[DataSources]]
        Name = "main"
        Provider = "sqlite"
        ConnectionString = ":memory:"
    "#;
    let config = OrmConfig::from_toml(text).unwrap();
    assert_eq!(
        config,
        OrmConfig::from_toml(&text.replace("DataSources", "Orm.DataSources").replace("Default", "Orm.Default"))
            .unwrap()
    );

    #[derive(serde::Deserialize)]
    struct Settings {
        port: u16,
        #[serde(rename = "Orm")]
        orm: OrmConfig,
    }
    let settings: Settings =
        serde_json::from_str(&JSON.replace("\"Logging\": {\"Level\": \"info\"}", "\"port\": 80")).unwrap();
    assert_eq!((settings.port, settings.orm), (80, OrmConfig::from_json(JSON).unwrap()));
}

#[test]
fn what_is_wrong_is_told_with_its_place_and_without_its_value() {
    let cases = [
        (r#"{"DataSource": []}"#, "Orm: unknown key `DataSource` (did you mean `DataSources`?)"),
        (r#"{"Colour": 1}"#, "Orm: unknown key `Colour`; there are Default, DataSources"),
        (r#"{"DataSources": ["s3cret"]}"#, "Orm.DataSources[0]: an object is expected, there is a text"),
        (
            r#"{"DataSources": [{"poolSize": 1}]}"#,
            "Orm.DataSources[0]: unknown key `poolSize` (did you mean `PoolSize`?)",
        ),
        (r#"{"DataSources": [{"a://b:s3cret@c": 1}]}"#, "Orm.DataSources[0]: unknown key `?`; there are Name, "),
        (r#"{"DataSources": [{"PoolSize": -1}]}"#, "Orm.DataSources[0].PoolSize: a whole number from 0 is expected"),
        (
            r#"{"DataSources": [{"ConnectionString": ["s3cret"]}]}"#,
            "Orm.DataSources[0].ConnectionString: a text is expected",
        ),
        (
            r#"{"DataSources": [{"KeepAliveDuration": "s3cret"}]}"#,
            "Orm.DataSources[0].KeepAliveDuration: a duration is",
        ),
        (
            r#"{"DataSources": [{"ReadOnlyConfigs": [{"Provider": "x"}]}]}"#,
            "Orm.DataSources[0].ReadOnlyConfigs[0]: unknown key `Provider`; there are ConnectionString, ",
        ),
        (r#"{"DataSources": "s3cret}"#, "the configuration is no JSON: see line 1, column "),
    ];
    for (text, expected) in cases {
        let error = OrmConfig::from_json(text).unwrap_err();
        assert!(error.to_string().starts_with(expected), "{error}");
        assert!(!format!("{error} {error:?}").contains("s3cret"), "{error:?}");
    }
    let error = OrmConfig::from_toml("Default = \"a\"\nDataSources = s3cret").unwrap_err();
    assert_eq!(error, ConfigError::Syntax { format: "TOML", line: 2, column: 15 });
}

#[test]
fn durations() {
    for (text, seconds) in [("00:00:00", 0), ("23:59:59", 86_399), ("10.00:00:01", 864_001), ("1:2:3", 3723)] {
        assert_eq!(duration_from_text(text), Ok(Duration::from_secs(seconds)), "{text}");
    }
    assert_eq!(duration_from_text("00:00:00.0000001"), Ok(Duration::from_nanos(100)));
    for text in
        ["", "10", "00:10", "24:00:00", "00:60:00", "00:00:60", "-00:00:01", "1.2.3:00:00", "00:00:00.", "a:b:c"]
    {
        assert_eq!(duration_from_text(text), Err(DurationError), "{text}");
    }
    for text in ["00:10:00", "1.02:03:04", "00:00:00.2500000"] {
        assert_eq!(duration_to_text(duration_from_text(text).unwrap()), text);
    }
}

#[test]
fn connection_strings_are_not_shown() {
    let config = OrmConfig::from_json(JSON).unwrap();
    let main = &config.data_sources[0];
    let shown = format!("{config:?} {main:?} {:?} {:?}", main.primary(), main.read_only_configs);
    assert!(!shown.contains("s3cret") && shown.contains("max_pool_size: 7"), "{shown}");
}

#[test]
fn keys_stand_in_rusts_spelling_as_well() {
    let mut snake = JSON.replace("ReadOnlyConfigs", "read_only_configs").replace("\"Orm\"", "\"orm\"");
    let names = JSON.split('"').filter(|word| word.starts_with(|c: char| c.is_ascii_uppercase()));
    for name in names.filter(|name| !["Logging", "Level", "Orm"].contains(name)) {
        let mut key = String::new();
        for c in name.chars() {
            if c.is_ascii_uppercase() && !key.is_empty() {
                key.push('_');
            }
            key.push(c.to_ascii_lowercase());
        }
        snake = snake.replace(&format!("\"{name}\":"), &format!("\"{key}\":"));
    }
    assert!(snake.contains("\"max_pool_size\": 7") && snake.contains("\"sql_builder\""), "{snake}");
    assert_eq!(OrmConfig::from_json(&snake).unwrap(), OrmConfig::from_json(JSON).unwrap());

    let both = r#"{"data_sources": [{"name": "main", "PoolSize": 1, "pool_size": 2}]}"#;
    let error = OrmConfig::from_json(both).unwrap_err();
    assert_eq!(error.to_string(), "Orm.DataSources[0]: `PoolSize` is there twice, in two spellings: leave one out");
}
