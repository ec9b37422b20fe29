/** Bytes, their text forms and their digests. */

import { crypto } from "#system";
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export const utf8 = (text: string): Uint8Array => encoder.encode(text);

/** The text of bytes in UTF-8; fails for other bytes. */
export const utf8Text = (bytes: Uint8Array): string => decoder.decode(bytes);

export function base64(bytes: Uint8Array): string {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

export const base64url = (bytes: Uint8Array): string =>
  base64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

/** The bytes of padded Base64; fails for every spelling but the canonical one. */
export function fromBase64(text: string): Uint8Array {
  const bytes = Uint8Array.from(atob(text), character => character.charCodeAt(0));
  if (base64(bytes) !== text) throw new SyntaxError("not canonical Base64");
  return bytes;
}

/** The bytes of base64url without padding; fails for every spelling but the canonical one. */
export function fromBase64url(text: string): Uint8Array {
  if (!/^[A-Za-z0-9_-]*$/.test(text)) throw new SyntaxError("not base64url");
  const padded = text.replaceAll("-", "+").replaceAll("_", "/") + "=".repeat((4 - text.length % 4) % 4);
  return fromBase64(padded);
}

export async function sha256(bytes: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

export const digestOf = async (text: string): Promise<string> => base64url(await sha256(utf8(text)));

export const areEqual = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, index) => byte === b[index]);
