/** JSON: as its text, or as what `JSON.parse` makes of it. */
export type Json = string | object;

export type DialectName = "postgres" | "mysql" | "mariadb" | "sqlite" | "sqlserver" | "oracle";

export interface Options {
  /** Names, alone or before a version: `"postgres"`, `"oracle 23"`. All versions that `types()` lists if absent. */
  dialects?: (DialectName | `${DialectName} ${string}`)[];
  /** The entity that a filter without a query is over. */
  root?: string;
  /** What is asked of a query: its rows if absent. */
  verb?: "rows" | "count" | "exists";
  /** What texts are compared by: as the database says if absent. */
  text?: "database" | "exact";
  /** For the placeholders of sharded tables. */
  tableArgs?: string[];
}

export interface Parameter {
  /** As it stands in the text: `$1`, `?`, `@P1`, `:1`. */
  placeholder: string;
  /** Its database type, where that is known: `Int32`, `String[]`. */
  type: string | null;
  /** Numbers that JavaScript cannot hold, decimals, dates and times are text, and bytes are base64. */
  value: null | boolean | number | string | Parameter["value"][];
  /** For people. */
  shown: string;
}

export interface Column {
  name: string;
  type: string | null;
}

/** What a dialect lacks, and by what it is expressed instead. */
export interface Note {
  rule: string;
  feature: string;
  why: string;
}

export interface Target {
  /** Name and version: `postgres 15`. */
  label: string;
  dialect: DialectName;
  version: string;
}

export interface Statement extends Target {
  sql: string;
  /** The text over several lines. */
  pretty: string;
  parameters: Parameter[];
  /** Placeholders behind those of the parameters, which the statement fills. */
  outputs: Column[];
  columns: Column[];
  notes: Note[];
  error?: undefined;
}

export interface Refusal extends Target {
  error: {
    message: string;
    /** The place in the tree: `$.Where.Left`. */
    path: string;
    /** Whether it is this dialect that cannot do it. */
    refused: boolean;
    feature?: string;
    reason?: string;
  };
}

export interface Compiled {
  /** The tree in its canonical form. */
  tree: object;
  /** One for each dialect, in their order. */
  results: (Statement | Refusal)[];
  error?: undefined;
}

export interface Unreadable {
  error: {
    /** Which text it is about. */
    in: "catalog" | "tree" | "options";
    message: string;
    /** The place in the tree. */
    path?: string;
    /** The place in the text, in bytes, where it is no JSON. */
    offset?: number;
  };
}

/** Compiles a tree over a catalog. It does not throw for what is wrong with its arguments: that is in the answer. */
export function compile(catalog: Json, tree: Json, options?: Options): Compiled | Unreadable;

export interface Property extends Column {
  /** Part of the primary key. */
  key?: true;
  nullable?: true;
  /** Not for trees of strangers. */
  hidden?: true;
  /** The names of its values. */
  values?: string[];
}

export interface Entity {
  name: string;
  table: string;
  /** The entity that it is a view of. */
  of?: string;
  properties: Property[];
  /** The entities that `AutoRelated` leads to. */
  relations: string[];
}

/** What a catalog's definitions say. */
export function catalog(definitions: Json): { entities: Entity[]; error?: undefined } | Unreadable;

export interface Func {
  name: string;
  topic: string;
  aliases: string[];
  arguments: string;
  class: "scalar" | "aggregate" | "window";
  meaning: string;
}

/** The words of the notation that are not a catalog's. */
export function types(): {
  dialects: { name: DialectName; usual: string; versions: string[] }[];
  types: string[];
  functions: Func[];
};
