//! Random trees survive the notation; random texts do no harm.

use proptest::prelude::*;

use crate::expr::{Expr, Value, ValueTypeExpr};
use crate::json::{ReadLimits, arbitrary, from_slice, from_str, read, to_string};
use crate::walk::ExprRef;

/// Appends the same document with the keys of each object in another order.
fn shuffled(value: &serde_json::Value, seed: &mut u64, out: &mut String) {
    use serde_json::Value as J;
    match value {
        J::Object(map) if !is_dictionary(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            for at in (1..entries.len()).rev() {
                *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                entries.swap(at, (*seed >> 33) as usize % (at + 1));
            }
            out.push('{');
            for (at, (key, value)) in entries.into_iter().enumerate() {
                out.push_str(if at > 0 { " , " } else { "" });
                out.push_str(&serde_json::to_string(key).unwrap());
                out.push_str(" :\n");
                shuffled(value, seed, out);
            }
            out.push('}');
        }
        J::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                out.push_str(if at > 0 { ", " } else { "" });
                shuffled(item, seed, out);
            }
            out.push(']');
        }
        other => out.push_str(&other.to_string()),
    }
}

/// A dictionary keeps the order of its keys, so a shuffled one is another value. Those of the random trees have keys that
/// do not begin with a capital letter, or stand under `$map`.
fn is_dictionary(map: &serde_json::Map<String, serde_json::Value>) -> bool {
    let plain =
        |key: &String| !super::super::words::is_marker(key) && !key.starts_with(|c: char| c.is_ascii_uppercase());
    map.contains_key("$map") || map.keys().all(plain)
}

