/** Signed tokens in compact form (RFC 7515). */
import { fromBase64url, utf8, utf8Text } from "./bytes.js";
import { parseMembers, type Members } from "./json.js";

export interface Jws {
  header: Members;
  payload: Uint8Array;
  signature: Uint8Array;
  signed: Uint8Array;
}

/** The parts of a token, each in its only spelling, with a strict header. */
export function readJws(text: string, limit: number): Jws {
  const parts = text.split(".");
  if (utf8(text).length > limit || parts.length !== 3) throw new SyntaxError("not a JWS");
  const [head, payload, signature] = parts.map(fromBase64url) as [Uint8Array, Uint8Array, Uint8Array];
  const header = parseMembers(utf8Text(head), 8);
  for (const name of ["alg", "typ", "kid"]) {
    if ((name === "alg" || name in header) && typeof header[name] !== "string") throw new SyntaxError("not a JWS header");
  }
  return { header, payload, signature, signed: utf8(`${parts[0]}.${parts[1]}`) };
}
