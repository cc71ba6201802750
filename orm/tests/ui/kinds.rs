use isogloss::prelude::*;

#[derive(DbEnum)]
enum Fields {
    One(i32),
}

#[derive(DbEnum)]
enum Same {
    One,
    #[db_enum(rename = "one")]
    Two,
}

#[derive(DbEnum)]
struct NoEnum(i32);

#[derive(Field)]
struct Pair(i32, i32);

#[derive(Entity)]
struct Tuple(i32);

#[derive(Entity)]
enum Enum {
    A,
}

#[derive(Entity)]
#[table(nme = "orders")]
struct Table {
    id: i64,
}

#[derive(Entity)]
#[table(columns = "kebab-case")]
struct Case {
    id: i64,
}

#[derive(Entity)]
struct Borrowed<'a> {
    name: &'a str,
}

#[derive(Entity)]
struct Version {
    #[column(primary_key)]
    id: i64,
    #[column(timestamp, type = "DateTime2")]
    version: i64,
}

fn main() {}
