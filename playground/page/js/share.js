// The state of the page in the fragment of a link: "#1." and base64url of deflated JSON.
// Browsers do not send fragments to servers. A link is untrusted input: it only fills text areas.

import { isFileName } from "./files.js";

export const MAX_LINK = 30 * 1024;
export const MAX_STATE = 3 * 1024 * 1024;
const VERSION = "1";

export class LinkError extends Error {}

export async function encodeState(state) {
  const bytes = new TextEncoder().encode(JSON.stringify(state));
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const packed = new Uint8Array(await new Response(stream).arrayBuffer());
  let text = "";
  for (let index = 0; index < packed.length; index += 0x8000) {
    text += String.fromCharCode(...packed.subarray(index, index + 0x8000));
  }
  return `#${VERSION}.${btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")}`;
}

export async function decodeState(fragment) {
  const match = /^#(\d+)\.([A-Za-z0-9_-]*)$/.exec(fragment);
  if (!match) throw new LinkError("The link is incomplete or damaged; ask its author for a new one.");
  if (match[1] !== VERSION) throw new LinkError("The link was created by another version of the playground.");
  try {
    const packed = Uint8Array.from(atob(match[2].replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0));
    return checkState(JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(await inflate(packed))));
  } catch (error) {
    if (error instanceof LinkError) throw error;
    throw new LinkError("The link is incomplete or damaged; ask its author for a new one.");
  }
}

async function inflate(packed) {
  const reader = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const parts = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > MAX_STATE) {
      await reader.cancel();
      throw new LinkError("The link contains more than 3 MiB; ask its author for the folder instead.");
    }
    parts.push(value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

const isText = (value) => typeof value === "string";
const isTexts = (value) =>
  typeof value === "object" && value !== null && !Array.isArray(value) && Object.values(value).every(isText);

export function checkState(state) {
  const valid = typeof state === "object" && state !== null && isText(state.pod) && isText(state.policy)
    && isText(state.webhooks) && isTexts(state.files) && isTexts(state.options)
    && Object.keys(state.files).every(isFileName); // Copy as command writes these files
  if (!valid) throw new LinkError("The link is incomplete or damaged; ask its author for a new one.");
  const { pod, policy, webhooks, files, options } = state;
  return { pod, policy, webhooks, files: { ...files }, options: { ...options } };
}
