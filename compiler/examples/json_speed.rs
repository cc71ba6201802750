//! How long it takes to read five comparisons, and a thousand nested 50 deep: `cargo run --release --example json_speed`.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a measurement: it prints, and its texts are its own")]
use isogloss_compiler::json;
use std::time::Instant;

fn nested(depth: usize, count: &mut usize) -> String {
    let mut items = Vec::new();
    for i in 0..20 {
        *count += 1;
        items.push(format!(r##"{{"$":">=","Left":{{"#":"Field{i}"}},"Right":{{"@":{i}}}}}"##));
    }
    if depth > 1 {
        items.push(nested(depth - 1, count));
    }
    format!(r##"{{"${}":[{}]}}"##, if depth.is_multiple_of(2) { "and" } else { "or" }, items.join(","))
}

fn time(name: &str, rounds: u32, mut f: impl FnMut()) {
    let mut best = f64::MAX;
    for _ in 0..15 {
        let start = Instant::now();
        for _ in 0..rounds {
            f();
        }
        best = best.min(start.elapsed().as_nanos() as f64 / f64::from(rounds));
    }
    println!("{name}: {best:.0} ns");
}

fn main() {
    let w2 = r##"{"$and":[{"$":">=","Left":{"#":"Age"},"Right":{"@":18}},{"$":"==","Left":{"#":"DeptName"},"Right":{"@":"Research"}},{"$":"startswith","Left":{"#":"Name"},"Right":{"@":"R&D"}},{"$":"in","Left":{"#":"Status"},"Right":{"@":[1,2,3]}},{"$":"!=","Left":{"#":"Email"},"Right":null}]}"##;
    let mut count = 0;
    let big = nested(50, &mut count);
    println!("w2 {} bytes; big {} bytes, {count} comparisons", w2.len(), big.len());
    let tree = json::from_str(w2).unwrap();
    assert_eq!(json::to_string(&tree), w2);
    time("read w2", 20_000, || {
        std::hint::black_box(json::from_str(std::hint::black_box(w2)).unwrap());
    });
    let limits = json::ReadLimits::DEFAULT;
    time("read big", 200, || {
        std::hint::black_box(json::from_str_with(std::hint::black_box(&big), &limits).unwrap());
    });
    time("clone w2", 20_000, || {
        std::hint::black_box(std::hint::black_box(&tree).clone());
    });
    time("write w2", 20_000, || {
        std::hint::black_box(json::to_string(std::hint::black_box(&tree)));
    });
    time("serde Value w2", 20_000, || {
        std::hint::black_box(serde_json::from_str::<serde_json::Value>(std::hint::black_box(w2)).unwrap());
    });
    time("serde IgnoredAny w2", 20_000, || {
        std::hint::black_box(serde_json::from_str::<serde::de::IgnoredAny>(std::hint::black_box(w2)).unwrap());
    });
}
