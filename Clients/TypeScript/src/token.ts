/** Access tokens, and the keys of the server that sign them. */
import { utf8Text } from "./bytes.js";
import { isMembers, Numeral, parseMembers, type Members } from "./json.js";
import { readJws } from "./jws.js";
import { keysOf } from "./keys.js";

const AGE = 600_000;
const LEEWAY = 60;
const TYPES = ["jwt", "at+jwt", "application/at+jwt"];

/** A server's JWK set. It is fetched when it is old, and for a key that it does not have. */
export class KeySet {
  private current: { text: string; at: number } | undefined;

  constructor(private readonly fetched: () => Promise<string>, private readonly now: () => number) {}

  /** The set's text, with the key of a token if the server has it. */
  async text(kid: string): Promise<string> {
    const { current } = this;
    if (current !== undefined && this.now() - current.at < AGE) {
      const keys = parseMembers(current.text)["keys"];
      if (Array.isArray(keys) && keys.some(key => isMembers(key) && key["kid"] === kid)) return current.text;
    }
    this.current = { text: await this.fetched(), at: this.now() };
    return this.current.text;
  }
}

function need(condition: unknown, reason: string): asserts condition {
  if (!condition) throw new Error(`the access token ${reason}`);
}

/** The claims of a token that this issuer signed for this API and this client, and that is in force. */
export async function verifyToken(
  text: string, keys: KeySet, issuer: string, audience: string, clientId: string, now: number,
): Promise<Members> {
  const jws = readJws(text, 1 << 20);
  const { alg, typ, kid } = jws.header;
  need(["RS256", "PS256", "ES256", "EdDSA"].includes(alg as string) && !("crit" in jws.header), "has another algorithm");
  need(typeof typ === "string" && TYPES.includes(typ.toLowerCase()), "is a token of another type");
  need(typeof kid === "string", "names no key");
  const key = (await keysOf(parseMembers(await keys.text(kid)), kid)).find(key => key.algorithms.some(name => name === alg));
  need(key !== undefined && await key.verifies(alg as string, jws.signature, jws.signed), "is not signed by the server");
  const claims = parseMembers(utf8Text(jws.payload));
  const { iss, aud, iat, exp } = claims;
  need(iss === issuer, "is one of another server");
  need(aud === audience || Array.isArray(aud) && aud.includes(audience), "is for another API");
  need((claims["client_id"] ?? claims["azp"]) === clientId, "is one of another client");
  need(iat instanceof Numeral && exp instanceof Numeral && Number(exp.text) > now / 1000 - LEEWAY, "has expired");
  return claims;
}
