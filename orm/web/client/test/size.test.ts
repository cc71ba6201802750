import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";

import { build } from "esbuild";

async function size(...modules: string[]): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents: modules.map((name) => `export * from "./src/${name}.js";`).join(""), resolveDir: "." },
    bundle: true, minify: true, format: "esm", target: "es2022", write: false,
  });
  return gzipSync(outputFiles[0]!.contents, { level: 9 }).length;
}

test("the builders are small", async (t) => {
  const builders = await size("literal", "value", "query");
  const all = await size("index");
  t.diagnostic(`minified and compressed: the builders ${builders} bytes, all ${all} bytes`);
  assert.ok(builders < 3000);
  assert.ok(all < 4500);
});
