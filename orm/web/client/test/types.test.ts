// What the compiler accepts and refuses: `tsc` fails where a line below an "expect" is none.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Client, count, date, decimal, query, type Condition, type Value } from "../src/index.js";
import { prop, type Order } from "./order.js";

test("a property has the type of the row", () => {
  const fine: Condition[] = [
    prop("amount").gt(100),
    prop("amount").gt(2n ** 60n),
    prop("amount").gt(decimal("1.50")),
    prop("amount").gt(prop("id")),
    prop("status").eq("Paid"),
    prop("status").in(["Paid", "Open"]),
    prop("note").contains("x"),
    prop("note").eq(null),
    prop("createdAt").ge(new Date(0)),
    prop("createdAt").ge(date("2024-01-31")),
    prop("isUrgent").eq(true),
  ];
  assert.ok(fine.length > 0);

  // @ts-expect-error no property of the row
  prop("amuont");
  // @ts-expect-error a number is compared with a text
  prop("amount").gt("100");
  // @ts-expect-error no status
  prop("status").eq("paid");
  // @ts-expect-error a list of another type
  prop("id").in(["x"]);
  // @ts-expect-error a number is no text
  prop("amount").contains("1");
  // @ts-expect-error nothing is greater than NULL
  prop("amount").gt(null);
  // @ts-expect-error a text is no date
  prop("amount").lt(date("2024-01-31"));
  // @ts-expect-error a property of another type
  prop("amount").eq(prop("note"));
  // @ts-expect-error a value is no condition
  prop("amount").gt(1).and(prop("isUrgent"));
  assert.throws(() => {
    // @ts-expect-error undefined is no value: it would be lost in JSON
    prop("amount").eq(undefined);
  }, TypeError);
});

test("a query has the type of its rows", () => {
  query<Order>().orderBy("amount", prop("id").desc()).groupBy("status");
  // @ts-expect-error no property of the row
  query<Order>().orderBy("amuont");

  const sum: Value<number> = prop("amount").sum();
  const picked = query<Order>().select("status", count().as("many"), sum.as("sum"));
  type Row = typeof picked.of;
  const row: Row = { status: "Paid", many: 1, sum: 2 };
  assert.ok(row);
  // @ts-expect-error `many` is a number
  const wrong: Row = { status: "Paid", many: "1", sum: 2 };
  assert.ok(wrong);
  assert.throws(() => query().skip(-1), RangeError);
  assert.throws(() => query().take(1.5), RangeError);
});

test("a client has the type of its rows", () => {
  async function uses(client: Client<Order>) {
    const found = await client.get(7);
    const amount: number | undefined = found?.row.amount;
    await client.insert({ amount: 1 });
    // @ts-expect-error no property of the row
    await client.insert({ amuont: 1 });
    await client.get(7, { include: ["customer", "items.product"] });
    // @ts-expect-error no relation of the row
    await client.get(7, { include: ["custmer"] });
    // @ts-expect-error a column is no relation
    await client.page(query<Order>(), { include: ["amount"] });
    await (client as unknown as Client<any>).list({ include: ["whatever"] });
    // @ts-expect-error no row has an object as its id
    await client.delete({});
    return amount;
  }
  assert.ok(uses);
});
