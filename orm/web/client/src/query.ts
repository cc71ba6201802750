/** Queries: which rows, in which order, how many, and what of them. */

import type { Tree } from "./literal.js";
import { Condition, operand, Order, prop, Query, Selected, Value } from "./value.js";

/** A key by its name or as a value. */
export type Key<Row> = (keyof Row & string) | Value<any>;

type Clause = { readonly [key: string]: Tree };

/** The rows of an entity, or of what stands before. `Row` is what one of them looks like in JSON. */
export class Rows<Row = any> extends Query {
  declare readonly of: Row;

  /** Only rows of a condition; one that is absent leaves all of them. */
  where(condition: Condition | null | undefined): Rows<Row> {
    if (!condition) return this;
    const { $where, Where } = (this.tree ?? {}) as Clause;
    // One clause for all conditions in a row: a page counts the rows of the last.
    if (Where === undefined) return new Rows({ $where: this.tree, Where: condition.tree });
    return new Rows({ $where: $where!, Where: new Condition(Where).and(condition).tree });
  }
  orderBy(...keys: (Key<Row> | Order)[]): Rows<Row> {
    const items = keys.map((key) => (key instanceof Order ? key : valueOf(key).asc()).tree);
    return new Rows({ $orderby: this.tree, OrderBys: items });
  }
  /** Without the first rows. `skip` and `take` are of one section, in either order. */
  skip(rows: number): Rows<Row> {
    return this.section({ Skip: rows });
  }
  take(rows: number): Rows<Row> {
    return this.section({ Take: rows, NoRows: rows === 0 });
  }
  /** The rows behind one that had these values of the order's keys. */
  after(...keys: unknown[]): Rows<Row> {
    return this.section({ After: keys.map(operand) });
  }
  groupBy(...keys: Key<Row>[]): Rows<Row> {
    return new Rows({ $group: this.tree, GroupBys: keys.map((key) => valueOf(key).tree) });
  }
  /** Only groups of a condition. */
  having(condition: Condition): Rows<Row> {
    return new Rows({ $having: this.tree, Having: condition.tree });
  }
  /** What of each row; without items, all of it. */
  select<const I extends readonly (Selected | Value<any> | (keyof Row & string))[]>(...items: I): Select<Picked<Row, I[number]>> {
    return new Select({ $select: this.tree, Selects: items.map(selectItem) });
  }
  /** With rows of another source. */
  join(source: Query, on: Condition | null, type: JoinType = "Left"): Rows<any> {
    const { $from, Joins } = (this.tree ?? {}) as Clause;
    const join = {
      $join: source.tree,
      ...(on && { On: on.tree }),
      ...(type !== "Left" && { JoinType: type }),
    };
    if (Joins === undefined) return new Rows({ $from: this.tree, Joins: [join] });
    return new Rows({ $from: $from!, Joins: [...(Joins as Tree[]), join] });
  }

  private section(change: { Skip?: number; Take?: number; NoRows?: boolean; After?: Tree[] }): Rows<Row> {
    for (const rows of [change.Skip, change.Take]) {
      if (rows !== undefined && !(Number.isSafeInteger(rows) && rows >= 0)) {
        throw new RangeError(`isogloss: ${rows} is no number of rows`);
      }
    }
    const { $section = this.tree, Skip = 0, Take, NoRows, After } = {
      ...(isSection(this.tree) && this.tree),
      ...change,
    } as Clause;
    return new Rows({
      $section,
      ...(Skip && { Skip }),
      ...(Take && { Take }),
      ...(NoRows && { NoRows }),
      ...(After && { After }),
    });
  }
}

/** How the rows of a join belong together. */
export type JoinType = "Inner" | "Left" | "Right" | "Full" | "Cross";

/** What the items of a select make of a row. */
type Picked<Row, I> = {
  [K in Extract<I, keyof Row & string>]: Row[K];
} & {
  [S in Extract<I, Selected> as S extends Selected<any, infer A> ? A : never]: S extends Selected<infer T, any> ? T : never;
};

/** A query that says what of each row it wants. */
export class Select<Row = any> extends Rows<Row> {
  /** Each row once. */
  distinct(): Select<Row> {
    const { Next, ...tree } = this.tree as Clause;
    return new Select({ ...tree, Distinct: true, ...(Next && { Next }) });
  }
  union(other: Select): Select<Row> {
    return this.with("Union", other);
  }
  unionAll(other: Select): Select<Row> {
    return this.with("UnionAll", other);
  }
  intersect(other: Select): Select<Row> {
    return this.with("Intersect", other);
  }
  except(other: Select): Select<Row> {
    return this.with("Except", other);
  }
  private with(SetType: string, other: Select): Select<Row> {
    const { Next = [], ...tree } = this.tree as Clause;
    return new Select({ ...tree, Next: [...(Next as Tree[]), { SetType, ...(other.tree as Clause) }] });
  }
}

/** The rows that an endpoint is about. */
export function query<Row = any>(): Rows<Row> {
  return new Rows<Row>(null);
}

/** The rows of an entity, by its name. */
export function from<Row = any>(entity: string, alias?: string): Rows<Row> {
  return new Rows<Row>({ $table: entity, ...(alias && { Alias: alias }) });
}

export function isSection(tree: Tree): tree is Clause {
  return tree !== null && typeof tree === "object" && "$section" in tree;
}

function valueOf(key: string | Value<any>): Value<any> {
  return typeof key === "string" ? prop(key) : key;
}

function selectItem(item: Selected | Value<any> | string): Tree {
  return item instanceof Selected ? item.tree : { Value: valueOf(item).tree };
}
