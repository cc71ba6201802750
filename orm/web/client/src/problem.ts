/** What a server answers where it cannot do what is asked. */

/** One of several members of a body that are wrong. */
export interface FieldError {
  readonly field: string;
  readonly code: string;
  readonly detail: string;
  readonly path?: string;
  readonly pointer?: string;
}

/** A problem of RFC 9457. `type` is stable: programs look at it, or at `code`, its last part. */
export class ProblemError extends Error {
  override readonly name = "ProblemError";
  readonly status: number;
  readonly type: string;
  readonly code: string | undefined;
  readonly title: string;
  readonly detail: string;
  /** The place in the JSON that was sent: `$.Where.Left`. */
  readonly path: string | undefined;
  /** The same place as a JSON pointer. */
  readonly pointer: string | undefined;
  /** The member of the row that is meant. */
  readonly field: string | undefined;
  readonly errors: readonly FieldError[];
  /** The kind of node that no client may send: `UpdateExpr`. */
  readonly failedType: string | undefined;
  /** After how many seconds it may be tried again. */
  readonly retryAfter: number | undefined;

  constructor(status: number, body: Record<string, any>, retryAfter?: number) {
    const title = body["title"] ?? body["error"] ?? `HTTP ${status}`;
    const detail = body["detail"] ?? title;
    super(body["path"] ? `${detail} at ${body["path"]}` : detail);
    this.status = status;
    this.type = body["type"] ?? "about:blank";
    this.code = body["code"] ?? body["type"]?.split("/").pop();
    this.title = title;
    this.detail = detail;
    this.path = body["path"];
    this.pointer = body["pointer"];
    this.field = body["field"];
    this.errors = body["errors"] ?? [];
    this.failedType = body["failedType"];
    this.retryAfter = retryAfter;
  }
}

/** The problem that an answer tells. What is no JSON, as the page of a proxy, is told by its status alone. */
export async function problemOf(response: Response): Promise<ProblemError> {
  const body: unknown = await response.json().catch(() => ({}));
  const wait = Number(response.headers.get("retry-after") ?? NaN);
  const members = typeof body === "object" && body !== null ? body : {};
  return new ProblemError(response.status, members, Number.isNaN(wait) ? undefined : wait);
}
