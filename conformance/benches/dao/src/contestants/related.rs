//! The rows of relations, as SQL by hand makes them.

use std::collections::HashMap;

use workload::dao::Item;

#[allow(dead_code, reason = "what is measured is the reading")]
pub struct Line {
    pub id: i64,
    pub order_id: i64,
    pub product_id: i64,
    pub quantity: i32,
    pub product: Option<Product>,
}

#[derive(Clone)]
#[allow(dead_code, reason = "what is measured is the reading")]
pub struct Product {
    pub id: i64,
    pub name: String,
}

/// The products that the lines refer to, each once.
pub fn product_keys(lines: &[Line]) -> Vec<i64> {
    let mut keys: Vec<i64> = lines.iter().map(|line| line.product_id).collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// Gives each line its product.
pub fn put(products: Vec<Product>, lines: &mut [Line]) {
    let found: HashMap<i64, Product> = products.into_iter().map(|product| (product.id, product)).collect();
    for line in lines {
        line.product = found.get(&line.product_id).cloned();
    }
}

/// Gives each order its lines.
pub fn grouped(orders: Vec<Item>, lines: Vec<Line>) -> Vec<(Item, Vec<Line>)> {
    let mut groups: HashMap<i64, Vec<Line>> = HashMap::with_capacity(orders.len());
    for line in lines {
        groups.entry(line.order_id).or_default().push(line);
    }
    let with_lines = |order: Item| {
        let lines = groups.remove(&order.id).unwrap_or_default();
        (order, lines)
    };
    orders.into_iter().map(with_lines).collect()
}

/// How many lines there are.
pub fn lines_of(orders: &[(Item, Vec<Line>)]) -> i64 {
    orders.iter().map(|(_, lines)| lines.len() as i64).sum()
}
