/** Access tokens, and the keys of the server that sign them. */
import { utf8Text } from "./bytes.js";
import { Numeral, parseMembers, type Members } from "./json.js";
import { readJws } from "./jws.js";
import { keysOf } from "./keys.js";

const AGE = 600_000;
const LEAST_AGE = 30_000;
const LEEWAY = 60;
const TYPES = ["jwt", "at+jwt", "application/at+jwt"];

/** A server's JWK set. It is fetched again when it is old, and for an unknown key at most every 30 seconds. */
export class KeySet {
  private current: { text: string; at: number } | undefined;

  constructor(private readonly fetched: () => Promise<string>, private readonly now: () => number) {}

  async text(maximumAge = AGE): Promise<string> {
    if (this.current === undefined || this.now() - this.current.at > maximumAge) {
      this.current = { text: await this.fetched(), at: this.now() };
    }
    return this.current.text;
  }

  async keys(kid: string): Promise<Awaited<ReturnType<typeof keysOf>>> {
    const found = await keysOf(parseMembers(await this.text()), kid);
    return found.length > 0 ? found : keysOf(parseMembers(await this.text(LEAST_AGE)), kid);
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
  const key = (await keys.keys(kid)).find(key => key.algorithms.some(name => name === alg));
  need(key !== undefined && await key.verifies(alg as string, jws.signature, jws.signed), "is not signed by the server");
  const claims = parseMembers(utf8Text(jws.payload));
  const { iss, aud, iat, exp } = claims;
  need(iss === issuer, "is one of another server");
  need(aud === audience || Array.isArray(aud) && aud.includes(audience), "is for another API");
  need((claims["client_id"] ?? claims["azp"]) === clientId, "is one of another client");
  need(iat instanceof Numeral && exp instanceof Numeral && Number(exp.text) > now / 1000 - LEEWAY, "has expired");
  return claims;
}
