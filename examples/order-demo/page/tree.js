// Turns a filter of the builder into an expression tree. It does not touch the page.

const TEXT = [
  ["==", "is"], ["!=", "is not"],
  ["contains", "contains"], ["notcontains", "does not contain"],
  ["startswith", "starts with"], ["notstartswith", "does not start with"],
  ["endswith", "ends with"], ["notendswith", "does not end with"],
  ["like", "is like"], ["notlike", "is not like"],
  ["in", "is one of"], ["notin", "is none of"],
  [">", "comes after"], [">=", "comes after or is"], ["<", "comes before"], ["<=", "comes before or is"],
];
const ORDERED = [
  ["==", "is"], ["!=", "is not"], [">", "is more than"], [">=", "is at least"],
  ["<", "is less than"], ["<=", "is at most"], ["between", "is between"],
  ["in", "is one of"], ["notin", "is none of"],
];
const TIMED = [
  [">=", "is from"], ["<", "is before"], ["between", "is between"], ["==", "is"], ["!=", "is not"],
  [">", "is after"], ["<=", "is until"],
];
const CHOSEN = [["==", "is"], ["!=", "is not"], ["in", "is one of"], ["notin", "is none of"]];
const ABSENT = [["null", "is empty"], ["notnull", "is not empty"]];

export const OPERATORS = { text: TEXT, number: ORDERED, time: TIMED, choice: CHOSEN };

const STATUS = ["Pending", "Paid", "Shipped", "Completed", "Cancelled"];
const ROLE = ["Admin", "Sales", "Operations", "AccountManager"];

/** The entities that a filter may name, with their properties, types, and whether they may be NULL. */
export const ENTITIES = {
  OrderView: {
    label: "orders",
    properties: [
      { name: "OrderNo", label: "Order number", type: "text" },
      { name: "CustomerName", label: "Customer", type: "text" },
      { name: "ProductName", label: "Product", type: "text" },
      { name: "Status", label: "Status", type: "choice", choices: STATUS },
      { name: "Quantity", label: "Quantity", type: "number" },
      { name: "UnitPrice", label: "Unit price", type: "number" },
      { name: "TotalAmount", label: "Total", type: "number" },
      { name: "CreatedTime", label: "Created", type: "time" },
      { name: "UpdatedTime", label: "Updated", type: "time", empty: true },
      { name: "Note", label: "Note", type: "text", empty: true },
      { name: "CreatedByUserName", label: "Created by", type: "text", empty: true },
      { name: "CreatedByLoginName", label: "Created by (login)", type: "text", empty: true },
      { name: "DepartmentName", label: "Department", type: "text", empty: true },
    ],
  },
  Audit: {
    label: "changes",
    properties: [
      { name: "Action", label: "Action", type: "choice", choices: ["Placed", "Changed", "Deleted"] },
      { name: "UserName", label: "By (login)", type: "text" },
      { name: "DoneTime", label: "When", type: "time" },
    ],
  },
  User: {
    label: "creator",
    properties: [
      { name: "UserName", label: "Login", type: "text" },
      { name: "DisplayName", label: "Name", type: "text" },
      { name: "Role", label: "Role", type: "choice", choices: ROLE },
    ],
  },
};

/** The related rows that an EXISTS may ask for. */
export const RELATED = [["Audit", "a change"], ["User", "a creator"]];

export const propertyOf = (entity, name) => ENTITIES[entity].properties.find((property) => property.name === name);

export function operatorsOf(property) {
  return property.empty ? [...OPERATORS[property.type], ...ABSENT] : OPERATORS[property.type];
}

export const newCondition = (entity) => ({ kind: "condition", property: ENTITIES[entity].properties[0].name, operator: "==", value: "", upper: "" });
export const newGroup = (entity) => ({ kind: "group", join: "$and", not: false, items: entity ? [newCondition(entity)] : [] });
export const newExists = (entity) => ({ kind: "exists", entity, not: false, inner: newGroup(entity) });

/** The tree of a filter; null where it has no complete condition. */
export function toTree(item, entity = "OrderView") {
  if (item.kind === "condition") return conditionTree(item, propertyOf(entity, item.property));
  if (item.kind === "exists") {
    const inner = toTree(item.inner, item.entity);
    const exists = { $foreign: item.entity, AutoRelated: true, ...(inner && { InnerExpr: inner }) };
    return item.not ? { "!": exists } : exists;
  }
  const items = item.items.map((inner) => toTree(inner, entity)).filter((tree) => tree !== null);
  if (items.length === 0) return null;
  const tree = items.length === 1 ? items[0] : { [item.join]: items };
  return item.not ? { "!": tree } : tree;
}

function conditionTree({ property, operator, value, upper }, { type }) {
  const left = { "#": property };
  const compare = (symbol, right) => ({ $: symbol, Left: left, Right: right });
  const param = (text) => ({ "@": typed(text, type) });
  switch (operator) {
    case "null":
      return compare("==", null);
    case "notnull":
      return compare("!=", null);
    case "between":
      if (value === "" || upper === "") return null;
      return { $and: [compare(">=", param(value)), compare("<=", param(upper))] };
    case "in":
    case "notin": {
      const list = value.split(",").map((text) => text.trim()).filter((text) => text !== "");
      return list.length === 0 ? null : compare(operator, { "@": list.map((text) => typed(text, type)) });
    }
    default:
      return value === "" ? null : compare(operator, param(value));
  }
}

/** A text of a control as a value of the property's type. What is not a number stays a text, which the server refuses. */
function typed(text, type) {
  if (type === "number" && text.trim() !== "" && Number.isFinite(Number(text))) return Number(text);
  // `datetime-local` gives no seconds.
  if (type === "time" && /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(text)) return `${text}:00`;
  return text;
}

/** A tree as JSON for people: what fits is on one line. */
export function textOf(tree, indent = "") {
  const flat = JSON.stringify(tree);
  if (typeof tree !== "object" || tree === null || flat.length + indent.length <= 72) return flat;
  const deeper = `${indent}  `;
  const [open, close] = Array.isArray(tree) ? "[]" : "{}";
  const lines = Object.entries(tree).map(([key, value]) =>
    `${deeper}${Array.isArray(tree) ? "" : `${JSON.stringify(key)}: `}${textOf(value, deeper)}`);
  return `${open}\n${lines.join(",\n")}\n${indent}${close}`;
}

/** The query of a page. */
export function pageTree(filter, { sort, descending, skip, take }) {
  const source = filter === null ? null : { $where: null, Where: filter };
  const key = descending ? { Field: { "#": sort }, Asc: false } : { Field: { "#": sort } };
  return { $section: { $orderby: source, OrderBys: [key] }, Skip: skip, Take: take };
}
