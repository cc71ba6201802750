//! The README's tables and texts are what the code says, and so is the table of the functions in the reference.
//!
//! What stands between `<!-- generated: name -->` and `<!-- end -->` is made here.
//! `ISOGLOSS_UPDATE_README=1 cargo test -p isogloss-conformance --test readme` writes it anew.

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;

use isogloss::dialect::{Feature as F, Form, Support};
use isogloss::functions::{Func, NullRule, ResultType, Topic};
use isogloss::legalize::Rule;
use isogloss::prelude::*;

/// Every feature, by topic.
const TOPICS: &[(&str, &[F])] = &[
    (
        "Truth values and NULL",
        &[
            F::BooleanValue,
            F::BooleanPredicate,
            F::TruthIndex,
            F::BooleanLiteral,
            F::NullSafeEqual,
            F::NullsOrder,
            F::EmptyString,
            F::ConcatNull,
            F::TextTruth,
        ],
    ),
    (
        "Numbers",
        &[
            F::IntegerDivision,
            F::DecimalDivision,
            F::IntegerCast,
            F::TextNumber,
            F::SingleCast,
            F::Assignment,
            F::ColumnScale,
            F::ColumnSeconds,
            F::DivisionByZero,
            F::DivisionInWrite,
            F::Modulo,
            F::FractionModulo,
            F::RoundDigits,
            F::DecimalDigits,
            F::BitNot,
            F::NotFinite,
            F::UnsignedBig,
        ],
    ),
    (
        "Text",
        &[
            F::ConcatAny,
            F::DecimalText,
            F::LargeText,
            F::TrailingBlanks,
            F::ExactText,
            F::CaseFolding,
            F::StringAggSeparator,
            F::TrimComputed,
            F::ZeroCharacter,
            F::LikeBracket,
            F::LikeEscape,
            F::LikeCollation,
            F::ILike,
            F::Regex,
            F::RegexEnd,
            F::RegexAny,
            F::RegexGroup,
            F::RegexClass,
            F::RegexBorder,
            F::RegexLook,
            F::RegexReference,
            F::NegativeLength,
        ],
    ),
    (
        "Dates and JSON",
        &[
            F::DateKinds,
            F::DateValues,
            F::GuidOrder,
            F::OffsetKinds,
            F::OffsetParts,
            F::TextTime,
            F::JsonEqual,
            F::JsonBoolean,
            F::JsonNull,
            F::JsonIndex,
            F::NestedJson,
        ],
    ),
    (
        "Lists and rows",
        &[
            F::ArrayParameter,
            F::ArrayInChange,
            F::ArrayInJoin,
            F::ArrayOfTexts,
            F::TupleIn,
            F::TupleInList,
            F::TupleCompare,
            F::TupleOrder,
            F::Array,
        ],
    ),
    (
        "Parameters",
        &[
            F::UntypedParameter,
            F::UntypedArgument,
            F::UntypedNull,
            F::NullBesideTexts,
            F::TextParameter,
            F::OffsetParameter,
            F::GroupParameter,
        ],
    ),
    (
        "Aggregates and windows",
        &[
            F::AggregateFilter,
            F::AggregateOrder,
            F::AggregateOrders,
            F::StringAggDistinct,
            F::StringAggWindow,
            F::SubqueryInAggregate,
            F::OuterInAggregate,
            F::SubqueryInGroup,
            F::FrameGroups,
            F::FrameExclude,
            F::FrameRangeOffset,
            F::WindowWithoutOrder,
            F::WindowDefault,
            F::HavingWithoutGroup,
            F::ScalarRows,
            F::CoalesceQuery,
        ],
    ),
    (
        "Queries",
        &[
            F::DistinctOn,
            F::RightJoin,
            F::FullJoin,
            F::Lateral,
            F::Intersect,
            F::Except,
            F::SetMemberParentheses,
            F::SetGroupParentheses,
            F::SetGroupNulls,
            F::SetZeroSign,
            F::RecursiveUnion,
            F::RecursiveTypes,
            F::RecursiveClauses,
            F::RecursionDepth,
            F::OffsetWithoutOrder,
            F::TwinsInPage,
            F::LimitInSubquery,
            F::OuterInDerived,
            F::ExistsGroups,
            F::ExistsPage,
            F::GroupKeyInside,
            F::GroupKeyInHaving,
            F::NotInQuery,
            F::SubqueryInJoin,
            F::ComputedText,
            F::QueryInQuery,
            F::RowOfQueryInQuery,
        ],
    ),
    (
        "Row locks",
        &[F::LockUpdate, F::LockShare, F::LockSkipLocked, F::LockNoWait, F::LockWithLimit, F::LockOrder, F::LockOf],
    ),
    (
        "Writes",
        &[
            F::MultiRowInsert,
            F::Upsert,
            F::InsertReturning,
            F::UpdateReturning,
            F::DeleteReturning,
            F::ReturningSubquery,
            F::SelfSubquery,
            F::SelfSubqueryRows,
            F::WriteWith,
            F::ChangeWith,
            F::IdentityValue,
        ],
    ),
];

