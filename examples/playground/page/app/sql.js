// Colours for SQL. The texts are the compiler's own, so a few patterns are enough.

import { element } from "./editor.js";

const PARTS = new RegExp(
  [
    "(?<string>N?'(?:[^']|'')*')",
    '(?<name>"(?:[^"]|"")*"|`(?:[^`]|``)*`|\\[[^\\]]*\\])',
    "(?<bind>\\$\\d+|@P\\d+|:\\d+|\\?)",
    "(?<number>\\b\\d+(?:\\.\\d+)?(?:e[+-]?\\d+)?\\b)",
    "(?<word>[A-Za-z_][A-Za-z_0-9]*)",
  ].join("|"),
  "gi",
);

/// Words in capitals are the language's, unless a bracket follows: those are functions.
const CLAUSE = /^(SELECT|FROM|WHERE|GROUP|HAVING|ORDER|LIMIT|OFFSET|FETCH|UNION|INTERSECT|EXCEPT|WITH|VALUES|IN|EXISTS|AND|OR|NOT|ON|OVER|AS|CASE|THEN|ELSE|USING|FILTER|SET|INTO|TOP)$/;

/// An element for each line.
export function colour(sql) {
  return sql.split("\n").map((line) => {
    const host = element("div");
    host.append(coloured(line), "\n");
    return host;
  });
}

function coloured(sql) {
  const parts = document.createDocumentFragment();
  let at = 0;
  for (const found of sql.matchAll(PARTS)) {
    parts.append(sql.slice(at, found.index));
    at = found.index + found[0].length;
    const [kind] = Object.entries(found.groups).find(([, text]) => text !== undefined);
    parts.append(element("span", kind === "word" ? wordKind(found[0], sql[at]) : kind, found[0]));
  }
  parts.append(sql.slice(at));
  return parts;
}

function wordKind(word, next) {
  if (word !== word.toUpperCase()) return "plain";
  return next === "(" && !CLAUSE.test(word) ? "function" : "keyword";
}
