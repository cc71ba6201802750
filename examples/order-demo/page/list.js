// The list of orders: filter, sorting, paging, and the query behind it.

import { search } from "./api.js";
import { announce, blank, h, select } from "./dom.js";
import { filterBuilder } from "./builder.js";
import { openOrder } from "./edit.js";
import { amount, day, whole } from "./format.js";
import { newGroup, pageTree, textOf, toTree } from "./tree.js";

const status = (order, kind) => h("span", { class: `status ${order.status} ${kind}` }, order.status);

const COLUMNS = [
  { name: "OrderNo", label: "Order", cell: (order, open) => h("button", { class: "open", type: "button", onclick: () => open(order.id) }, order.orderNo) },
  { name: "CustomerName", label: "Customer", cell: (order) => [order.customerName, h("span", { class: "sub" }, order.productName)] },
  { name: "Quantity", label: "Quantity", kind: "number lesser", cell: (order) => whole(order.quantity) },
  // On small screens the status has no column of its own, and stands below the total.
  { name: "TotalAmount", label: "Total", kind: "number", cell: (order) => [h("span", { class: "total" }, amount(order.totalAmount)), status(order, "tiny")] },
  { name: "Status", label: "Status", kind: "lesser", cell: (order) => status(order, "") },
  { name: "CreatedTime", label: "Created", kind: "lesser", cell: (order) => day(order.createdTime) },
  { name: "CreatedByUserName", label: "By", kind: "minor", cell: (order) => [order.createdByUserName, h("span", { class: "sub" }, order.departmentName)] },
];

// The state of the list, kept while other pages are shown.
const asked = { filter: newGroup(), open: false, sort: "CreatedTime", descending: true, skip: 0, take: 20 };

/** Resets the list, for whoever logs in next. */
export function forgetFilter() {
  Object.assign(asked, { filter: newGroup(), open: false, sort: "CreatedTime", descending: true, skip: 0, take: 20 });
}

