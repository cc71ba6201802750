// Requests to the server. The token is kept in the session storage of this tab.

const KEY = "order-demo-token";

/** An error of the server, as RFC 9457 describes it; `status` is 0 where the server cannot be reached. */
export class Problem extends Error {
  constructor(status, body) {
    super(body.detail ?? body.title ?? "The server does not answer.");
    this.status = status;
    this.title = body.title ?? "No answer";
    this.path = body.path;
    this.errors = body.errors ?? [];
  }
}

export const signedOut = new EventTarget();

export const isSignedIn = () => sessionStorage.getItem(KEY) !== null;

/** Sends a request; gives the JSON of the answer, and its ETag as `version`. */
export async function send(method, path, { body, version, signal } = {}) {
  const headers = { Accept: "application/json" };
  const token = sessionStorage.getItem(KEY);
  if (token) headers.Authorization = `Bearer ${token}`;
  if (version) headers["If-Match"] = version;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let response;
  try {
    response = await fetch(`/api${path}`, { method, headers, body, signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(0, { detail: "The server cannot be reached. Is it running?" });
  }
  const text = await response.text();
  const data = parse(text);
  if (!response.ok) {
    if (response.status === 401 && token) forget();
    throw new Problem(response.status, data ?? {});
  }
  return { data, version: response.headers.get("ETag") };
}

function parse(text) {
  try {
    return text === "" ? null : JSON.parse(text);
  } catch {
    return null;
  }
}

const json = (value) => JSON.stringify(value);

export async function login(userName, password) {
  const { data } = await send("POST", "/login", { body: json({ userName, password }) });
  sessionStorage.setItem(KEY, data.token);
  return data.user;
}

export async function logout() {
  try {
    await send("POST", "/logout");
  } finally {
    forget();
  }
}

/** Drops the token, and tells the page that nobody is logged in. */
function forget() {
  if (!isSignedIn()) return;
  sessionStorage.removeItem(KEY);
  signedOut.dispatchEvent(new Event("signedout"));
}

export const me = async () => (await send("GET", "/me")).data;
export const search = async (tree, signal) => (await send("POST", "/orders/query/expr", { body: json(tree), signal })).data;
export const stats = async (query) => (await send("GET", `/orders/stats?${query}`)).data;
export const months = async (query) => (await send("GET", `/orders/stats/months?${query}`)).data;
export const order = (id) => send("GET", `/orders/${id}`);
export const place = (input) => send("POST", "/orders", { body: json(input) });
export const change = (id, version, input) => send("PUT", `/orders/${id}`, { version, body: json(input) });
export const remove = (id, version) => send("DELETE", `/orders/${id}`, { version });
