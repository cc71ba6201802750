import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { promisify } from "node:util";

const run = promisify(execFile);

/** The server of orm/web/examples/orders.rs, which says where its description is in the second line. */
const program = process.env.ISOGLOSS_ORDERS;
const skip = program ? false : "SKIPPED: ISOGLOSS_ORDERS names no server";

/** What compiles with the types of a server's description, and what does not. */
const uses = `
import type { components } from "./api.js";
type Schemas = components["schemas"];

export const total = (order: Schemas["Order"]): number => order.amount + order.version;
export const customer = (order: Schemas["Order"]): number | undefined => order.customer?.orders?.[0]?.id;
export const insert: Schemas["OrderInsert"] = { customerId: 1, number: "A-1", amount: 10 };
export const filter: Schemas["Expr_Order"] = { $: "==", Left: { "#": "Number" }, Right: "A-1" };

// @ts-expect-error a column that clients may not set
export const forged: Schemas["OrderInsert"] = { customerId: 1, number: "A-1", amount: 10, version: 7 };
// @ts-expect-error a property that there is not
export const unknown: Schemas["Expr_Order"] = { $: "==", Left: { "#": "Numbr" }, Right: "A-1" };
`;

test("the types of a server's description hold its rows and trees", { skip }, async () => {
  const server = spawn(program!, { stdio: ["pipe", "pipe", "inherit"] });
  try {
    const lines = createInterface(server.stdout)[Symbol.asyncIterator]();
    await lines.next();
    const document = await lines.next();
    const folder = "build/types";
    await mkdir(folder, { recursive: true });
    await run("node_modules/.bin/openapi-typescript", [document.value, "-o", `${folder}/api.d.ts`]);
    await writeFile(`${folder}/uses.ts`, uses);
    const options = ["--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "--target", "es2022"];
    const compiled = await run("node_modules/.bin/tsc", [...options, `${folder}/uses.ts`]).catch((error: { stdout: string }) => error);
    assert.equal(compiled.stdout, "");
  } finally {
    server.stdin.end();
  }
});
