// The page: what is typed is compiled, shown, run, and kept in the address.

import { open } from "./compiler.js";
import { suggest } from "./complete.js";
import { Editor } from "./editor.js";
import { Examples } from "./examples.js";
import { format } from "./format.js";
import { place, placeOfByte } from "./json.js";
import { Results } from "./results.js";
import { Rows } from "./rows.js";
import { Schema } from "./schema.js";
import * as share from "./share.js";

const FIRST = "exists";
const id = (name) => document.getElementById(name);
const json = async (path) => (await fetch(path)).json();
const text = async (path) => (await fetch(path)).text();

const config = { wasm: "wasm" in document.documentElement.dataset, rows: "rows" in document.documentElement.dataset };
const loading = Promise.all([open(config), text("catalog.json"), json("examples.json")]);

// ---- The theme: while the rest is loaded, as the browser may take its time to say what it has kept ------------------------

const THEMES = { system: ["◐", "as the system"], light: ["☀", "light"], dark: ["☾", "dark"] };

function theme(name) {
  const [sign, said] = THEMES[name] ?? THEMES.system;
  document.documentElement.dataset.theme = name;
  id("theme").textContent = sign;
  id("theme").setAttribute("aria-label", `Theme: ${said}`);
  id("theme").title = `Theme: ${said}`;
  localStorage.setItem("theme", name);
}

id("theme").addEventListener("click", () => {
  const all = Object.keys(THEMES);
  theme(all[(all.indexOf(document.documentElement.dataset.theme) + 1) % all.length]);
});
theme(localStorage.getItem("theme") in THEMES ? localStorage.getItem("theme") : "system");

// ---- What was loaded ------------------------------------------------------------------------------------------------

const [compiler, definitions, topics] = await loading;
const words = { ...(await compiler.types()), entities: [], root: "" };

const tree = new Editor(id("tree"), {
  label: "The tree, as JSON",
  suggest: (typed, caret, read) => suggest(typed, caret, read, words),
  changed: () => changed(),
});
const catalog = new Editor(id("catalog"), { label: "The catalog's definitions, as JSON", suggest: () => null, changed: () => changed() });
const results = new Results(id("results"), words.dialects);
const rows = new Rows({ section: id("rows"), engines: id("engines"), table: id("table") });
const examples = new Examples(id("examples"), topics, show);
const [root, verb, mode] = [id("root"), id("verb"), id("text")];
id("rows").hidden = !config.rows;

// ---- What is on the page --------------------------------------------------------------------------------------------

/// The example that is shown as it is, if one is.
let example = null;
let described = "";

function show(one) {
  fill({ tree: format(one.tree), root: one.root, verb: one.verb, text: one.text });
  example = one;
  settle();
}

function fill(state) {
  tree.text = state.tree;
  catalog.text = state.catalog ?? definitions;
  described = "";
  words.root = state.root ?? "";
  verb.value = state.verb ?? "rows";
  mode.value = state.text ?? "database";
  example = null;
  pick("tree");
}

function state() {
  const now = { tree: tree.text };
  if (catalog.text !== definitions) now.catalog = catalog.text;
  if (words.root) now.root = words.root;
  if (verb.value !== "rows") now.verb = verb.value;
  if (mode.value !== "database") now.text = mode.value;
  return now;
}

function changed() {
  example = null;
  settle();
}

let latest = 0;

/// Compiles what is there. An answer that comes after a later question is not shown.
async function settle() {
  const mine = ++latest;
  id("results").setAttribute("aria-busy", "true");
  id("about").hidden = !example?.about;
  id("about").querySelector("strong").textContent = example?.title ?? "";
  id("about").querySelector("span").textContent = example?.about ?? "";
  examples.mark(example?.id);
  await describe();
  const options = { verb: verb.value, text: mode.value, ...(words.root && { root: words.root }) };
  const answer = await compiler.compile(catalog.text, tree.text, options);
  if (mine !== latest) return;
  const told = problem(answer);
  if (!told) results.show(answer.results);
  results.stale(Boolean(told));
  id("results").removeAttribute("aria-busy");
  document.documentElement.dataset.compiled ??= String(Math.round(performance.now()));
  later(told, mine);
}