#[test]
fn every_feature_has_a_topic() {
    let mut seen = vec![0; F::COUNT];
    TOPICS.iter().flat_map(|(_, features)| *features).for_each(|feature| seen[*feature as usize] += 1);
    let wrong: Vec<usize> = (0..F::COUNT).filter(|feature| seen[*feature] != 1).collect();
    assert!(wrong.is_empty(), "each feature stands in TOPICS once; not so those with these numbers, from 0: {wrong:?}");
}

#[test]
fn the_readme_is_current() {
    is_current("README.md", &[("rosetta", rosetta()), ("features", features()), ("functions", functions())]);
}

#[test]
fn the_table_of_functions_is_current() {
    is_current("compiler/src/functions.md", &[("functions", reference())]);
}

fn is_current(file: &str, texts: &[(&str, String)]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file);
    let now = std::fs::read_to_string(&path).unwrap();
    let wanted = texts.iter().fold(now.clone(), |file, (name, text)| replaced(&file, name, text));
    if wanted == now {
        return;
    }
    assert!(
        std::env::var_os("ISOGLOSS_UPDATE_README").is_some(),
        "{file} says something else than the code: run this test with ISOGLOSS_UPDATE_README=1 and review what changes"
    );
    std::fs::write(&path, wanted).unwrap();
}

fn replaced(file: &str, name: &str, text: &str) -> String {
    let begin = format!("<!-- generated: {name} -->\n");
    let (before, rest) = file.split_once(&begin).unwrap_or_else(|| panic!("the file lacks {begin}"));
    let (_, after) = rest.split_once("<!-- end -->").unwrap_or_else(|| panic!("{begin} has no end"));
    format!("{before}{begin}\n{text}\n<!-- end -->{after}")
}

/// The README's Rust example. What stands between `begin` and `end` is copied there.
fn example() -> Result<(Compiler, Expr), Box<dyn Error>> {
    // begin
    let id = || ColumnDef::new("Id", DbValueType::Int32).primary_key();
    let name = || ColumnDef::new("Name", DbValueType::String).length(100);
    let catalog = Catalog::builder()
        .table(
            TableDef::new("Department")
                .table("Departments")
                .column(id())
                .column(name())
                // A fixed filter: it is in every statement that touches the table, also in joins.
                .column(ColumnDef::new("Active", DbValueType::Boolean).constant(true)),
        )
        .table(
            TableDef::new("User")
                .table("Users")
                .column(id())
                .column(name())
                .column(ColumnDef::new("Email", DbValueType::String).length(200).nullable())
                .column(ColumnDef::new("Points", DbValueType::Int32).nullable())
                .column(
                    ColumnDef::new("DeptId", DbValueType::Int32).nullable().foreign(ForeignType::new("Department")),
                ),
        )
        .view(ViewDef::new("UserView", "User").foreign_column("DeptName", "Department", "Name"))
        .build()?;
    let compiler = Compiler::new(catalog);

    let filter = prop("DeptName").starts_with("R&D_") & prop("Email").ne("") & (prop("Points") / 2).gt(10);
    let page = from("UserView")
        .filter(filter)
        .order_by([prop("Points").desc().nulls_last(), prop("Id").asc()])
        .section(20, 10)
        .select([prop("Id"), prop("Name"), prop("DeptName")]);
    let query = Expr::from(page.into_segment());
    // end
    Ok((compiler, query))
}

/// The end of the README's Rust example.
const SHOW: &str = r#"
    for dialect in isogloss::DIALECTS {
        println!("{}\n{}\n", dialect.label(), compiler.compile(&query, *dialect)?.pretty());
    }
    Ok(())
}"#;

/// The example in Rust and as JSON, and in every dialect.
fn rosetta() -> String {
    let (_, code) = include_str!("readme.rs").split_once("    // begin\n").unwrap();
    let (code, _) = code.split_once("    // end\n").unwrap();
    let mut out = format!(
        "```rust\nuse isogloss::prelude::*;\n\nfn main() -> Result<(), Box<dyn std::error::Error>> {{\n{code}{SHOW}\n```\n"
    );

    let (compiler, query) = example().unwrap();
    let _ = write!(out, "\nThe same query as JSON:\n\n```json\n{}\n```\n", json::to_string(&query));
    for dialect in isogloss::DIALECTS {
        let compiled = compiler.compile(&query, *dialect).unwrap();
        let _ = write!(out, "\n**{}**\n\n```sql\n{}\n", dialect.label(), compiled.pretty());
        for note in &compiled.notes {
            let _ = writeln!(out, "-- {}: {}", note.rule, note.why);
        }
        out.push_str("```\n");
    }
    out
}

