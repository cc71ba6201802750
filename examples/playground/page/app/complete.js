// What may stand at the caret: what the notation's schema lets follow there, names of the catalog, and functions.

import { words as wordsOf } from "./schema.js";

/// What the words of the schema are.
export const ABOUT = {
  "==": "equal", "!=": "not equal", ">": "greater", ">=": "greater or equal", "<": "less", "<=": "less or equal",
  in: "one of a list or a query", notin: "none of a list or a query", like: "a pattern with wildcards", contains: "a text within",
  startswith: "a text at the start", endswith: "a text at the end", regexp: "a regular expression",
  distinct: "other, NULL counted as a value", notdistinct: "the same, NULL counted as a value",
  "+": "sum", "-": "difference", "*": "product", "/": "quotient", "%": "rest", "||": "one text after the other",
  func: "a function", over: "a window", set: "a set of values", unary: "of one value",
  "#": "a property", "@": "a value that is bound", "!": "not", $: "an operator or a function",
  $and: "all of them", $or: "any of them", $foreign: "EXISTS over a related entity", $exists: "EXISTS over a query",
  $truth: "a predicate as a value", $istrue: "a value as a predicate", $table: "a table or view", $from: "a table with joins",
  $join: "a join", $where: "rows that a condition lets through", $group: "groups", $having: "groups that a condition lets through",
  $orderby: "an order", $section: "a page", $select: "a select list", $cte: "a common table expression", $lock: "a row lock",
  $insert: "INSERT", $update: "UPDATE", $delete: "DELETE",
  $date: "a date", $datetime: "a date and time", $decimal: "an exact number", $guid: "a UUID",
};

/// The suggestions at the caret of a tree that was read, best first: `{ from, to, items: [{ text, kind, about }] }`, or null.
export function suggest(text, caret, tree, words) {
  const string = tree.strings.find(({ token }) => token.start < caret && (caret < token.end || (!token.closed && caret <= token.end)));
  if (!string || !words.schema) return null;
  const { token } = string;
  const typed = text.slice(token.start + 1, caret);
  const all = string.isKey ? keys(string, words, tree) : values(string, words, tree);
  const wanted = typed.toLowerCase();
  const rank = (item) => {
    const name = item.text.toLowerCase();
    return name.startsWith(wanted) ? 0 : name.includes(wanted) ? 1 : 2;
  };
  const items = all.filter((item) => rank(item) < 2 && item.text !== typed).sort((a, b) => rank(a) - rank(b));
  const to = token.closed ? token.end - 1 : caret;
  return items.length ? { from: token.start + 1, to, items: items.slice(0, 60) } : null;
}

const item = (kind, text, about = ABOUT[text] ?? "") => ({ text, kind, about });

/// Keys that begin a node tell what else it has: they come first.
const isMarker = (key) => /^[$#@!]/.test(key);

function keys({ parent, key: own }, words, tree) {
  const { [own]: _, ...entries } = parent.entries;
  const isOpen = (key) => !(key in entries);
  const found = new Map();
  const add = (one) => found.set(one.text, one);
  for (const [form, name] of words.schema.of({ ...parent, entries })) {
    const { properties = {}, required = [] } = form;
    const marker = required.find((key) => isMarker(key) && isOpen(key));
    const open = marker ? [marker] : [...required, ...Object.keys(properties)].filter(isOpen);
    for (const key of open) add(item(isMarker(key) ? "node" : "key", key));
    if (marker || !form.patternProperties) continue;
    // Keys that are names: of what is set, and of the one function that is called.
    if (name === "Sets") propertiesAt(parent, words, tree).forEach(add);
    else if (name === "Function" && Object.keys(entries).every((key) => key in properties)) {
      for (const f of words.functions) add(item("function", f.name, `(${f.arguments}) ${f.meaning}`));
    }
  }
  return [...found.values()];
}

function values({ parent, key }, words, tree) {
  const found = new Map();
  const add = (one) => found.set(one.text, one);
  for (const [form, name] of words.schema.at(parent, key)) {
    if (name === "Entity") words.entities.forEach((entity) => add(item("entity", entity.name, entity.of ? `view of ${entity.of}` : entity.table)));
    else if (name === "Property" && key === "#") propertiesAt(parent, words, tree).forEach(add);
    else wordsOf(form).forEach((word) => add(item(key === "$" ? "operator" : "word", word)));
  }
  return [...found.values()];
}

/// Those of the entity that the caret is in: the nearest EXISTS around it, else every table of the tree, else the root.
function propertiesAt(parent, words, tree) {
  const named = [];
  for (let node = parent; node; node = node.parent) if (node.entries.$foreign) named.push(node.entries.$foreign);
  if (!named.length) {
    for (const { token, key, isKey } of tree.strings) if (!isKey && key === "$table") named.push(token.value);
  }
  if (!named.length && words.root) named.push(words.root);
  const seen = new Set();
  const found = words.entities.filter((entity) => named.some((name) => name.toLowerCase() === entity.name.toLowerCase()));
  return (found.length ? found : words.entities).flatMap((entity) =>
    entity.properties
      .filter(({ name }) => !seen.has(name) && seen.add(name))
      .map(({ name, type, nullable }) => item("property", name, `${type}${nullable ? ", nullable" : ""} · ${entity.name}`)),
  );
}
