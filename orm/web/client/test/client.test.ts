import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { test, type TestContext } from "node:test";

import { Client, ProblemError, query } from "../src/index.js";
import { prop, type Order } from "./order.js";

interface Seen {
  method: string;
  url: string;
  headers: IncomingMessage["headers"];
  body: string;
}

type Answer = { status?: number; headers?: Record<string, string>; body?: unknown };

/** A server that gives these answers one after the other, and what it was asked. */
async function served(t: TestContext, ...answers: Answer[]): Promise<{ orders: Client<Order>; seen: Seen[] }> {
  const seen: Seen[] = [];
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    seen.push({ method: request.method!, url: request.url!, headers: request.headers, body });
    const { status = 200, headers = {}, body: answer } = answers.shift()!;
    response.writeHead(status, headers).end(typeof answer === "string" ? answer : JSON.stringify(answer));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const options = { headers: () => ({ authorization: "Bearer t" }) };
  return { orders: new Client<Order>(`http://127.0.0.1:${port}/api/Order/`, options), seen };
}

test("each method is a request to its endpoint", async (t) => {
  const row = { id: 7, amount: 1 };
  const page = { skip: 0, take: 20, total: 1, items: [row] };
  const { orders, seen } = await served(
    t, { body: row, headers: { etag: `"3"` } }, { body: null }, { body: [row] }, { body: page }, { body: page }, { body: page }, { body: page }, { body: true },
    { body: true }, { body: true }, { body: false }, { body: 5 }, { body: 2 }, { body: true },
  );
  assert.deepEqual(await orders.get(7), { row, etag: `"3"` });
  assert.equal(await orders.get("a/b?c"), null);
  assert.deepEqual(await orders.list(), [row]);
  assert.deepEqual(await orders.page(prop("amount").gt(1)), page);
  assert.deepEqual(await orders.page(query<Order>().take(5), { count: "none", after: "v1.x" }), page);
  assert.deepEqual(await orders.page(query<Order>()), page);
  assert.deepEqual(await orders.page(query<Order>().where(prop("amount").gt(1))), page);
  assert.equal(await orders.insert({ amount: 1 }), true);
  assert.equal(await orders.update({ id: 7, amount: 2 }), true);
  assert.equal(await orders.update({ id: 7, amount: 2 }, `"3"`), true);
  assert.equal(await orders.delete(2n ** 60n), false);
  assert.equal(await orders.count(), 5);
  assert.equal(await orders.count("a&b"), 2);
  assert.equal(await orders.exists(7), true);

  const asked = seen.map(({ method, url, body }) => `${method} ${url} ${body}`.trim());
  assert.deepEqual(asked, [
    "GET /api/Order/7",
    "GET /api/Order/a%2Fb%3Fc",
    "GET /api/Order",
    `POST /api/Order/page {"$":">","Left":{"#":"amount"},"Right":{"@":1}}`,
    `POST /api/Order/page?after=v1.x&count=none {"$section":null,"Take":5}`,
    `POST /api/Order/page {"$section":null}`,
    `POST /api/Order/page {"$section":{"$where":null,"Where":{"$":">","Left":{"#":"amount"},"Right":{"@":1}}}}`,
    `POST /api/Order {"amount":1}`,
    `PUT /api/Order {"id":7,"amount":2}`,
    `PUT /api/Order {"id":7,"amount":2}`,
    "DELETE /api/Order/1152921504606846976",
    "GET /api/Order/count",
    "GET /api/Order/count?keyword=a%26b",
    "GET /api/Order/exists/7",
  ]);
  assert.deepEqual(seen.map(({ headers }) => headers["if-match"]).filter(Boolean), [`"3"`]);
  assert.ok(seen.every(({ headers }) => headers.authorization === "Bearer t" && headers.accept === "application/json"));
  assert.ok(seen.every(({ headers, body }) => (headers["content-type"] === "application/json") === (body !== "")));
});

test("what is included is told in the address", async (t) => {
  const { orders, seen } = await served(t, { body: null }, { body: [] }, { body: [] }, { body: { items: [], next: null } });
  const include = ["items.product", "customer"] as const;
  await orders.get(7, { include });
  await orders.list({ include });
  await orders.list({ include: [] });
  for await (const _ of orders.rows(query<Order>().take(1), { include })) assert.fail();
  assert.deepEqual(seen.map(({ url }) => decodeURIComponent(url.slice("/api/Order".length))), [
    "/7?include=items.product,customer", "?include=items.product,customer", "",
    "/page?count=none&cursor=true&include=items.product,customer",
  ]);
});

test("an id leaves its place in the path to nothing else", async (t) => {
  const { orders } = await served(t);
  for (const id of ["", ".", ".."]) await assert.rejects(orders.get(id), RangeError);
});

test("rows are read page after page", async (t) => {
  const page = (id: number, next: string | null) => ({ body: { skip: 0, take: 1, total: null, items: [{ id }], next } });
  const { orders, seen } = await served(t, page(1, "c1"), page(2, "c2"), page(3, null));
  const ids: number[] = [];
  for await (const row of orders.rows(query<Order>().orderBy("id").take(1))) ids.push(row.id);
  assert.deepEqual(ids, [1, 2, 3]);
  assert.deepEqual(seen.map(({ url }) => url.slice("/api/Order".length)), [
    "/page?count=none&cursor=true", "/page?after=c1&count=none", "/page?after=c2&count=none",
  ]);
});

test("a problem is an error with its members", async (t) => {
  const problem = {
    type: "/problems/bad-query", title: "Bad query", status: 400, detail: "unknown property `x`", code: "bad-query",
    path: "$.Left", pointer: "/Left",
  };
  const headers = { "content-type": "application/problem+json" };
  const { orders } = await served(
    t,
    { status: 400, headers, body: problem },
    { status: 400, body: { error: "Expr contains disallowed node types.", failedType: "UpdateExpr" } },
    { status: 503, headers: { ...headers, "retry-after": "3" }, body: { type: "/problems/unavailable", title: "Unavailable", status: 503 } },
    { status: 502, body: "<html>" },
    { status: 422, headers, body: { type: "/problems/bad-value", title: "Bad value", status: 422, detail: "No.", field: "amount", errors: [{ field: "amount", code: "type", detail: "No." }] } },
  );
  const fails = async (call: Promise<unknown>): Promise<ProblemError> => {
    const error = await call.then(() => assert.fail("it did not fail"), (error: unknown) => error);
    assert.ok(error instanceof ProblemError);
    return error;
  };
  const refused = await fails(orders.page());
  assert.equal(refused.message, "unknown property `x` at $.Left");
  assert.deepEqual(
    [refused.status, refused.type, refused.code, refused.path, refused.pointer],
    [400, "/problems/bad-query", "bad-query", "$.Left", "/Left"],
  );
  const node = await fails(orders.page());
  assert.deepEqual([node.failedType, node.code, node.type], ["UpdateExpr", undefined, "about:blank"]);
  const busy = await fails(orders.list());
  assert.deepEqual([busy.retryAfter, busy.code, busy.detail], [3, "unavailable", "Unavailable"]);
  const proxy = await fails(orders.list());
  assert.deepEqual([proxy.status, proxy.type, proxy.message, proxy.retryAfter], [502, "about:blank", "HTTP 502", undefined]);
  const field = await fails(orders.insert({}));
  assert.deepEqual([field.field, field.errors[0]?.code], ["amount", "type"]);
});

test("a call can be given up", async (t) => {
  const { orders } = await served(t);
  const options = { signal: AbortSignal.abort() };
  await assert.rejects(orders.list(options), { name: "AbortError" });
});
