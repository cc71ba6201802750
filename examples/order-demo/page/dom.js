// Helpers that make elements, and announcements for screen readers.

/** An element: `h("button", { class: "primary", onclick: save }, "Save")`. Properties and children that are null or false are left out. */
export function h(tag, properties = {}, ...children) {
  return fill(document.createElement(tag), properties, children);
}

/** An element of an SVG. */
export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value") element.value = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** A select with its options as pairs of value and text. */
export function select(properties, options, chosen) {
  const entries = options.map(([value, text]) => h("option", { value }, text));
  const element = h("select", properties, entries);
  element.value = chosen;
  return element;
}

let serial = 0;

/** An id that no other element has. */
export function newId(name) {
  serial += 1;
  return `${name}-${serial}`;
}

/** A control with its label. */
export function field(text, control, properties = {}) {
  control.id ||= newId("field");
  return h("div", { class: "field", ...properties }, h("label", { for: control.id }, text), control);
}

/** Announces a change to screen readers. */
export function announce(text) {
  document.getElementById("live").textContent = text;
}

/** A message in place of content: nothing found, an error, a refusal. */
export function blank(sign, title, text, ...actions) {
  const refused = sign === "!" ? " refused" : "";
  const mark = h("span", { class: "sign", "aria-hidden": "true" }, sign);
  return h("div", { class: `blank${refused}` }, mark, h("h2", {}, title), h("p", {}, text), h("div", { class: "row" }, actions));
}
