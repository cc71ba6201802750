// The rows of the first engine, and what the others say.

import { element } from "./editor.js";

export class Rows {
  constructor({ section, engines, table }) {
    this.section = section;
    this.engines = engines;
    this.table = table;
    this.asked = null;
  }

  /// Asks for the rows of a tree, with its options. A later question takes the place of an earlier one.
  async ask(question) {
    this.asked?.abort();
    const asked = (this.asked = new AbortController());
    this.section.setAttribute("aria-busy", "true");
    try {
      const response = await fetch("rows", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(question),
        signal: asked.signal,
      });
      if (!response.ok) throw new Error(await response.text());
      this.show((await response.json()).engines);
    } catch (error) {
      if (error.name === "AbortError") return;
      this.say(error.message === "Failed to fetch" ? "The server does not answer." : error.message);
    }
    this.section.setAttribute("aria-busy", "false");
  }

  say(text) {
    this.asked?.abort();
    this.section.setAttribute("aria-busy", "false");
    this.engines.replaceChildren();
    this.table.replaceChildren(element("p", "nothing", text));
  }

  show(answers) {
    this.engines.replaceChildren(...answers.map((answer) => badge(answer, answers)));
    const first = answers.find(({ rows }) => rows);
    if (!first) this.table.replaceChildren(element("p", "nothing", answers[0]?.error ?? "No engine runs here."));
    else if (!first.rows.length) this.table.replaceChildren(element("p", "nothing", "No row is like that."));
    else this.table.replaceChildren(grid(first));
  }
}

function badge({ label, milliseconds, count, more, rows, differs, error }, answers) {
  const line = element("li", error ? "bad" : differs ? "bad" : "good");
  line.append(element("b", "", label));
  if (error) line.append(element("span", "", rows || answers.length === 1 ? "no rows" : error));
  else {
    const time = milliseconds < 10 ? milliseconds.toFixed(1) : milliseconds.toFixed(0);
    line.append(element("span", "", `${more ? `first ${count}` : count} ${count === 1 ? "row" : "rows"} · ${time} ms`));
    if (!rows) line.append(element("em", "", differs ? `differs: ${differs}` : more ? "not compared" : "agrees"));
  }
  return line;
}

const isNumber = (text) => text === null || /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text);

function grid({ columns, rows }) {
  const table = element("table");
  const numeric = columns.map((_, at) => rows.some((row) => row[at] !== null) && rows.every((row) => isNumber(row[at])));
  const head = table.createTHead().insertRow();
  columns.forEach((name, at) => {
    const cell = element("th", numeric[at] ? "number" : "", name);
    cell.scope = "col";
    head.append(cell);
  });
  const body = table.createTBody();
  for (const row of rows) {
    const line = body.insertRow();
    row.forEach((text, at) => line.append(element("td", text === null ? "null" : numeric[at] ? "number" : "", text ?? "NULL")));
  }
  return table;
}
