// The dialog of an order: shows, places, changes and deletes it.

import { change, order as load, place, remove } from "./api.js";
import { announce, blank, field, h, newId, select } from "./dom.js";
import { STATUSES, amount, time } from "./format.js";

const FIELDS = [
  { name: "customerName", label: "Customer", wide: true, make: (value) => h("input", { value, maxlength: 100, required: true }) },
  { name: "productName", label: "Product", wide: true, make: (value) => h("input", { value, maxlength: 100, required: true }) },
  { name: "quantity", label: "Quantity", make: (value) => h("input", { value, inputmode: "numeric", required: true }) },
  { name: "unitPrice", label: "Unit price", make: (value) => h("input", { value, inputmode: "decimal", required: true }) },
  { name: "status", label: "Status", make: (value) => select({}, STATUSES.map((status) => [status, status]), value) },
  { name: "note", label: "Note", wide: true, make: (value) => h("textarea", { maxlength: 400, value }) },
];
const EMPTY = { customerName: "", productName: "", quantity: "1", unitPrice: "", status: "Pending", note: "" };

/** Opens the order with that id, or a new one for null; `written` is called after each write. */
export async function openOrder(id, written) {
  const title = newId("title");
  const body = h("div", {}, blank("…", "Loading", "The order is read."));
  const dialog = h("dialog", { "aria-labelledby": title }, body);
  dialog.addEventListener("close", () => {
    dialog.remove();
    // Another order may have been opened meanwhile: its address stays.
    if (location.hash.split("/")[2] === String(id)) history.replaceState(null, "", "#/orders");
  });
  document.getElementById("main").append(dialog);
  dialog.showModal();
  const done = (text) => {
    announce(text);
    dialog.close();
    written();
  };

  if (id === null) {
    body.replaceChildren(orderForm({ title, dialog, done, order: null, version: null }));
    return;
  }
  try {
    const { data, version } = await load(id);
    body.replaceChildren(orderForm({ title, dialog, done, order: data, version }));
    body.querySelector("input").focus();
  } catch (problem) {
    if (problem.status === 401) return dialog.close();
    const heading = { 403: "This order is not yours", 404: "There is no such order", 400: "There is no such order" }[problem.status] ?? problem.title;
    const sign = problem.status === 404 ? "∅" : "!";
    const note = problem.status === 403 ? `${problem.message} Ask an administrator if you need it.` : problem.message;
    const refused = blank(sign, heading, note, h("button", { type: "button", onclick: () => dialog.close() }, "Close"));
    refused.querySelector("h2").id = title;
    body.replaceChildren(refused);
    announce(heading);
    body.querySelector("button").focus();
  }
}

