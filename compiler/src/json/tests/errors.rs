//! Every error, with its path.

use serde::de::DeserializeOwned;
use serde::de::value::{EnumAccessDeserializer, MapAccessDeserializer, MapDeserializer};
use serde_json::json;

use crate::expr::{
    Expr, FromExpr, FunctionExpr, HavingExpr, InsertExpr, LogicExpr, OrExpr, SqlSegment, ValueSet, ValueTypeExpr,
};
use crate::json::{JsonError, JsonErrorKind, Limits, from_slice, from_str, from_str_with, read, read_slice};

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
        ("", "$: the text ends too early, at byte 0"),
        ("{", "$: the text ends too early, at byte 1"),
        (r##"{"$and":[{"#"##, "$.$and[0]: a string has no end, at byte 12"),
        (r#"{"a[0]":{"b]":1,}}"#, r#"$["a[0]"]: a key is missing, at byte 16"#),
        ("nul", "$: neither a value nor its end, at byte 0"),
        ("[1,]", "$[1]: a list does not end with a comma, at byte 3"),
        ("[1 2]", "$[0]: a comma or the end of the list is missing, at byte 3"),
        ("01", "$: a number has no leading zeros, at byte 0"),
        ("1.", "$: a digit is missing, at byte 2"),
        ("1e+", "$: a digit is missing, at byte 3"),
        ("-", "$: neither a value nor its end, at byte 0"),
        ("+1", "$: neither a value nor its end, at byte 0"),
        ("1 x", "$: something follows the end of the value, at byte 2"),
        ("\"a\nb\"", "$: a control character in a string has to be escaped, at byte 2"),
        (r#""\x""#, "$: not an escape of JSON, at byte 1"),
        (r#""\ud800""#, "$: half of a surrogate pair, at byte 1"),
        (r#""\udc00""#, "$: half of a surrogate pair, at byte 1"),
        (r#""\ud800\u0041""#, "$: half of a surrogate pair, at byte 1"),
        (r#"{"$and":[],}"#, "$: a key is missing, at byte 11"),
        (r#"{"$and" []}"#, "$: a colon is missing, at byte 8"),
        (r#"{"Left":1,"$":}"#, "$.$: neither a value nor its end, at byte 14"),
        (r#"{"$":"not" "Operand":1}"#, "$.$: a comma or the end of the object is missing, at byte 11"),
        // The marker is looked for behind what is before it.
        (r#"{"Left":[1 2],"$":"=="}"#, "$.Left[0]: a comma or an end is missing, at byte 11"),
    ] {
        error(text, message);
    }
    assert_eq!(from_str(r#""\ud834\udd1e\/""#).unwrap(), crate::expr::value("𝄞/").into());
    let bad = from_slice(b"\"\xff\"").unwrap_err();
    assert_eq!(bad.to_string(), "$: not UTF-8, at byte 1");
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
    let at = |bytes| Limits { bytes, ..Limits::DEFAULT };
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
        (r##"{"$where":null,"Where":{"#":"x"}}"##, "$.Where: expected a logic expression, found a property"),
        (r##"{"$where":null,"Where":null}"##, "$.Where: expected a logic expression, found null"),
        (r##"{"$where":null,"Where":true}"##, "$.Where: expected a logic expression, found a boolean"),
        (r##"{"$where":null,"Where":{"$table":"T"}}"##, "$.Where: expected a logic expression, found a table"),
        (r##"{"!":{"#":"IsActive"}}"##, "$.!: expected a logic expression, found a property"),
        (r##"{"$and":[{"$and":[]},{"@":1}]}"##, "$.$and[1]: expected a logic expression, found a value"),
        (r##"{"$and":[null]}"##, "$.$and[0]: expected a logic expression, found null"),
        (r##"{"$and":{}}"##, "$.$and: expected a list, found an object"),
        (r##"{"$istrue":{"$delete":{"$table":"T"}}}"##, "$.$istrue: expected a value, found a DELETE"),
        (
            r##"{"$":"==","Left":{"$update":{"$table":"T"},"Sets":[]},"Right":1}"##,
            "$.Left: expected a value, found an UPDATE",
        ),
        (
            r##"{"$where":{"$and":[]},"Where":{"$and":[]}}"##,
            "$.$where: expected a table or query, found a logic expression",
        ),
        (r##"{"$delete":{"$select":null}}"##, "$.$delete: expected a table, found a select"),
        (r##"{"$cte":{"$table":"T"},"Alias":"x"}"##, "$.$cte: expected a select, found a table"),
        (r##"{"$from":null}"##, "$.$from: expected a table or query, found null"),
        (r##"{"$from":{"$table":"T"},"Joins":[{"$table":"U"}]}"##, "$.Joins[0]: expected a join, found a table"),
        (r##"{"$":"func","CASE":[{"#":"A"},1]}"##, "$.CASE[0]: expected a logic expression, found a property"),
        (
            r##"{"$":"func","CASE":[{"$or":[]},1,{"@":[1,{"a":[2]}]},2]}"##,
            "$.CASE[2]: expected a logic expression, found a value",
        ),
        (r##"{"$":"over","Func":{"#":"A"}}"##, "$.Func: expected a function, found a property"),
        (r##"{"$":"bin","Operator":"+","Left":1,"Right":1,"x":1}"##, r#"$: unknown key "x""#),
        (
            r##"{"!":{"$":"bin","Operator":"+","Left":1,"Right":1}}"##,
            "$.!: expected a logic expression, found a computed value",
        ),
        (r##"{"#":5}"##, "$.#: expected the name of a property, found a number"),
        (r##"{"$":5}"##, "$.$: expected the name of a node or operator, found a number"),
        (r##"{"$table":5}"##, "$.$table: expected the name of an entity, found a number"),
        (r##"{"$section":null,"After":[{"#":"A"}]}"##, "$.After[0]: expected a plain value, found a property"),
        (r##"{"$foreign":"T","AutoRelated":1}"##, "$.AutoRelated: expected a boolean, found a number"),
    ] {
        error(text, message);
    }
    let limits = Limits::DEFAULT;
    let wrong = read::<LogicExpr>(r##"{"#":"A"}"##, &limits).unwrap_err();
    assert_eq!(wrong.to_string(), "$: expected a logic expression, found a property");
    let wrong = read::<SqlSegment>("[]", &limits).unwrap_err();
    assert_eq!(wrong.to_string(), "$: expected a table or query, found a list");
    let wrong = read::<ValueTypeExpr>(r##"{"$join":{"$table":"A"}}"##, &limits).unwrap_err();
    assert_eq!(wrong.to_string(), "$: expected a value, found a join");
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
        (r##"{"$":"==","left":1,"Right":1}"##, r#"$: unknown key "left" (did you mean "Left"?)"#),
        (r##"{"$where":null,"Source":null,"Where":{"$or":[]}}"##, r#"$: unknown key "Source""#),
        (r##"{"#":"A","@":1}"##, r#"$: unknown key "@""#),
        (r##"{"$":"==","Left":1,"Right":1,"Left":2}"##, r#"$: duplicate key "Left""#),
        (r##"{"$and":[],"$and":[]}"##, r#"$: duplicate key "$and""#),
        (r##"{"$":"foreign","$":"Ns.Type"}"##, r#"$: duplicate key "$""#),
        (r##"{"Left":1,"$":"==","Right":1,"$":"=="}"##, r#"$: duplicate key "$""#),
        (r##"{"@":{"a":1,"a":2}}"##, r#"$.@: duplicate key "a""#),
        (r##"{"$update":{"$table":"T"},"Sets":[{"A":1,"A":2}]}"##, r#"$.Sets[0]: duplicate key "A""#),
        (r##"{"$":"==","Left":1}"##, r#"$: missing key "Right""#),
        (r##"{"$where":null}"##, r#"$: missing key "Where""#),
        (r##"{"$insert":{"$table":"T"},"Columns":[]}"##, r#"$: missing key "Values""#),
        ("{}", concat!("$: ", no_marker!())),
        (r##"{"$and":[{"Left":1}]}"##, concat!("$.$and[0]: ", no_marker!())),
        (r##"{"$adn":[]}"##, r#"$: unknown marker "$adn" (did you mean "$and"?)"#),
        (r##"{"$const":5}"##, r#"$: unknown marker "$const""#),
        (
            r##"{"$":"starswith","Left":1,"Right":1}"##,
            r#"$.$: unknown operator or kind of node "starswith" (did you mean "startswith"?)"#,
        ),
        (r##"{"$":"eq","Left":1,"Right":1}"##, r#"$.$: unknown operator or kind of node "eq" (did you mean "=="?)"#),
        (r##"{"$gte":5}"##, r#"$: unknown marker "$gte" (did you mean ">="?)"#),
        (r##"{"$func":"Length"}"##, r#"$: unknown marker "$func" (did you mean `{"$":"func","Length":[..]}`?)"#),
        (r##"{"@":{"$datetiem":1}}"##, r#"$.@: unknown marker "$datetiem" (did you mean "$datetime"?)"#),
        (
            r##"{"@":{"#":"A"}}"##,
            r##"$.@: the dictionary key "#" looks like a marker: write the dictionary as {"$map":{..}}"##,
        ),
        (
            r##"{"@":{"a":1,"$b":"A"}}"##,
            r##"$.@: the dictionary key "$b" looks like a marker: write the dictionary as {"$map":{..}}"##,
        ),
        (
            r##"{"$join":{"$table":"T"},"JoinType":"Iner"}"##,
            r#"$.JoinType: unknown kind of join "Iner" (did you mean "Inner"?)"#,
        ),
        (
            r##"{"$":"logic","Operator":"Equals","Left":1,"Right":1}"##,
            r#"$.Operator: unknown comparison operator "Equals" (did you mean "Equal"?)"#,
        ),
        (r##"{"$":"logic","Operator":99,"Left":1,"Right":1}"##, r#"$.Operator: unknown comparison operator "99""#),
        (r##"{"$":"func","CAST":[1,"Int23"]}"##, r#"$.CAST[1]: unknown type "Int23" (did you mean "Int32"?)"#),
        (r##"{"$":"func","CAST":[1,24]}"##, r#"$.CAST[1]: unknown type "24""#),
        (
            r##"{"$":"over","Func":{"$":"func","F":[]},"Frame":{"Unit":"Row","Start":null,"End":null}}"##,
            r#"$.Frame.Unit: unknown unit of a frame "Row" (did you mean "Rows"?)"#,
        ),
        (
            r##"{"$":"over","Func":{"$":"func","F":[]},"Frame":{"Unit":"Rows","Start":"Current","End":null}}"##,
            r#"$.Frame.Start: unknown bound of a frame "Current" (did you mean "CurrentRow"?)"#,
        ),
        (
            r##"{"$":"over","Func":{"$":"func","F":[]},"Frame":{"Unit":"Rows","Exclude":"Tie"}}"##,
            r#"$.Frame.Exclude: unknown exclusion of a frame "Tie" (did you mean "Ties"?)"#,
        ),
        (r##"{"$":"func","CASE":[{"$or":[]},1],"IsAggregate":true}"##, r#"$: unknown key "IsAggregate""#),
        (r##"{"$":"func","F":[],"G":[]}"##, r#"$: unknown key "G""#),
    ] {
        error(text, message);
    }
}

#[test]
fn names_and_values() {
    const RULE: &str = "a name has ASCII letters, digits and `_`, does not begin with a digit, and is at most 128 long";
    for (text, at) in [
        (r##"{"#":"a b"}"##, "$.#: bad name \"a b\""),
        (r##"{"#":"a.b.c"}"##, "$.#: bad name \"b.c\""),
        (r##"{"#":""}"##, "$.#: bad name \"\""),
        (r##"{"#":"1a"}"##, "$.#: bad name \"1a\""),
        (r##"{"#":"x\"; DROP"}"##, "$.#: bad name \"x\\\"; DROP\""),
        (r##"{"$table":"Ns..T"}"##, "$.$table: bad name \"Ns..T\""),
        (r##"{"$table":"T","Alias":"a.b"}"##, "$.Alias: bad name \"a.b\""),
        (r##"{"$":"func","a-b":[]}"##, "$: bad name \"a-b\""),
        (
            r##"{"$delete":{"$table":"T"},"Returning":[{"Value":1,"Alias":"ä"}]}"##,
            "$.Returning[0].Alias: bad name \"ä\"",
        ),
    ] {
        error(text, &format!("{at}: {RULE}"));
    }
    for (text, message) in [
        (r#"{"@":{"$date":"2024-02-30"}}"#, "$.@.$date: bad date: it looks like 2024-01-31"),
        (
            r#"{"@":{"$datetime":"2024-01-31T00:00:00+01:00"}}"#,
            "$.@.$datetime: bad datetime: it has no offset; one with an offset is a $datetimeoffset",
        ),
        (
            r#"{"$datetimeoffset":"2024-01-31"}"#,
            "$.$datetimeoffset: bad datetimeoffset: it looks like 2024-01-31T10:20:30.5+02:00",
        ),
        (r#"{"$time":" 10:00:00"}"#, "$.$time: bad time: it looks like 10:20:30.5"),
        (r#"{"$timespan":"25:00:00"}"#, "$.$timespan: bad timespan: it looks like [-][days.]hh:mm:ss[.fffffff]"),
        (r#"{"$guid":"x"}"#, "$.$guid: bad guid: it looks like 00000000-0000-0000-0000-000000000000"),
        (r#"{"$bytes":"A"}"#, "$.$bytes: bad bytes: it is base64 with padding"),
        (r#"{"$decimal":"1.2.3"}"#, "$.$decimal: bad decimal: it is a number of at most 38 digits"),
        (r#"{"$double":"nan"}"#, "$.$double: bad double: it is a number, \"NaN\", \"Infinity\" or \"-Infinity\""),
        (r#"{"$json":"{"}"#, "$.$json: bad json: it is the text of a JSON document"),
        (r#"{"$guid":5}"#, "$.$guid: expected a text, found a number"),
        ("1e999", "$: bad number: it is too large for a double"),
        ("1e-999", "$: bad number: it is too near to 0 for a double"),
        ("-0.1e-400", "$: bad number: it is too near to 0 for a double"),
        (r#"{"$section":null,"Skip":1.5}"#, "$.Skip: bad number of rows: it is a whole number"),
        (
            r#"{"$table":"T","TableArgs":["a;b"]}"#,
            "$.TableArgs[0]: bad table argument: it has ASCII letters, digits and `_`, 1 to 128 of them",
        ),
        (
            r#"{"$insert":{"$table":"T"},"Columns":["A","B"],"Values":[[1,2],[3]]}"#,
            "$.Values[1]: a row of 1 values for 2 columns",
        ),
        (
            r#"{"$insert":{"$table":"T"},"Values":[[1]],"Columns":["A","B"]}"#,
            "$.Values[0]: a row of 1 values for 2 columns",
        ),
        (r#"{"$insert":{"$table":"T"},"Columns":[],"Values":[[]]}"#, "$.Values[0]: a row of 0 values for 0 columns"),
        (
            r#"{"$insert":{"$table":"T"},"Columns":[],"Values":[],"Rows":[]}"#,
            "$: bad INSERT: it has either Values or Rows or Query",
        ),
        (r#"{"$update":{"$table":"T"},"Sets":[{}]}"#, "$.Sets[0]: bad assignment: it is {\"Property\":value}"),
        (
            r#"{"$update":{"$table":"T"},"Sets":[{"A":1,"B":2}]}"#,
            "$.Sets[0]: bad assignment: it is {\"Property\":value}, one object each",
        ),
        (r#"{"$":"func","CASE":[{"$or":[]}]}"#, "$.CASE: bad CASE: it has a condition and a value at least"),
        (r#"{"$":"func","CAST":[1]}"#, "$.CAST: bad CAST: it has a value and the name of a type"),
        (
            r#"{"$":"over","Func":{"$":"func","F":[]},"Frame":{"Unit":"Rows","Start":{"Preceding":-1},"End":"CurrentRow"}}"#,
            "$.Frame.Start.Preceding: bad bound: it is a whole number from 0 to 4294967295",
        ),
        (
            r#"{"$":"over","Func":{"$":"func","F":[]},"Frame":{"Unit":"Rows","Start":{"Preceding":1.5},"End":"CurrentRow"}}"#,
            "$.Frame.Start.Preceding: bad whole number: it has a fraction or more than 63 bits",
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
    assert_eq!(too_deep.path, format!("${}", "[0]".repeat(128)));
    let nots = |levels: usize| format!("{}{{\"$and\":[]}}{}", "{\"!\":".repeat(levels), "}".repeat(levels));
    assert!(from_str(&nots(126)).is_ok());
    assert!(matches!(from_str(&nots(127)).unwrap_err().kind, JsonErrorKind::TooDeep { .. }));
    // A limit over the greatest one is the greatest one; so deep fits on the stack of a test's thread.
    let wide = Limits { depth: usize::MAX, ..Limits::DEFAULT };
    assert!(from_str_with(&nots(Limits::MAX_DEPTH - 2), &wide).is_ok());
    assert!(from_str_with(&nots(100_000), &wide).is_err());
    let queries = format!("{}null{}", "{\"$select\":".repeat(Limits::MAX_DEPTH), "}".repeat(Limits::MAX_DEPTH));
    assert!(from_str_with(&queries, &wide).is_ok());
    let cases = "{\"$\":\"func\",\"CASE\":[{\"$istrue\":".repeat(Limits::MAX_DEPTH / 3);
    let cases = format!("{cases}1{}", "},2]}".repeat(Limits::MAX_DEPTH / 3));
    assert!(from_str_with(&cases, &wide).is_ok());
    // The same when the marker is last.
    let last = format!("{}{{\"$and\":[]}}{}", "{\"Operand\":".repeat(127), ",\"$\":\"not\"}".repeat(127));
    assert!(matches!(from_str(&last).unwrap_err().kind, JsonErrorKind::TooDeep { .. }));

    let few = Limits { nodes: 3, list: 4, bytes: 200, ..Limits::DEFAULT };
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

    let told = |text: &str, limits: &Limits| from_str_with(text, limits).unwrap_err().to_string();
    assert_eq!(told("[[[]]]", &Limits { depth: 2, ..few }), "$[0][0]: nested deeper than 2 levels");
    assert_eq!(told(&format!(r#"{{"!":{EQ}}}"#), &few), "$.!.Right: more than 3 nodes");
    assert_eq!(told("[1,2,3,4,5]", &few), "$: a list of more than 4 items");
    assert_eq!(told(&" ".repeat(201), &few), "$: longer than 200 bytes");
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
        (error::<LogicExpr>(json!({"!": {"#": "A"}})), "$.!: expected a logic expression, found a property"),
        (error::<ValueSet>(json!(5)), "$: expected a set of values, found a value"),
        (error::<FunctionExpr>(set()), "$: expected a function, found a set of values"),
        (error::<OrExpr>(and()), "$: expected an OR, found another logic expression"),
        (error::<HavingExpr>(from()), "$: expected a filter of groups, found another part of a query"),
        (error::<FromExpr>(json!({"$table": "T"})), "$: expected a source with joins, found another part of a query"),
        (error::<InsertExpr>(order()), "$: expected an INSERT, found an order item"),
    ] {
        assert_eq!(found, message);
    }
    let error = serde_json::from_str::<LogicExpr>(r##"{"$and":[],"$and":[]}"##).unwrap_err();
    assert!(error.to_string().starts_with(r#"$: duplicate key "$and""#), "{error}");
    // What no JSON has.
    let entries = MapDeserializer::<_, serde::de::value::Error>::new(std::iter::once(("A", 1)));
    let variant = EnumAccessDeserializer::new(MapAccessDeserializer::new(entries));
    let error = <Expr as serde::Deserialize>::deserialize(variant).unwrap_err();
    assert_eq!(error.to_string(), "invalid type: enum, expected a node of an expression tree");
}
