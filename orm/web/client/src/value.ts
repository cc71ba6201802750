/** Values and conditions of a tree. */

import { literal, text, Typed, type Tree } from "./literal.js";

/** What stands for a value of type `T`: one of the program's, or one that the engine computes. */
export type Operand<T> = Plain<NonNullable<T>> | Value<T> | Value<NonNullable<T>> | Value<null> | Query;

/** A value of the program's. */
export type Plain<T> =
  | T
  | Typed<T>
  | (T extends number | bigint ? number | bigint | Typed<number> : never)
  | (string extends T ? Date | Typed<string> : never);

/** A place of a tree that has a text: the notation that the server reads. */
export abstract class Node {
  constructor(readonly tree: Tree) {}

  toString(): string {
    return text(this.tree);
  }

  toJSON(): Tree {
    return this.tree;
  }
}

/** A query; as an operand it is a sub-query. */
export abstract class Query extends Node {
  declare protected readonly kind: "query";
}

/** A value that the engine computes. `T` is its type in the answer's JSON. */
export class Value<T = unknown> extends Node {
  declare protected readonly kind: "value";
  declare readonly of: T;

  eq(right: Operand<T> | null): Condition {
    return compare(this, "==", right);
  }
  ne(right: Operand<T> | null): Condition {
    return compare(this, "!=", right);
  }
  gt(right: Operand<T>): Condition {
    return compare(this, ">", right);
  }
  ge(right: Operand<T>): Condition {
    return compare(this, ">=", right);
  }
  lt(right: Operand<T>): Condition {
    return compare(this, "<", right);
  }
  le(right: Operand<T>): Condition {
    return compare(this, "<=", right);
  }
  /** From `low` to `high`, both of them included. */
  between(low: Operand<T>, high: Operand<T>): Condition {
    return this.ge(low).and(this.le(high));
  }
  isNull(): Condition {
    return this.eq(null);
  }
  isNotNull(): Condition {
    return this.ne(null);
  }
  /** As `ne`, but `NULL` is a value as others are. */
  isDistinctFrom(right: Operand<T> | null): Condition {
    return compare(this, "distinct", right);
  }
  isNotDistinctFrom(right: Operand<T> | null): Condition {
    return compare(this, "notdistinct", right);
  }
  /** One of a list, or of the rows of a query. No row has one of an empty list. */
  in(list: readonly Operand<T>[] | Query): Condition {
    return compare(this, "in", list);
  }
  notIn(list: readonly Operand<T>[] | Query): Condition {
    return compare(this, "notin", list);
  }
  /** A pattern of SQL, in which `%` and `_` stand for others. */
  like(this: Text<T>, pattern: TextOperand): Condition {
    return compare(this, "like", pattern);
  }
  notLike(this: Text<T>, pattern: TextOperand): Condition {
    return compare(this, "notlike", pattern);
  }
  /** As `like`, ignoring case. */
  ilike(this: Text<T>, pattern: TextOperand): Condition {
    return compare(this, "ilike", pattern);
  }
  contains(this: Text<T>, part: TextOperand): Condition {
    return compare(this, "contains", part);
  }
  startsWith(this: Text<T>, start: TextOperand): Condition {
    return compare(this, "startswith", start);
  }
  endsWith(this: Text<T>, end: TextOperand): Condition {
    return compare(this, "endswith", end);
  }
  /** As `contains`, ignoring case. */
  icontains(this: Text<T>, part: TextOperand): Condition {
    return compare(this, "icontains", part);
  }
  istartsWith(this: Text<T>, start: TextOperand): Condition {
    return compare(this, "istartswith", start);
  }
  iendsWith(this: Text<T>, end: TextOperand): Condition {
    return compare(this, "iendswith", end);
  }
  /** A regular expression. Few servers allow it. */
  matches(this: Text<T>, pattern: TextOperand): Condition {
    return compare(this, "regexp", pattern);
  }
  /** A value that is true or false, as a condition. */
  isTrue(): Condition {
    return new Condition({ $istrue: this.tree });
  }

