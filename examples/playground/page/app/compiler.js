// The compiler: in this page where it was built for browsers, else the server's. Both answer the same.

async function ask(path, body) {
  const response = await fetch(path, body && { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

const server = {
  compile: (catalog, tree, options) => ask("compile", { catalog, tree, options: JSON.stringify(options) }),
  catalog: (catalog) => ask("describe", { catalog }),
  types: () => ask("types"),
};

async function inBrowser() {
  const wasm = await import("../isogloss/isogloss.js");
  await wasm.default({ module_or_path: new URL("../isogloss/isogloss_bg.wasm", import.meta.url) });
  return {
    compile: async (catalog, tree, options) => JSON.parse(wasm.compile(catalog, tree, JSON.stringify(options))),
    catalog: async (catalog) => JSON.parse(wasm.catalog(catalog)),
    types: async () => JSON.parse(wasm.types()),
  };
}

/// The compiler, and whether it is in this page.
export async function open(config) {
  if (config.wasm && "WebAssembly" in globalThis) {
    try {
      return { ...(await inBrowser()), isLocal: true };
    } catch (error) {
      if (!config.rows) throw error;
      console.warn("the compiler does not run here, so the server is asked:", error);
    }
  }
  return { ...server, isLocal: false };
}
