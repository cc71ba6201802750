// The page in a browser: each role, filters, edits, refusals, in light and dark.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { BASE, isSound, login, newPage, start, total, typed } from "./browser.js";

let browser;
before(async () => { browser = await start(); });
after(async () => browser.end());

/** A test with a page of its own. */
function use(name, run, scheme) {
  test(name, async () => {
    const page = await newPage(browser.context, scheme);
    try {
      await run(page);
    } finally {
      await page.close();
    }
  });
}

const condition = (page, place) => page.locator("#filter .condition").nth(place);

use("a wrong password is refused", async (page) => {
  await isSound(page, "login");
  await page.getByRole("button", { name: "Log in", exact: true }).click();
  assert.equal(await page.getByRole("alert").textContent(), "Enter your user name.");
  await login(page, "sam", "wrong");
  await page.getByText("The user name or the password is wrong.").waitFor();
  await isSound(page, "login-wrong");
});

use("who has tried too often is told so, and is let in later", async (page) => {
  await login(page, "ada");
  await page.getByRole("button", { name: "Log out" }).click();
  await page.getByRole("heading", { name: "Log in" }).waitFor();
  // Nothing of the person who has left stays in the page.
  assert.equal(await page.locator(".who").count(), 0);
  let tries = 0;
  await page.route("**/api/login", (route) => {
    tries += 1;
    return tries === 1 ? route.fulfill({ status: 429, contentType: "application/problem+json", body: "{}" }) : route.continue();
  });
  await login(page, "sam");
  await page.locator(".who").getByText("Sales").waitFor();
  assert.ok(tries > 1, `${tries}`);
});

for (const [name, role] of [["ada", "Administrator"], ["sam", "Sales"], ["oli", "Operations"], ["mia", "Account manager"]]) {
  use(`${role}: in, a list, out`, async (page) => {
    await login(page, name);
    await page.locator(".who").getByText(role).waitFor();
    const count = await total(page);
    assert.ok(name === "ada" ? count === 15_000 : count > 1_000 && count < 6_000, `${count}`);
    // The token is in no storage that outlives the tab, and in no cookie.
    assert.deepEqual(await page.evaluate(() => [localStorage.length, document.cookie]), [0, ""]);
    await page.getByRole("button", { name: "Log out" }).click();
    await page.getByRole("heading", { name: "Log in" }).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "Log in" }).waitFor();
    assert.deepEqual(page.wrongs, []);
  });
}