/// One line a feature. What is native everywhere needs none.
fn features() -> String {
    let compiler = Compiler::new(Catalog::builder().build().unwrap());
    let targets: Vec<_> = isogloss::DIALECTS.iter().map(|dialect| compiler.target(*dialect)).collect();
    let mut out = header("");
    let mut everywhere = Vec::new();
    for (topic, features) in TOPICS {
        let mut rows = String::new();
        for feature in *features {
            let supports: Vec<Support> = targets.iter().map(|target| target.support(*feature)).collect();
            if supports.iter().all(|support| matches!(support, Support::Native)) {
                everywhere.push(feature.title());
                continue;
            }
            let _ = write!(rows, "| {} |", feature.title());
            for support in supports {
                let _ = match support {
                    Support::Native => write!(rows, " native |"),
                    Support::Expand(rule) => write!(rows, " {} |", expanded(rule)),
                    Support::Refuse(_) => write!(rows, " **refused** |"),
                };
            }
            rows.push('\n');
        }
        if !rows.is_empty() {
            let _ = write!(out, "| **{topic}** |{}\n{rows}", " |".repeat(targets.len()));
        }
    }
    if !everywhere.is_empty() {
        let _ = writeln!(out, "\nNative on all of them: {}.", everywhere.join(", "));
    }
    out
}

fn expanded(rule: Rule) -> String {
    format!("`{}`", rule.name())
}

/// How many functions each dialect spells, and which it refuses and why.
fn functions() -> String {
    let mut out = header("");
    let mut refused = String::new();
    let mut rows = [("by itself", Vec::new()), ("by a rule", Vec::new()), ("refused", Vec::new())];
    for dialect in isogloss::DIALECTS {
        let version = dialect.version();
        let mut counts = [0; 3];
        let mut names = Vec::new();
        for func in Func::ALL {
            let forms: Vec<Form> = dialect
                .sheet()
                .functions
                .iter()
                .filter(|row| row.func == *func && row.since <= version)
                .map(|row| row.form)
                .collect();
            let place = match forms.iter().find(|form| !matches!(form, Form::Refuse(_))) {
                Some(Form::Text(..)) => 0,
                Some(_) => 1,
                None => {
                    names.push(format!("`{}`", func.signature().name));
                    2
                }
            };
            counts[place] += 1;
        }
        for ((_, row), count) in rows.iter_mut().zip(counts) {
            row.push(count.to_string());
        }
        if !names.is_empty() {
            let _ = writeln!(refused, "- {}: {}", dialect.label(), names.join(", "));
        }
    }
    for (title, row) in rows {
        let _ = writeln!(out, "| {title} | {} |", row.join(" | "));
    }
    if !refused.is_empty() {
        let _ = write!(out, "\nRefused, each with its reason in the error:\n\n{refused}");
    }
    out
}

/// What each function takes, gives and means, and who refuses it.
fn reference() -> String {
    let refusing = |func: Func| {
        let refuses = |dialect: &&&dyn Dialect| {
            let rows = dialect.sheet().functions.iter();
            let mut rows = rows.filter(|row| row.func == func && row.since <= dialect.version());
            rows.all(|row| matches!(row.form, Form::Refuse(_)))
        };
        let labels: Vec<String> = isogloss::DIALECTS.iter().filter(refuses).map(|dialect| dialect.label()).collect();
        labels.join(", ")
    };
    let mut out = String::from(
        "In the column *NULL if*: **any** argument is NULL, **all** of them are, **never**, or as the sentence says \
         (**maybe**). In brackets: what may be left out. `...`: more of the same.\n",
    );
    for topic in Topic::ALL {
        let _ = writeln!(out, "\n# {}\n", topic.title());
        if !topic.about().is_empty() {
            let _ = writeln!(out, "{}\n", topic.about());
        }
        out.push_str("| Function | Gives | NULL if | Meaning |\n|:--|:--|:--|:--|\n");
        for func in topic.functions() {
            let signature = func.signature();
            let gives = match signature.result {
                ResultType::Is(ty) => ty.name(),
                ResultType::First => "as the first",
                ResultType::Widest => "the widest",
                ResultType::Sum => "a sum",
                ResultType::Average => "an average",
                ResultType::DateLike => "a date and time",
            };
            let null = match signature.null {
                NullRule::Any => "any",
                NullRule::All => "all",
                NullRule::First => "the first",
                NullRule::Never => "never",
                NullRule::Maybe => "maybe",
            };
            let _ = write!(out, "| `{}` | {gives} | {null} | {}", signature.call(), signature.meaning);
            if !signature.aliases.is_empty() {
                let _ = write!(out, " Also `{}`.", signature.aliases.join("`, `"));
            }
            let refusing = refusing(*func);
            if !refusing.is_empty() {
                let _ = write!(out, " Refused by {refusing}.");
            }
            out.push_str(" |\n");
        }
    }
    out
}

fn header(first: &str) -> String {
    let labels: Vec<String> = isogloss::DIALECTS.iter().map(|dialect| dialect.label()).collect();
    format!("| {first} | {} |\n|:--|{}\n", labels.join(" | "), ":--|".repeat(labels.len()))
}
