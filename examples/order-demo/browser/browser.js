// Starts the browser, and checks that hold for every state of the page.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

export const BASE = process.env.ORDER_DEMO ?? "http://127.0.0.1:8080";
const PASSWORD = "isogloss";
const SHOTS = process.env.SHOTS;
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Starts Chromium with a temporary profile. */
export async function start() {
  const profile = mkdtempSync(join(tmpdir(), "order-demo-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    headless: true,
    args: [
      "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
      "--disable-component-update", "--disable-sync",
    ],
    viewport: { width: 1280, height: 900 },
  });
  return {
    context,
    async end() {
      await context.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}

/** Opens a page, and records script errors and violations of the content security policy. */
export async function newPage(context, scheme = "light") {
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  page.wrongs = [];
  page.on("pageerror", (error) => page.wrongs.push(String(error)));
  page.on("console", (message) => {
    // The browser also reports each HTTP error, and the tests provoke some.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) page.wrongs.push(message.text());
  });
  await page.emulateMedia({ colorScheme: scheme });
  await page.goto(BASE);
  return page;
}

/** Logs in by `enter`: by filling the form, or by the keyboard. Where there were too many attempts, it waits as a person does. */
export async function login(page, name, password = PASSWORD, enter = fill) {
  for (;;) {
    await enter(page, name, password);
    await page.locator(".who:visible, .login .wrong:not(:empty)").waitFor();
    if (!(await page.getByText("Too many attempts").isVisible())) return;
    await page.waitForTimeout(3_500);
  }
}

async function fill(page, name, password) {
  await page.getByLabel("User name").fill(name);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Log in", exact: true }).click();
}

/** For `login`: keys alone. */
export async function typed(page, name, password) {
  await page.getByLabel("User name").focus();
  await page.keyboard.press("Control+A");
  await page.keyboard.type(name);
  await page.keyboard.press("Tab");
  await page.keyboard.type(password);
  await page.keyboard.press("Enter");
}

/** Waits for the list, and gives the number of orders found. */
export async function total(page) {
  await page.locator(".orders:not([aria-busy])").waitFor();
  const text = await page.locator(".head p").textContent();
  return Number(text.replaceAll(/\D/g, ""));
}

/** Asserts that axe finds no accessibility error, and that no script has failed. */
export async function isSound(page, name) {
  await shot(page, name);
  // The debugger injects axe, so the content security policy does not apply to it.
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  const told = violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" ")}`);
  assert.deepEqual(told, [], name);
  assert.deepEqual(page.wrongs, [], name);
}

/** Saves a screenshot if `SHOTS` names a folder. */
async function shot(page, name) {
  if (!SHOTS) return;
  mkdirSync(SHOTS, { recursive: true });
  await page.screenshot({ path: join(SHOTS, `${name}.png`), fullPage: true });
}