function orderForm({ title, dialog, done, order, version }) {
  const isNew = order === null;
  let read = isNew ? EMPTY : values(order);
  const messages = h("div", { class: "stack" });
  const controls = new Map();
  const rows = FIELDS.map(({ name, label, make, wide }) => {
    const control = make(read[name]);
    const wrong = h("p", { class: "wrong", id: newId("wrong") });
    controls.set(name, { control, wrong });
    const row = field(label, control, wide ? { class: "field wide" } : {});
    row.append(wrong);
    return row;
  });
  const entered = () => Object.fromEntries(FIELDS.map(({ name }) => [name, controls.get(name).control.value]));
  const save = h("button", { type: "submit", class: "primary" }, isNew ? "Place order" : "Save");

  async function submit(event) {
    event?.preventDefault();
    mark([]);
    messages.replaceChildren();
    const input = entered();
    save.disabled = true;
    try {
      if (isNew) await place(input);
      else await change(order.id, version, input);
      done(isNew ? "The order is placed." : "The order is saved.");
    } catch (problem) {
      if (problem.status === 401) return dialog.close();
      if (problem.status === 412 || problem.status === 409) await conflict();
      else if (problem.errors.length > 0) mark(problem.errors);
      else tell(problem);
    } finally {
      save.disabled = false;
    }
  }

  /** Shows each error at its control, and focuses the first one. */
  function mark(errors) {
    for (const { control, wrong } of controls.values()) {
      control.removeAttribute("aria-invalid");
      control.removeAttribute("aria-describedby");
      wrong.textContent = "";
    }
    for (const { field: name, detail } of errors) {
      const { control, wrong } = controls.get(name) ?? {};
      if (!control) continue;
      control.setAttribute("aria-invalid", "true");
      control.setAttribute("aria-describedby", wrong.id);
      wrong.textContent = detail;
    }
    controls.get(errors[0]?.field)?.control.focus();
    if (errors.length > 0) announce(errors.map(({ detail }) => detail).join(" "));
  }

  function tell(problem) {
    messages.replaceChildren(h("div", { class: "note error", role: "alert" }, h("h3", {}, problem.title), h("p", {}, problem.message)));
  }

  /** Another user has saved the order meanwhile: shows both values of each field that differs, and offers either. */
  async function conflict() {
    let current;
    try {
      current = await load(order.id);
    } catch (problem) {
      return tell(problem);
    }
    const mine = entered();
    const theirs = values(current.data);
    const differing = FIELDS.filter(({ name }) => mine[name] !== theirs[name]);
    const heading = h("h3", { tabindex: "-1" }, "Somebody has changed this order meanwhile");
    const keep = h("button", { type: "button", class: "primary", onclick: () => { version = current.version; submit(); } }, "Save mine over theirs");
    const take = h("button", { type: "button", onclick: () => {
      version = current.version;
      read = theirs;
      for (const { name } of FIELDS) controls.get(name).control.value = theirs[name];
      messages.replaceChildren();
      announce("The form has their values now.");
      controls.get("customerName").control.focus();
    } }, "Take theirs");
    const table = h("table", {},
      h("caption", { class: "unseen" }, "Values that differ"),
      h("thead", {}, h("tr", {}, ["", "Yours", "Theirs"].map((text) => (text ? h("th", { scope: "col" }, text) : h("td", {}))))),
      h("tbody", {}, differing.map(({ name, label }) => h("tr", {}, h("th", { scope: "row" }, label), h("td", {}, mine[name] || "—"), h("td", {}, theirs[name] || "—")))));
    messages.replaceChildren(h("div", { class: "note warn" }, heading,
      h("p", { class: "small" }, `It was last saved ${time(current.data.updatedTime)} UTC. Nothing of yours is saved yet.`),
      differing.length > 0 ? table : h("p", { class: "small" }, "Both have the same values."),
      h("div", { class: "row" }, take, keep)));
    announce("Somebody has changed this order meanwhile.");
    heading.focus();
  }

  /** Asks for confirmation before the order is deleted. */
  function askToDelete() {
    const no = h("button", { type: "button", onclick: () => { messages.replaceChildren(); drop.focus(); } }, "Keep it");
    const yes = h("button", { type: "button", class: "danger", onclick: async () => {
      try {
        await remove(order.id, version);
        done("The order is deleted.");
      } catch (problem) {
        if (problem.status === 401) return dialog.close();
        if (problem.status === 412) await conflict();
        else tell(problem);
      }
    } }, "Delete it");
    messages.replaceChildren(h("div", { class: "note error", role: "alert" }, h("h3", {}, `Delete ${order.orderNo}?`), h("div", { class: "row" }, no, yes)));
    no.focus();
  }

  const drop = h("button", { type: "button", class: "danger", onclick: askToDelete }, "Delete…");
  return h("form", { novalidate: true, onsubmit: submit },
    h("div", {},
      h("h2", { id: title }, isNew ? "New order" : order.orderNo),
      !isNew && h("p", { class: "soft small" },
        `Total ${amount(order.totalAmount)}. Created ${time(order.createdTime)} UTC by ${order.createdByUserName} (${order.departmentName}).${order.updatedTime ? ` Changed ${time(order.updatedTime)} UTC.` : ""}`)),
    messages,
    h("div", { class: "grid2" }, rows),
    h("div", { class: "foot" }, !isNew && drop, h("button", { type: "button", onclick: () => dialog.close() }, "Cancel"), save));
}

/** The values of an order, as texts for the controls. */
function values(order) {
  const texts = FIELDS.map(({ name }) => [name, String(order[name] ?? "")]);
  return { ...Object.fromEntries(texts), unitPrice: order.unitPrice.toFixed(2) };
}