  add(right: Operand<T>): Value<T> {
    return compute(this, "+", right);
  }
  sub(right: Operand<T>): Value<T> {
    return compute(this, "-", right);
  }
  mul(right: Operand<T>): Value<T> {
    return compute(this, "*", right);
  }
  div(right: Operand<T>): Value<T> {
    return compute(this, "/", right);
  }
  mod(right: Operand<T>): Value<T> {
    return compute(this, "%", right);
  }
  neg(): Value<T> {
    return unary("Nagive", this);
  }
  concat(...more: Operand<unknown>[]): Value<string> {
    return new Value({ $: "set", Concat: [this, ...more].map(operand) });
  }
  cast(type: CastType | `${CastType}[]`): Value<any> {
    return new Value({ $: "func", CAST: [this.tree, type] });
  }
  /** This value, or another where it is `NULL`. */
  ifNull(other: Operand<T>): Value<NonNullable<T>> {
    return func<any>("Coalesce", this, other);
  }

  sum(): Func<T> {
    return aggregate("Sum", this);
  }
  avg(): Func<number> {
    return aggregate("Avg", this);
  }
  min(): Func<T> {
    return aggregate("Min", this);
  }
  max(): Func<T> {
    return aggregate("Max", this);
  }
  count(): Func<number> {
    return aggregate("Count", this);
  }
  countDistinct(): Func<number> {
    return aggregate("Count", unary("Distinct", this));
  }

  /** The key of an order, the smallest first. */
  asc(nulls?: Nulls): Order {
    return order(this, true, nulls);
  }
  desc(nulls?: Nulls): Order {
    return order(this, false, nulls);
  }
  /** An item of a select, with its name there. */
  as<A extends string>(alias: A): Selected<T, A> {
    return new Selected({ Alias: alias, Value: this.tree });
  }
}

type Text<T> = Value<T> & (NonNullable<T> extends string ? unknown : never);
type TextOperand = string | Value<string> | Value<string | null>;

/** The types of a CAST. */
export type CastType =
  | "AnsiString" | "Binary" | "Byte" | "Boolean" | "Currency" | "Date" | "DateTime" | "Decimal" | "Double" | "Guid"
  | "Int16" | "Int32" | "Int64" | "SByte" | "Single" | "String" | "Time" | "UInt16" | "UInt32" | "UInt64"
  | "DateTime2" | "DateTimeOffset" | "Json" | "Jsonb";

/** A call of a function, which may be an aggregate or a window. */
export class Func<T = unknown> extends Value<T> {
  /** Of an aggregate: only the rows of a condition. */
  filter(condition: Condition): Func<T> {
    const { Filter, OrderBy, ...call } = this.tree as Record<string, Tree>;
    const both = Filter ? new Condition(Filter).and(condition) : condition;
    return new Func({ ...call, Filter: both.tree, ...(OrderBy && { OrderBy }) });
  }
  /** Of an aggregate: its values in an order. */
  orderBy(...keys: Order[]): Func<T> {
    return new Func({ ...(this.tree as object), OrderBy: keys.map((key) => key.tree) });
  }
  /** As a window function. */
  over(window: { partitionBy?: Value<any>[]; orderBy?: Order[]; frame?: Frame } = {}): Value<T> {
    const { partitionBy, orderBy, frame } = window;
    return new Value({
      $: "over",
      Func: this.tree,
      ...(partitionBy?.length && { PartitionBy: partitionBy.map(operand) }),
      ...(orderBy?.length && { OrderBy: orderBy.map((key) => key.tree) }),
      ...(frame && { Frame: { Unit: frame.unit, Start: frame.start, End: frame.end } }),
    });
  }
}

/** Which rows a window function sees. */
export interface Frame {
  readonly unit: "Rows" | "Range" | "Groups";
  readonly start: Bound;
  readonly end: Bound;
}

/** Where a frame begins or ends. */
export type Bound = "UnboundedPreceding" | "CurrentRow" | "UnboundedFollowing" | { Preceding: number } | { Following: number };

/** Where `NULL` stands in an order. */
export type Nulls = "First" | "Last";

/** The key of an order. */
export class Order extends Node {
  declare protected readonly kind: "order";
}

/** An item of a select. */
export class Selected<T = unknown, A extends string = string> extends Node {
  declare protected readonly kind: "selected";
  declare readonly of: { [K in A]: T };
}

/** A condition: what a row is or is not. */
export class Condition extends Node {
  declare protected readonly kind: "condition";

  /** Both. A condition that is absent adds nothing. */
  and(right: Condition | null | undefined): Condition {
    return right ? joined("$and", [this, right]) : this;
  }
  /** Either. A condition that is absent adds nothing. */
  or(right: Condition | null | undefined): Condition {
    return right ? joined("$or", [this, right]) : this;
  }
  not(): Condition {
    return new Condition({ "!": this.tree });
  }
  /** As a value, for a select or a function. */
  value(): Value<boolean> {
    return new Value({ $truth: this.tree });
  }
}

