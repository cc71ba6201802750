//! Each place of a tree where a name or a value may stand, tried with a name that a policy hides and a size that it
//! refuses. The places are those of the cases' own JSON, so a node that is new is tried as soon as a case has it.

use std::collections::BTreeMap;

use isogloss_cases::cases;
use isogloss_compiler::expr::{Expr, LogicOperator, Name};
use isogloss_compiler::functions::Func;
use isogloss_compiler::json as notation;
use isogloss_compiler::model::{Catalog, sample};
use isogloss_compiler::walk::{ExprType, ExprTypes, PolicyRule, PropertyInfo, QueryPolicy, RelationInfo, Schema};
use serde_json::{Map, Value};

/// A property that every entity has, and that a client may not name.
const HIDDEN: &str = "Hidden";

/// The sample's tables, with the hidden property.
struct Tables(Catalog);

impl Schema for Tables {
    fn entity(&self, name: &Name) -> Option<&Name> {
        Schema::entity(&self.0, name)
    }

    fn table(&self, entity: &Name) -> Option<&Name> {
        self.0.table(entity)
    }

    fn base(&self, view: &Name) -> Option<&Name> {
        self.0.base(view)
    }

    fn property(&self, entity: &Name, property: &Name) -> Option<PropertyInfo> {
        if property == HIDDEN {
            return Some(PropertyInfo::hidden());
        }
        Schema::property(&self.0, entity, property)
    }

    fn properties(&self, entity: &Name) -> Option<Vec<Name>> {
        Schema::properties(&self.0, entity)
    }

    fn joined(&self, entity: &Name, alias: &Name) -> Option<Vec<RelationInfo>> {
        self.0.joined(entity, alias)
    }

    fn relations(&self, from: &Name, to: &Name) -> Option<Vec<RelationInfo>> {
        Schema::relations(&self.0, from, to)
    }
}

/// Everything is allowed, about that root.
fn wide(root: &str) -> QueryPolicy {
    let policy = QueryPolicy::new(root.to_owned())
        .allow(ExprType::ALL.iter().copied().collect::<ExprTypes>())
        .allow_functions(Func::ALL.iter().map(|func| func.signature().name))
        .allow_functions(["Similarity"])
        .allow_fragments(["at_least", "tenths", "settled"])
        .allow_operators(LogicOperator::ALL)
        .allow_table_args()
        .max_depth(usize::MAX)
        .max_nodes(usize::MAX)
        .max_list_items(usize::MAX)
        .max_text_bytes(usize::MAX)
        .max_text_parts(usize::MAX)
        .max_row_parts(usize::MAX)
        .max_pattern_bytes(usize::MAX)
        .max_nesting(usize::MAX)
        .max_joins(usize::MAX);
    sample::catalog().entities().fold(policy, |policy, (_, entity)| policy.allow_entity(entity.name.clone()))
}

/// A step into JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    Key(String),
    Index(usize),
}

/// What stands in a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Held {
    /// A property's name.
    Name,
    /// The name of a property that is assigned to: a key of the object.
    Assigned,
    /// Another text.
    Text,
    /// A list.
    List,
}

/// A place, and what stands there.
type Place = (Vec<Step>, Held);

/// The places of a tree.
fn places(tree: &Value) -> Vec<Place> {
    let mut found = Vec::new();
    let mut waiting = vec![(Vec::new(), tree)];
    while let Some((path, value)) = waiting.pop() {
        let key = last_key(&path);
        let below = |step| [path.as_slice(), &[step]].concat();
        match value {
            Value::String(_) => {
                let name = ["#", "Columns", "Target"].contains(&key);
                found.push((path, if name { Held::Name } else { Held::Text }));
            }
            Value::Array(items) => {
                waiting.extend(items.iter().enumerate().map(|(index, item)| (below(Step::Index(index)), item)));
                found.push((path, Held::List));
            }
            Value::Object(fields) => {
                if ["Sets", "Update"].contains(&key) && path.last().is_some_and(|step| matches!(step, Step::Index(_))) {
                    found.extend(fields.keys().map(|name| (below(Step::Key(name.clone())), Held::Assigned)));
                }
                waiting.extend(fields.iter().map(|(name, field)| (below(Step::Key(name.clone())), field)));
            }
            _ => {}
        }
    }
    found
}

/// The last key of a path.
fn last_key(path: &[Step]) -> &str {
    let keys = path.iter().rev().filter_map(|step| match step {
        Step::Key(key) => Some(key.as_str()),
        Step::Index(_) => None,
    });
    keys.into_iter().next().unwrap_or_default()
}

