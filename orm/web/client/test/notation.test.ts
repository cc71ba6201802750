import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";

import { randomTrees } from "./random.js";
import { trees } from "./trees.js";

/** The reader of the server, as compiler/examples/notation.rs has it. */
const reader = process.env.ISOGLOSS_NOTATION;

function canonical(texts: string[]): string[] {
  const { stdout, status } = spawnSync(reader!, { input: texts.join("\n"), encoding: "utf8", maxBuffer: 2 ** 28 });
  assert.equal(status, 0);
  return stdout.split("\n").slice(0, -1);
}

test("each builder writes the notation", () => {
  assert.ok(trees.length > 60);
  for (const [tree, text] of trees) assert.equal(String(tree), text);
});

const skip = reader ? false : "SKIPPED: ISOGLOSS_NOTATION names no reader (cargo build --example notation)";
if (skip) console.warn(skip);

test("the server reads each tree as it is written", { skip }, () => {
  const texts = trees.map(([tree]) => String(tree));
  assert.deepEqual(canonical(texts), texts);
});

test("the server reads 2,000 random trees as they are written", { skip }, () => {
  const seed = Number(process.env.ISOGLOSS_SEED ?? Date.now() % 2 ** 32);
  const texts = randomTrees(seed, 2000).map(String);
  assert.ok(new Set(texts).size > 1000, "the trees differ");
  const read = canonical(texts);
  texts.forEach((text, at) => assert.equal(read[at], text, `with ISOGLOSS_SEED=${seed}`));
});

test("a tree that the server would refuse is seen by this test", { skip }, () => {
  assert.deepEqual(canonical([`{"$":">="}`]), [`error: missing key "Left" at $`]);
});
