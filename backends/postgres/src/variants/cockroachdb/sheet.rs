//! The data sheet: what CockroachDB has and lacks beside PostgreSQL 13.

use isogloss_compiler::dialect::{Feature, Sheet, Since, Support};
use isogloss_compiler::features;
use isogloss_compiler::legalize::Rule;

use super::functions::FUNCTIONS;
use crate::SHEET;

/// The data sheet of CockroachDB.
pub static COCKROACHDB_SHEET: Sheet =
    Sheet { name: "cockroachdb", native: NATIVE, support: COCKROACHDB_SUPPORT, functions: FUNCTIONS, ..SHEET };

/// What PostgreSQL lacks and CockroachDB has. Its regular expressions are those of RE2.
const NATIVE: &[Feature] = features![RegexBorder];

const NO_LOOK: &str = "RE2 has none: test the text with two patterns";
const NO_REFERENCE: &str = "RE2 has none: compare the parts by functions of texts";

/// What differs from PostgreSQL, and since which version.
pub const COCKROACHDB_SUPPORT: &[(Feature, Since)] = &[
    // SUM(NULL), an ambiguous call        =>  SUM(CAST(NULL AS ..))
    (Feature::UntypedNull, Support::Expand(Rule::TypedNull).always()),
    // a ~ 'x.y', whose dot is no line end  =>  a ~ 'x[\s\S]y'
    (Feature::RegexAny, Support::Expand(Rule::RegexAny).always()),
    (Feature::RegexLook, Support::Refuse(NO_LOOK).always()),
    (Feature::RegexReference, Support::Refuse(NO_REFERENCE).always()),
];
