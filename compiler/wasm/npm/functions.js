// The module takes and gives texts; these take and give objects.
import * as wasm from "./isogloss.js";

const text = (json) => (typeof json === "string" ? json : JSON.stringify(json));

export const compile = (catalog, tree, options = {}) =>
  JSON.parse(wasm.compile(text(catalog), text(tree), text(options)));

export const catalog = (definitions) => JSON.parse(wasm.catalog(text(definitions)));

export const types = () => JSON.parse(wasm.types());