/// The tree with something else in a place.
fn changed(tree: &Value, path: &[Step], change: &dyn Fn(&Value) -> Value) -> Value {
    let Some((first, rest)) = path.split_first() else { return change(tree) };
    let mut tree = tree.clone();
    let inner = match (&mut tree, first) {
        (Value::Object(fields), Step::Key(key)) => fields.get_mut(key),
        (Value::Array(items), Step::Index(index)) => items.get_mut(*index),
        _ => None,
    };
    let inner = inner.expect("the path is the tree's own");
    *inner = changed(inner, rest, change);
    tree
}

/// The tree with another name in a place that holds one.
fn renamed(tree: &Value, (path, held): &Place, to: &str) -> Value {
    if *held != Held::Assigned {
        return changed(tree, path, &|name| match name.as_str().and_then(|name| name.rsplit_once('.')) {
            Some((alias, _)) if *held == Held::Name => Value::from(format!("{alias}.{to}")),
            _ => Value::from(to),
        });
    }
    let (_, object) = path.split_last().expect("it is a key of an object");
    changed(tree, object, &|assigned| {
        let value = assigned.as_object().and_then(|fields| fields.values().next()).cloned();
        Value::from(Map::from_iter([(to.to_owned(), value.unwrap_or_default())]))
    })
}

/// The text in a place: a name without its alias.
fn text_at(tree: &Value, (path, held): &Place) -> String {
    if *held == Held::Assigned {
        return last_key(path).to_owned();
    }
    let found = path.iter().try_fold(tree, |tree, step| match step {
        Step::Key(key) => tree.get(key),
        Step::Index(index) => tree.get(index),
    });
    let text = found.and_then(Value::as_str).unwrap_or_default();
    text.rsplit_once('.').filter(|_| *held == Held::Name).map_or(text, |(_, name)| name).to_owned()
}

/// The key behind which a place lies, and the lists between.
fn kind((path, held): &Place) -> String {
    let path = if *held == Held::Assigned { path.split_last().map_or(&path[..], |(_, rest)| rest) } else { path };
    let lists = path.iter().rev().take_while(|step| matches!(step, Step::Index(_))).count();
    let assigned = if *held == Held::Assigned { " =" } else { "" };
    format!("{}{}{assigned}", last_key(path), "[]".repeat(lists))
}

/// Reads as widely as a program may.
fn read(tree: &Value) -> Option<Expr> {
    let limits = notation::ReadLimits::DEFAULT
        .depth(notation::ReadLimits::MAX_DEPTH)
        .nodes(usize::MAX)
        .bytes(usize::MAX)
        .list(usize::MAX);
    notation::from_str_with(&tree.to_string(), &limits).ok()
}

/// The trees of the cases that the widest policy lets pass, each with that policy.
fn specimens(schema: &Tables) -> Vec<(String, Value, QueryPolicy)> {
    let policies: Vec<QueryPolicy> = schema.0.entities().map(|(_, entity)| wide(entity.name.as_str())).collect();
    let mut found = Vec::new();
    for (topic, cases) in cases::all() {
        for case in cases {
            let text = notation::to_string(&case.expr);
            // A long tree has the places of a short one, only more of them; a deep one `serde_json` does not read.
            let Some(tree) =
                Some(text).filter(|text| text.len() < 1_000).and_then(|text| serde_json::from_str(&text).ok())
            else {
                continue;
            };
            let Some(read) = read(&tree) else { continue };
            let policy = policies.iter().find(|policy| policy.check(&read, schema).is_ok());
            found.extend(policy.map(|policy| (format!("{topic}/{}", case.name), tree, policy.clone())));
        }
    }
    assert!(found.len() > 1_000, "only {} cases are read and pass", found.len());
    found
}

/// The kinds of places, each with how many there were of it.
type Kinds = BTreeMap<String, usize>;

/// What was found in the places of one kind: as it should be, or not, with the first place where not.
fn sort(kinds: &mut Kinds, odd: &mut BTreeMap<String, String>, name: &str, place: &Place, holds: bool) {
    let kind = kind(place);
    if holds {
        *kinds.entry(kind).or_default() += 1;
    } else {
        odd.entry(kind).or_insert_with(|| format!("{name} {:?}", place.0));
    }
}

