// The parts of the page that need no page.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { suggest } from "../page/app/complete.js";
import { format } from "../page/app/format.js";
import { place, placeOfByte, read } from "../page/app/json.js";
import * as share from "../page/app/share.js";

const examples = JSON.parse(readFileSync(new URL("../page/examples.json", import.meta.url)));
const trees = examples.flatMap((topic) => topic.examples.map(({ tree }) => tree));

const words = {
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
  assert.deepEqual(at('{"#": "|"}'), ["Id", "Name"]);
  assert.deepEqual(at('{"#": "na|"}'), ["Name"]);
  assert.deepEqual(at('{"$foreign": "Order", "InnerExpr": {"$": ">", "Left": {"#": "|"}}}'), ["Id", "Total"]);
  assert.deepEqual(at('{"$where": {"$table": "Order"}, "Where": {"#": "t|"}}'), ["Total"]);
  assert.deepEqual(at('{"$table": "|"}'), ["User", "Order"]);
  assert.deepEqual(at('{"$": "func", "sub|": []}'), ["Substring"]);
  assert.deepEqual(at('{"$where": {"$table": "User"}, "|"}'), ["Where"]);
  assert.deepEqual(at('{"OrderBys": [{"|"}]}'), ["Field", "Asc", "Nulls"]);
  assert.deepEqual(at('{"$": "starts|"}'), ["startswith"]);
  assert.ok(at('{"|"}').includes("$and"));
  assert.deepEqual(at('{"Right": "any|thing"}'), []);
  assert.deepEqual(at('{"Right": 5|}'), []);
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
