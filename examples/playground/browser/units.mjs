// The parts of the page that need no page. PLAYGROUND_URL is where one is served, for what the server makes.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { ABOUT, suggest } from "../page/app/complete.js";
import { format } from "../page/app/format.js";
import { place, placeOfByte, read } from "../page/app/json.js";
import { Schema, words as wordsOf } from "../page/app/schema.js";
import * as share from "../page/app/share.js";

const examples = JSON.parse(readFileSync(new URL("../page/examples.json", import.meta.url)));
const schema = await (await fetch(new URL("schema.json", process.env.PLAYGROUND_URL))).json();
const trees = examples.flatMap((topic) => topic.examples.map(({ tree }) => tree));

const words = {
  schema: new Schema(schema),
  root: "User",
  functions: [{ name: "Substring", arguments: "text, integer[, integer]", meaning: "A part." }],
  entities: [
    { name: "User", table: "Users", properties: [{ name: "Id", type: "Int32" }, { name: "Name", type: "String" }] },
    { name: "Order", table: "Orders", properties: [{ name: "Id", type: "Int64" }, { name: "Total", type: "Decimal" }] },
  ],
};

/// The suggestions where the text has a bar.
const at = (text) => {
  const caret = text.indexOf("|");
  const plain = text.replace("|", "");
  return (suggest(plain, caret, read(plain), words)?.items ?? []).map((item) => item.text);
};

test("what is formatted is what it was, in lines that are not too long", () => {
  for (const tree of trees) {
    const text = format(tree);
    assert.deepEqual(JSON.parse(text), tree);
    assert.ok(text.split("\n").every((line) => line.length < 110), text);
  }
});

test("unfinished text is read, too", () => {
  for (const tree of trees) {
    const text = format(tree);
    for (let end = 0; end <= text.length; end += 1) {
      const { tokens } = read(text.slice(0, end));
      let last = 0;
      for (const token of tokens) {
        assert.ok(token.start >= last && token.end > token.start && token.end <= end);
        last = token.end;
      }
    }
  }
  read("[".repeat(100_000));
  read('}{]"[,:,:,\\');
});

test("places are found by their paths", () => {
  const text = '{"$and": [\n  {"#": "Name"},\n  {"$": "func", "odd key": [1, {\n "x": 2}]}]}';
  const { ranges } = read(text);
  const found = (path) => text.slice(...place(text, ranges, path));
  assert.equal(found("$.$and[0]"), '{"#": "Name"}');
  assert.equal(found("$.$and[0].#"), '"Name"');
  assert.equal(found('$.$and[1]["odd key"][1].x'), "2");
  assert.equal(found('$.$and[1]["odd key"][1]'), "{", "of more lines than one, the first");
  assert.equal(found("$.$and[0].Left.Right"), '{"#": "Name"}', "the nearest that there is");
  assert.equal(place("", read("").ranges, "$"), null);
});

test("bytes are not characters", () => {
  assert.deepEqual(placeOfByte('"é" x', 5), [4, 5]);
  assert.deepEqual(placeOfByte('{"a": ', 6), [4, 5], "what is missing is shown behind what is there");
  assert.deepEqual(placeOfByte("", 0), [0, 1]);
});

test("suggestions are those of the place", () => {
  const offered = {
    '{"#": "|"}': ["Id", "Name"],
    '{"#": "na|"}': ["Name"],
    '{"$foreign": "Order", "InnerExpr": {"$": ">", "Left": {"#": "|"}}}': ["Id", "Total"],
    '{"$where": {"$table": "Order"}, "Where": {"#": "t|"}}': ["Total"],
    '{"$table": "|"}': ["User", "Order"],
    '{"$": "func", "sub|": []}': ["Substring"],
    '{"$": "func", "ca|": []}': ["CASE", "CAST"],
    '{"$": "func", "Substring": [], "|"}': ["Filter", "IsAggregate", "OrderBy"],
    '{"$where": {"$table": "User"}, "|"}': ["Where"],
    '{"OrderBys": [{"|"}]}': ["Field", "Asc", "Nulls"],
    '{"$orderby": null, "OrderBys": [{"Field": 1, "|"}]}': ["Asc", "Nulls"],
    '{"$orderby": null, "OrderBys": [{"Field": 1, "Nulls": "|"}]}': ["Default", "First", "Last"],
    '{"$select": null, "Next": [{"$select": null, "SetType": "|"}]}': ["Union", "UnionAll", "Intersect", "Except"],
    '{"$": "over", "Func": {"$": "func", "Count": []}, "Frame": {"Unit": "|"}}': ["Rows", "Range", "Groups"],
    '{"$": "func", "CAST": [{"#": "Id"}, "datetimeo|"]}': ["DateTimeOffset", "DateTimeOffset[]"],
    '{"$": "starts|"}': ["startswith", "istartswith", "notstartswith", "notistartswith"],
    '{"Left": 1, "$": "noti|"}': ["notin", "notilike", "noticontains", "notistartswith", "notiendswith"],
    '{"$update": {"$table": "Order"}, "Sets": [{"|": 1}]}': ["Id", "Total"],
    '{"$unknown": {"$table": "|"}}': ["User", "Order"],
    '{"Right": "any|thing"}': [],
    '{"Right": 5|}': [],
  };
  for (const [text, items] of Object.entries(offered)) assert.deepEqual(at(text).sort(), items.sort(), text);
  assert.deepEqual(at('{"OrderBys": [{"|"}]}')[0], "Field", "what must be there comes first");
  assert.ok(at('{"|"}').includes("$and") && !at('{"|"}').includes("Left"), "first what the node is");
  assert.ok(at('{"$and": [{"|"}]}').includes("$foreign") && !at('{"$and": [{"|"}]}').includes("$table"));
});

test("what examples have is offered at its place", () => {
  let offered = 0;
  for (const tree of trees) {
    const text = format(tree);
    for (const { token, isKey } of read(text).strings) {
      const value = JSON.parse(text.slice(token.start, token.end));
      const open = text.slice(0, token.start + 1) + text.slice(token.end - 1);
      const found = suggest(open, token.start + 1, read(open), words)?.items ?? [];
      // Names of the catalog and texts are free; what is a word of the notation is not.
      if (!isKey && !found.some(({ kind }) => kind === "operator" || kind === "word")) continue;
      const isWord = found.some((item) => item.text === value);
      assert.ok(isWord || (isKey && found.some(({ kind }) => kind === "function" || kind === "property")), `${value} in ${open}`);
      offered += isWord;
    }
  }
  assert.ok(offered > 500, offered);
});

test("what is explained is a word of the schema", () => {
  const known = new Set();
  const look = (held) => {
    if (typeof held !== "object" || !held) return;
    for (const key of Object.keys(held.properties ?? {})) known.add(key);
    for (const word of wordsOf(held)) known.add(word);
    Object.values(held).forEach(look);
  };
  look(schema);
  assert.deepEqual(Object.keys(ABOUT).filter((word) => !known.has(word)), []);
});

test("an address holds all that is on the page", async () => {
  const state = { tree: `${"é".repeat(5000)} "\\`, root: "User", verb: "count" };
  const fragment = await share.write(state);
  assert.match(fragment, /^z:[\w-]+$/);
  assert.ok(fragment.length < 300);
  assert.deepEqual(await share.read(`#${fragment}`), state);
  assert.equal(await share.read("#q03"), "q03");
  for (const broken of ["", "#", "#z:", "#z:%%%", "#z:AAAA", `#${fragment.slice(0, 20)}`]) assert.equal(await share.read(broken), null, broken);
});