#[test]
fn a_hidden_name_is_refused_in_every_place() {
    let schema = Tables(sample::catalog());
    let (mut refused, mut passed) = (Kinds::new(), BTreeMap::new());
    for (name, tree, policy) in specimens(&schema) {
        for place in places(&tree).into_iter().filter(|(_, held)| *held != Held::List) {
            let Some(other) = read(&renamed(&tree, &place, HIDDEN)) else { continue };
            match policy.check(&other, &schema) {
                Err(refusal) if refusal.rule == PolicyRule::HiddenProperty => {
                    sort(&mut refused, &mut passed, &name, &place, true);
                }
                // Another table or function, which is not there.
                Err(_) => {}
                Ok(()) => sort(&mut refused, &mut passed, &name, &place, false),
            }
        }
    }
    let names: Vec<&str> = refused.keys().map(String::as_str).collect();
    assert_eq!(names, ["#", "Columns[]", "Sets[] =", "Target[]", "Update[] ="]);
    let texts: Vec<&str> = passed.keys().map(String::as_str).collect();
    // A text that is called as the property is: a value, also of a column that is set, an alias, the name of a shard.
    assert_eq!(
        texts,
        [
            "@",
            "@[]",
            "Alias",
            "As",
            "Distinct",
            "Email",
            "FirstValue[]",
            "Format[]",
            "JsonArrayAgg[]",
            "Name",
            "Right",
            "TableArgs[]",
            "Value",
            "Values[][]"
        ],
        "{passed:#?}"
    );
}

/// Whether the tree is refused by that rule.
fn refuses(policy: QueryPolicy, expr: &Expr, schema: &Tables, rule: PolicyRule) -> bool {
    policy.check(expr, schema).is_err_and(|refusal| refusal.rule == rule)
}

/// The least bound that the tree is not refused by.
fn least(refused: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, 1 << 16);
    while low < high {
        let middle = usize::midpoint(low, high);
        if refused(middle) { low = middle + 1 } else { high = middle }
    }
    low
}

#[test]
fn every_text_counts_its_bytes() {
    let schema = Tables(sample::catalog());
    let (mut counted, mut free) = (Kinds::new(), BTreeMap::new());
    for (name, tree, policy) in specimens(&schema) {
        let refused =
            |expr: &Expr, bytes| refuses(policy.clone().max_text_bytes(bytes), expr, &schema, PolicyRule::TextBytes);
        let Some(before) = read(&tree).map(|expr| least(|bytes| refused(&expr, bytes))) else { continue };
        for place in places(&tree).into_iter().filter(|(_, held)| *held != Held::List) {
            let text = text_at(&tree, &place);
            let Some(longer) = read(&renamed(&tree, &place, &format!("{text}zzz"))) else { continue };
            // Another entity or fragment is refused by its name.
            if ![PolicyRule::Entity, PolicyRule::Fragment]
                .iter()
                .any(|rule| refuses(policy.clone(), &longer, &schema, *rule))
            {
                let counts = refused(&longer, before + 2) && !refused(&longer, before + 3);
                sort(&mut counted, &mut free, &name, &place, counts);
            }
        }
    }
    let kinds = [
        "#",
        "@",
        "@[]",
        "$cte",
        "Alias",
        "Columns[]",
        "Sets[] =",
        "TableArgs[]",
        "Target[]",
        "Update[] =",
        "Values[][]",
    ];
    assert!(kinds.iter().all(|kind| counted.contains_key(*kind)), "{counted:#?}");
    assert!(free.is_empty(), "{free:#?}");
}

#[test]
fn every_list_counts_its_items() {
    let schema = Tables(sample::catalog());
    let (mut counted, mut free) = (Kinds::new(), BTreeMap::new());
    let (mut bounded, mut boundless) = (Kinds::new(), BTreeMap::new());
    for (name, tree, policy) in specimens(&schema) {
        let refused = |expr: &Expr, nodes| refuses(policy.clone().max_nodes(nodes), expr, &schema, PolicyRule::Nodes);
        let Some(before) = read(&tree).map(|expr| least(|nodes| refused(&expr, nodes))) else { continue };
        for place in places(&tree).into_iter().filter(|(_, held)| *held == Held::List) {
            let longer = changed(&tree, &place.0, &|list| {
                let list = list.as_array().map(Vec::as_slice).unwrap_or_default();
                list.iter().cycle().take(list.len() * 40).cloned().collect()
            });
            let Some(longer) = read(&longer).filter(|_| longer != tree) else { continue };
            // What derived tables repeat is reckoned apart, so that the difference may be smaller.
            sort(&mut counted, &mut free, &name, &place, refused(&longer, before + 20));
            let refused = refuses(policy.clone().max_list_items(39), &longer, &schema, PolicyRule::ListItems);
            sort(&mut bounded, &mut boundless, &name, &place, refused);
        }
    }
    assert!(counted.len() > 100 && bounded.len() > 100, "{counted:#?} {bounded:#?}");
    assert!(free.is_empty(), "{free:#?}");
    assert!(boundless.is_empty(), "{boundless:#?}");
}
