// A card for each dialect, with its versions.

import { element } from "./editor.js";
import { colour } from "./sql.js";

const NAMES = {
  postgres: "PostgreSQL", mysql: "MySQL", mariadb: "MariaDB", sqlite: "SQLite", sqlserver: "SQL Server", oracle: "Oracle",
};

export class Results {
  /// `dialects` are those that the compiler lists.
  constructor(host, dialects) {
    this.cards = dialects.map((dialect) => new Card(dialect));
    host.replaceChildren(...this.cards.map((card) => card.host));
  }

  show(results) {
    for (const card of this.cards) card.show(results.filter(({ dialect }) => dialect === card.name));
  }

  /// What is shown is of an earlier tree, or is not.
  stale(is) {
    for (const card of this.cards) card.host.classList.toggle("stale", is);
  }
}

class Card {
  constructor({ name, usual }) {
    this.name = name;
    this.chosen = usual;
    this.usual = usual;
    this.host = element("article", "card");
    this.host.dataset.dialect = name;
    this.versions = element("div", "versions");
    this.versions.setAttribute("role", "radiogroup");
    this.versions.setAttribute("aria-label", `Version of ${NAMES[name] ?? name}`);
    this.copy = element("button", "quiet copy", "Copy");
    this.copy.type = "button";
    this.copy.setAttribute("aria-label", `Copy the SQL for ${NAMES[name] ?? name}`);
    this.copy.addEventListener("click", () => this.host.dispatchEvent(new CustomEvent("copy-sql", { bubbles: true, detail: this.sql })));
    const head = element("div", "head");
    head.append(element("h2", "", NAMES[name] ?? name), this.versions, this.copy);
    this.body = element("div", "body");
    this.host.append(head, this.body);
  }

  show(results) {
    this.results = results;
    const usual = said(results.find(({ label }) => label === this.usual));
    this.versions.replaceChildren(
      ...results.map((result) => {
        const button = element("button", "", result.version);
        button.type = "button";
        button.setAttribute("role", "radio");
        button.dataset.label = result.label;
        if (result.error) button.classList.add("refused");
        else if (said(result) !== usual) button.classList.add("other");
        button.title = result.error ? "refused" : said(result) === usual ? "" : `not as ${this.usual}`;
        button.addEventListener("click", () => this.choose(result.label));
        button.addEventListener("keydown", (event) => this.onKey(event));
        return button;
      }),
    );
    this.choose(this.chosen);
  }

  choose(label) {
    this.chosen = label;
    for (const button of this.versions.children) {
      const is = button.dataset.label === label;
      button.setAttribute("aria-checked", String(is));
      button.tabIndex = is ? 0 : -1;
    }
    const result = this.results.find((one) => one.label === label);
    this.sql = result?.sql ?? "";
    this.copy.hidden = !this.sql;
    this.host.classList.toggle("is-refused", Boolean(result?.error));
    this.body.replaceChildren(...(result?.error ? refusal(result.error) : statement(result)));
  }

  onKey(event) {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const all = [...this.versions.children];
    const next = all[(all.indexOf(event.target) + step + all.length) % all.length];
    this.choose(next.dataset.label);
    next.focus();
  }
}

/// What two versions have in common, if they do.
const said = (result) => JSON.stringify([result?.sql, result?.parameters, result?.error?.message]);

function statement({ pretty, parameters, outputs, notes }) {
  const code = element("pre", "sql");
  code.append(...colour(pretty));
  code.tabIndex = 0;
  const parts = [code];
  if (parameters.length || outputs.length) {
    const list = element("ol", "parameters");
    for (const { placeholder, type, value } of parameters) {
      const line = element("li");
      line.append(element("b", "", placeholder), element("span", "value", shown(value)), element("i", "", type ?? ""));
      list.append(line);
    }
    for (const { name, type } of outputs) {
      const line = element("li");
      line.append(element("b", "", "out"), element("span", "value", name), element("i", "", type ?? ""));
      list.append(line);
    }
    parts.push(list);
  }
  if (notes.length) {
    const list = element("ul", "notes");
    for (const { rule, why } of notes) {
      const line = element("li");
      line.append(element("b", "", rule.replaceAll("_", " ")), element("span", "", why));
      list.append(line);
    }
    parts.push(list);
  }
  return parts;
}

const MOST = 60;

function shown(value) {
  const text = typeof value === "string" ? `'${value}'` : JSON.stringify(value);
  return text.length > MOST ? `${text.slice(0, MOST)}…` : text;
}

function refusal({ message, feature, reason, refused, path }) {
  const box = element("div", "refusal");
  box.append(element("strong", "", refused ? `${feature} is refused` : "It does not compile"));
  box.append(element("p", "", refused ? reason : message));
  if (path !== "$") box.append(element("code", "", path));
  return [box];
}
