import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { test, type TestContext } from "node:test";

import { Client, count, only, ProblemError, props, query } from "../src/index.js";

/** A server of the library's, as orm/web/examples/orders.rs has it. */
const program = process.env.ISOGLOSS_ORDERS;
const skip = program ? false : "SKIPPED: ISOGLOSS_ORDERS names no server (cargo build -p isogloss-web --example orders)";
if (skip) console.warn(skip);

interface Order {
  id: number;
  customerId: number;
  number: string;
  amount: number;
  note: string | null;
  version: number;
  customerName: string | null;
  customer?: { id: number; name: string; orders?: Order[] } | null;
}

const prop = props<Order>();

async function served(t: TestContext): Promise<Client<Order>> {
  const server = spawn(program!, { stdio: ["pipe", "pipe", "inherit"] });
  t.after(async () => {
    server.stdin.end();
    if (server.exitCode === null) await once(server, "exit");
  });
  const [url] = await once(createInterface(server.stdout), "line");
  return new Client<Order>(url);
}

async function problem(call: Promise<unknown>): Promise<ProblemError> {
  const error = await call.then(() => assert.fail("it did not fail"), (error: unknown) => error);
  assert.ok(error instanceof ProblemError, String(error));
  return error;
}

test("a server does what the client asks", { skip }, async (t) => {
  const orders = await served(t);

  const large = prop("amount").gt(100).and(prop("customerName").eq("Bob"));
  const page = await orders.page(query<Order>().where(large).orderBy(prop("amount").desc()).skip(1).take(3));
  assert.deepEqual([page.skip, page.take, page.total], [1, 3, 20]);
  assert.deepEqual(page.items.map((order) => order.amount), [470, 450, 430]);
  assert.equal((await orders.page(large)).take, 20);
  assert.equal((await orders.page(large, { count: "none" })).total, null);
  const sums = query<Order>().groupBy("customerName").select("customerName", count().as("many")).take(9);
  assert.deepEqual((await orders.page(sums)).total, 50);

  const ids: number[] = [];
  for await (const order of orders.rows(query<Order>().where(prop("id").le(23)).orderBy("note").take(5))) ids.push(order.id);
  assert.deepEqual(ids.sort((a, b) => a - b), Array.from({ length: 23 }, (_, at) => at + 1));

  const related = await orders.page(prop("id").eq(1), { include: ["customer.orders"] });
  assert.deepEqual([related.items[0]?.customer?.name, related.items[0]?.customer?.orders?.length], ["Bob", 25]);
  assert.equal((await orders.get(2, { include: ["customer"] }))?.row.customer?.name, "Ann");
  assert.deepEqual([...new Set((await orders.list({ include: ["customer"] })).map((order) => order.customer?.id))], [2, 1]);
  assert.equal("customer" in (await orders.get(2))!.row, false);
  for await (const order of orders.rows(query<Order>().take(9), { include: ["customer"] })) assert.ok(order.customer);

  assert.equal((await orders.list()).length, 50);
  assert.equal(await orders.count(), 50);
  assert.equal(await orders.exists(50), true);
  assert.equal(await orders.get(51), null);
  assert.equal(await orders.delete(51), false);
  assert.equal(await orders.insert({ customerId: 1, number: "B", amount: 0.1, note: "a\r\n\"b\" 😀" }), true);
  const found = (await orders.get(51))!;
  assert.deepEqual([found.row.amount, found.row.note, found.row.customerName], [0.1, "a\r\n\"b\" 😀", "Ann"]);

  const changed = { id: 51, customerId: 1, number: "C", amount: 2 };
  assert.equal(await orders.update(changed, found.etag), true);
  const late = await problem(orders.update({ ...changed, number: "D" }, found.etag));
  assert.deepEqual([late.status, late.code], [412, "version-conflict"]);
  const read = (await orders.get(51))!;
  assert.equal(read.row.number, "C");

  const whole = await problem(orders.update(read.row));
  assert.deepEqual([whole.status, whole.field, whole.errors[0]?.code], [422, "customerName", "not-writable"]);
  const edited = { ...only(read.row, "id", "customerId", "number", "amount"), amount: 3 };
  assert.equal(await orders.update(edited, read.etag), true);
  assert.equal((await orders.get(51))!.row.amount, 3);
  assert.equal(await orders.delete(51), true);
});

test("a server's problems say where they are", { skip }, async (t) => {
  const orders = await served(t);
  const unknown = await problem(orders.page(props<any>()("password").startsWith("a")));
  assert.deepEqual([unknown.status, unknown.code, unknown.path], [400, "bad-query", "$.Left"]);
  const taken = await problem(orders.insert({ customerId: 1, number: "A-001", amount: 1 }));
  assert.deepEqual([taken.status, taken.code, taken.field], [409, "unique-violation", "number"]);
  const wrong = await problem(orders.insert({ customerId: 1, number: "x".repeat(51), version: 7 }));
  assert.equal(wrong.status, 422);
  assert.deepEqual(wrong.errors.map((error) => error.field).sort(), ["amount", "number", "version"]);
  const id = await problem(orders.get("x"));
  assert.deepEqual([id.status, id.code], [400, "bad-id"]);
  const relation = await problem(orders.get(1, { include: ["customer.ordrs"] }));
  assert.deepEqual([relation.status, relation.code, relation.field], [400, "bad-query", "include"]);
  const cursor = await problem(orders.page(query<Order>(), { after: "v1.x" }));
  assert.equal(cursor.code, "bad-cursor");
});
