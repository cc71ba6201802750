/** The endpoints of one entity over `fetch`. */

import { problemOf } from "./problem.js";
import { Rows, isSection, query } from "./query.js";
import { Condition } from "./value.js";

/** How requests are made. */
export interface ClientOptions {
  /** Headers of each request, as one with a token; asked for each time. */
  readonly headers?: () => Record<string, string>;
  /** Instead of the global `fetch`. */
  readonly fetch?: typeof fetch;
}

/** What one call differs in. */
export interface CallOptions {
  readonly signal?: AbortSignal;
}

/** A row that a member of another holds: alone, in a list, or not at all. */
type Held<T> = NonNullable<T> extends readonly (infer Row)[] ? Held<Row> : NonNullable<T> extends object ? NonNullable<T> : never;

/** A relation of a row, or a path that begins with one: `"items"`, `"items.product"`. */
export type Include<Row> = {
  [K in keyof Row & string]: [Held<Row[K]>] extends [never] ? never : K | `${K}.${string}`;
}[keyof Row & string];

/** What related rows a call asks for besides. */
export interface IncludeOptions<Row = any> extends CallOptions {
  /** The relations whose rows are in the members of their names. Without it, the members are not there. */
  readonly include?: readonly Include<Row>[];
}

/** A part of the rows, with its place among them. */
export interface Page<Row> {
  readonly skip: number;
  readonly take: number;
  /** How many rows there are; `null` where they were not counted. */
  readonly total: number | null;
  /** Whether there are more than `total`, where they were counted up to a bound. */
  readonly totalIsCapped?: boolean;
  readonly items: Row[];
  /** The cursor that leads to the rows behind these, where one was asked for; `null` on the last page. */
  readonly next?: string | null;
}

/** How a page is asked for. */
export interface PageOptions<Row = any> extends IncludeOptions<Row> {
  /** Whether the page has a `next`. */
  readonly cursor?: boolean;
  /** The `next` of the page before, of the same query. */
  readonly after?: string;
  /** Whether all rows are counted: `exact` if nothing is said. */
  readonly count?: "exact" | "capped" | "none";
}

/** A row, and the tag of its version where the server gives one. */
export interface Tagged<Row> {
  readonly row: Row;
  readonly etag: string | null;
}

/** What identifies a row. */
export type Id = string | number | bigint;

/**
 * The rows of one entity of a server.
 *
 * ```ts
 * const orders = new Client<Order>("/api/Order");
 * const page = await orders.page(query<Order>().where(prop("amount").gt(100)).take(50));
 * ```
 *
 * `Insert` and `Update` are what a client may set. Each method throws a `ProblemError` where the server answers with a
 * problem.
 */
export class Client<Row, Insert = Partial<Row>, Update = Partial<Row>> {
  readonly #base: string;
  readonly #options: ClientOptions;

  constructor(base: string, options: ClientOptions = {}) {
    this.#base = base.replace(/\/+$/, "");
    this.#options = options;
  }

  /** The row of an id, with the tag that `update` takes; `null` if there is none. */
  async get(id: Id, options?: IncludeOptions<Row>): Promise<Tagged<Row> | null> {
    const response = await this.#send("GET", `/${segment(id)}${asked(included(options))}`, options);
    const row = (await response.json()) as Row | null;
    return row === null ? null : { row, etag: response.headers.get("etag") };
  }

  /** All rows, as many as the server gives at once. */
  async list(options?: IncludeOptions<Row>): Promise<Row[]> {
    return (await this.#send("GET", asked(included(options)), options)).json() as Promise<Row[]>;
  }

  /** A page of the rows of a query, or of those for which a condition holds. Without either, the first of all rows. */
  async page<Of = Row>(rows: Rows<Of> | Condition = query(), options: PageOptions<Row> = {}): Promise<Page<Of>> {
    const { after, count, cursor } = options;
    const words = { ...(after && { after }), ...(count && { count }), ...(cursor && { cursor: "true" }), ...included(options) };
    const path = `/page${asked(words)}`;
    // A query without a section is no page: a server refuses it, or ignores what it says.
    const tree = rows instanceof Rows && !isSection(rows.tree) ? `{"$section":${rows}}` : String(rows);
    return (await this.#send("POST", path, options, tree)).json() as Promise<Page<Of>>;
  }

  /** The rows of a query, each once, page after page of the size that it takes. */
  async *rows(rows: Rows<Row> | Condition, options?: IncludeOptions<Row>): AsyncGenerator<Row, void> {
    let after: string | null | undefined;
    do {
      const place = after ? { after } : { cursor: true };
      const page: Page<Row> = await this.page(rows, { ...options, ...place, count: "none" });
      yield* page.items;
      after = page.next;
    } while (after);
  }

  async insert(row: Insert, options?: CallOptions): Promise<boolean> {
    return (await this.#send("POST", "", options, JSON.stringify(row))).json() as Promise<boolean>;
  }

  /**
   * Writes a row by its key; `false` if there is none. With the tag of `get`, only if nobody has written it since: a
   * `ProblemError` of status 412 says that somebody has, or has deleted it.
   */
  async update(row: Update, etag?: string | null, options?: CallOptions): Promise<boolean> {
    return (await this.#send("PUT", "", options, JSON.stringify(row), etag)).json() as Promise<boolean>;
  }

  /** Deletes the row of an id; `false` if there is none. */
  async delete(id: Id, etag?: string | null, options?: CallOptions): Promise<boolean> {
    return (await this.#send("DELETE", `/${segment(id)}`, options, undefined, etag)).json() as Promise<boolean>;
  }

  /** How many rows there are, or how many have a word in their name. */
  async count(keyword?: string, options?: CallOptions): Promise<number> {
    const words: Record<string, string> = keyword === undefined ? {} : { keyword };
    return (await this.#send("GET", `/count${asked(words)}`, options)).json() as Promise<number>;
  }

  async exists(id: Id, options?: CallOptions): Promise<boolean> {
    return (await this.#send("GET", `/exists/${segment(id)}`, options)).json() as Promise<boolean>;
  }

  async #send(method: string, path: string, options: CallOptions = {}, body?: string, etag?: string | null): Promise<Response> {
    const send = this.#options.fetch ?? fetch;
    const response = await send(this.#base + path, {
      method,
      headers: {
        accept: "application/json",
        ...(body !== undefined && { "content-type": "application/json" }),
        ...(etag && { "if-match": etag }),
        ...this.#options.headers?.(),
      },
      ...(body !== undefined && { body }),
      ...(options.signal && { signal: options.signal }),
    });
    if (!response.ok) throw await problemOf(response);
    return response;
  }
}

/** These members of a row: what is sent back of one that was read, since a server refuses what clients may not set. */
export function only<Row extends object, Member extends keyof Row>(row: Row, ...members: Member[]): Pick<Row, Member> {
  return Object.fromEntries(members.map((member) => [member, row[member]])) as Pick<Row, Member>;
}

/** A query string, where there is something to ask for. */
function asked(words: Record<string, string>): string {
  const query = new URLSearchParams(words);
  return query.size === 0 ? "" : `?${query}`;
}

function included({ include = [] }: IncludeOptions = {}): Record<string, string> {
  return include.length === 0 ? {} : { include: include.join(",") };
}

function segment(id: Id): string {
  const text = String(id);
  // A URL resolves these, however they are escaped.
  if (text === "" || text === "." || text === "..") throw new RangeError(`isogloss: "${text}" is no id of a path`);
  return encodeURIComponent(text);
}
