// A browser loads the module beside this file. Who imports this waits for it.
import init from "./isogloss.js";

await init({ module_or_path: new URL("./isogloss_bg.wasm", import.meta.url) });

export { catalog, compile, types } from "./functions.js";
