// The rosetta: examples by topic, in a panel over the page.

import { element } from "./editor.js";

export class Examples {
  constructor(panel, topics, chosen) {
    this.panel = panel;
    this.all = topics.flatMap(({ examples }) => examples);
    panel.replaceChildren(
      ...topics.map(({ topic, examples }) => {
        const section = element("section");
        const list = element("ul");
        for (const example of examples) {
          const button = element("button", "", example.title);
          button.type = "button";
          button.dataset.id = example.id;
          if (example.about) button.title = example.about;
          button.addEventListener("click", () => {
            panel.hidePopover();
            chosen(example);
          });
          const line = element("li");
          line.append(button);
          list.append(line);
        }
        section.append(element("h2", "", topic), list);
        return section;
      }),
    );
  }

  find(id) {
    return this.all.find((example) => example.id === id);
  }

  /// Which one is on the page, if it is one.
  mark(id) {
    for (const button of this.panel.querySelectorAll("button")) {
      button.toggleAttribute("aria-current", button.dataset.id === id);
    }
  }
}
