//! The tables and texts of the README and the book are what the code says, and so is the table of the functions in the
//! reference.
//!
//! What stands between `<!-- generated: name -->` and `<!-- end -->` is made here.
//! `ISOGLOSS_UPDATE_README=1 cargo test -p isogloss-conformance --test it readme::` writes it again.

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;

use isogloss::dialect::{Dialect, Feature as F, Form, Support};
use isogloss::entity::{Linked as _, Query};
use isogloss::expr::{DbValueType, Expr};
use isogloss::functions::{Func, NullRule, ResultType, Topic};
use isogloss::legalize::Rule;
use isogloss::model::{ColumnDef, ForeignType, TableDef, ViewDef};
use isogloss::prelude::*;
use isogloss::{Compiler, ORACLE, POSTGRES, SQLITE, SQLSERVER};

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
            F::LargeBinary,
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
            F::GroupSubqueryRepeated,
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
            F::OuterGroup,
            F::OuterInKey,
            F::Window,
            F::FrameGroups,
            F::FrameExclude,
            F::FrameRangeOffset,
            F::WindowWithoutOrder,
            F::WindowDefault,
            F::HavingWithoutGroup,
            F::HavingOverConstants,
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
            F::FullJoinCondition,
            F::Lateral,
            F::Intersect,
            F::Except,
            F::SetMemberParentheses,
            F::PagedSetInSubquery,
            F::SetGroupParentheses,
            F::SetGroupNulls,
            F::SetZeroSign,
            F::Recursion,
            F::RecursiveUnion,
            F::RecursiveTypes,
            F::RecursiveClauses,
            F::RecursionDepth,
            F::OffsetWithoutOrder,
            F::TwinsInPage,
            F::LimitInSubquery,
            F::WindowInSubquery,
            F::OuterInDerived,
            F::ExistsGroups,
            F::ExistsPage,
            F::ExistsByKey,
            F::ExistsInChange,
            F::PageOfJoins,
            F::OrOfTables,
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
            F::ConflictSubquery,
            F::CrossAssignment,
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
    is_current("README.md", &[("example", example())]);
}

#[test]
fn the_book_is_current() {
    is_current("docs/src/compiler.md", &[("rosetta", rosetta())]);
    is_current("docs/src/engines.md", &[("features", features()), ("functions", functions())]);
}

#[test]
fn the_table_of_functions_is_current() {
    is_current("compiler/src/functions.md", &[("functions", reference())]);
}

/// What goes deeper than a newcomer's first minutes is a chapter of the book.
#[test]
fn the_readme_is_short() {
    let lines = text_of("README.md").lines().count();
    assert!(lines <= 250, "the README has {lines} lines");
}

const RECIPES: &str = "docs/src/cookbook";

/// A page that is not in the list is not run, and one that is in no table of contents is not found.
#[test]
fn every_recipe_runs_and_is_found() {
    let runs = text_of("orm/src/cookbook.rs");
    let (index, summary) = (text_of("docs/src/cookbook/README.md"), text_of("docs/src/SUMMARY.md"));
    for file in std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(RECIPES)).unwrap() {
        let path = file.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        if name == "README" || path.extension().is_none_or(|end| end != "md") {
            continue;
        }
        let title = std::fs::read_to_string(&path).unwrap().lines().next().unwrap().replace("# ", "");
        assert!(runs.split_whitespace().any(|word| word == name), "orm/src/cookbook.rs lacks {name}");
        assert!(index.contains(&format!("- [{title}]({name}.md)\n")), "the index of the cookbook lacks {name}");
        assert!(summary.contains(&format!("- [{title}](cookbook/{name}.md)\n")), "SUMMARY.md lacks {name}");
    }
}

