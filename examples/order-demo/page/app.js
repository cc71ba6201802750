// The entry point: shows the login, or the bar with one of the pages.

import { isSignedIn, logout, me, signedOut } from "./api.js";
import { statisticsPage } from "./charts.js";
import { announce, blank, h } from "./dom.js";
import { ROLES } from "./format.js";
import { forgetFilter, listPage } from "./list.js";
import { loginPage } from "./login.js";

const THEME = "order-demo-theme";
const PAGES = [["orders", "Orders"], ["statistics", "Statistics"]];

const main = document.getElementById("main");
const bar = document.getElementById("bar");
let user = null;

function enter(who) {
  user = who;
  drawBar();
  draw();
}

function leave() {
  user = null;
  bar.hidden = true;
  bar.replaceChildren();
  forgetFilter();
  document.title = "Log in · Orders";
  main.replaceChildren(loginPage(enter));
  main.querySelector("input").focus();
}

/** Shows the page that the address names. */
function draw() {
  if (user === null) return;
  const [, name, id] = location.hash.split("/");
  const page = PAGES.some(([known]) => known === name) ? name : "orders";
  document.title = `${page === "orders" ? "Orders" : "Statistics"} · Order demo`;
  for (const link of bar.querySelectorAll("[data-page]")) {
    if (link.dataset.page === page) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  main.replaceChildren();
  main.append(page === "orders" ? listPage(id) : statisticsPage(user));
}

function drawBar() {
  const links = PAGES.map(([page, title]) => h("a", { href: `#/${page}`, "data-page": page }, title));
  const out = async () => {
    await logout().catch(() => {});
    announce("You are logged out.");
  };
  bar.hidden = false;
  bar.replaceChildren(
    h("div", { class: "brand" }, h("img", { src: "/icon.svg", alt: "", width: 28, height: 28 }), "Order demo"),
    h("nav", { class: "tabs", "aria-label": "Main" }, links),
    h("div", { class: "who" },
      h("span", {}, h("b", {}, user.displayName), h("span", { class: "soft" }, [...new Set([ROLES[user.role], user.departmentName])].join(", "))),
      h("span", { class: "row" },
        themeButton(),
        h("button", { type: "button", onclick: out }, "Log out"))));
}

/** A button that switches between light and dark; until it is used, the system's setting holds. */
function themeButton() {
  const isDark = () => {
    const chosen = document.documentElement.dataset.theme;
    return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  };
  const button = h("button", { type: "button", class: "icon", onclick: () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    sessionStorage.setItem(THEME, document.documentElement.dataset.theme);
    label();
  } });
  const label = () => {
    button.textContent = isDark() ? "☀" : "☾";
    button.setAttribute("aria-label", isDark() ? "Light colours" : "Dark colours");
  };
  label();
  return button;
}

const chosen = sessionStorage.getItem(THEME);
if (chosen) document.documentElement.dataset.theme = chosen;
signedOut.addEventListener("signedout", leave);
addEventListener("hashchange", draw);

if (!isSignedIn()) leave();
else {
  me().then(enter).catch((problem) => {
    if (problem.status !== 401) main.replaceChildren(blank("!", problem.title, problem.message, h("button", { type: "button", onclick: () => location.reload() }, "Try again")));
  });
}
