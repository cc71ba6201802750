// The module's own answers, one a line: to the catalog, to the words, and to each question of a file.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [folder, catalog, questions] = process.argv.slice(2);
const module = await import(pathToFileURL(`${folder}/isogloss.js`));
module.initSync({ module: readFileSync(`${folder}/isogloss_bg.wasm`) });

const definitions = readFileSync(catalog, "utf8");
const lines = [module.catalog(definitions), module.types()];
for (const [tree, options] of JSON.parse(readFileSync(questions, "utf8"))) lines.push(module.compile(definitions, tree, options));
process.stdout.write(`${lines.join("\n")}\n`);
