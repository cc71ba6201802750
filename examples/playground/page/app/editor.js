// A textarea with colours under it, numbers beside it, and suggestions over it.

import { read } from "./json.js";

const PAIRS = { '"': '"', "{": "}", "[": "]" };

let count = 0;

export class Editor {
  /// `suggest` gives what may stand at the caret, `changed` is called with each text.
  constructor(host, { label, suggest, changed }) {
    count += 1;
    this.id = `editor-${count}`;
    this.suggest = suggest;
    this.changed = changed;
    this.marked = null;
    this.offered = null;
    this.host = host;
    host.innerHTML =
      '<div class="numbers" aria-hidden="true"></div><div class="text"><pre aria-hidden="true"></pre><textarea spellcheck="false" ' +
      'autocomplete="off" autocapitalize="off" wrap="off"></textarea><span class="probe" aria-hidden="true">0</span></div>' +
      '<ul class="offers" role="listbox" hidden></ul>';
    this.numbers = host.querySelector(".numbers");
    this.shown = host.querySelector("pre");
    this.area = host.querySelector("textarea");
    this.probe = host.querySelector(".probe");
    this.list = host.querySelector(".offers");
    this.list.id = this.id;
    this.area.setAttribute("aria-label", label);
    this.area.setAttribute("aria-autocomplete", "list");
    this.area.setAttribute("aria-controls", this.id);
    this.area.addEventListener("input", (event) => this.onInput(event));
    this.area.addEventListener("keydown", (event) => this.onKey(event));
    this.area.addEventListener("scroll", () => this.follow());
    this.area.addEventListener("blur", () => this.close());
    this.area.addEventListener("click", () => this.close());
    this.list.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      const at = [...this.list.children].indexOf(event.target.closest("li"));
      if (at >= 0) this.take(at);
    });
  }

  get text() {
    return this.area.value;
  }

  set text(text) {
    this.area.value = text;
    this.isFresh = true;
    this.close();
    this.refresh();
  }

  /// Underlines a part of the text, or nothing.
  mark(range) {
    this.marked = range;
    this.area.setAttribute("aria-invalid", String(Boolean(range)));
    this.paint();
  }

  refresh() {
    this.tree = read(this.text);
    this.paint();
    const lines = this.text.split("\n").length;
    if (this.numbers.childElementCount !== lines) {
      this.numbers.replaceChildren(...Array.from({ length: lines }, (_, at) => element("span", "", String(at + 1))));
    }
    // When the frame is drawn the layout is known: asked now, it would be made once more.
    requestAnimationFrame(() => this.follow());
  }

  paint() {
    // Whoever shows it refreshes it.
    if (this.host.hidden) return;
    const text = this.text;
    const parts = document.createDocumentFragment();
    let at = 0;
    const put = (end, kind) => {
      if (end <= at) return;
      const [from, to] = this.marked ?? [0, 0];
      for (const stop of [from, to, end]) {
        if (stop <= at || stop > end) continue;
        const bad = at >= from && stop <= to ? " marked" : "";
        parts.append(kind || bad ? element("span", kind + bad, text.slice(at, stop)) : text.slice(at, stop));
        at = stop;
      }
    };
    for (const token of this.tree.tokens) {
      put(token.start, "");
      const isName = token.kind === "key" && /^"[$#@!]/.test(text.slice(token.start, token.start + 2));
      put(token.end, isName ? "marker" : token.kind);
    }
    put(text.length, "");
    // A last line that is empty has its height, too.
    parts.append("\n");
    this.shown.replaceChildren(parts);
  }

  follow() {
    if (this.isFresh) this.area.scrollTo(0, 0);
    this.isFresh = false;
    const { scrollTop, scrollLeft } = this.area;
    this.shown.style.transform = `translate(${-scrollLeft}px, ${-scrollTop}px)`;
    this.numbers.style.transform = `translateY(${-scrollTop}px)`;
  }

  onInput(event) {
    this.refresh();
    this.changed(this.text);
    if (event.inputType?.startsWith("insert") && event.inputType !== "insertLineBreak") this.offer();
    else if (this.offered) this.offer();
  }

  onKey(event) {
    if (this.offered && this.onOfferKey(event)) {
      event.preventDefault();
      return;
    }
    const { selectionStart: start, selectionEnd: end } = this.area;
    const [before, after] = [this.text[start - 1], this.text[start]];
    if ((event.ctrlKey || event.metaKey) && event.key === " ") {
      event.preventDefault();
      this.offer();
    } else if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) {
      return;
    } else if (event.key === "Enter") {
      event.preventDefault();
      const line = this.text.slice(this.text.lastIndexOf("\n", start - 1) + 1, start);
      const indent = /^ */.exec(line)[0];
      const opens = before === "{" || before === "[";
      const closes = opens && (after === "}" || after === "]");
      this.insert(`\n${indent}${opens ? "  " : ""}${closes ? `\n${indent}` : ""}`, closes ? indent.length + 1 : 0);
    } else if (start === end && after === event.key && Object.values(PAIRS).includes(event.key)) {
      event.preventDefault();
      this.area.setSelectionRange(start + 1, start + 1);
      this.close();
    } else if (start === end && event.key in PAIRS && (!after || /[\s,\]}:]/.test(after)) && !(event.key === '"' && before === "\\")) {
      event.preventDefault();
      this.insert(event.key + PAIRS[event.key], 1);
    }
  }

  onOfferKey(event) {
    const last = this.offered.items.length - 1;
    if (event.key === "ArrowDown") this.choose(this.chosen === last ? 0 : this.chosen + 1);
    else if (event.key === "ArrowUp") this.choose(this.chosen === 0 ? last : this.chosen - 1);
    else if (event.key === "Enter" || event.key === "Tab") this.take(this.chosen);
    else if (event.key === "Escape") this.close();
    else return false;
    return true;
  }

  /// As if it were typed, so that it can be undone; the caret so many characters before the end.
  insert(text, back) {
    document.execCommand("insertText", false, text);
    const caret = this.area.selectionStart - back;
    this.area.setSelectionRange(caret, caret);
    if (back && text.startsWith('"')) this.offer();
  }

  offer() {
    const offered = this.suggest(this.text, this.area.selectionStart, this.tree);
    if (!offered) {
      this.close();
      return;
    }
    this.offered = offered;
    this.list.replaceChildren(
      ...offered.items.map((item, at) => {
        const line = element("li", "", "");
        line.id = `${this.id}-${at}`;
        line.setAttribute("role", "option");
        line.append(element("b", item.kind, item.text), element("span", "", item.about));
        return line;
      }),
    );
    this.list.hidden = false;
    this.area.setAttribute("aria-expanded", "true");
    this.move();
    this.choose(0);
  }

  /// Under the caret, or over it where there is more room.
  move() {
    const before = this.text.slice(0, this.offered.from);
    const row = before.split("\n").length;
    const column = before.length - before.lastIndexOf("\n") - 1;
    const { width, height } = this.probe.getBoundingClientRect();
    const frame = this.area.getBoundingClientRect();
    const padding = parseFloat(getComputedStyle(this.area).paddingTop);
    const top = padding + row * height - this.area.scrollTop;
    const room = frame.height - top;
    const tall = this.list.offsetHeight;
    const left = this.area.offsetParent.offsetLeft + padding + column * width - this.area.scrollLeft;
    this.list.style.left = `${Math.max(8, Math.min(left, this.list.offsetParent.clientWidth - this.list.offsetWidth - 8))}px`;
    this.list.style.top = `${room < tall && top > tall ? top - height - tall - 4 : top + 2}px`;
  }

  choose(at) {
    this.chosen = at;
    for (const [index, line] of [...this.list.children].entries()) line.setAttribute("aria-selected", String(index === at));
    this.area.setAttribute("aria-activedescendant", `${this.id}-${at}`);
    const line = this.list.children[at];
    const { offsetTop: top, offsetHeight: height } = line;
    if (top < this.list.scrollTop) this.list.scrollTop = top - 4;
    else if (top + height > this.list.scrollTop + this.list.clientHeight) this.list.scrollTop = top + height + 4 - this.list.clientHeight;
  }

  take(at) {
    const { from, to, items } = this.offered;
    this.close();
    this.area.setSelectionRange(from, to);
    document.execCommand("insertText", false, items[at].text);
    this.close();
    // Behind the quote that is there already.
    if (this.text[this.area.selectionStart] === '"') {
      this.area.setSelectionRange(this.area.selectionStart + 1, this.area.selectionStart + 1);
    }
  }

  close() {
    this.offered = null;
    this.list.hidden = true;
    this.area.setAttribute("aria-expanded", "false");
    this.area.removeAttribute("aria-activedescendant");
  }
}

export function element(name, kind, text) {
  const made = document.createElement(name);
  if (kind) made.className = kind;
  if (text) made.textContent = text;
  return made;
}
