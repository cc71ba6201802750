/// Compares the SQL of a statement in five dialects with what the chapter shows behind `<!-- sql: name -->`, and gives that
/// of SQLite. `ISOGLOSS_UPDATE_README=1` writes it into the chapter; with `--test-threads=1`, as the examples share the file.
fn shown<'s>(
    session: &Session,
    name: &str,
    statement: impl Into<isogloss::StatementRef<'s>>,
) -> Result<String, Box<dyn std::error::Error>> {
    use isogloss::mysql::MySql;
    use isogloss::{ORACLE, POSTGRES, SQLITE, SQLSERVER};

    let compiler = isogloss::Compiler::new(session.context().catalog().clone());
    let statement = statement.into();
    let mut text = String::new();
    for dialect in [&POSTGRES as &dyn isogloss::dialect::Dialect, &MySql::V8_4, &SQLITE, &SQLSERVER, &ORACLE] {
        text += &match compiler.compile(statement, dialect) {
            Ok(compiled) => format!("-- {}\n{}\n", dialect.label(), compiled.sql),
            Err(error) => format!("-- {}: {error}\n", dialect.label()),
        };
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/src/typed-queries.md");
    let chapter = std::fs::read_to_string(path)?;
    let begin = format!("<!-- sql: {name} -->\n");
    let (before, rest) = chapter.split_once(&begin).ok_or_else(|| format!("the chapter lacks {begin}"))?;
    let (_, after) = rest.split_once("<!-- end -->").ok_or_else(|| format!("{begin} has no end"))?;
    let wanted = format!("{before}{begin}\n```sql\n{text}```\n\n<!-- end -->{after}");
    if std::env::var_os("ISOGLOSS_UPDATE_README").is_some() {
        std::fs::write(path, wanted)?;
    } else if wanted != chapter {
        return Err(format!("the chapter shows another SQL of `{name}`: run this with ISOGLOSS_UPDATE_README=1\n{text}").into());
    }
    Ok(compiler.compile(statement, &SQLITE).map(|compiled| compiled.sql.to_string()).unwrap_or_default())
}
