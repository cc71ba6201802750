// What a visitor does: types, makes a mistake, completes a name, shares, reads rows; by keyboard, on a phone, in the dark.
import assert from "node:assert/strict";
import { chromium } from "playwright-core";

const [base, shots] = process.argv.slice(2);
const flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: flags });
const wide = { width: 1440, height: 1000 };
let failed = 0;

/// A page in a context of its own. Whatever it complains about is an error, as is a request to another place.
async function visit(fragment, options = {}) {
  const context = await browser.newContext({ viewport: wide, permissions: ["clipboard-read", "clipboard-write"], ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  page.complaints = [];
  page.asked = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && page.complaints.push(message.text()));
  page.on("pageerror", (error) => page.complaints.push(String(error)));
  page.on("request", (request) => page.asked.push(request.url()));
  await page.goto(base + fragment);
  await page.waitForSelector("#results .sql, #results .refusal");
  return page;
}

async function test(name, run, fragment, options) {
  const page = await visit(fragment ?? "", options);
  try {
    await run(page);
    assert.deepEqual(page.complaints, []);
    assert.deepEqual(page.asked.filter((url) => !url.startsWith(base)), []);
    console.log(`ok      ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`failed  ${name}\n${error.stack}`);
  }
  if (shots) await page.screenshot({ path: `${shots}/${name.replaceAll(/\W+/g, "-")}.png` });
  await page.context().close();
}

const editor = (page) => page.getByRole("textbox", { name: "The tree, as JSON" });
const sql = (page, dialect) => page.locator(`[data-dialect=${dialect}] .sql`);
const DIALECTS = ["postgres", "mysql", "mariadb", "sqlite", "sqlserver", "oracle"];

/// Waits until the last change has its answer.
const settled = (page) => page.locator("#results:not([aria-busy])").waitFor();

async function write(page, tree) {
  await editor(page).fill(tree);
  await settled(page);
}

/// Puts the caret behind a text, which is selected where that is asked.
const find = (page, text, select = false) =>
  editor(page).evaluate(
    (area, [text, select]) => {
      const at = area.value.indexOf(text);
      area.focus();
      area.setSelectionRange(select ? at : at + text.length, at + text.length);
    },
    [text, select],
  );

await test("typed-by-hand", async (page) => {
  await editor(page).focus();
  await page.keyboard.press("Control+a");
  // Brackets and quotes close themselves, and are typed over.
  await page.keyboard.type('{"$":"endswith","Left":{"#":"Phone"},"Right":"7%"}', { delay: 4 });
  await page.keyboard.press("Escape");
  assert.deepEqual(JSON.parse(await editor(page).inputValue()), { $: "endswith", Left: { "#": "Phone" }, Right: "7%" });
  for (const dialect of DIALECTS) await assert.doesNotReject(sql(page, dialect).getByText("c_phone").first().waitFor(), dialect);
  await page.locator("[data-dialect=postgres] .parameters").getByText("'%7\\%'").waitFor();
  await page.locator("[data-dialect=sqlite] .notes").getByText("like to glob").waitFor();
  const marks = await page.locator(".bind").allTextContents();
  for (const mark of ["$1", "?", "@P1", ":1"]) assert.ok(marks.includes(mark), mark);
}, "#not-in");

await test("a-mistake-is-underlined-at-its-place", async (page) => {
  await find(page, "MktSegment", true);
  await page.keyboard.type("MktSegmnt");
  await page.keyboard.press("Escape");
  await settled(page);
  await page.locator("#problem").getByText("did you mean `MktSegment`?").waitFor();
  assert.equal(await page.locator("#problem code").textContent(), "$.$and[0].Left");
  assert.equal((await page.locator("#tree .marked").allTextContents()).join(""), '{ "#": "MktSegmnt" }');
  assert.ok(await sql(page, "oracle").isVisible(), "the last text stays, pale");
  await page.locator("#table").getByText("until the tree compiles").waitFor();

  await write(page, '{"$and": [}');
  await page.locator("#problem").getByText("expected").or(page.locator("#problem")).first().waitFor();
  assert.equal((await page.locator("#tree .marked").allTextContents()).join(""), "}");
  assert.equal(await editor(page).getAttribute("aria-invalid"), "true");
}, "#not-in");

await test("names-are-completed", async (page) => {
  await page.waitForLoadState("networkidle");
  await find(page, "TotalPrice", true);
  await page.keyboard.type("ord");
  const offers = page.locator("#tree [role=option]");
  await offers.first().waitFor();
  assert.deepEqual(await offers.locator("b").allTextContents(), ["OrderKey", "OrderStatus", "OrderDate", "OrderPriority"]);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  assert.equal(await offers.nth(2).getAttribute("aria-selected"), "true");
  await page.keyboard.press("Enter");
  assert.match(await editor(page).inputValue(), /"#": "OrderDate" \}/);
  assert.ok(await page.locator("#tree .offers").isHidden());
  // Functions, with their arguments.
  await write(page, '{"$": "func", ""}');
  await find(page, 'func", "');
  await page.keyboard.type("Subst");
  await offers.first().getByText("(text, integer[, integer])").waitFor();
  // Words of the notation, as its schema has them.
  await write(page, '{"$orderby": {"$table": "Order"}, "OrderBys": [{"Field": {"#": "OrderKey"}, "Nulls": ""}]}');
  await find(page, 'Nulls": "');
  await page.keyboard.type("La");
  await offers.first().waitFor();
  assert.deepEqual(await offers.locator("b").allTextContents(), ["Last"]);
  await page.keyboard.press("Enter");
  assert.match(await editor(page).inputValue(), /"Nulls": "Last"\}/);
}, "#exists");

await test("shared-by-its-address", async (page) => {
  const tree = '{"$": ">", "Left": {"#": "AcctBal"}, "Right": 9000}';
  await write(page, tree);
  await page.getByLabel("Ask for").selectOption("count");
  await settled(page);
  await page.getByRole("button", { name: "Copy link" }).click();
  await page.locator("#told").getByText("Link copied").waitFor();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  assert.ok(link.startsWith(`${base}#z:`), link);
  const other = await visit(link.slice(base.length));
  assert.equal(await editor(other).inputValue(), tree);
  assert.equal(await other.getByLabel("Ask for").inputValue(), "count");
  assert.match(await sql(other, "postgres").textContent(), /SELECT COUNT\(\*\)/);
  assert.ok(other.asked.every((url) => !url.includes("9000")), "the query is in no request but that for rows");
  await other.context().close();
}, "#not-in");

await test("rows", async (page) => {
  await page.locator("#table tbody tr").first().waitFor();
  assert.equal(await page.locator("#table tbody tr").count(), 5);
  assert.match(await page.locator("#engines li").first().textContent(), /^sqlite 3\.\d+5 rows · [\d.]+ ms$/);
}, "#group");

await test("what-writes-is-shown-and-not-run", async (page) => {
  await page.locator("#table").getByText("shown, not run").waitFor();
  assert.match(await sql(page, "sqlserver").textContent(), /MERGE/);
  assert.ok(page.asked.every((url) => !url.endsWith("/rows")));
}, "#upsert");

await test("refusals-and-versions", async (page) => {
  const card = page.locator("[data-dialect=sqlserver]");
  await card.getByText("SQL Server has no regular expressions before 2025").waitFor();
  await card.getByRole("radio", { name: "2019" }).focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  assert.equal(await card.getByRole("radio", { checked: true }).textContent(), "2025");
  await sql(page, "sqlserver").getByText("REGEXP_LIKE").first().waitFor();
}, "#regexp");

await test("examples-by-topic", async (page) => {
  await page.getByRole("button", { name: "Examples" }).press("Enter");
  const panel = page.getByRole("dialog", { name: "Examples by topic" });
  assert.ok((await panel.getByRole("button").count()) > 40);
  if (shots) await page.screenshot({ path: `${shots}/examples-panel.png` });
  await panel.getByRole("button", { name: "Q3: Shipping priority" }).click();
  await page.waitForURL(/#q03$/);
  await sql(page, "mysql").getByText("GROUP BY").first().waitFor();
  await page.goBack().catch(() => {});
}, "#exists");

await test("the-catalog-can-be-another-one", async (page) => {
  await page.getByRole("tab", { name: "Catalog" }).click();
  const catalog = page.getByRole("textbox", { name: /catalog/ });
  await catalog.fill('{"entity": [{"name": "Pet", "columns": [{"name": "Id", "type": "Int32", "primary_key": true}, {"name": "Age", "type": "Int23"}]}]}');
  await page.locator("#problem").getByText("bad type `Int23`").waitFor();
  await catalog.fill('{"entity": [{"name": "Pet", "columns": [{"name": "Id", "type": "Int32", "primary_key": true}, {"name": "Age", "type": "Int32"}]}]}');
  await page.getByRole("tab", { name: "Tree" }).click();
  await write(page, '{"$": ">", "Left": {"#": "Age"}, "Right": 7}');
  await page.getByLabel("Over").selectOption("Pet");
  await sql(page, "postgres").getByText('"Pet"').first().waitFor();
  await page.locator("#table").getByText("another one than that of the data").waitFor();
}, "#exists");

await test("every-example-compiles", async (page) => {
  const ids = await page.locator("#examples button").evaluateAll((all) => all.map((button) => button.dataset.id));
  for (const id of ids) {
    await page.evaluate((id) => (location.hash = id), id);
    await page.waitForFunction((id) => document.querySelector("#examples [aria-current]")?.dataset.id === id, id);
    await settled(page);
    assert.ok(await page.evaluate(() => document.querySelector("#problem").hidden && document.querySelector("#results .sql")), id);
  }
}, "#exists");

await test("on-a-phone", async (page) => {
  await page.locator("#table tbody tr").first().waitFor();
  const [inner, outer] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
  assert.ok(inner <= outer, `${inner} wide on ${outer}`);
}, "#exists", { viewport: { width: 390, height: 844 }, colorScheme: "dark" });

await test("themes", async (page) => {
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const dark = await ground();
  await page.getByRole("button", { name: "Theme: as the system" }).click();
  const light = await ground();
  assert.notEqual(dark, light);
  await page.reload();
  await page.getByRole("button", { name: "Theme: light" }).click();
  assert.equal(await ground(), dark);
}, "#q01", { colorScheme: "dark" });

await test("the-compiler-runs-where-the-page-says", async (page) => {
  const local = page.asked.some((url) => url.endsWith(".wasm"));
  assert.equal(page.asked.some((url) => url.endsWith("/compile")), !local);
  // The goal is 300 ms on a machine that does nothing else, which no test can know.
  const first = await page.evaluate(() => document.documentElement.dataset.compiled);
  console.log(`        first result after ${first} ms, compiled ${local ? "in the browser" : "by the server"}`);
}, "#exists");

await browser.close();
process.exit(failed ? 1 : 0);
