export { date, datetime, datetimeoffset, decimal, double, guid, json, time, timespan, type Typed } from "./literal.js";
export {
  aggregate, and, choose, Condition, count, exists, existsQuery, existsRelated, Func, func, not, or, Order, prop, props,
  Query, row, Selected, Value, value,
} from "./value.js";
export type { Bound, CastType, Frame, Nulls, Operand, Plain, Props } from "./value.js";
export { from, query, Rows, Select, type JoinType, type Key } from "./query.js";
export {
  Client, only, type CallOptions, type ClientOptions, type Id, type Include, type IncludeOptions, type Page, type PageOptions, type Tagged,
} from "./client.js";
export { ProblemError, type FieldError } from "./problem.js";
