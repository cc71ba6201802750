// What may stand at the caret: names of the catalog, functions, and the words of the notation.

const OPERATORS = {
  "==": "equal", "!=": "not equal", ">": "greater", ">=": "greater or equal", "<": "less", "<=": "less or equal",
  in: "one of a list or a query", notin: "none of a list or a query", like: "a pattern with wildcards", contains: "a text within",
  startswith: "a text at the start", endswith: "a text at the end", regexp: "a regular expression",
  IsDistinctFrom: "other, NULL counted as a value", IsNotDistinctFrom: "the same, NULL counted as a value",
  "+": "sum", "-": "difference", "*": "product", "/": "quotient", "%": "rest", "||": "one text after the other",
  func: "a function", over: "a window", set: "a set of values", unary: "of one value",
};

const WORDS = {
  JoinType: ["Inner", "Left", "Right", "Full", "Cross"],
  Nulls: ["First", "Last", "Default"],
  SetType: ["Union", "UnionAll", "Intersect", "Except"],
  Mode: ["Update", "Share"],
  Wait: ["Wait", "NoWait", "SkipLocked"],
  Unit: ["Rows", "Range", "Groups"],
  Action: ["DoNothing", "UpdateAll"],
  Start: ["UnboundedPreceding", "CurrentRow"],
  End: ["CurrentRow", "UnboundedFollowing"],
};

/// What begins a node, and what else it has.
const NODES = {
  "#": ["a property", []],
  "@": ["a value that is bound", []],
  "!": ["not", []],
  $: ["an operator or a function", ["Left", "Right"]],
  $and: ["all of them", []],
  $or: ["any of them", []],
  $foreign: ["EXISTS over a related entity", ["AutoRelated", "InnerExpr", "Alias", "TableArgs"]],
  $exists: ["EXISTS over a query", []],
  $truth: ["a predicate as a value", []],
  $istrue: ["a value as a predicate", []],
  $table: ["a table or view", ["Alias", "TableArgs"]],
  $from: ["a table with joins", ["Joins"]],
  $join: ["a join", ["On", "JoinType", "Lateral"]],
  $where: ["rows that a condition lets through", ["Where"]],
  $group: ["groups", ["GroupBys"]],
  $having: ["groups that a condition lets through", ["Having"]],
  $orderby: ["an order", ["OrderBys"]],
  $section: ["a page", ["Skip", "Take", "After"]],
  $select: ["a select list", ["Selects", "Distinct", "Next", "As"]],
  $cte: ["a common table expression", ["Alias"]],
  $lock: ["a row lock", ["Mode", "Wait"]],
  $insert: ["INSERT", ["Columns", "Values", "Rows", "Query", "Conflict", "Returning"]],
  $update: ["UPDATE", ["Sets", "Where", "AllRows", "Returning"]],
  $delete: ["DELETE", ["Where", "AllRows", "Returning"]],
  $date: ["a date", []],
  $datetime: ["a date and time", []],
  $decimal: ["an exact number", []],
  $guid: ["a UUID", []],
};

/// Keys of objects that have no marker, by the key that they stand under.
const ITEMS = {
  Selects: ["Value", "Alias"],
  OrderBys: ["Field", "Asc", "Nulls"],
  OrderBy: ["Field", "Asc", "Nulls"],
  Returning: ["Value", "Alias"],
  Joins: ["$join", "On", "JoinType", "Lateral"],
  Next: ["SetType", "$select", "Selects"],
  Frame: ["Unit", "Start", "End", "Exclude"],
  Conflict: ["Target", "Action"],
};

/// The suggestions at the caret of a tree that was read, best first: `{ from, to, items: [{ text, kind, about }] }`, or null.
export function suggest(text, caret, tree, words) {
  const string = tree.strings.find(({ token }) => token.start < caret && (caret < token.end || (!token.closed && caret <= token.end)));
  if (!string) return null;
  const { token } = string;
  const typed = text.slice(token.start + 1, caret);
  const all = string.isKey ? keys(string, words) : values(string, words, tree);
  const wanted = typed.toLowerCase();
  const rank = (item) => {
    const name = item.text.toLowerCase();
    return name.startsWith(wanted) ? 0 : name.includes(wanted) ? 1 : 2;
  };
  const items = all.filter((item) => rank(item) < 2 && item.text !== typed).sort((a, b) => rank(a) - rank(b));
  const to = token.closed ? token.end - 1 : caret;
  return items.length ? { from: token.start + 1, to, items: items.slice(0, 60) } : null;
}

const item = (kind) => ([text, about]) => ({ text, kind, about: about ?? "" });

function keys({ parent, key: own }, words) {
  const entries = Object.keys(parent.entries).filter((key) => key !== own);
  const list = parent.parent?.isList ? parent.parent.key : parent.key;
  if (parent.entries.$ === "func") {
    const functions = words.functions.map((f) => ({ text: f.name, kind: "function", about: `(${f.arguments}) ${f.meaning}` }));
    return [...functions, ...["IsAggregate", "Filter", "OrderBy"].map((text) => ({ text, kind: "key", about: "" }))];
  }
  if (parent.entries.$ === "over") return ["Func", "PartitionBy", "OrderBy", "Frame"].map((text) => ({ text, kind: "key", about: "" }));
  const marker = entries.find((key) => key in NODES);
  if (marker) return NODES[marker][1].filter((key) => !entries.includes(key)).map((text) => ({ text, kind: "key", about: "" }));
  if (list in ITEMS) return ITEMS[list].filter((key) => !entries.includes(key)).map((text) => ({ text, kind: "key", about: "" }));
  return Object.entries(NODES).map(([text, [about]]) => ({ text, kind: "node", about }));
}

function values({ parent, key }, words, tree) {
  if (!parent || parent.isList) return [];
  if (key === "#") return properties(parent, words, tree);
  if (key === "$table" || key === "$foreign") {
    return words.entities.map((entity) => ({ text: entity.name, kind: "entity", about: entity.of ? `view of ${entity.of}` : entity.table }));
  }
  if (key === "$") return Object.entries(OPERATORS).map(item("operator"));
  return (WORDS[key] ?? []).map((text) => ({ text, kind: "word", about: "" }));
}

/// Those of the entity that the caret is in: the nearest EXISTS around it, else every table of the tree, else the root.
function properties(parent, words, tree) {
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
      .map(({ name, type, nullable }) => ({ text: name, kind: "property", about: `${type}${nullable ? ", nullable" : ""} · ${entity.name}` })),
  );
}
