// Reads JSON that may be unfinished: for colours, for places by path, and for what to complete.

const PUNCTUATION = "{}[]:,";
const MOST_LEVELS = 400;

/// Keys that a path does not quote.
const PLAIN = /^[\w$!#@]+$/;

/// Tokens: `kind` is punctuation, key, string, number, word or bad.
function scan(text) {
  const tokens = [];
  let at = 0;
  while (at < text.length) {
    const start = at;
    const character = text[at];
    if (/\s/.test(character)) {
      at += 1;
      continue;
    }
    if (PUNCTUATION.includes(character)) {
      at += 1;
      tokens.push({ kind: "punctuation", start, end: at, text: character });
      continue;
    }
    if (character === '"') {
      at += 1;
      while (at < text.length && text[at] !== '"' && text[at] !== "\n") at += text[at] === "\\" ? 2 : 1;
      const closed = text[at] === '"';
      at = Math.min(closed ? at + 1 : at, text.length);
      tokens.push({ kind: "string", start, end: at, closed });
      continue;
    }
    while (at < text.length && !/[\s{}[\]:,"]/.test(text[at])) at += 1;
    const word = text.slice(start, at);
    const kind = /^-?\d/.test(word) ? "number" : /^(true|false|null)$/.test(word) ? "word" : "bad";
    tokens.push({ kind, start, end: at });
  }
  return tokens;
}

function content(text, token) {
  const raw = text.slice(token.start, token.end);
  try {
    return JSON.parse(token.closed ? raw : `${raw}"`);
  } catch {
    return raw.slice(1);
  }
}

/// `tokens`; `ranges`, from a path as errors give it to a start and an end; and `strings`, each with the object around it.
export function read(text) {
  const tokens = scan(text);
  const ranges = new Map();
  const strings = [];
  let next = 0;
  const is = (mark) => tokens[next]?.kind === "punctuation" && tokens[next].text === mark;

  function value(path, parent, key, level) {
    const token = tokens[next];
    if (!token || level > MOST_LEVELS) return;
    if (is("{")) object(path, parent, key, level);
    else if (is("[")) list(path, parent, key, level);
    else if (token.kind === "punctuation") return;
    else {
      next += 1;
      if (token.kind === "string") {
        token.value = content(text, token);
        if (parent) parent.entries[key] ??= token.value;
        strings.push({ token, parent, key, isKey: false });
      }
    }
    ranges.set(path, [token.start, tokens[next - 1].end]);
  }

  function object(path, parent, key, level) {
    const node = { entries: {}, parent, key, path };
    next += 1;
    while (tokens[next] && !is("}") && !is("]")) {
      const token = tokens[next];
      if (token.kind !== "string") {
        next += 1;
        continue;
      }
      next += 1;
      token.kind = "key";
      const name = content(text, token);
      strings.push({ token, parent: node, key: name, isKey: true });
      if (is(":")) {
        next += 1;
        const child = path + (PLAIN.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`);
        node.entries[name] = null;
        value(child, node, name, level + 1);
      }
      if (is(",")) next += 1;
    }
    if (is("}")) next += 1;
  }

  function list(path, parent, key, level) {
    const node = { entries: {}, parent, key, path, isList: true };
    next += 1;
    for (let index = 0; tokens[next] && !is("]") && !is("}"); ) {
      const before = next;
      value(`${path}[${index}]`, node, index, level + 1);
      if (is(",")) {
        next += 1;
        index += 1;
      } else if (next === before) next += 1;
    }
    if (is("]")) next += 1;
  }

  value("$", null, null, 0);
  return { tokens, ranges, strings };
}

/// The part of the text at a path, or at the nearest one above it; of one line only, as more would be no help.
export function place(text, ranges, path) {
  let known = path;
  while (!ranges.has(known)) {
    const above = known.replace(/(\.[\w$!#@]+|\[[^\]]*\])$/, "");
    if (above === known) return null;
    known = above;
  }
  const [start, end] = ranges.get(known);
  const line = text.indexOf("\n", start);
  return [start, line >= 0 && line < end ? line : end];
}

/// The place of an offset in the text's bytes.
export function placeOfByte(text, offset) {
  const bytes = new TextEncoder().encode(text);
  const start = new TextDecoder().decode(bytes.slice(0, offset)).length;
  if (start < text.length && !/\s/.test(text[start])) return [start, start + 1];
  const before = text.slice(0, start).trimEnd().length;
  return [Math.max(before - 1, 0), Math.max(before, 1)];
}
