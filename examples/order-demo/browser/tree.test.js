// The trees that the filter builder makes.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ENTITIES, OPERATORS, newExists, newGroup, operatorsOf, pageTree, textOf, toTree } from "../page/tree.js";

const condition = (property, operator, value, upper = "") => ({ kind: "condition", property, operator, value, upper });
const group = (join, not, ...items) => ({ kind: "group", join, not, items });

test("what is left open asks nothing", () => {
  assert.equal(toTree(newGroup()), null);
  assert.equal(toTree(group("$or", true, condition("Note", "==", ""), group("$and", false))), null);
  assert.deepEqual(pageTree(null, { sort: "Id", descending: false, skip: 0, take: 20 }), {
    $section: { $orderby: null, OrderBys: [{ Field: { "#": "Id" } }] }, Skip: 0, Take: 20,
  });
});

test("groups, and their opposite", () => {
  const a = { $: "==", Left: { "#": "Note" }, Right: { "@": "a" } };
  const b = { $: ">", Left: { "#": "Quantity" }, Right: { "@": 5 } };
  const [left, right] = [condition("Note", "==", "a"), condition("Quantity", ">", "5")];
  assert.deepEqual(toTree(group("$or", false, left, right)), { $or: [a, b] });
  assert.deepEqual(toTree(group("$and", true, left, right)), { "!": { $and: [a, b] } });
  assert.deepEqual(toTree(group("$and", false, left)), a);
  assert.deepEqual(toTree(group("$and", false, left, group("$or", true, right))), { $and: [a, { "!": b }] });
});

test("every operator of every property makes a comparison", () => {
  for (const entity of Object.keys(ENTITIES)) {
    for (const property of ENTITIES[entity].properties) {
      for (const [operator] of operatorsOf(property)) {
        const tree = toTree(condition(property.name, operator, "1, 2", "3"), entity);
        const compared = operator === "between" ? tree.$and[0] : tree;
        assert.deepEqual(compared.Left, { "#": property.name });
        const symbol = { null: "==", notnull: "!=", between: ">=" }[operator] ?? operator;
        assert.equal(compared.$, symbol);
      }
    }
  }
  const all = new Set(Object.values(OPERATORS).flat().map(([symbol]) => symbol));
  for (const symbol of ["==", "!=", ">", ">=", "<", "<=", "in", "notin", "like", "notlike", "contains", "notcontains", "startswith", "notstartswith", "endswith", "notendswith"]) {
    assert.ok(all.has(symbol), symbol);
  }
});

test("values have the type of their property", () => {
  const right = (item) => toTree(item).Right;
  assert.deepEqual(right(condition("Quantity", "in", "1, 2,,3")), { "@": [1, 2, 3] });
  assert.deepEqual(right(condition("Quantity", "==", "many")), { "@": "many" });
  assert.deepEqual(right(condition("CustomerName", "==", "12")), { "@": "12" });
  assert.deepEqual(right(condition("CreatedTime", ">=", "2024-01-31T08:30")), { "@": "2024-01-31T08:30:00" });
  assert.equal(right(condition("Note", "null", "")), null);
  assert.deepEqual(toTree(condition("Quantity", "between", "1", "5")).$and.map(({ Right }) => Right["@"]), [1, 5]);
});

test("related rows", () => {
  const exists = newExists("Audit");
  exists.inner.items[0].value = "Changed";
  const inner = { $: "==", Left: { "#": "Action" }, Right: { "@": "Changed" } };
  assert.deepEqual(toTree(exists), { $foreign: "Audit", AutoRelated: true, InnerExpr: inner });
  assert.deepEqual(toTree({ ...exists, not: true, inner: newGroup() }), { "!": { $foreign: "Audit", AutoRelated: true } });
});

test("a tree as text is the tree", () => {
  const tree = pageTree(toTree(group("$or", false, condition("Note", "==", "a \"b\""), condition("Quantity", "in", "1,2,3"), condition("Note", "null", ""))), { sort: "Id", descending: true, skip: 0, take: 20 });
  assert.deepEqual(JSON.parse(textOf(tree)), tree);
  assert.ok(textOf(tree).split("\n").every((line) => line.length <= 90));
});
