// Statistics: figures and two charts, each with a table of its numbers for screen readers.

import { months, stats } from "./api.js";
import { announce, blank, field, h, select, svg } from "./dom.js";
import { STATUSES, amount, compact, whole } from "./format.js";

// The filter, kept while other pages are shown.
const asked = { keyword: "", status: "", createdFrom: "", createdTo: "", onlyMine: false };

export function statisticsPage(user) {
  const answer = h("div", { class: "stack" });
  const set = (name) => (event) => { asked[name] = event.target.value; };
  const onlyMine = h("input", { type: "checkbox", id: "only-mine", onchange: (event) => { asked.onlyMine = event.target.checked; } });
  onlyMine.checked = asked.onlyMine;
  const form = h("form", { class: "card ask", "aria-label": "Which orders", onsubmit: (event) => { event.preventDefault(); go(); } },
    field("Keyword", h("input", { value: asked.keyword, oninput: set("keyword") })),
    field("Status", select({ onchange: set("status") }, [["", "any"], ...STATUSES.map((status) => [status, status])], asked.status)),
    field("From", h("input", { type: "date", value: asked.createdFrom, onchange: set("createdFrom") })),
    field("To", h("input", { type: "date", value: asked.createdTo, onchange: set("createdTo") })),
    h("div", { class: "row" },
      user.role === "Admin" && h("div", { class: "check" }, onlyMine, h("label", { for: "only-mine" }, "Only mine")),
      h("button", { type: "submit", class: "primary" }, "Show")));

  async function go() {
    answer.setAttribute("aria-busy", "true");
    answer.replaceChildren(h("div", { class: "figures" }, [1, 2, 3].map(() => h("div", { class: "card stack" }, h("div", { class: "bone" }), h("div", { class: "bone" })))));
    const query = new URLSearchParams(asked);
    try {
      const [sums, byMonth] = await Promise.all([stats(query), months(query)]);
      show(sums, byMonth.months);
    } catch (problem) {
      if (problem.status === 401) return;
      announce(problem.message);
      answer.replaceChildren(h("div", { class: "card" }, blank("!", problem.title, problem.message, h("button", { type: "button", onclick: go }, "Try again"))));
    }
    answer.removeAttribute("aria-busy");
  }

  function show(sums, byMonth) {
    if (sums.total === 0) {
      announce("No order matches.");
      answer.replaceChildren(h("div", { class: "card" }, blank("∅", "No order matches", "Ask for other days, or for any status.")));
      return;
    }
    announce(`${whole(sums.total)} orders, ${amount(sums.totalAmount)} in all.`);
    const statuses = STATUSES.map((status) => [status, sums[`${status.toLowerCase()}Count`]]);
    answer.replaceChildren(
      h("dl", { class: "figures" },
        figure("Orders", whole(sums.total)),
        figure("Amount in all", amount(sums.totalAmount)),
        figure("Mean amount", amount(sums.totalAmount / sums.total))),
      h("div", { class: "charts" },
        chart("Orders by status", bars(statuses), ["Status", "Orders"], statuses.map(([name, value]) => [name, whole(value)])),
        chart("Amount by month", columns(byMonth), ["Month", "Amount"], byMonth.map(({ month, amount: value }) => [month, amount(value)]))),
      h("details", { class: "card" }, h("summary", {}, "The statement behind the figures"), h("pre", { tabindex: "0", role: "region", "aria-label": "SQL" }, sums.sql.join("\n\n"))));
  }

  go();
  return h("div", { class: "stack" }, h("div", {}, h("h1", {}, "Statistics"), h("p", { class: "soft small" }, user.role === "Admin" ? "Of all orders of your company." : "Of the orders that you have made.")), form, answer);
}

const figure = (label, value) => h("div", { class: "card" }, h("dt", { class: "soft small" }, label), h("dd", { class: "value" }, value));

/** A chart with its title and its table. */
function chart(title, picture, heads, rows) {
  picture.setAttribute("aria-hidden", "true");
  const table = h("table", { class: "unseen" },
    h("caption", {}, title),
    h("thead", {}, h("tr", {}, heads.map((text) => h("th", { scope: "col" }, text)))),
    h("tbody", {}, rows.map(([name, value]) => h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, value)))));
  return h("figure", { class: "card chart" }, h("figcaption", {}, h("h2", {}, title)), picture, table);
}

/** The width of a chart's coordinates: smaller on small screens, so that text stays readable. */
const drawn = () => (matchMedia("(max-width: 640px)").matches ? 320 : 480);

/** A bar chart with the number of each bar. */
function bars(entries) {
  const [width, step, left, right] = [drawn(), 44, 84, 56];
  const most = Math.max(1, ...entries.map(([, value]) => value));
  const marks = entries.flatMap(([name, value], place) => {
    const y = place * step;
    const length = ((width - left - right) * value) / most;
    return [
      svg("text", { x: 0, y: y + 26 }, name),
      svg("rect", { class: "track", x: left, y: y + 10, width: width - left - right, height: 24, rx: 4 }),
      svg("rect", { class: "mark", x: left, y: y + 10, width: Math.max(length, value > 0 ? 2 : 0), height: 24, rx: 4 }),
      svg("text", { class: "strong", x: width, y: y + 26, "text-anchor": "end" }, whole(value)),
    ];
  });
  return svg("svg", { viewBox: `0 0 ${width} ${entries.length * step}` }, marks);
}

/** A column chart of months, with a scale of round numbers. */
function columns(entries) {
  const [width, height, left, bottom, top] = [drawn(), 220, 44, 24, 10];
  const scale = round(Math.max(1, ...entries.map((entry) => entry.amount)));
  const y = (value) => height - bottom - ((height - bottom - top) * value) / scale;
  const lines = [0, 0.25, 0.5, 0.75, 1].flatMap((part) => [
    svg("line", { class: "grid", x1: left, x2: width, y1: y(scale * part), y2: y(scale * part) }),
    svg("text", { x: left - 8, y: y(scale * part) + 4, "text-anchor": "end" }, compact(scale * part)),
  ]);
  const step = (width - left) / Math.max(1, entries.length);
  const thick = Math.min(36, step * 0.68);
  const marks = entries.flatMap(({ month, amount: value }, place) => {
    const middle = left + step * (place + 0.5);
    const [year, number] = month.split("-");
    const name = new Date(Date.UTC(year, number - 1)).toLocaleString("en", { month: "short", timeZone: "UTC" });
    return [
      svg("rect", { class: "mark", x: middle - thick / 2, y: y(value), width: thick, height: Math.max(0, y(0) - y(value)), rx: 3 }),
      // Where columns are narrow, every other one has a label.
      step > 28 || place % 2 === 1 ? svg("text", { x: middle, y: height - 6, "text-anchor": "middle" }, name) : null,
    ];
  });
  return svg("svg", { viewBox: `0 0 ${width} ${height}` }, lines, marks);
}

/** The next round number: 1, 2 or 5 with zeros. */
function round(value) {
  const unit = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 4, 5, 10].map((factor) => factor * unit).find((step) => step >= value);
}