async function describe() {
  if (described === catalog.text) return;
  described = catalog.text;
  const { entities } = await compiler.catalog(catalog.text);
  if (entities) words.entities = entities;
  const names = words.entities.map(({ name }) => name);
  root.replaceChildren(new Option("its own table", ""), ...names.map((name) => new Option(name, name)));
  if (!names.includes(words.root)) words.root = "";
  root.value = words.root;
}

/// What is wrong for every dialect is told once, at its place; what one refuses is told in its card.
function problem(answer) {
  const errors = answer.error ? [answer.error] : answer.results.map(({ error }) => error);
  const error = errors.every((one) => one && !one.refused) ? errors[0] : null;
  const editor = error?.in === "catalog" ? catalog : tree;
  const box = id("problem");
  box.hidden = !error;
  tree.mark(null);
  catalog.mark(null);
  if (!error) return null;
  const at = error.offset === undefined ? place(editor.text, editor.tree.ranges, error.path ?? "$") : placeOfByte(editor.text, error.offset);
  if (error.in !== "catalog") editor.mark(at);
  box.querySelector("code").textContent = error.in === "catalog" ? "catalog" : error.path;
  box.querySelector("span").textContent = error.message;
  return error;
}

/// Rows and the address wait until nobody types.
let waiting = 0;

function later(told, mine) {
  clearTimeout(waiting);
  waiting = setTimeout(async () => {
    const fragment = example ? example.id : await share.write(state());
    if (mine !== latest) return;
    history.replaceState(null, "", `#${fragment}`);
    if (!config.rows) return;
    if (told) rows.say("There are no rows until the tree compiles.");
    else if (catalog.text !== definitions) rows.say("The catalog is another one than that of the data: there are no rows.");
    else if (/^\s*\{\s*"\$(insert|update|delete)"/.test(tree.text)) rows.say("A statement that writes is shown, not run.");
    else rows.ask({ tree: tree.text, root: words.root || null, verb: verb.value, text: mode.value });
  }, example ? 0 : 300);
}

// ---- Controls -------------------------------------------------------------------------------------------------------

root.addEventListener("change", () => {
  words.root = root.value;
  changed();
});
verb.addEventListener("change", changed);
mode.addEventListener("change", changed);

const tabs = ["tree", "catalog"];

function pick(name) {
  for (const tab of tabs) {
    const is = tab === name;
    id(tab).hidden = !is;
    id(`tab-${tab}`).setAttribute("aria-selected", String(is));
    id(`tab-${tab}`).tabIndex = is ? 0 : -1;
  }
  (name === "tree" ? tree : catalog).refresh();
}

for (const tab of tabs) {
  id(`tab-${tab}`).addEventListener("click", () => pick(tab));
  id(`tab-${tab}`).addEventListener("keydown", ({ key }) => {
    if (key !== "ArrowLeft" && key !== "ArrowRight") return;
    const other = tabs.find((name) => name !== tab);
    pick(other);
    id(`tab-${other}`).focus();
  });
}

id("format").addEventListener("click", () => {
  const editor = id("tree").hidden ? catalog : tree;
  try {
    editor.text = format(JSON.parse(editor.text));
    changed();
  } catch {
    tell("It is no JSON yet: there is nothing to format.");
  }
});

function tell(words) {
  const box = id("told");
  box.textContent = words;
  box.classList.add("shown");
  setTimeout(() => box.classList.remove("shown"), 2200);
}

async function copy(words, done) {
  try {
    await navigator.clipboard.writeText(words);
    tell(done);
  } catch {
    tell("The browser does not let it be copied.");
  }
}

id("share").addEventListener("click", async () => {
  const fragment = example ? example.id : await share.write(state());
  history.replaceState(null, "", `#${fragment}`);
  await copy(location.href, "Link copied: the query is in it.");
});
document.addEventListener("copy-sql", ({ detail }) => copy(detail, "SQL copied."));

// ---- The beginning --------------------------------------------------------------------------------------------------

async function fromAddress() {
  const shared = await share.read(location.hash);
  if (shared?.tree !== undefined) {
    fill(shared);
    settle();
  } else show(examples.find(shared) ?? examples.find(FIRST));
}

window.addEventListener("hashchange", fromAddress);
await fromAddress();
// What completes names is not needed for the first result.
words.schema = new Schema(await json("schema.json"));
