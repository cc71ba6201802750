//! Every error, with its path.

use serde::de::DeserializeOwned;
use serde::de::value::{EnumAccessDeserializer, MapAccessDeserializer, MapDeserializer};
use serde_json::json;

use crate::expr::{
    Expr, FromExpr, FunctionExpr, HavingExpr, InsertExpr, LogicExpr, OrExpr, SqlSegment, ValueSet, ValueTypeExpr,
};
use crate::json::{JsonError, JsonErrorKind, ReadLimits, from_slice, from_str, from_str_with, read, read_slice};

#[track_caller]
fn error(text: &str, message: &str) {
    match from_str(text) {
        Ok(tree) => panic!("{text} reads as {tree:?}"),
        Err(error) => assert_eq!(error.to_string(), message, "{text}"),
    }
}

#[test]
fn no_json() {
    for (text, message) in [
        ("", "the text ends too early (byte 0) at $"),
        ("{", "the text ends too early (byte 1) at $"),
        (r##"{"$and":[{"#"##, "a string has no end (byte 12) at $.$and[0]"),
        (r#"{"a[0]":{"b]":1,}}"#, r#"a key is missing (byte 16) at $["a[0]"]"#),
        ("nul", "neither a value nor its end (byte 0) at $"),
        ("[1,]", "a list does not end with a comma (byte 3) at $[1]"),
        ("[1 2]", "a comma or the end of the list is missing (byte 3) at $[0]"),
        ("01", "a number has no leading zeros (byte 0) at $"),
        ("1.", "a digit is missing (byte 2) at $"),
        ("1e+", "a digit is missing (byte 3) at $"),
        ("-", "neither a value nor its end (byte 0) at $"),
        ("+1", "neither a value nor its end (byte 0) at $"),
        ("1 x", "something follows the end of the value (byte 2) at $"),
        ("\"a\nb\"", "a control character in a string has to be escaped (byte 2) at $"),
        (r#""\x""#, "not an escape of JSON (byte 1) at $"),
        (r#""\ud800""#, "half of a surrogate pair (byte 1) at $"),
        (r#""\udc00""#, "half of a surrogate pair (byte 1) at $"),
        (r#""\ud800\u0041""#, "half of a surrogate pair (byte 1) at $"),
        (r#"{"$and":[],}"#, "a key is missing (byte 11) at $"),
        (r#"{"$and" []}"#, "a colon is missing (byte 8) at $"),
        (r#"{"Left":1,"$":}"#, "neither a value nor its end (byte 14) at $.$"),
        (r#"{"$":"not" "Operand":1}"#, "a comma or the end of the object is missing (byte 11) at $.$"),
        // The marker is looked for behind what is before it.
        (r#"{"Left":[1 2],"$":"=="}"#, "a comma or an end is missing (byte 11) at $.Left[0]"),
    ] {
        error(text, message);
    }
    assert_eq!(from_str(r#""\ud834\udd1e\/""#).unwrap(), crate::expr::value("𝄞/").into());
    let bad = from_slice(b"\"\xff\"").unwrap_err();
    assert_eq!(bad.to_string(), "not UTF-8 (byte 1) at $");
}

#[test]
fn operators_of_other_notations_are_told() {
    for (words, own) in [
        (&["eq", "$eq"][..], "=="),
        (&["ne", "neq", "$ne"], "!="),
        (&["gt", "$gt"], ">"),
        (&["lt", "$lt"], "<"),
        (&["ge", "gte", "$gte"], ">="),
        (&["le", "lte", "$lte", "LTE"], "<="),
        (&["nin", "not in", "$nin"], "notin"),
        (&["$func", "$function"], r#"{"$":"func","Length":[..]}"#),
    ] {
        for word in words {
            let error = from_str(&format!(r##"{{"$":"{word}","Left":{{"#":"A"}},"Right":1}}"##)).unwrap_err();
            let JsonErrorKind::UnknownMarker { marker, near } = &error.kind else { panic!("{word}: {error}") };
            assert_eq!((marker.as_str(), *near), (*word, Some(own)));
        }
    }
}

#[test]
fn a_text_as_long_as_the_limit_is_read() {
    let text = r##"{"#":"A"}"##;
    let at = |bytes| ReadLimits { bytes, ..ReadLimits::DEFAULT };
    let long = |error: JsonError| matches!(error.kind, JsonErrorKind::TooManyBytes { .. });
    assert!(read::<Expr>(text, &at(text.len())).is_ok());
    assert!(read_slice::<Expr>(text.as_bytes(), &at(text.len())).is_ok());
    assert!(read::<Expr>(text, &at(text.len() - 1)).is_err_and(long));
    assert!(read_slice::<Expr>(text.as_bytes(), &at(text.len() - 1)).is_err_and(long));
}

#[test]
fn wrong_nodes() {
    for (text, message) in [
        // A filter is never dropped.
        (r##"{"$where":null,"Where":{"#":"x"}}"##, "expected a logic expression, found a property at $.Where"),
        (r##"{"$where":null,"Where":null}"##, "expected a logic expression, found null at $.Where"),
        (r##"{"$where":null,"Where":true}"##, "expected a logic expression, found a boolean at $.Where"),
        (r##"{"$where":null,"Where":{"$table":"T"}}"##, "expected a logic expression, found a table at $.Where"),
        (r##"{"!":{"#":"IsActive"}}"##, "expected a logic expression, found a property at $.!"),
        (r##"{"$and":[{"$and":[]},{"@":1}]}"##, "expected a logic expression, found a value at $.$and[1]"),
        (r##"{"$and":[null]}"##, "expected a logic expression, found null at $.$and[0]"),
        (r##"{"$and":{}}"##, "expected a list, found an object at $.$and"),
        (r##"{"$istrue":{"$delete":{"$table":"T"}}}"##, "expected a value, found a DELETE at $.$istrue"),
        (
            r##"{"$":"==","Left":{"$update":{"$table":"T"},"Sets":[]},"Right":1}"##,
            "expected a value, found an UPDATE at $.Left",
        ),
        (
            r##"{"$where":{"$and":[]},"Where":{"$and":[]}}"##,
            "expected a table or query, found a logic expression at $.$where",
        ),
        (r##"{"$delete":{"$select":null}}"##, "expected a table, found a select at $.$delete"),
        (r##"{"$cte":{"$table":"T"},"Alias":"x"}"##, "expected a select, found a table at $.$cte"),
        (r##"{"$from":null}"##, "expected a table or query, found null at $.$from"),
        (r##"{"$from":{"$table":"T"},"Joins":[{"$table":"U"}]}"##, "expected a join, found a table at $.Joins[0]"),
        (r##"{"$":"func","CASE":[{"#":"A"},1]}"##, "expected a logic expression, found a property at $.CASE[0]"),
        (
            r##"{"$":"func","CASE":[{"$or":[]},1,{"@":[1,{"a":[2]}]},2]}"##,
            "expected a logic expression, found a value at $.CASE[2]",
        ),
        (r##"{"$":"over","Func":{"#":"A"}}"##, "expected a function, found a property at $.Func"),
        (r##"{"$":"bin","Operator":"+","Left":1,"Right":1,"x":1}"##, r#"unknown key "x" at $"#),
        (
            r##"{"!":{"$":"bin","Operator":"+","Left":1,"Right":1}}"##,
            "expected a logic expression, found a computed value at $.!",
        ),
        (r##"{"#":5}"##, "expected the name of a property, found a number at $.#"),
        (r##"{"$":5}"##, "expected the name of a node or operator, found a number at $.$"),
        (r##"{"$table":5}"##, "expected the name of an entity, found a number at $.$table"),
        (r##"{"$section":null,"After":[{"#":"A"}]}"##, "expected a plain value, found a property at $.After[0]"),
        (r##"{"$foreign":"T","AutoRelated":1}"##, "expected a boolean, found a number at $.AutoRelated"),
    ] {
        error(text, message);
    }
    let limits = ReadLimits::DEFAULT;
    let wrong = read::<LogicExpr>(r##"{"#":"A"}"##, &limits).unwrap_err();
    assert_eq!(wrong.to_string(), "expected a logic expression, found a property at $");
    let wrong = read::<SqlSegment>("[]", &limits).unwrap_err();
    assert_eq!(wrong.to_string(), "expected a table or query, found a list at $");
    let wrong = read::<ValueTypeExpr>(r##"{"$join":{"$table":"A"}}"##, &limits).unwrap_err();
    assert_eq!(wrong.to_string(), "expected a value, found a join at $");
}

macro_rules! no_marker {
    () => {
        "an object without a marker: no key `$`, `#`, `@`, `!`, `$and`, ... A comparison is written \
         {\"$\":\"==\",\"Left\":{\"#\":\"Name\"},\"Right\":5}"
    };
}

#[test]
fn keys_and_words() {
    for (text, message) in [
        (r##"{"$":"==","left":1,"Right":1}"##, r#"unknown key "left" at $ (did you mean "Left"?)"#),
        (r##"{"$where":null,"Source":null,"Where":{"$or":[]}}"##, r#"unknown key "Source" at $"#),
        (r##"{"#":"A","@":1}"##, r#"unknown key "@" at $"#),
        (r##"{"$":"==","Left":1,"Right":1,"Left":2}"##, r#"duplicate key "Left" at $"#),
        (r##"{"$and":[],"$and":[]}"##, r#"duplicate key "$and" at $"#),
        (r##"{"$":"foreign","$":"Ns.Type"}"##, r#"duplicate key "$" at $"#),
        (r##"{"Left":1,"$":"==","Right":1,"$":"=="}"##, r#"duplicate key "$" at $"#),
        (r##"{"@":{"a":1,"a":2}}"##, r#"duplicate key "a" at $.@"#),
        (r##"{"$update":{"$table":"T"},"Sets":[{"A":1,"A":2}]}"##, r#"duplicate key "A" at $.Sets[0]"#),
        (r##"{"$":"==","Left":1}"##, r#"missing key "Right" at $"#),
        (r##"{"$where":null}"##, r#"missing key "Where" at $"#),
        (r##"{"$insert":{"$table":"T"},"Columns":[]}"##, r#"missing key "Values" at $"#),
        ("{}", concat!(no_marker!(), " at $")),
        (r##"{"$and":[{"Left":1}]}"##, concat!(no_marker!(), " at $.$and[0]")),
        (r##"{"$adn":[]}"##, r#"unknown marker "$adn" at $ (did you mean "$and"?)"#),
        (r##"{"$const":5}"##, r#"unknown marker "$const" at $"#),
        (
            r##"{"$":"starswith","Left":1,"Right":1}"##,
            r#"unknown operator or kind of node "starswith" at $.$ (did you mean "startswith"?)"#,
        ),
        (r##"{"$":"eq","Left":1,"Right":1}"##, r#"unknown operator or kind of node "eq" at $.$ (did you mean "=="?)"#),
        (r##"{"$gte":5}"##, r#"unknown marker "$gte" at $ (did you mean ">="?)"#),
        (r##"{"$func":"Length"}"##, r#"unknown marker "$func" at $ (did you mean `{"$":"func","Length":[..]}`?)"#),
        (r##"{"@":{"$datetiem":1}}"##, r#"unknown marker "$datetiem" at $.@ (did you mean "$datetime"?)"#),
        (
            r##"{"@":{"#":"A"}}"##,
            r##"the dictionary key "#" looks like a marker: write the dictionary as {"$map":{..}} at $.@"##,
        ),
        (
            r##"{"@":{"a":1,"$b":"A"}}"##,
            r##"the dictionary key "$b" looks like a marker: write the dictionary as {"$map":{..}} at $.@"##,
        ),
        (
            r##"{"$join":{"$table":"T"},"JoinType":"Iner"}"##,
            r#"unknown kind of join "Iner" at $.JoinType (did you mean "Inner"?)"#,
        ),
        (
            r##"{"$":"logic","Operator":"Equals","Left":1,"Right":1}"##,
            r#"unknown comparison operator "Equals" at $.Operator (did you mean "Equal"?)"#,
        ),
        (r##"{"$":"logic","Operator":99,"Left":1,"Right":1}"##, r#"unknown comparison operator "99" at $.Operator"#),
        (r##"{"$":"func","CAST":[1,"Int23"]}"##, r#"unknown type "Int23" at $.CAST[1] (did you mean "Int32"?)"#),
        (r##"{"$":"func","CAST":[1,24]}"##, r#"unknown type "24" at $.CAST[1]"#),
        (
            r##"{"$":"over","Func":{"$":"func","F":[]},"Frame":{"Unit":"Row","Start":null,"End":null}}"##,
            r#"unknown unit of a frame "Row" at $.Frame.Unit (did you mean "Rows"?)"#,
        ),
        (
            r##"{"$":"over","Func":{"$":"func","F":[]},"Frame":{"Unit":"Rows","Start":"Current","End":null}}"##,
            r#"unknown bound of a frame "Current" at $.Frame.Start (did you mean "CurrentRow"?)"#,
        ),
        (
            r##"{"$":"over","Func":{"$":"func","F":[]},"Frame":{"Unit":"Rows","Exclude":"Tie"}}"##,
            r#"unknown exclusion of a frame "Tie" at $.Frame.Exclude (did you mean "Ties"?)"#,
        ),
        (r##"{"$":"func","CASE":[{"$or":[]},1],"IsAggregate":true}"##, r#"unknown key "IsAggregate" at $"#),
        (r##"{"$":"func","F":[],"G":[]}"##, r#"unknown key "G" at $"#),
    ] {
        error(text, message);
    }
}

#[test]
fn names_and_values() {
    const RULE: &str = "a name has ASCII letters, digits and `_`, does not begin with a digit, and is at most 128 long";
    for (text, name, path) in [
        (r##"{"#":"a b"}"##, "\"a b\"", "$.#"),
        (r##"{"#":"a.b.c"}"##, "\"b.c\"", "$.#"),
        (r##"{"#":""}"##, "\"\"", "$.#"),
        (r##"{"#":"1a"}"##, "\"1a\"", "$.#"),
        (r##"{"#":"x\"; DROP"}"##, "\"x\\\"; DROP\"", "$.#"),
        (r##"{"$table":"Ns..T"}"##, "\"Ns..T\"", "$.$table"),
        (r##"{"$table":"T","Alias":"a.b"}"##, "\"a.b\"", "$.Alias"),
        (r##"{"$":"func","a-b":[]}"##, "\"a-b\"", "$"),
        (r##"{"$delete":{"$table":"T"},"Returning":[{"Value":1,"Alias":"ä"}]}"##, "\"ä\"", "$.Returning[0].Alias"),
    ] {
        error(text, &format!("bad name {name}: {RULE} at {path}"));
    }
    for (text, message) in [
        (r#"{"@":{"$date":"2024-02-30"}}"#, "bad date: it looks like 2024-01-31 at $.@.$date"),
        (
            r#"{"@":{"$datetime":"2024-01-31T00:00:00+01:00"}}"#,
            "bad datetime: it has no offset; one with an offset is a $datetimeoffset at $.@.$datetime",
        ),
        (
            r#"{"$datetimeoffset":"2024-01-31"}"#,
            "bad datetimeoffset: it looks like 2024-01-31T10:20:30.5+02:00 at $.$datetimeoffset",
        ),
        (r#"{"$time":" 10:00:00"}"#, "bad time: it looks like 10:20:30.5 at $.$time"),
        (r#"{"$timespan":"25:00:00"}"#, "bad timespan: it looks like [-][days.]hh:mm:ss[.fffffff] at $.$timespan"),
        (r#"{"$guid":"x"}"#, "bad guid: it looks like 00000000-0000-0000-0000-000000000000 at $.$guid"),
        (r#"{"$bytes":"A"}"#, "bad bytes: it is base64 with padding at $.$bytes"),
        (r#"{"$decimal":"1.2.3"}"#, "bad decimal: it is a number of at most 38 digits at $.$decimal"),
        (r#"{"$double":"nan"}"#, "bad double: it is a number, \"NaN\", \"Infinity\" or \"-Infinity\" at $.$double"),
        (r#"{"$json":"{"}"#, "bad json: it is the text of a JSON document at $.$json"),
        (r#"{"$guid":5}"#, "expected a text, found a number at $.$guid"),
        ("1e999", "bad number: it is too large for a double at $"),
        ("1e-999", "bad number: it is too near to 0 for a double at $"),
        ("-0.1e-400", "bad number: it is too near to 0 for a double at $"),
        (r#"{"$section":null,"Skip":1.5}"#, "bad number of rows: it is a whole number at $.Skip"),
        (
            r#"{"$table":"T","TableArgs":["a;b"]}"#,
            "bad table argument: it has ASCII letters, digits and `_`, 1 to 128 of them at $.TableArgs[0]",
        ),
        (
            r#"{"$insert":{"$table":"T"},"Columns":["A","B"],"Values":[[1,2],[3]]}"#,
            "a row of 1 values for 2 columns at $.Values[1]",
        ),
        (
            r#"{"$insert":{"$table":"T"},"Values":[[1]],"Columns":["A","B"]}"#,
            "a row of 1 values for 2 columns at $.Values[0]",
        ),
        (r#"{"$insert":{"$table":"T"},"Columns":[],"Values":[[]]}"#, "a row of 0 values for 0 columns at $.Values[0]"),
        (
            r#"{"$insert":{"$table":"T"},"Columns":[],"Values":[],"Rows":[]}"#,
            "bad INSERT: it has either Values or Rows or Query at $",
        ),
        (r#"{"$update":{"$table":"T"},"Sets":[{}]}"#, "bad assignment: it is {\"Property\":value} at $.Sets[0]"),
        (
            r#"{"$update":{"$table":"T"},"Sets":[{"A":1,"B":2}]}"#,
            "bad assignment: it is {\"Property\":value}, one object each at $.Sets[0]",
        ),
        (r#"{"$":"func","CASE":[{"$or":[]}]}"#, "bad CASE: it has at least a condition and a value at $.CASE"),
        (r#"{"$":"func","CAST":[1]}"#, "bad CAST: it has a value and the name of a type at $.CAST"),
        (
            r#"{"$":"over","Func":{"$":"func","F":[]},"Frame":{"Unit":"Rows","Start":{"Preceding":-1},"End":"CurrentRow"}}"#,
            "bad bound: it is a whole number from 0 to 4294967295 at $.Frame.Start.Preceding",
        ),
        (
            r#"{"$":"over","Func":{"$":"func","F":[]},"Frame":{"Unit":"Rows","Start":{"Preceding":1.5},"End":"CurrentRow"}}"#,
            "bad whole number: it has a fraction or more than 63 bits at $.Frame.Start.Preceding",
        ),
    ] {
        error(text, message);
    }
}

#[test]
fn limits() {
    let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    assert!(from_str(&deep(128)).is_ok());
    let too_deep = from_str(&deep(129)).unwrap_err();
    assert_eq!(too_deep.kind, JsonErrorKind::TooDeep { limit: 128 });
    assert_eq!(too_deep.path.as_str(), format!("${0}.…{0}", "[0]".repeat(24)));
    let nots = |levels: usize| format!("{}{{\"$and\":[]}}{}", "{\"!\":".repeat(levels), "}".repeat(levels));
    assert!(from_str(&nots(126)).is_ok());
    assert!(matches!(from_str(&nots(127)).unwrap_err().kind, JsonErrorKind::TooDeep { .. }));
    // A limit over the greatest one is the greatest one; so deep fits on the stack of a test's thread.
    let wide = ReadLimits { depth: usize::MAX, ..ReadLimits::DEFAULT };
    assert!(from_str_with(&nots(ReadLimits::MAX_DEPTH - 2), &wide).is_ok());
    assert!(from_str_with(&nots(100_000), &wide).is_err());
    let queries = format!("{}null{}", "{\"$select\":".repeat(ReadLimits::MAX_DEPTH), "}".repeat(ReadLimits::MAX_DEPTH));
    assert!(from_str_with(&queries, &wide).is_ok());
    let cases = "{\"$\":\"func\",\"CASE\":[{\"$istrue\":".repeat(ReadLimits::MAX_DEPTH / 3);
    let cases = format!("{cases}1{}", "},2]}".repeat(ReadLimits::MAX_DEPTH / 3));
    assert!(from_str_with(&cases, &wide).is_ok());
    // The same when the marker is last.
    let last = format!("{}{{\"$and\":[]}}{}", "{\"Operand\":".repeat(127), ",\"$\":\"not\"}".repeat(127));
    assert!(matches!(from_str(&last).unwrap_err().kind, JsonErrorKind::TooDeep { .. }));

    let few = ReadLimits { nodes: 3, list: 4, bytes: 200, ..ReadLimits::DEFAULT };
    let kind = |text: &str| from_str_with(text, &few).map_err(|error| error.kind);
    const EQ: &str = r##"{"$":"==","Left":{"#":"A"},"Right":{"@":1}}"##;
    assert!(kind(EQ).is_ok());
    assert_eq!(kind(&format!(r#"{{"!":{EQ}}}"#)), Err(JsonErrorKind::TooManyNodes { limit: 3 }));
    assert_eq!(
        kind(&EQ.replace("{\"@\":1}", "{\"$or\":[]}").replace("{\"#\":\"A\"}", EQ)),
        Err(JsonErrorKind::TooManyNodes { limit: 3 })
    );
    assert!(kind("[1,2,3,4]").is_ok());
    assert_eq!(kind("[1,2,3,4,5]"), Err(JsonErrorKind::TooLong { limit: 4 }));
    assert_eq!(kind(&" ".repeat(201)), Err(JsonErrorKind::TooManyBytes { limit: 200 }));

    let told = |text: &str, limits: &ReadLimits| from_str_with(text, limits).unwrap_err().to_string();
    assert_eq!(told("[[[]]]", &ReadLimits { depth: 2, ..few }), "nested deeper than 2 levels at $[0][0]");
    assert_eq!(told(&format!(r#"{{"!":{EQ}}}"#), &few), "more than 3 nodes at $.!.Right");
    assert_eq!(told("[1,2,3,4,5]", &few), "a list of more than 4 items at $");
    assert_eq!(told(&" ".repeat(201), &few), "longer than 200 bytes at $");
}

/// What serde gives is bounded in the same way.
#[test]
fn serde_has_the_limits() {
    let deep = (0..129).fold(serde_json::Value::Null, |inner, _| serde_json::Value::Array(vec![inner]));
    let error = <Expr as serde::Deserialize>::deserialize(deep).unwrap_err();
    assert_eq!(error.to_string(), "nested deeper than 128 levels");
}

/// A node that is asked for by its type is that one and no other.
#[test]
fn serde_reads_the_node_that_is_asked_for() {
    fn error<T: DeserializeOwned>(json: serde_json::Value) -> String {
        serde_json::from_value::<T>(json).err().map(|error| error.to_string()).unwrap_or_default()
    }
    let set = || json!({"$": "set", "List": [1]});
    let and = || json!({"$and": []});
    let from = || json!({"$from": {"$table": "T"}});
    let order = || json!({"$": "orderbyitem", "Field": {"#": "A"}});
    for (found, message) in [
        (error::<LogicExpr>(json!({"!": {"#": "A"}})), "expected a logic expression, found a property at $.!"),
        (error::<ValueSet>(json!(5)), "expected a set of values, found a value at $"),
        (error::<FunctionExpr>(set()), "expected a function, found a set of values at $"),
        (error::<OrExpr>(and()), "expected an OR, found another logic expression at $"),
        (error::<HavingExpr>(from()), "expected a filter of groups, found another part of a query at $"),
        (error::<FromExpr>(json!({"$table": "T"})), "expected a source with joins, found another part of a query at $"),
        (error::<InsertExpr>(order()), "expected an INSERT, found an order item at $"),
    ] {
        assert_eq!(found, message);
    }
    let error = serde_json::from_str::<LogicExpr>(r##"{"$and":[],"$and":[]}"##).unwrap_err();
    assert!(error.to_string().starts_with(r#"duplicate key "$and" at $"#), "{error}");
    // What no JSON has.
    let entries = MapDeserializer::<_, serde::de::value::Error>::new(std::iter::once(("A", 1)));
    let variant = EnumAccessDeserializer::new(MapAccessDeserializer::new(entries));
    let error = <Expr as serde::Deserialize>::deserialize(variant).unwrap_err();
    assert_eq!(error.to_string(), "invalid type: enum, expected a node of an expression tree");
}
