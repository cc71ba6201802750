/** What values look like in the notation, and the text of a tree. */

/** A tree of the notation as a plain value; `Raw` stands in its text as it is. */
export type Tree = null | boolean | number | bigint | string | Raw | readonly Tree[] | { readonly [key: string]: Tree };

/** Digits that JavaScript's own JSON would write otherwise. */
export class Raw {
  constructor(readonly text: string) {}

  toJSON(): number {
    return Number(this.text);
  }
}

/** The JSON text of a tree, with all the digits of a `bigint`. */
export function text(tree: Tree): string {
  if (tree instanceof Raw) return tree.text;
  if (typeof tree === "number" || typeof tree === "bigint") return String(tree);
  if (Array.isArray(tree)) return `[${tree.map(text).join()}]`;
  if (tree === null || typeof tree !== "object") return JSON.stringify(tree);
  return `{${Object.entries(tree).map(([key, value]) => `${JSON.stringify(key)}:${text(value)}`).join()}}`;
}

/**
 * A value of the program's in the notation. Whole numbers have no exact `number` beyond 2^53: such a `number` is a double,
 * and a `bigint` has all its digits.
 */
export function literal(value: unknown): Tree {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      return Number.isSafeInteger(value) || isPlain(value) ? value : doubleTree(value);
    case "bigint":
      return value >= -(2n ** 63n) && value < 2n ** 64n ? value : decimal(String(value)).tree;
  }
  if (value === null) return null;
  if (value instanceof Date) return { $datetimeoffset: value.toISOString().replace(/\.?0*Z$/, "+00:00") };
  if (value instanceof Uint8Array) return { $bytes: btoa(value.reduce((all, byte) => all + String.fromCharCode(byte), "")) };
  if (Array.isArray(value)) return value.map(literal);
  if (value instanceof Typed) return value.tree;
  throw new TypeError(`isogloss: a ${typeof value} is no value of a tree`);
}

/** Whether a fraction is written with the digits that JavaScript gives it, and read as exactly those. */
function isPlain(value: number): boolean {
  const size = Math.abs(value);
  return size >= 1e-5 && size < 2 ** 53 && !Number.isInteger(value) && !isTie(value);
}

/** A value with its type, where JavaScript has none for it. */
export class Typed<T> {
  declare readonly of?: T;

  constructor(readonly tree: Tree) {}
}

const typed = (marker: string) => (text: string) => new Typed<string>({ [marker]: text });

/** A date: `date("2024-01-31")`. */
export const date = typed("$date");
/** A time of day: `time("10:20:30.5")`. */
export const time = typed("$time");
/** A date and time without an offset: `datetime("2024-01-31T10:20:30")`. A `Date` is one with an offset. */
export const datetime = typed("$datetime");
/** A date and time with its offset: `datetimeoffset("2024-01-31T10:20:30+02:00")`. */
export const datetimeoffset = typed("$datetimeoffset");
/** A duration: `timespan("-1.02:03:04")` has days, hours, minutes and seconds. */
export const timespan = typed("$timespan");
/** A UUID, in small letters. */
export const guid = typed("$guid");

/** A JSON document. */
export const json = (document: unknown) => new Typed<unknown>({ $json: JSON.stringify(document) });

/** A double, where a `number` would be read as a whole number or an exact decimal. */
export const double = (value: number) => new Typed<number>(doubleTree(value));

/** An exact decimal of digits without an exponent: `decimal("12.50")`. */
export function decimal(digits: string): Typed<number> {
  const value = Number(digits);
  if (Number.isFinite(value) && !isTie(value)) {
    const [short, exponent] = parts(value);
    const bare = written(value);
    // A number with a point or an exponent is read as a decimal, with the digits that it shows.
    const whole = short.replace(".", "").padEnd(exponent + (value < 0 ? 2 : 1), "0");
    if (digits === bare || (exponent > 15 && digits === whole)) return new Typed(new Raw(bare));
  }
  return new Typed({ $decimal: digits });
}

function doubleTree(value: number): Tree {
  if (!Number.isFinite(value)) return { $double: String(value) };
  return { $double: isTie(value) ? value.toExponential(60).replace(/0+e\+?/, "e") : new Raw(written(value)) };
}

/** The shortest digits of a double, with a point or an exponent. */
function written(value: number): string {
  const [, exponent] = parts(value);
  if (exponent < -5 || exponent > 15) return value.toExponential();
  return Number.isInteger(value) ? `${value}.0` : String(value);
}

/** Whether a double is in the middle of its two shortest notations, of which writers choose differently. */
function isTie(value: number): boolean {
  const digits = (places?: number) => parts(value, places)[0].replace(/\D/g, "");
  const count = digits().length;
  return count > 15 && /^50*$/.test(digits(60).slice(count));
}

function parts(value: number, places?: number): [digits: string, exponent: number] {
  const [digits, exponent] = value.toExponential(places).split("e");
  return [digits!, Number(exponent)];
}
