// What is on the page, in the address behind `#`, which a browser sends to nobody: an example's name, or all of it, compressed.

const through = async (bytes, stream) => new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());

const MARK = "z:";

export async function write(state) {
  const bytes = await through(new TextEncoder().encode(JSON.stringify(state)), new CompressionStream("deflate-raw"));
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return MARK + text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/// The state, the name of an example as a text, or null.
export async function read(fragment) {
  const text = fragment.replace(/^#/, "");
  if (!text.startsWith(MARK)) return text ? decodeURIComponent(text) : null;
  try {
    const base64 = text.slice(MARK.length).replaceAll("-", "+").replaceAll("_", "/");
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    const state = JSON.parse(new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw"))));
    return typeof state?.tree === "string" ? state : null;
  } catch {
    return null;
  }
}
