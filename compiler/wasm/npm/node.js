// Node reads the module from the folder, before anything is exported.
import { readFileSync } from "node:fs";
import { initSync } from "./isogloss.js";

initSync({ module: readFileSync(new URL("./isogloss_bg.wasm", import.meta.url)) });

export { catalog, compile, types } from "./functions.js";
