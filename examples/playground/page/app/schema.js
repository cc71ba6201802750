// Reads a JSON Schema as an editor does: what may stand at a place of a text that is not finished.

const DEFINITIONS = "#/$defs/";

export class Schema {
  constructor({ $ref, $defs }) {
    this.root = { $ref };
    this.definitions = $defs;
  }

  /// The forms that may stand under a key of a node of `read`, or at the root: objects, lists and plain values, each with the
  /// name of the definition that it comes from.
  at(node, key) {
    const found = new Map();
    const seen = new Set();
    const add = (schema, name) => {
      if (schema.anyOf) for (const one of schema.anyOf) add(one, name);
      else if (!schema.$ref) found.set(schema, name);
      else if (!seen.has(schema.$ref)) {
        seen.add(schema.$ref);
        const definition = schema.$ref.slice(DEFINITIONS.length);
        add(this.definitions[definition], definition);
      }
    };
    if (!node) add(this.root, "");
    else for (const [form, name] of this.of(node, key)) add(under(form, key) || {}, name);
    return found;
  }

  /// The forms of a node that have room for all that it holds, whatever stands under the key `open`. Those that have its keys
  /// by name come before those that take any key; where its place has none, they are the root's.
  of(node, open) {
    const type = node.isList ? "array" : "object";
    for (const forms of [this.at(node.parent, node.key), this.at(null)]) {
      for (const has of [named, under]) {
        const found = [...forms].filter(([form]) => form.type === type && (node.isList || fits(form, node.entries, open, has)));
        if (found.length) return found;
      }
    }
    return [];
  }
}

const named = (form, key) => form.properties?.[key];

/// What a form has under a key or an index: a schema, or nothing.
function under(form, key) {
  if (form.type === "array") return form.prefixItems?.[key] ?? form.items;
  const [, free] = Object.entries(form.patternProperties ?? {}).find(([pattern]) => new RegExp(pattern, "u").test(key)) ?? [];
  return named(form, key) ?? free ?? form.additionalProperties;
}

/// The texts that a form is one of.
export const words = (form) => form.enum ?? (form.const === undefined ? [] : [form.const]);

/// Which form an object has is told by its keys, and by the text under `$`.
function fits(form, entries, open, has) {
  return Object.entries(entries).every(([key, value]) => {
    const held = has(form, key);
    return held && (key !== "$" || key === open || words(held).includes(value));
  });
}
