// The login page.

import { login } from "./api.js";
import { announce, field, h } from "./dom.js";

const PASSWORD = "isogloss";
const DEMO = [
  ["ada", "Administrator"],
  ["sam", "Sales"],
  ["oli", "Operations"],
  ["mia", "Account manager"],
];

/** The login page; `entered` is called with the user. */
export function loginPage(entered) {
  const user = h("input", { name: "userName", autocomplete: "username", autocapitalize: "none", spellcheck: "false", required: true });
  const password = h("input", { name: "password", type: "password", autocomplete: "current-password", required: true });
  const wrong = h("p", { class: "wrong", role: "alert" });
  const submit = h("button", { class: "primary", type: "submit" }, "Log in");

  async function enter(event) {
    event.preventDefault();
    wrong.textContent = "";
    const missing = [user, password].find((input) => input.value.trim() === "");
    if (missing) {
      wrong.textContent = missing === user ? "Enter your user name." : "Enter your password.";
      missing.focus();
      return;
    }
    submit.disabled = true;
    submit.textContent = "Logging in…";
    try {
      entered(await login(user.value.trim(), password.value));
      announce("You are logged in.");
    } catch (problem) {
      wrong.textContent = problem.status === 429 ? "Too many attempts. Wait a moment, then try again." : problem.message;
      password.value = "";
      password.focus();
    } finally {
      submit.disabled = false;
      submit.textContent = "Log in";
    }
  }

  const use = (name) => () => {
    user.value = name;
    password.value = PASSWORD;
    submit.focus();
  };
  const form = h("form", { class: "stack", novalidate: true, onsubmit: enter },
    field("User name", user), field("Password", password), wrong, submit);
  const demo = DEMO.map(([name, role]) =>
    h("button", { type: "button", onclick: use(name) }, name, h("span", { class: "soft small" }, role)));

  return h("div", { class: "login stack" },
    h("div", { class: "card stack" },
      h("div", { class: "brand" }, h("img", { src: "/icon.svg", alt: "", width: 28, height: 28 }), "Order demo"),
      h("h1", {}, "Log in"),
      form),
    h("section", { class: "stack", "aria-labelledby": "demo" },
      h("h2", { id: "demo", class: "small soft" }, "Users of this demo"),
      h("div", { class: "logins" }, demo)));
}