/// Which values are constants, in the order of the tree.
fn constants(tree: &Expr) -> Vec<bool> {
    let mut found = Vec::new();
    crate::walk::visit(tree, crate::walk::VisitOrder::Pre, |node| {
        if let ExprRef::Value(ValueTypeExpr::Value(value)) | ExprRef::Constant(value) = node {
            found.push(value.is_const);
        }
    });
    found
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn trees_survive(tree in arbitrary::expr()) {
        let text = to_string(&tree);
        let back = from_str(&text).map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        prop_assert_eq!(&back, &tree, "{}", text);
        prop_assert_eq!(&serde_json::to_string(&tree).unwrap(), &text);
        let by_serde: Expr = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(&by_serde, &tree);
        // Serde_json's own tree loses digits of no number that the writer gives.
        let by_value: Expr = serde_json::from_value(serde_json::to_value(&tree).unwrap()).unwrap();
        prop_assert_eq!(to_string(&by_value).len(), to_string(&back).len());
    }

    /// Constants stay constants.
    #[test]
    fn own_trees_come_back_as_they_were(tree in arbitrary::expr()) {
        let text = to_string(&tree);
        let back: Expr = crate::json::read_own(&text, &ReadLimits::DEFAULT).map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        // A definition that stands twice comes back once, and as a reference.
        if !text.contains("$cte") {
            prop_assert_eq!(&back, &tree, "{}", text);
            prop_assert_eq!(constants(&back), constants(&tree), "{}", text);
        }
    }

    #[test]
    fn sorts_survive(logic in arbitrary::logic(), value in arbitrary::value(), segment in arbitrary::segment()) {
        let limits = ReadLimits::DEFAULT;
        prop_assert_eq!(&read::<crate::expr::LogicExpr>(&to_string(&logic), &limits).unwrap(), &logic);
        prop_assert_eq!(&read::<crate::expr::ValueTypeExpr>(&to_string(&value), &limits).unwrap(), &value);
        prop_assert_eq!(&read::<crate::expr::SqlSegment>(&to_string(&segment), &limits).unwrap(), &segment);
    }

    #[test]
    fn plain_values_survive(value in arbitrary::plain()) {
        let text = to_string(&value);
        let back: Value = read(&text, &ReadLimits::DEFAULT).unwrap();
        prop_assert_eq!(&back, &value, "{}", text);
        // Whole numbers have one notation; everything else comes back as what it was.
        if !matches!(value, Value::UInt(_)) {
            prop_assert_eq!(back.kind(), value.kind(), "{}", text);
        }
        if let (Value::Float(back), Value::Float(value)) = (&back, &value) {
            prop_assert_eq!(back.is_sign_negative(), value.is_sign_negative(), "{}", text);
        }
        prop_assert_eq!(to_string(&back).parse::<f64>().ok(), text.parse::<f64>().ok());
    }

    #[test]
    fn the_order_of_keys_does_not_matter(tree in arbitrary::expr(), seed in any::<u64>()) {
        let document = serde_json::to_value(&tree).unwrap();
        let mut text = String::new();
        shuffled(&document, &mut seed.clone(), &mut text);
        let back = from_str(&text).map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        prop_assert_eq!(&back, &tree, "{}", text);
    }

    #[test]
    fn a_changed_text_does_no_harm(
        tree in arbitrary::expr(),
        at in any::<prop::sample::Index>(),
        length in 0..4_usize,
        with in prop_oneof![
            proptest::collection::vec(any::<u8>(), 0..4),
            "[\\[\\]{}:,\"0-9.eE$#@!\\\\u-]{0,3}".prop_map(String::into_bytes),
        ],
    ) {
        let mut bytes = to_string(&tree).into_bytes();
        let at = at.index(bytes.len());
        let end = (at + length).min(bytes.len());
        bytes.splice(at..end, with);
        // What is read is a tree, so its text is canonical.
        if let Ok(tree) = from_slice(&bytes) {
            let text = to_string(&tree);
            prop_assert_eq!(&from_str(&text).unwrap(), &tree);
            // No text is taken for a tree that is no JSON.
            let checked = serde_json::from_slice::<serde::de::IgnoredAny>(&bytes);
            prop_assert!(checked.is_ok(), "{:?}", String::from_utf8_lossy(&bytes));
        }
    }

    #[test]
    fn bytes_do_no_harm(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
        let _ = from_slice(&bytes);
    }

    #[test]
    fn tokens_do_no_harm(tokens in proptest::collection::vec(prop::sample::select(vec![
        "{", "}", "[", "]", ":", ",", "\"$\"", "\"#\"", "\"@\"", "\"!\"", "\"$and\"", "\"Left\"", "\"Right\"", "\"A\"",
        "\"==\"", "\"func\"", "1", "null", "true", "-1.5e3", "\"$where\"", "\"Where\"", "\"$select\"", "\"Items\"", " ",
    ]), 0..40)) {
        let text = tokens.concat();
        let checked = serde_json::from_str::<serde::de::IgnoredAny>(&text);
        match from_str(&text) {
            Ok(_) => prop_assert!(checked.is_ok(), "{}", text),
            Err(error) => {
                prop_assert!(error.path.as_str().starts_with('$'));
                let syntax = matches!(error.kind, crate::json::JsonErrorKind::Syntax { .. });
                prop_assert!(!syntax || checked.is_err(), "{}: {}", text, error);
            }
        }
    }

    #[test]
    fn doubles_are_written_as_serde_json_writes_them(bits in any::<u64>()) {
        let n = f64::from_bits(bits);
        prop_assume!(n.is_finite());
        let text = to_string(&Value::Float(n));
        prop_assert_eq!(&serde_json::to_string(&Value::Float(n)).unwrap(), &text);
        prop_assert_eq!(read::<Value>(&text, &ReadLimits::DEFAULT).unwrap(), Value::Float(n));
        let plain = text.starts_with("{\"$double\"") || text == serde_json::to_string(&n).unwrap();
        prop_assert!(plain, "{}", text);
    }

    #[test]
    fn short_doubles_too(mantissa in -100_000..100_000_i64, exponent in -30..30_i32) {
        let n: f64 = format!("{mantissa}e{exponent}").parse().unwrap();
        prop_assert_eq!(to_string(&Value::Float(n)), format!("{{\"$double\":{}}}", serde_json::to_string(&n).unwrap()));
    }

    #[test]
    fn texts_are_read_as_serde_json_reads_them(text in ".{0,20}", ascii in "[\\x00-\\x7f]{0,10}") {
        for text in [text, ascii] {
            let json = serde_json::to_string(&text).unwrap();
            prop_assert_eq!(&to_string(&Value::from(text.as_str())), &json);
            prop_assert_eq!(read::<Value>(&json, &ReadLimits::DEFAULT).unwrap(), Value::from(text));
        }
    }
}
