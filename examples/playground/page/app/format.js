// JSON as one would write it by hand: what fits on a line stands on one.

const WIDTH = 62;

export function format(value, indent = "") {
  const flat = inOneLine(value);
  if (flat.length + indent.length <= WIDTH || value === null || typeof value !== "object") return flat;
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    return `[\n${value.map((item) => inner + format(item, inner)).join(",\n")}\n${indent}]`;
  }
  const lines = Object.entries(value).map(([key, item]) => `${inner}${JSON.stringify(key)}: ${format(item, inner)}`);
  return `{\n${lines.join(",\n")}\n${indent}}`;
}

function inOneLine(value) {
  if (Array.isArray(value)) return `[${value.map(inOneLine).join(", ")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const fields = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${inOneLine(item)}`);
  return fields.length ? `{ ${fields.join(", ")} }` : "{}";
}
