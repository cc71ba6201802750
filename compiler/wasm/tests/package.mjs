// The package as a program in Node uses it: installed by its name. ISOGLOSS_WASM is its folder.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";

const folder = resolve(process.env.ISOGLOSS_WASM);
const place = mkdtempSync(join(tmpdir(), "isogloss-package-"));
mkdirSync(join(place, "node_modules"));
symlinkSync(folder, join(place, "node_modules", "isogloss"));
writeFileSync(join(place, "program.mjs"), 'export * from "isogloss";\n');
const { catalog, compile, types } = await import(pathToFileURL(join(place, "program.mjs")));
after(() => rmSync(place, { recursive: true }));

const definitions = {
  entity: [{ name: "User", table: "Users", columns: [
    { name: "Id", type: "Int32", primary_key: true },
    { name: "Name", type: "String(100)" },
  ] }],
};
const filter = { $: "startswith", Left: { "#": "Name" }, Right: "R&D" };

test("objects and texts are taken alike", () => {
  const options = { root: "User", dialects: ["postgres", "oracle 23"] };
  const answer = compile(definitions, filter, options);
  assert.deepEqual(answer.results.map(({ label }) => label), ["postgres 15", "oracle 23ai"]);
  assert.equal(answer.results[0].sql, 'SELECT "T0"."Id", "T0"."Name" FROM "Users" "T0" WHERE "T0"."Name" LIKE $1');
  assert.deepEqual(answer.results[0].parameters[0].value, "R&D%");
  assert.deepEqual(compile(JSON.stringify(definitions), JSON.stringify(filter), options), answer);
});

test("what is wrong is in the answer, and does not break the module", () => {
  assert.equal(compile(definitions, "{", {}).error.in, "tree");
  assert.equal(compile("{", filter, {}).error.in, "catalog");
  assert.equal(compile(definitions, filter, { verb: "x" }).error.in, "options");
  const deep = `${'{"!":'.repeat(50_000)}true${"}".repeat(50_000)}`;
  assert.match(compile(definitions, deep).error.message, /nested deeper/);
  const wide = { $and: Array.from({ length: 20_000 }, () => filter) };
  assert.equal(compile(definitions, wide, { root: "User", dialects: ["sqlite"] }).results.length, 1);
  assert.equal(compile(definitions, { "#": "Nmae" }, { root: "User", dialects: ["mysql"] }).results[0].error.refused, false);
  assert.ok(compile(definitions, filter, { root: "User" }).results.length > 20);
});

test("the catalog and the words are told", () => {
  assert.deepEqual(catalog(definitions).entities[0].properties[1], { name: "Name", type: "String" });
  const { dialects, functions } = types();
  assert.equal(dialects.length, 6);
  assert.ok(functions.some(({ name, meaning }) => name === "Substring" && meaning));
});

test("each file that the package names is there", () => {
  const { exports } = JSON.parse(readFileSync(join(folder, "package.json")));
  for (const path of [...Object.values(exports["."]), exports["./isogloss_bg.wasm"]]) readFileSync(join(folder, path));
});
