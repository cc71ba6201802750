import {
  and, choose, count, date, decimal, double, existsRelated, func, not, or, query, row, value, type Condition, type Value,
} from "../src/index.js";
import { prop, type Order } from "./order.js";

/** Trees that the builders make, the same ones for the same seed. */
export function randomTrees(seed: number, many: number): { toString(): string }[] {
  const random = () => {
    // Mulberry32.
    seed = (seed + 0x6d2b79f5) | 0;
    let x = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    x = (x + Math.imul(x ^ (x >>> 7), 61 | x)) ^ x;
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (n: number) => Math.floor(random() * n);
  const one = <T>(list: readonly T[]): T => list[below(list.length)]!;
  const some = <T>(make: () => T) => Array.from({ length: below(4) }, make);

  const double64 = () => {
    const bits = new DataView(new ArrayBuffer(8));
    bits.setUint32(0, below(2 ** 32));
    bits.setUint32(4, below(2 ** 32));
    return bits.getFloat64(0);
  };
  const word = () => Array.from({ length: below(8) }, () => String.fromCodePoint(one([below(128), below(0xd800), 0x10000 + below(0x10000)]))).join("");
  const number = () => one<() => number | bigint>([
    () => below(1000),
    () => below(1e9) / 1000,
    () => random() * 10 ** (below(30) - 10),
    () => 2 ** 50 + random() * 2 ** 50,
    double64,
    () => -BigInt(below(2 ** 32)) * BigInt(below(2 ** 32)),
    () => BigInt(below(2 ** 32)) ** BigInt(1 + below(3)),
  ])();
  const digits = () => `${below(1e9)}.${String(below(1e9)).padStart(1 + below(9), "0")}`;

  const amount = (depth: number): Value<number> => {
    if (depth === 0) return one([prop("amount"), prop("id"), value<number>(below(9))]);
    const next = () => amount(depth - 1);
    return one<() => Value<number>>([
      () => next().add(next()),
      () => next().sub(below(9)),
      () => next().mul(double(double64())),
      () => next().neg(),
      () => next().cast(one(["Int64", "Double", "Decimal"] as const)),
      () => func(one(["Abs", "Round", "Coalesce"]), next(), below(9)),
      () => choose([[condition(depth - 1), next()], [condition(depth - 1), null]], one([undefined, 1, null])),
      () => next().sum().filter(condition(depth - 1)).over({ partitionBy: some(next), orderBy: some(() => next().desc()) }),
      () => count(),
    ])();
  };
  const condition = (depth: number): Condition => {
    if (depth === 0) return prop("status").ne("Paid");
    const next = () => condition(depth - 1);
    return one<() => Condition>([
      () => next().and(next()),
      () => next().or(next()),
      () => and(...some(next)),
      () => or(...some(next)),
      () => not(next()),
      () => existsRelated("Line", one([undefined, next()])),
      () => amount(depth - 1).gt(number()),
      () => amount(depth - 1).between(decimal(digits()), double(double64())),
      () => amount(depth - 1).in(some(number)),
      () => amount(depth - 1).notIn(some(() => one([amount(depth - 1), 1]))),
      () => row(amount(depth - 1), 1).in([row(1, amount(depth - 1))]),
      () => prop("note").contains(word()),
      () => prop("note").like(prop("departmentName")),
      () => prop("note").eq(one([null, word()])),
      () => prop("createdAt").ge(one([new Date(below(2 ** 32) * 900), date("2024-02-29")])),
      () => next().value().isTrue(),
      () => amount(depth - 1).lt(query<Order>().where(next()).select(amount(depth - 1).max())),
    ])();
  };
  const rows = (depth: number) => {
    const start = query<Order>().where(one([null, condition(depth)]));
    const ordered = start.orderBy(...some(() => one(["id" as const, amount(depth).desc(one(["First", "Last"])), prop("note").asc()])));
    return one([start, ordered, ordered.skip(below(100)), ordered.take(below(100)).skip(below(100)), ordered.take(9).after(below(9), word(), null)]);
  };
  return Array.from({ length: many }, () => one([condition, amount, rows])(1 + below(4)));
}
