//! How SQLite spells functions.

use isogloss_compiler::dialect::Row;
use isogloss_compiler::functions::Func as F;

/// The function table.
pub const FUNCTIONS: &[Row] = &[
    Row::call(F::Lower, "LOWER({0})"),
    Row::call(F::Upper, "UPPER({0})"),
    Row::call(F::Length, "LENGTH({0})"),
    Row::call(F::Coalesce, "COALESCE({*})"),
    Row::call(F::NullIf, "NULLIF({0}, {1})"),
    Row::call(F::Count, "COUNT(*)").args(0),
    Row::call(F::Count, "COUNT({0})"),
    Row::call(F::Sum, "SUM({0})"),
    Row::call(F::Min, "MIN({0})"),
    Row::call(F::Max, "MAX({0})"),
    Row::call(F::Avg, "AVG({0})"),
    Row::call(F::RowNumber, "ROW_NUMBER()"),
];
