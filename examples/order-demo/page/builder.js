// The filter builder: nested groups, conditions, and EXISTS over related rows.

import { announce, h, newId, select } from "./dom.js";
import { ENTITIES, RELATED, newCondition, newExists, newGroup, operatorsOf, propertyOf } from "./tree.js";

/** How deep groups nest. The server has limits of its own. */
const DEEPEST = 4;

/** Controls that edit a filter in place; `changed` is called after each change. */
export function filterBuilder(root, changed) {
  const element = h("div", { class: "filter" });

  /** Redraws all controls, and focuses the one of the given item. */
  function draw(focus) {
    const controls = new Map();
    element.replaceChildren(group(root, "OrderView", "Orders for which", 1, null, controls));
    if (focus) controls.get(focus)?.focus();
    changed();
  }

  function group(item, entity, title, depth, remove, controls) {
    const legend = h("legend", {}, title);
    const join = select({ "aria-label": `${title}: how its parts are joined`, onchange: () => { item.join = join.value; changed(); } },
      [["$and", "all of these"], ["$or", "any of these"]], item.join);
    const not = select({ "aria-label": `${title}: whether they hold`, onchange: () => { item.not = not.value === "not"; changed(); } },
      [["", "hold"], ["not", "do not hold"]], item.not ? "not" : "");
    const rows = item.items.map((inner) => h("li", {}, part(inner, item, entity, depth, controls)));

    const add = (made, said) => () => {
      item.items.push(made);
      announce(`${said} added.`);
      draw(made);
    };
    const button = (text, said, make) => h("button", { type: "button", class: "plain", onclick: () => add(make(), said)() }, `+ ${text}`);
    const first = button("Condition", "A condition is", () => newCondition(entity));
    controls.set(item, first);
    const deeper = depth < DEEPEST;
    const buttons = [
      first,
      deeper && button("Group", "A group is", () => newGroup(entity)),
      deeper && entity === "OrderView" && button("Related rows", "A condition on related rows is", () => newExists("Audit")),
    ];
    return h("fieldset", {},
      legend,
      h("div", { class: "join" }, join, not, remove),
      item.items.length > 0 && h("ul", { class: "items" }, rows),
      h("div", { class: "row" }, buttons));
  }

  function part(item, parent, entity, depth, controls) {
    const drop = () => {
      parent.items.splice(parent.items.indexOf(item), 1);
      announce("Removed.");
      draw(parent);
    };
    const remove = (what) => h("button", { type: "button", class: "plain icon", "aria-label": `Remove ${what}`, onclick: drop }, "✕");
    if (item.kind === "condition") return condition(item, entity, remove, controls);
    if (item.kind === "group") return group(item, entity, "Group", depth + 1, remove("this group"), controls);
    return exists(item, depth, remove("these related rows"), controls);
  }

  function exists(item, depth, remove, controls) {
    const not = select({ "aria-label": "Whether there are related rows", onchange: () => { item.not = not.value === "not"; changed(); } },
      [["", "there is"], ["not", "there is not"]], item.not ? "not" : "");
    const entity = select({ "aria-label": "Which related rows", onchange: () => {
      item.entity = entity.value;
      item.inner = newGroup(item.entity);
      draw(item);
    } }, RELATED, item.entity);
    controls.set(item, entity);
    return h("fieldset", { class: "related" },
      h("legend", {}, "Related rows"),
      h("div", { class: "join" }, not, entity, remove),
      group(item.inner, item.entity, `${item.entity === "Audit" ? "Change" : "Creator"} for which`, depth + 1, null, controls));
  }

  function condition(item, entity, remove, controls) {
    const property = propertyOf(entity, item.property);
    const name = select({ "aria-label": "Property", onchange: () => {
      const type = property.type;
      item.property = name.value;
      const next = propertyOf(entity, item.property);
      if (next.type !== type) Object.assign(item, { value: "", upper: "" });
      if (!operatorsOf(next).some(([symbol]) => symbol === item.operator)) item.operator = operatorsOf(next)[0][0];
      if (next.type === "choice") item.value = next.choices[0];
      draw(item);
    } }, ENTITIES[entity].properties.map(({ name: value, label }) => [value, label]), item.property);
    controls.set(item, name);
    const operator = select({ "aria-label": `${property.label}: comparison`, onchange: () => {
      item.operator = operator.value;
      draw(item);
      element.querySelector(`#${CSS.escape(operatorId)}`)?.focus();
    } }, operatorsOf(property), item.operator);
    const operatorId = (item.operatorId ??= newId("operator"));
    operator.id = operatorId;
    return h("div", { class: "condition" }, name, operator, values(item, property), remove(`the condition on ${property.label}`));
  }

  /** The control of the right side: none, a value, two values, or a list. */
  function values(item, property) {
    const several = item.operator === "in" || item.operator === "notin";
    const control = (key, label) => {
      const set = (event) => { item[key] = event.target.value; changed(); };
      if (property.type === "choice" && !several) {
        if (item[key] === "") item[key] = property.choices[0];
        return select({ "aria-label": label, onchange: set }, property.choices.map((choice) => [choice, choice]), item[key]);
      }
      const kinds = { number: { inputmode: "decimal" }, time: { type: "datetime-local" }, text: {}, choice: {} };
      const kind = several ? { placeholder: "one, two, three" } : kinds[property.type];
      return h("input", { ...kind, "aria-label": label, value: item[key], oninput: set });
    };
    if (item.operator === "null" || item.operator === "notnull") return h("span", {});
    if (item.operator !== "between") return control("value", `${property.label}: ${several ? "values, with commas between" : "value"}`);
    return h("div", { class: "two" },
      control("value", `${property.label}: at least`), h("span", { class: "soft small" }, "and"), control("upper", `${property.label}: at most`));
  }

  draw(null);
  return element;
}