/** All of the conditions, those that are absent left out; of none, every row. */
export function and(...conditions: (Condition | null | undefined)[]): Condition {
  return joined("$and", conditions);
}

/** Any of the conditions, those that are absent left out; of none, no row. */
export function or(...conditions: (Condition | null | undefined)[]): Condition {
  return joined("$or", conditions);
}

export function not(condition: Condition): Condition {
  return condition.not();
}

function joined(marker: "$and" | "$or", conditions: (Condition | null | undefined)[]): Condition {
  const terms = conditions.flatMap((condition) => {
    const tree = condition?.tree as Record<string, Tree[]> | undefined;
    return tree ? (tree[marker] ?? [tree]) : [];
  });
  return new Condition({ [marker]: terms });
}

/** The properties of a row. */
export type Props<Row> = <K extends keyof Row & string>(name: K) => Value<Row[K]>;

/**
 * The properties of a row by their names in its JSON:
 *
 * ```ts
 * const prop = props<Order>();
 * prop("amount").gt(100).and(prop("status").eq("Paid"));
 * ```
 */
export function props<Row>(alias?: string): Props<Row> {
  return (name) => new Value({ "#": alias ? `${alias}.${name}` : name });
}

/** A property of a row whose type is not known. */
export const prop: Props<any> = props<any>();

/** A value of the program's as one of the engine's. */
export function value<T>(plain: T | Typed<T>): Value<T> {
  return new Value(operand(plain));
}

/** A function of the notation: `func("Year", prop("createdAt"))`. */
export function func<T = any>(name: string, ...args: (Operand<any> | Condition | null)[]): Func<T> {
  return new Func({ $: "func", [name]: args.map(operand) });
}

/** An aggregate; the usual ones are methods of a value. */
export function aggregate<T = any>(name: string, ...args: Operand<any>[]): Func<T> {
  return new Func({ $: "func", [name]: args.map(operand), IsAggregate: true });
}

/** The number of rows. */
export function count(): Func<number> {
  return aggregate("Count");
}

/** One value after another, as a key of several columns. */
export function row(...items: Operand<any>[]): Value<any> {
  return new Value({ $: "set", List: items.map(operand) });
}

/** The value behind the first condition that holds, or else another: `choose([[a, 1], [b, 2]], 3)`. */
export function choose<T>(cases: [Condition, Operand<T> | null][], otherwise?: Operand<T> | null): Value<T> {
  const parts = cases.flatMap(([condition, then]) => [condition.tree, operand(then)]);
  return new Value({ $: "func", CASE: otherwise === undefined ? parts : [...parts, operand(otherwise)] });
}

/** Whether there is a row of another entity, along a relation that the server knows. */
export function existsRelated(entity: string, inner?: Condition | null, alias?: string): Condition {
  return foreign(entity, inner, alias, true);
}

/** Whether there is a row of another entity; the condition says how it belongs to this one. */
export function exists(entity: string, inner: Condition, alias?: string): Condition {
  return foreign(entity, inner, alias, false);
}

/** Whether a query has a row. */
export function existsQuery(query: Query): Condition {
  return new Condition({ $exists: query.tree });
}

function foreign(entity: string, inner: Condition | null | undefined, alias: string | undefined, related: boolean): Condition {
  return new Condition({
    $foreign: entity,
    ...(alias && { Alias: alias }),
    ...(related && { AutoRelated: true }),
    ...(inner && { InnerExpr: inner.tree }),
  });
}

function compare(left: Node, sign: string, right: unknown): Condition {
  return new Condition({ $: sign, Left: left.tree, Right: operand(right) });
}

function compute<T>(left: Node, sign: string, right: unknown): Value<T> {
  return new Value({ $: sign, Left: left.tree, Right: operand(right) });
}

function unary<T>(name: string, value: Value<T>): Value<T> {
  return new Value({ $: "unary", [name]: value.tree });
}

function order(field: Node, ascending: boolean, nulls?: Nulls): Order {
  return new Order({ Field: field.tree, ...(!ascending && { Asc: false }), ...(nulls && { Nulls: nulls }) });
}

/** What stands for a value in a tree. A list with a value of the engine's is a set of its own. */
export function operand(value: unknown): Tree {
  if (value === null) return null;
  if (value instanceof Condition) return value.value().tree;
  if (value instanceof Node) return value.tree;
  if (Array.isArray(value) && value.some((item) => item instanceof Node)) return { $: "set", List: value.map(operand) };
  return { "@": literal(value) };
}