for (const scheme of ["light", "dark"]) {
  use(`filters, pages and order, ${scheme}`, async (page) => {
    await login(page, "ada");
    const all = await total(page);
    await isSound(page, `list-${scheme}`);

    await page.getByRole("button", { name: "Filter", exact: true }).click();
    const panel = page.locator("#filter");
    await panel.getByRole("button", { name: "+ Condition" }).click();
    assert.ok(await condition(page, 0).getByLabel("Property").evaluate((element) => element === document.activeElement));
    await condition(page, 0).getByLabel("Property").selectOption("CustomerName");
    await condition(page, 0).getByLabel("comparison").selectOption("contains");
    await condition(page, 0).getByLabel("value").fill("Fjord");
    await panel.getByRole("button", { name: "+ Group" }).click();
    const group = panel.getByRole("group", { name: "Group", exact: true });
    await group.getByLabel("how its parts are joined").selectOption("$or");
    await condition(page, 1).getByLabel("Property").selectOption("TotalAmount");
    await condition(page, 1).getByLabel("comparison").selectOption(">=");
    await condition(page, 1).getByLabel("value").fill("2000");
    await group.getByRole("button", { name: "+ Condition" }).click();
    await condition(page, 2).getByLabel("Property").selectOption("Status");
    await condition(page, 2).getByLabel("value").selectOption("Shipped");
    await panel.getByRole("button", { name: "+ Related rows" }).last().click();
    const related = panel.getByRole("group", { name: "Related rows" });
    await related.getByLabel("value").selectOption("Changed");
    await page.getByRole("button", { name: "Apply" }).click();
    await page.waitForFunction((before) => !document.querySelector(".orders[aria-busy]") && !document.querySelector(".head p").textContent.includes(before), all.toLocaleString("en"));
    const found = await total(page);
    assert.ok(found > 0 && found < all / 10, `${found}`);
    const tree = JSON.parse(await page.getByRole("region", { name: "The tree as JSON" }).textContent());
    const where = tree.$section.$orderby.Where.$and;
    assert.deepEqual(where[0], { $: "contains", Left: { "#": "CustomerName" }, Right: { "@": "Fjord" } });
    assert.equal(where[1].$or.length, 2);
    assert.equal(where[2].$foreign, "Audit");
    const sql = await page.getByRole("region", { name: "The SQL of the server" }).textContent();
    assert.ok(sql.includes("EXISTS (SELECT 1 FROM") && sql.includes(" OR ") && !sql.includes("Fjord"), sql);
    await isSound(page, `filter-${scheme}`);

    await page.getByRole("button", { name: "Total", exact: true }).click();
    await page.locator("th[aria-sort=ascending]").getByText("Total").waitFor();
    const amounts = async () => (await page.locator("tbody .total").allTextContents()).map((text) => Number(text.replaceAll(",", "")));
    await total(page);
    const ascending = await amounts();
    assert.deepEqual(ascending, ascending.toSorted((a, b) => a - b));

    await page.getByRole("button", { name: "Clear" }).click();
    await page.getByText(`1–20 of ${all.toLocaleString("en")}`).waitFor();
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByText("21–40 of").waitFor();
    await page.getByLabel("Rows").selectOption("50");
    await page.getByText("1–50 of").waitFor();
    assert.equal(await page.locator("tbody tr").count(), 50);
  }, scheme);

  use(`an order is placed, changed and deleted, ${scheme}`, async (page) => {
    await login(page, "sam");
    const before = await total(page);
    await page.getByRole("button", { name: "New order" }).click();
    const dialog = page.getByRole("dialog", { name: "New order" });
    await dialog.getByLabel("Customer").fill("Iris Optics");
    await dialog.getByLabel("Quantity").fill("none");
    await dialog.getByRole("button", { name: "Place order" }).click();
    await dialog.getByText("It is a whole number from 1 to 1,000,000.").waitFor();
    await isSound(page, `invalid-${scheme}`);
    await dialog.getByLabel("Product").fill("Wall clock");
    await dialog.getByLabel("Quantity").fill("4");
    await dialog.getByLabel("Unit price").fill("34.80");
    await dialog.getByRole("button", { name: "Place order" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByText(`${(before + 1).toLocaleString("en")} orders`, { exact: true }).waitFor();
    const first = page.locator("tbody tr").first();
    assert.match(await first.textContent(), /Iris Optics.*139\.20/);

    // Somebody else saves it meanwhile.
    await first.getByRole("button").click();
    const order = page.getByRole("dialog");
    await order.getByLabel("Quantity").waitFor();
    const id = await elsewhere(page, { quantity: 9, note: "Changed elsewhere." });
    await order.getByLabel("Quantity").fill("7");
    await order.getByRole("button", { name: "Save", exact: true }).click();
    await order.getByText("Somebody has changed this order meanwhile").waitFor();
    const row = order.getByRole("row", { name: "Quantity" });
    assert.match(await row.textContent(), /Quantity79/);
    await isSound(page, `conflict-${scheme}`);
    await order.getByRole("button", { name: "Save mine over theirs" }).click();
    await order.waitFor({ state: "detached" });
    await page.goto(`${BASE}/#/orders/${id}`);
    await order.getByLabel("Quantity").waitFor();
    assert.equal(await order.getByLabel("Quantity").inputValue(), "7");
    await isSound(page, `edit-${scheme}`);

    await order.getByRole("button", { name: "Delete…" }).click();
    await isSound(page, `delete-${scheme}`);
    await order.getByRole("button", { name: "Delete it" }).click();
    await order.waitFor({ state: "detached" });
    await page.getByText(`${before.toLocaleString("en")} orders`, { exact: true }).waitFor();
  }, scheme);

  use(`statistics, ${scheme}`, async (page) => {
    await login(page, "ada");
    await page.getByRole("link", { name: "Statistics" }).click();
    await page.getByText("Amount in all").waitFor();
    assert.equal(await page.locator(".chart").count(), 2);
    await isSound(page, `statistics-${scheme}`);
    await page.getByLabel("Keyword").fill("nothing is called that");
    await page.getByRole("button", { name: "Show" }).click();
    await page.getByText("No order matches").first().waitFor();
    await isSound(page, `statistics-none-${scheme}`);
  }, scheme);

  use(`what is refused, empty or broken, ${scheme}`, async (page) => {
    // An order of somebody else.
    await login(page, "ada");
    await total(page);
    const foreign = await page.evaluate(async () => {
      const Authorization = `Bearer ${sessionStorage.getItem("order-demo-token")}`;
      const answer = await fetch("/api/orders/query?createdByUserName=sue&pageSize=1", { headers: { Authorization } });
      return (await answer.json()).items[0].id;
    });
    await page.getByRole("button", { name: "Log out" }).click();
    await login(page, "sam");
    await total(page);
    await page.goto(`${BASE}/#/orders/${foreign}`);
    await page.getByRole("heading", { name: "This order is not yours" }).waitFor();
    await isSound(page, `refused-${scheme}`);
    // Closing one order, which ends later, does not close the next one.
    await page.getByRole("button", { name: "Close" }).evaluate((close) => {
      close.click();
      location.hash = "#/orders/999999999";
    });
    await page.getByRole("heading", { name: "There is no such order" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });

    // A filter that nothing matches, and one that the server does not take.
    await page.getByRole("button", { name: "Filter", exact: true }).click();
    await page.getByRole("button", { name: "+ Condition" }).click();
    await condition(page, 0).getByLabel("value").fill("no such number");
    await page.getByRole("button", { name: "Apply" }).click();
    await page.getByRole("heading", { name: "No order matches" }).waitFor();
    await isSound(page, `empty-${scheme}`);
    await condition(page, 0).getByLabel("Property").selectOption("Quantity");
    await condition(page, 0).getByLabel("value").fill("many");
    await page.getByRole("button", { name: "Apply" }).click();
    await page.getByRole("heading", { name: "The filter cannot be used" }).waitFor();
    await isSound(page, `bad-filter-${scheme}`);

    // No server.
    await page.context().setOffline(true);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("The server cannot be reached").first().waitFor();
    await isSound(page, `offline-${scheme}`);
    await page.context().setOffline(false);
  }, scheme);
}

use("by keyboard alone, on a small screen", async (page) => {
  await page.setViewportSize({ width: 375, height: 720 });
  await isSound(page, "small-login");
  await login(page, "mia", undefined, typed);
  await total(page);
  await isSound(page, "small-list");
  const fits = () => page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth);
  assert.ok(await fits(), "nothing is wider than the screen");

  await page.getByRole("button", { name: "Filter", exact: true }).focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  await page.getByRole("button", { name: "+ Condition" }).focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.type("O-1-0000001");
  await page.keyboard.press("Enter");
  await page.locator(".orders:not([aria-busy])").waitFor();
  await isSound(page, "small-filter");
  assert.ok(await fits(), "nor is the filter");
  await page.getByRole("button", { name: "Clear", exact: true }).click();
  await page.locator(".orders:not([aria-busy])").waitFor();

  await page.locator("td button").first().focus();
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").getByLabel("Quantity").waitFor();
  await isSound(page, "small-edit");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Statistics" }).focus();
  await page.keyboard.press("Enter");
  await page.getByText("Amount in all").waitFor();
  await isSound(page, "small-statistics");
  assert.ok(await fits(), "nor are the charts");
});

/** Changes the order that is open, as somebody else does it; gives its id. */
function elsewhere(page, changes) {
  return page.evaluate(async (changed) => {
    const headers = { Authorization: `Bearer ${sessionStorage.getItem("order-demo-token")}`, "Content-Type": "application/json" };
    const list = await fetch("/api/orders/query?pageSize=1", { headers });
    const { id, customerName, productName, quantity, unitPrice, status, note } = (await list.json()).items[0];
    const body = JSON.stringify({ customerName, productName, quantity, unitPrice, status, note, ...changed });
    const answer = await fetch(`/api/orders/${id}`, { method: "PUT", headers, body });
    if (!answer.ok) throw new Error(await answer.text());
    return id;
  }, changes);
}
