//! What is read beside the canonical form: long forms, other spellings, other orders of keys.

use super::{canonical, tree};
use crate::expr::*;
use crate::json::{ReadLimits, read, read_own, to_string};
use crate::tests::{MILLION, levels, on_small_stack};

/// Both texts read as the same tree.
fn same(text: &str, canonical_text: &str) {
    assert_eq!(tree(text), tree(canonical_text), "{text}");
}

const COMPARISON: &str = r##"{"$":"==","Left":{"#":"A"},"Right":{"@":1}}"##;

#[test]
fn a_bare_literal_is_a_parameter() {
    for text in ["5", "\"a\"", "true", "[1]"] {
        let Expr::Value(ValueTypeExpr::Value(node)) = tree(text) else { panic!("{text}") };
        assert!(!node.is_const, "{text}");
        assert_eq!(to_string(&node), format!("{{\"@\":{text}}}"));
    }
    // Whatever a stranger calls it.
    for text in [r#"{"$":"const","Value":5}"#, r#"{"$":"value","Value":5,"IsConst":true}"#, r#"{"$date":"2024-01-31"}"#]
    {
        let Expr::Value(ValueTypeExpr::Value(node)) = tree(text) else { panic!("{text}") };
        assert!(!node.is_const, "{text}");
        let Expr::Value(ValueTypeExpr::Value(node)) = read_own(text, &ReadLimits::DEFAULT).unwrap() else {
            panic!("{text}")
        };
        assert!(node.is_const, "{text}");
    }
    for text in [r#"{"@":5}"#, r#"{"$":"value","Value":5}"#, r#"{"$":"const","Value":5,"IsConst":false}"#] {
        let Expr::Value(ValueTypeExpr::Value(node)) = read_own(text, &ReadLimits::DEFAULT).unwrap() else {
            panic!("{text}")
        };
        assert!(!node.is_const, "{text}");
    }
    let wrong = read::<Expr>(r##"{"$":"value","Value":{"#":"A"},"IsConst":true}"##, &ReadLimits::DEFAULT).unwrap_err();
    assert_eq!(wrong.to_string(), "expected a plain value, found a property at $.Value");
}

#[test]
fn what_the_first_system_writes() {
    for (text, canonical_text) in [
        (r#"{"@":{"$datetime":"2024-01-31T10:20:30.5Z"}}"#, r#"{"@":{"$datetime":"2024-01-31T10:20:30.500"}}"#),
        (r#"{"$":"func","ROW_NUMBER":[]}"#, r#"{"$":"func","RowNumber":[]}"#),
        (r#"{"$":"func","current_date":[]}"#, r#"{"$":"func","Today":[]}"#),
        (r##"{"$":"func","my_own":[{"#":"A"}]}"##, r##"{"$":"func","my_own":[{"#":"A"}]}"##),
        (
            r##"{"$":"func","CHARINDEX":["a",{"#":"Name"}]}"##,
            r##"{"$":"+","Left":{"$":"func","IndexOf":[{"#":"Name"},"a"]},"Right":1}"##,
        ),
        (
            r##"{"$":"func","FunctionName":"CharIndex","Args":["a",{"#":"Name"},{"#":"N"}]}"##,
            r##"{"$":"+","Left":{"$":"func","IndexOf":[{"#":"Name"},"a",{"$":"-","Left":{"#":"N"},"Right":1}]},"Right":1}"##,
        ),
        (r##"{"$":"func","IF":[{"$and":[]},1,2]}"##, r##"{"$":"func","CASE":[{"$and":[]},1,2]}"##),
        (r#"{"$":"func","Over":[{"$":"func","ROW_NUMBER":[]}]}"#, r#"{"$":"over","Func":{"$":"func","RowNumber":[]}}"#),
        (
            r##"{"$":"func","Over":[{"$":"func","SUM":[{"#":"A"}],"IsAggregate":true},{"$":"set","List":[{"#":"B"}]},
                {"$":"set","List":[{"$":"orderbyitem","Field":{"#":"C"},"Asc":false},{"#":"D"}]},
                {"$":"func","RowsBetween":[-3,0]}]}"##,
            r##"{"$":"over","Func":{"$":"func","SUM":[{"#":"A"}],"IsAggregate":true},"PartitionBy":[{"#":"B"}],
                "OrderBy":[{"Field":{"#":"C"},"Asc":false},{"Field":{"#":"D"}}],
                "Frame":{"Unit":"Rows","Start":{"Preceding":3},"End":"CurrentRow"}}"##,
        ),
        (
            r##"{"$":"func","FunctionName":"Over","Args":[{"$":"func","F":[]},null,{"$":"orderbyitem","Field":{"#":"C"}},
                {"$":"func","RangeBetween":[null,2]}]}"##,
            r##"{"$":"over","Func":{"$":"func","F":[]},"OrderBy":[{"Field":{"#":"C"}}],
                "Frame":{"Unit":"Range","Start":"UnboundedPreceding","End":{"Following":2}}}"##,
        ),
    ] {
        same(text, canonical_text);
    }
    for (text, error) in [
        (r#"{"$":"func","IF":[1,2]}"#, "bad IF: it has a condition and two values at $.IF"),
        (r#"{"$":"func","Over":[5]}"#, "expected a function, found a value at $.Over[0]"),
        (r#"{"$":"func","Over":[]}"#, "bad Over: its function is missing at $.Over"),
        (
            r#"{"$":"func","Over":[{"$":"func","F":[]},null,null,{"$":"func","RowsBetween":["a"]}]}"#,
            "bad frame: its bounds are whole numbers or null at $.Over[3]",
        ),
        (
            r#"{"$":"func","Over":[{"$":"func","F":[]},null,null,{"$":"func","Between":[null]}]}"#,
            "bad frame: it is RowsBetween or RangeBetween at $.Over[3]",
        ),
        (
            r#"{"$":"func","Over":[{"$":"func","F":[]},null,null,null,5]}"#,
            "bad Over: it has a function, a set of values, a set of keys and a frame at $.Over",
        ),
        (
            r#"{"$":"func","Args":[{"$":"func","F":[]}],"FunctionName":"Over"}"#,
            "bad Over: its FunctionName stands before its Args at $.Args",
        ),
        (r#"{"$":"func","Over":[{"$":"func","F":[]}],"IsAggregate":true}"#, "unknown key \"IsAggregate\" at $"),
        (
            r#"{"$":"func","CHARINDEX":[1]}"#,
            "bad CHARINDEX: it has what is looked for, a text, and from which place on at $.CHARINDEX",
        ),
        (
            r#"{"@":{"$datetime":"2024-01-31T10:20:30+02:00"}}"#,
            "bad datetime: it has no offset; one with an offset is a $datetimeoffset at $.@.$datetime",
        ),
    ] {
        assert_eq!(read::<Expr>(text, &ReadLimits::DEFAULT).unwrap_err().to_string(), error, "{text}");
    }
}

#[test]
fn what_is_made_of_a_function_counts() {
    let call = |from: &str| format!(r##"{{"$":"func","CHARINDEX":["a",{{"#":"Name"}}{from}]}}"##);
    let folded = r##"{"$":"+","Left":{"$":"func","IndexOf":[{"#":"Name"},"a",2]},"Right":1}"##;
    assert_eq!(read_own::<Expr>(&call(",3"), &ReadLimits::DEFAULT), read_own(folded, &ReadLimits::DEFAULT));
    // The place before the least one is no number.
    let least = read_own::<Expr>(&call(&format!(",{}", i64::MIN)), &ReadLimits::DEFAULT).unwrap();
    assert!(to_string(&least).contains(&i64::MIN.to_string()), "{least:?}");
    for from in ["", ",3", r##",{"#":"N"}"##, ",null"] {
        let read = |nodes| read::<Expr>(&call(from), &ReadLimits { nodes, ..ReadLimits::DEFAULT });
        let size = size(&read(100).unwrap());
        assert!(read(size).is_ok(), "{from} {size}");
        assert!(read(size - 1).is_err(), "{from} {size}");
    }
}

#[test]
fn a_definition_stands_once() {
    let big = || from("Order").filter(prop("Total").gt(constant(5))).select(["Id"]).with("big");
    let tree = |second: SqlSegment| {
        let joined = big().join(TableJoinType::Inner, second, prop("Id").eq(1));
        Expr::Segment(joined.select(["Id"]).into_segment())
    };
    let text = to_string(&tree(big().into()));
    assert_eq!(text.matches("$table").count(), 1, "{text}");
    assert!(text.contains(r#"{"$join":{"$cte":"big"}"#), "{text}");
    assert_eq!(serde_json::to_string(&tree(big().into())).unwrap(), text);
    assert_eq!(read_own::<Expr>(&text, &ReadLimits::DEFAULT).unwrap(), tree(cte("big")));
    // Other definitions under one name stay what they are, for the compiler to refuse.
    let other = from("Order").select(["Id"]).with("BIG");
    let tree = Expr::Segment(big().join(TableJoinType::Inner, other, prop("Id").eq(1)).select(["Id"]).into_segment());
    let text = to_string(&tree);
    assert_eq!(read_own::<Expr>(&text, &ReadLimits::DEFAULT).unwrap(), tree);
    assert_eq!(text.matches("$table").count(), 2, "{text}");
}

/// How many nodes a tree has.
fn size(tree: &Expr) -> usize {
    let mut nodes = 0;
    crate::walk::visit(tree, crate::walk::VisitOrder::Pre, |_| nodes += 1);
    nodes
}

/// Each definition stands in the next one, which uses it twice.
fn nested_definitions(count: usize) -> String {
    let mut text = r##"{"$cte":{"$select":{"$table":"Order"},"Selects":[{"#":"Id"}]},"Alias":"c0"}"##.to_owned();
    for n in 1..=count {
        let again = format!(r##"{{"$select":{{"$cte":"c{}"}},"Selects":[{{"#":"Id"}}]}}"##, n - 1);
        let filter = format!(r##"{{"$":"in","Left":{{"#":"Id"}},"Right":{again}}}"##);
        text = format!(
            r##"{{"$cte":{{"$select":{{"$where":{text},"Where":{filter}}},"Selects":[{{"#":"Id"}}]}},"Alias":"c{n}"}}"##
        );
    }
    text
}

#[test]
fn a_reference_copies_nothing() {
    let readers: [fn(&str, &ReadLimits) -> _; 2] = [read::<Expr>, read_own::<Expr>];
    for read in readers {
        let [none, few, many] =
            [0, 20, 40].map(|count| size(&read(&nested_definitions(count), &ReadLimits::DEFAULT).unwrap()));
        assert_eq!(many - few, few - none);
        // What is read is what the limit has counted.
        let text = nested_definitions(40);
        assert!(read(&text, &ReadLimits { nodes: many, ..ReadLimits::DEFAULT }).is_ok());
        assert!(read(&text, &ReadLimits { nodes: many / 2, ..ReadLimits::DEFAULT }).is_err());
    }
}

#[test]
fn numbers_are_exact() {
    let number = |text: &str| match tree(text) {
        Expr::Value(ValueTypeExpr::Value(node)) => node.value,
        other => panic!("{other:?}"),
    };
    assert!(matches!(number("-0"), Value::Int(0)));
    assert!(matches!(number("-9223372036854775808"), Value::Int(i64::MIN)));
    assert!(matches!(number("9223372036854775808"), Value::UInt(_)));
    assert!(matches!(number("-9223372036854775809"), Value::Decimal(_)));
    assert!(matches!(number("18446744073709551616"), Value::Decimal(_)));
    assert!(matches!(number("0.1"), Value::Decimal(_)));
    assert!(matches!(number("1e5"), Value::Decimal(_)));
    assert!(matches!(number("1e-300"), Value::Float(_)));
    assert!(matches!(number("123456789012345678901234567890123456789"), Value::Float(_)));
    assert_eq!(
        to_string(&number("1234567890.12345678901234567890")),
        r#"{"$decimal":"1234567890.12345678901234567890"}"#
    );
}

#[test]
fn long_forms() {
    for (long, short) in [
        (r#"{"$":"value","Value":5}"#, r#"{"@":5}"#),
        (r#"{"$":"const","Value":5}"#, "5"),
        (r##"{"$":"prop","PropertyName":"X"}"##, r##"{"#":"X"}"##),
        (r##"{"$":"property","PropertyName":"X","TableAlias":"t"}"##, r##"{"#":"t.X"}"##),
        (r##"{"$":"logic","Operator":"Equal","Left":{"#":"A"},"Right":{"@":1}}"##, COMPARISON),
        (r##"{"$":"logic","Operator":0,"Left":{"#":"A"},"Right":{"@":1}}"##, COMPARISON),
        (r##"{"$":"bin","Operator":"==","Left":{"#":"A"},"Right":{"@":1}}"##, COMPARISON),
        (r##"{"$":"bin","Left":{"#":"A"},"Right":1,"Operator":0}"##, r##"{"$":"+","Left":{"#":"A"},"Right":1}"##),
        (
            r##"{"$":"bin","Left":{"#":"A"},"Right":1,"Operator":"subtract"}"##,
            r##"{"$":"-","Left":{"#":"A"},"Right":1}"##,
        ),
        (r#"{"$":"and","Items":[]}"#, r#"{"$and":[]}"#),
        (r#"{"$":"OR","Items":[]}"#, r#"{"$or":[]}"#),
        (r#"{"$":"not","Operand":{"$and":[]}}"#, r#"{"!":{"$and":[]}}"#),
        (r##"{"$":"func","FunctionName":"F","Args":[1]}"##, r##"{"$":"func","F":[1]}"##),
        (r##"{"$":"func","Args":[{"$and":[]},1],"FunctionName":"case"}"##, r##"{"$":"func","CASE":[{"$and":[]},1]}"##),
        (r##"{"$":"func","CAST":[1,11]}"##, r##"{"$":"func","CAST":[1,"Int32"]}"##),
        (r##"{"$":"func","CAST":[1,139]}"##, r##"{"$":"func","CAST":[1,"int32[]"]}"##),
        (r##"{"$":"set","JoinType":3,"Items":[1]}"##, r##"{"$":"set","Concat":[1]}"##),
        (r##"{"$":"set","Items":[1]}"##, r##"{"$":"set","List":[1]}"##),
        (r##"{"$":"unary","Operator":"nagive","Operand":1}"##, r##"{"$":"unary","Nagive":1}"##),
        (r##"{"$":"unary","Operator":2,"Operand":1}"##, r##"{"$":"unary","Distinct":1}"##),
        (r##"{"$":"unary","Negative":1}"##, r##"{"$":"unary","Nagive":1}"##),
        (r##"{"$":"foreign","Foreign":"T","AutoRelated":true}"##, r##"{"$foreign":"T","AutoRelated":true}"##),
        (r##"{"$":"table","Type":"Ns.T","Alias":"a"}"##, r##"{"$table":"Ns.T","Alias":"a"}"##),
        (
            r##"{"$":"from","Source":{"$table":"T"},"Joins":[{"$":"join","Source":{"$table":"U"}}]}"##,
            r##"{"$from":{"$table":"T"},"Joins":[{"$join":{"$table":"U"}}]}"##,
        ),
        (
            r##"{"$":"where","Source":{"$table":"T"},"Where":{"$and":[]}}"##,
            r##"{"$where":{"$table":"T"},"Where":{"$and":[]}}"##,
        ),
        (r##"{"$":"where","Where":{"$and":[]}}"##, r##"{"$where":null,"Where":{"$and":[]}}"##),
        (r##"{"$":"groupby","Source":null,"GroupBys":[]}"##, r##"{"$group":null,"GroupBys":[]}"##),
        (r##"{"$":"group","GroupBys":[]}"##, r##"{"$group":null,"GroupBys":[]}"##),
        (r##"{"$":"having","Having":{"$and":[]}}"##, r##"{"$having":null,"Having":{"$and":[]}}"##),
        (r##"{"$":"orderby","OrderBys":[{"#":"A"}]}"##, r##"{"$orderby":null,"OrderBys":[{"Field":{"#":"A"}}]}"##),
        (r##"{"$":"section","Source":null,"Take":5}"##, r##"{"$section":null,"Take":5}"##),
        (r##"{"$":"lock","Mode":"share"}"##, r##"{"$lock":null,"Mode":"Share"}"##),
        (
            r##"{"$":"select","Source":null,"Selects":[{"#":"A"},5]}"##,
            r##"{"$select":null,"Selects":[{"Value":{"#":"A"}},{"Value":5}]}"##,
        ),
        (r##"{"$":"cte","Source":{"$select":null},"Alias":"x"}"##, r##"{"$cte":{"$select":null},"Alias":"x"}"##),
        (r##"{"$":"cte","Alias":"x"}"##, r##"{"$cte":"x"}"##),
        (r##"{"$":"update","Table":{"$table":"T"},"Sets":[]}"##, r##"{"$update":{"$table":"T"},"Sets":[]}"##),
        (r##"{"$":"delete","Table":{"$table":"T"}}"##, r##"{"$delete":{"$table":"T"}}"##),
        (r##"{"$section":null,"Skip":-5,"Take":0}"##, r##"{"$section":null}"##),
        (r##"{"$section":null,"Take":-1}"##, r##"{"$section":null}"##),
        (r##"{"$foreign":"T","Alias":null,"InnerExpr":null}"##, r##"{"$foreign":"T"}"##),
        (r##"{"$update":{"$table":"T"},"Sets":[],"Where":null}"##, r##"{"$update":{"$table":"T"},"Sets":[]}"##),
        (r##"{"\u0024and":[]}"##, r##"{"$and":[]}"##),
        (" {\t\"$and\" :\n[ \r] } ", r##"{"$and":[]}"##),
    ] {
        same(long, short);
    }
}

#[test]
fn operators_have_many_names() {
    let with = |word: &str| tree(&COMPARISON.replace("==", word));
    for operator in LogicOperator::ALL {
        let expected = Expr::Logic(prop("A").compare(operator, 1));
        assert_eq!(with(&operator.sign().to_uppercase()), expected);
        assert_eq!(with(&format!("{operator:?}")), expected);
        assert_eq!(with(&format!("{operator:?}").to_lowercase()), expected);
        assert_eq!(with(&(operator as u8).to_string()), expected);
    }
    assert_eq!(with("="), with("=="));
    assert_eq!(with("<>"), with("!="));
    for name in ["Add", "SUBTRACT", "multiply", "Divide", "Modulo", "Concat"] {
        assert!(matches!(with(name), Expr::Value(ValueTypeExpr::Binary(_))), "{name}");
    }
}

#[test]
fn the_order_of_keys_does_not_matter() {
    for (text, expected) in [
        (r##"{"Right":{"@":1},"$":"==","Left":{"#":"A"}}"##, COMPARISON),
        (r##"{"Left":{"#":"A"},"Right":{"@":1},"$":"=="}"##, COMPARISON),
        (
            r##"{"Where":{"Items":[],"$":"and"},"$where":{"Alias":"a","$table":"T"}}"##,
            r##"{"$where":{"$table":"T","Alias":"a"},"Where":{"$and":[]}}"##,
        ),
        (r##"{"F":[1],"$":"func"}"##, r##"{"$":"func","F":[1]}"##),
        (
            r##"{"$select":null,"Selects":[{"Value":1,"$":"value"},{"Value":1,"Alias":"a"}]}"##,
            r##"{"$select":null,"Selects":[{"Value":1},{"Alias":"a","Value":1}]}"##,
        ),
        (
            r##"{"Selects":[],"$select":null,"Next":[{"Selects":[],"$select":null,"SetType":1}]}"##,
            r##"{"$select":null,"Next":[{"SetType":"Union","$select":null}]}"##,
        ),
        (
            r##"{"Columns":["A"],"Values":[[1]],"$insert":{"$table":"T"}}"##,
            r##"{"$insert":{"$table":"T"},"Values":[[1]],"Columns":["A"]}"##,
        ),
    ] {
        same(text, expected);
    }
}

#[test]
fn a_predicate_in_a_slot_for_values_is_a_truth() {
    canonical(
        r##"{"$":"==","Left":{"$truth":{"$and":[]}},"Right":{"@":true}}"##,
        ValueTypeExpr::from(LogicExpr::default()).eq(true),
    );
    same(
        r##"{"$":"func","CASE":[{"$and":[]},{"$or":[]}]}"##,
        r##"{"$":"func","CASE":[{"$and":[]},{"$truth":{"$or":[]}}]}"##,
    );
    same(r##"{"$":"func","F":[{"$or":[]}]}"##, r##"{"$":"func","F":[{"$truth":{"$or":[]}}]}"##);
}

#[test]
fn a_deep_tree_is_written_on_a_small_stack() {
    let levels = levels(MILLION);
    let node = on_small_stack(move || {
        let node = (0..levels).fold(prop("A").eq(1), |node, _| !node);
        assert_eq!(to_string(&node).len(), COMPARISON.len() + 6 * levels);
        node
    });
    // Serde's serializers recurse.
    assert!(serde_json::to_string(&node).unwrap_err().to_string().contains("levels"));
}

/// A text of nothing but empty lists takes no more room than its length says.
#[test]
fn an_empty_list_takes_no_room() {
    let Ok(Expr::Logic(LogicExpr::And(node))) = crate::json::from_str(r#"{"$and":[]}"#) else { panic!("an AND") };
    assert_eq!(node.items.capacity(), 0);
}
