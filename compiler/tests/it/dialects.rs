//! What the check of a dialect's tables finds.

use isogloss_compiler::dialect::{Feature, Row, Since, Support, Variant, check};
use isogloss_compiler::expr::{DbValueType, LockMode, LockWait, from, prop};
use isogloss_compiler::functions::Func;
use isogloss_compiler::model::{Catalog, ColumnDef, TableDef};
use isogloss_compiler::{Compiler, ErrorKind};

use crate::support::{PLAIN, Plain};

fn compiler() -> Compiler {
    let order = TableDef::new("Order").column(ColumnDef::new("Id", DbValueType::Int32).primary_key());
    Compiler::new(Catalog::builder().table(order).build().unwrap())
}

/// A variant of the plain dialect by its tables.
fn variant(
    native: &'static [Feature],
    support: &'static [(Feature, Since)],
    functions: &'static [Row],
) -> Variant<Plain> {
    let sheet = isogloss_compiler::dialect::Sheet { name: "fork", native, support, functions, ..PLAIN };
    Variant::new(Box::leak(Box::new(sheet)), (3, 1, 0), Plain)
}

/// What is found beside what the plain dialect, which has no functions, lacks.
fn faults(dialect: &dyn isogloss_compiler::dialect::Dialect) -> Vec<String> {
    let all = check(dialect).unwrap_err().to_string();
    all.lines().filter(|line| !line.contains("no row is for")).map(str::to_owned).collect()
}

#[test]
fn functions_without_a_row_are_found() {
    let all = check(&Plain).unwrap_err().to_string();
    assert_eq!(all.lines().next(), Some("Length: no row is for 1 arguments"));
    assert!(faults(&Plain).is_empty());
}

#[test]
fn rows_that_are_wrong_are_found() {
    const ROWS: &[Row] = &[
        Row::call(Func::Lower, "LOWER({0})"),
        Row::call(Func::Lower, "LCASE({0})").plain(),
        Row::call(Func::Sum, "CASE WHEN {0} THEN 1 END"),
        Row::refuse(Func::Upper, "no"),
        Row::call(Func::Now, "NOW()").args(3),
    ];
    let found = faults(&variant(&[], &[], ROWS));
    let [reach, over, reason, arity] = found.as_slice() else { panic!("{found:?}") };
    assert!(reach.starts_with("Lower: ") && reach.contains("LCASE({0})") && reach.contains("is never reached behind"));
    assert_eq!(over, "Sum: `CASE WHEN {0} THEN 1 END` says nowhere where OVER stands");
    assert_eq!(reason, "Upper: `no` is no reason that helps anybody");
    assert_eq!(arity, "Now: it never takes 3 arguments, as a row wants");
}

#[test]
fn features_that_nobody_mentions_are_found_and_refused() {
    static SILENT: isogloss_compiler::dialect::Sheet = isogloss_compiler::dialect::Sheet { native: &[], ..PLAIN };
    #[derive(Debug, Clone)]
    struct Silent(u8);
    impl PartialEq for Silent {
        fn eq(&self, _: &Self) -> bool {
            self.0 > 1
        }
    }
    impl Eq for Silent {}
    impl isogloss_compiler::dialect::Dialect for Silent {
        fn sheet(&self) -> &'static isogloss_compiler::dialect::Sheet {
            &SILENT
        }
        fn version(&self) -> isogloss_compiler::dialect::Version {
            (1, 0, 0)
        }
        fn label(&self) -> String {
            "other".to_owned()
        }
        fn lexis(&self) -> isogloss_compiler::Lexis {
            isogloss_compiler::Lexis::STANDARD
        }
        fn cast_type(&self, ty: isogloss_compiler::expr::DbType) -> isogloss_compiler::Result<&'static str> {
            isogloss_compiler::dialect::Dialect::cast_type(&Plain, ty)
        }
        fn in_array<'e>(
            &self,
            w: &mut isogloss_compiler::render::Writer<'_, 'e>,
            node: &isogloss_compiler::frame::In<'_, 'e>,
            array: isogloss_compiler::frame::Param<'e>,
            ty: isogloss_compiler::expr::DbType,
        ) -> isogloss_compiler::Result<()> {
            isogloss_compiler::dialect::Dialect::in_array(&Plain, w, node, array, ty)
        }
        fn format_pattern(
            &self,
            _: &[isogloss_compiler::dialect::FormatToken<'_>],
        ) -> isogloss_compiler::Result<String> {
            Ok(String::new())
        }
    }
    let found = faults(&Silent(1));
    assert_eq!(found.first().unwrap(), "the label `other` does not begin with `plain`");
    assert_eq!(found.get(1).unwrap(), "a copy of the value does not equal it");
    assert_eq!(found.len(), 2 + Feature::COUNT);
    assert!(found.contains(&"plain: the sheet does not say what every version has of Lateral".to_owned()));

    let query = from("Order").lock(LockMode::Update, LockWait::Wait).select([prop("Id")]).into_segment();
    let error = compiler().compile(&query, &Silent(2)).unwrap_err();
    assert!(error.to_string().contains("its data sheet says nothing of it: add a row to it"), "{error}");
}

#[test]
fn what_is_said_twice_is_found() {
    const TWICE: &[(Feature, Since)] = &[(Feature::Lateral, Support::Native.always())];
    let found = faults(&variant(&[Feature::Lateral], TWICE, &[]));
    assert_eq!(found, ["fork: the sheet says twice what every version has of Lateral"]);
}

#[test]
fn a_variant_refuses_in_its_own_name() {
    const NO_LOCKS: &[(Feature, Since)] =
        &[(Feature::LockUpdate, Support::Refuse("the fork has no row locks: run it in a serializable one").always())];
    let fork = variant(&[], NO_LOCKS, &[]);
    let compiler = compiler();
    let locked = from("Order").lock(LockMode::Update, LockWait::Wait).select([prop("Id")]).into_segment();
    let error = compiler.compile(&locked, &fork).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Refused { dialect, .. } if dialect == "fork 3.1"), "{error}");
    assert!(compiler.compile(&locked, &Plain).is_ok());
}
