//! The contestants do the same work: their texts are equal up to spelling, and they bind what they write.

use isogloss_benches::data::Data;
use isogloss_benches::peer::Workload;
use isogloss_benches::{peers, tokens};

#[test]
fn texts_are_equal() {
    let data: &'static Data = Box::leak(Box::new(Data::new()));
    let peers = peers::all();
    let mut wrong = Vec::new();
    for workload in Workload::ALL {
        let mut texts = Vec::new();
        for peer in &peers {
            let Ok(case) = peer.case(workload, data) else { continue };
            let text = case.text();
            let placeholders = tokens::placeholders(&text.sql);
            if !workload.is_json() && placeholders != text.params {
                let (workload, peer, params) = (workload.name(), peer.name(), text.params);
                wrong.push(format!("{workload} {peer}: {placeholders} placeholders, {params} parameters"));
            }
            let tokens = if workload.is_json() { vec![text.sql.clone()] } else { tokens::normalised(&text.sql) };
            texts.push((peer, tokens, text));
        }
        // The first one whose text is nothing but what is asked for.
        let Some(base) = texts.iter().position(|(peer, ..)| peer.deviation(workload).is_none()) else { continue };
        let (name, expected, params) = (texts[base].0.name(), texts[base].1.clone(), texts[base].2.params);
        for (peer, tokens, text) in texts {
            let same = tokens == expected && text.params == params;
            if same != peer.deviation(workload).is_none() {
                let at = tokens.iter().zip(&expected).position(|(a, b)| a != b);
                wrong.push(format!(
                    "{} {} against {name}: first difference at token {at:?}: {:?} / {:?}\n{}",
                    workload.name(),
                    peer.name(),
                    at.map(|i| &tokens[i]),
                    at.map(|i| &expected[i]),
                    text.sql.chars().take(900).collect::<String>()
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn sizes_are_as_posed() {
    let data: &'static Data = Box::leak(Box::new(Data::new()));
    let expected = [
        (Workload::W1, 1),
        (Workload::W2, 7),
        (Workload::W3, 11),
        (Workload::W4a, 1_000),
        (Workload::W4b, 1),
        (Workload::W5, 8_000),
        (Workload::W6, 1_000),
        (Workload::W7, 12),
        (Workload::J2, 5),
        (Workload::J6, 1_000),
    ];
    for (workload, params) in expected {
        let peers = peers::all();
        let case = peers.iter().find_map(|p| p.case(workload, data).ok()).expect("somebody does it");
        assert_eq!(case.text().params, params, "{}", workload.name());
    }
}

#[test]
fn allocations_are_counted() {
    use isogloss_benches::alloc::snapshot;
    let before = snapshot();
    let boxed = std::hint::black_box(Box::new([0u8; 100]));
    let after = snapshot();
    drop(boxed);
    assert_eq!(after.allocs - before.allocs, 1);
    assert_eq!(after.bytes - before.bytes, 100);
}

/// The token streams leave parentheses out; those of W6 matter, so its condition is parsed by the rules of SQL (AND
/// before OR) and chains of the same operator are flattened.
#[test]
fn logic_is_nested_alike() {
    #[derive(Debug, PartialEq)]
    enum Tree {
        Leaf(String),
        And(Vec<Tree>),
        Or(Vec<Tree>),
    }
    fn join(items: Vec<Tree>, and: bool) -> Tree {
        let mut flat = Vec::new();
        for item in items {
            match item {
                Tree::And(inner) if and => flat.extend(inner),
                Tree::Or(inner) if !and => flat.extend(inner),
                item => flat.push(item),
            }
        }
        if flat.len() == 1 {
            flat.remove(0)
        } else if and {
            Tree::And(flat)
        } else {
            Tree::Or(flat)
        }
    }
    fn chain(rest: &mut &str, and: bool) -> Tree {
        let mut items = Vec::new();
        loop {
            items.push(if and { operand(rest) } else { chain(rest, true) });
            match rest.strip_prefix(if and { " AND " } else { " OR " }) {
                Some(more) => *rest = more,
                None => return join(items, and),
            }
        }
    }
    fn operand(rest: &mut &str) -> Tree {
        if let Some(inner) = rest.strip_prefix('(') {
            *rest = inner;
            let tree = chain(rest, false);
            *rest = rest.strip_prefix(')').expect("a closing parenthesis");
            return tree;
        }
        let end = [" AND ", " OR ", ")"].iter().filter_map(|stop| rest.find(stop)).min().unwrap_or(rest.len());
        let (leaf, more) = rest.split_at(end);
        *rest = more;
        Tree::Leaf(leaf.replace("!=", "<>"))
    }
    fn depth(tree: &Tree) -> usize {
        match tree {
            Tree::Leaf(_) => 0,
            Tree::And(items) | Tree::Or(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        }
    }
    let data: &'static Data = Box::leak(Box::new(Data::new()));
    let mut base: Option<Tree> = None;
    for peer in peers::all() {
        let Ok(case) = peer.case(Workload::W6, data) else { continue };
        let sql = case.text().sql;
        let (_, mut rest) = sql.split_once(" WHERE ").expect("a condition");
        let tree = chain(&mut rest, false);
        assert_eq!(rest, "", "{}", peer.name());
        assert_eq!(depth(&tree), 50, "{}", peer.name());
        match &base {
            None => base = Some(tree),
            Some(expected) => assert!(tree == *expected, "{} nests otherwise", peer.name()),
        }
    }
}