/** The list. With an id, that order is opened over it. */
export function listPage(id) {
  const count = h("p", { class: "soft small" }, "Loading…");
  const toggle = h("button", { type: "button", "aria-controls": "filter", onclick: () => showFilter(!asked.open) }, "Filter");
  const place = h("button", { type: "button", class: "primary", onclick: () => open(null) }, "New order");
  const frame = h("section", { class: "card orders", "aria-label": "Orders" });
  const tree = h("pre", { tabindex: "0", role: "region", "aria-label": "The tree as JSON" });
  const sql = h("pre", { tabindex: "0", role: "region", "aria-label": "The SQL of the server" }, "…");
  const summary = h("p", { class: "soft small" });

  const panel = h("form", { id: "filter", class: "card stack", "aria-label": "Filter", onsubmit: (event) => { event.preventDefault(); go({ skip: 0 }); } });
  const rebuild = () => panel.replaceChildren(
    h("h2", {}, "Filter"),
    filterBuilder(asked.filter, drawTree),
    h("div", { class: "row" },
      h("button", { type: "submit", class: "primary" }, "Apply"),
      h("button", { type: "button", onclick: clear }, "Clear")));

  function showFilter(isOpen) {
    asked.open = isOpen;
    panel.hidden = !isOpen;
    toggle.setAttribute("aria-expanded", String(isOpen));
  }

  function clear() {
    asked.filter = newGroup();
    rebuild();
    go({ skip: 0 });
  }

  const query = () => pageTree(toTree(asked.filter), asked);
  function drawTree() {
    tree.textContent = textOf(query());
  }

  function open(orderId) {
    openOrder(orderId, () => go({}));
  }

  let running = null;

  /** Applies a change of the state and asks the server; `focus` selects the control that keeps the focus. */
  async function go(change, focus) {
    Object.assign(asked, change);
    running?.abort();
    running = new AbortController();
    const { signal } = running;
    drawTree();
    frame.setAttribute("aria-busy", "true");
    if (!frame.querySelector("tbody tr td button")) frame.replaceChildren(table(bones()));
    try {
      const answer = await search(query(), signal);
      show(answer);
      if (focus) frame.querySelector(focus)?.focus();
    } catch (problem) {
      if (problem.name === "AbortError" || problem.status === 401) return;
      fail(problem);
    }
    if (!signal.aborted) frame.removeAttribute("aria-busy");
  }

  function show({ skip, take, total, sql: texts, items }) {
    count.textContent = total === 1 ? "1 order" : `${whole(total)} orders`;
    sql.textContent = texts.join("\n\n");
    summary.textContent = texts.length === 1 ? "One statement: the count was known already." : `${texts.length} statements. Values are bound, and not part of the text.`;
    announce(`${whole(total)} orders found.`);
    if (total === 0) {
      const isFiltered = toTree(asked.filter) !== null;
      frame.replaceChildren(isFiltered
        ? blank("∅", "No order matches", "Loosen the filter, or clear it to see all orders that are yours to see.", h("button", { type: "button", onclick: clear }, "Clear the filter"))
        : blank("∅", "No orders yet", "Orders that you place are listed here.", h("button", { type: "button", class: "primary", onclick: () => open(null) }, "New order")));
      return;
    }
    const rows = items.map((order) => h("tr", {}, COLUMNS.map((column) => h("td", { class: column.kind }, column.cell(order, open)))));
    frame.replaceChildren(table(rows), pager(skip, take, total, items.length));
  }

  function fail(problem) {
    count.textContent = "";
    sql.textContent = "No statement was run.";
    summary.textContent = "";
    announce(problem.message);
    const message = problem.message.replace(/[^.?!]$/, "$&.");
    const place = problem.path ? ` It is at ${problem.path} of the tree.` : "";
    const retry = h("button", { type: "button", onclick: () => go({}) }, "Try again");
    const title = problem.status === 400 ? "The filter cannot be used" : problem.title;
    frame.replaceChildren(blank("!", title, `${message}${place}`, retry));
  }

  function table(rows) {
    const heads = COLUMNS.map(({ name, label, kind }) => {
      const isSorted = asked.sort === name;
      const arrow = isSorted ? (asked.descending ? "↓" : "↑") : "";
      const sort = () => go({ sort: name, descending: isSorted ? !asked.descending : name === "CreatedTime", skip: 0 }, `[data-sort="${name}"]`);
      return h("th", { scope: "col", class: kind, "aria-sort": isSorted && (asked.descending ? "descending" : "ascending") },
        h("button", { type: "button", "data-sort": name, onclick: sort }, label, h("span", { class: "arrow", "aria-hidden": "true" }, arrow)));
    });
    return h("table", {}, h("caption", { class: "unseen" }, "Orders. A head sorts by its column."), h("thead", {}, h("tr", {}, heads)), h("tbody", {}, rows));
  }

  const bones = () => Array.from({ length: 8 }, () =>
    h("tr", {}, COLUMNS.map((column) => h("td", { class: column.kind }, h("div", { class: "bone" })))));

  function pager(skip, take, total, shown) {
    const size = select({ onchange: () => go({ take: Number(size.value), skip: 0 }, "#size"), id: "size" },
      [10, 20, 50, 100].map((rows) => [rows, String(rows)]), take);
    const turn = (text, to, name) => h("button", { type: "button", "data-turn": name, disabled: to < 0 || to >= total, onclick: () => go({ skip: to }, `[data-turn="${name}"]:enabled, [data-turn]:enabled`) }, text);
    return h("nav", { class: "pager", "aria-label": "Pages of the list" },
      h("p", {}, `${whole(skip + 1)}–${whole(skip + shown)} of ${whole(total)}`),
      h("div", { class: "row" }, h("label", { for: "size" }, "Rows"), size),
      h("div", { class: "row" },
        turn("Previous", skip === 0 ? -1 : Math.max(0, skip - take), "previous"),
        turn("Next", skip + take, "next")));
  }

  rebuild();
  showFilter(asked.open);
  go({});
  if (id) open(id);
  return h("div", { class: "stack" },
    h("div", { class: "head" }, h("div", {}, h("h1", {}, "Orders"), count), toggle, place),
    panel,
    frame,
    h("details", { class: "card", open: true },
      h("summary", {}, "What the server was asked"),
      summary,
      h("div", { class: "query" },
        h("div", {}, h("h2", {}, "Tree"), tree),
        h("div", {}, h("h2", {}, "SQL"), sql))));
}