/// Relative ones, and those into the repository on its host, with their headings.
#[test]
fn every_link_leads_somewhere() {
    const HOST: &str = "https://github.com/isogloss/isogloss/";
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut pages: Vec<_> =
        ["README.md", "CONTRIBUTING.md", "SECURITY.md"].iter().map(|page| root.join(page)).collect();
    for folder in ["docs/src", RECIPES] {
        pages.extend(std::fs::read_dir(root.join(folder)).unwrap().map(|file| file.unwrap().path()));
    }
    pages.extend(
        ["benches", "faults", "attacks"].iter().map(|part| root.join("conformance").join(part).join("README.md")),
    );
    pages.retain(|page| page.extension().is_some_and(|end| end == "md"));
    let mut lost = Vec::new();
    for page in &pages {
        let text = std::fs::read_to_string(page).unwrap();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let own = link.strip_prefix(HOST).and_then(|link| Some(root.join(link.split_once("/main/")?.1)));
            let target = match own {
                Some(path) => path,
                None if link.contains("://") => continue,
                None if link.starts_with('#') => page.with_extension(format!("md{link}")),
                None => page.with_file_name(link),
            };
            let target = target.to_str().unwrap();
            let (file, heading) =
                target.split_once('#').map_or((target, None), |(file, heading)| (file, Some(heading)));
            let found = match heading {
                None => Path::new(file).exists(),
                Some(heading) => std::fs::read_to_string(file).is_ok_and(|text| {
                    text.lines().filter(|line| line.starts_with('#')).any(|line| slug(line) == heading)
                }),
            };
            if !found {
                lost.push(format!("{}: {link}", page.display()));
            }
        }
    }
    assert!(lost.is_empty(), "{lost:#?}");
}

/// What a heading is called in a link.
fn slug(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    text.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c)).map(|c| if c == ' ' { '-' } else { c }).collect()
}

fn text_of(file: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file)).unwrap()
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

// The README's example has this struct, and the query of `open_tasks`.
// task
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "tasks", columns = "snake_case")]
struct Task {
    #[column(primary_key, identity)]
    id: i64,
    #[column(length = 100)]
    title: String,
    done_by: Option<String>,
}
// end of task

fn open_tasks() -> Query<Task> {
    // query
    query!(|t: Task| t.filter(t.done_by.is_none() && t.title.contains("a")).order_by(t.id).take(10))
    // end of query
}

/// The condition of the README's example as JSON, and its query on engines that differ most.
fn example() -> String {
    let readme = text_of("README.md");
    for name in ["task", "query"] {
        let (_, own) = include_str!("readme.rs").split_once(&format!("// {name}\n")).unwrap();
        let (own, _) = own.split_once(&format!("// end of {name}\n")).unwrap();
        assert!(readme.contains(own.trim()), "the README's example has another {name} than this:\n{own}");
    }
    let compiler = Compiler::new(Catalog::builder().entity::<Task>().build().unwrap());
    let condition = expr!(|t: Task| t.done_by.is_none() && t.title.contains("a"));
    let mut out =
        format!("```json\n{}\n```\n\nIts query on some of the engines:\n", json::to_string(condition.logic()));
    let query = Expr::from(open_tasks());
    for dialect in [&POSTGRES as &dyn Dialect, &SQLITE, &SQLSERVER, &ORACLE] {
        out.push('\n');
        out.push_str(&spelled(&compiler, &query, dialect));
    }
    out
}

/// A query's text in a dialect, with its notes.
fn spelled(compiler: &Compiler, query: &Expr, dialect: &dyn Dialect) -> String {
    let compiled = compiler.compile(query, dialect).unwrap();
    let mut out = format!("**{}**\n\n```sql\n{}\n", dialect.label(), compiled.pretty());
    for note in &compiled.notes {
        let _ = writeln!(out, "-- {}: {}", note.rule, note.why);
    }
    out + "```\n"
}

/// The Rust example of the chapter on the compiler. What stands between `begin` and `end` is copied there.
fn tree() -> Result<(Compiler, Expr), Box<dyn Error>> {
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

/// What the chapter's Rust example imports.
const USES: &str = "\
use isogloss::Compiler;
use isogloss::expr::{DbValueType, Expr};
use isogloss::model::{ColumnDef, ForeignType, TableDef, ViewDef};
use isogloss::prelude::*;
";

/// The end of the chapter's Rust example.
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
    let mut out =
        format!("```rust\n{USES}\nfn main() -> Result<(), Box<dyn std::error::Error>> {{\n{code}{SHOW}\n```\n");

    let (compiler, query) = tree().unwrap();
    let _ = write!(out, "\nThe same query as JSON:\n\n```json\n{}\n```\n", json::to_string(&query));
    for dialect in isogloss::DIALECTS {
        out.push('\n');
        out.push_str(&spelled(&compiler, &query, *dialect));
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
        let mut counts = [0; 3];
        let mut names = Vec::new();
        for func in Func::ALL {
            let forms: Vec<Form> = dialect.rows_of(*func).iter().map(|row| row.form).collect();
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
        let refuses =
            |dialect: &&&dyn Dialect| dialect.rows_of(func).iter().all(|row| matches!(row.form, Form::Refuse(_)));
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
