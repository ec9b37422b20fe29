/** Public keys (RFC 7517), read strictly, and the signatures that they verify. */
import { crypto } from "#system";
import { areEqual, fromBase64, fromBase64url } from "./bytes.js";
import { certificateKey, rawSignature } from "./der.js";
import { isMembers, type Members } from "./json.js";

export type Algorithm = "RS256" | "PS256" | "ES256" | "ES384" | "EdDSA";

const ALGORITHMS: { [kind: string]: Algorithm[] } = {
  RSA: ["RS256", "PS256"], "P-256": ["ES256"], "P-384": ["ES384"], Ed25519: ["EdDSA"],
};
const PRIVATE = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];
const SIZES: { [kind: string]: number } = { "P-256": 32, "P-384": 48, Ed25519: 32 };

function imported(algorithm: Algorithm): RsaHashedImportParams | EcKeyImportParams | AlgorithmIdentifier {
  switch (algorithm) {
    case "RS256": return { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
    case "PS256": return { name: "RSA-PSS", hash: "SHA-256" };
    case "ES256": return { name: "ECDSA", namedCurve: "P-256" };
    case "ES384": return { name: "ECDSA", namedCurve: "P-384" };
    case "EdDSA": return { name: "Ed25519" };
  }
}

/** Parameters with which a key signs or verifies. */
export function signing(algorithm: Algorithm): AlgorithmIdentifier | RsaPssParams | EcdsaParams {
  switch (algorithm) {
    case "RS256": return { name: "RSASSA-PKCS1-v1_5" };
    case "PS256": return { name: "RSA-PSS", saltLength: 32 };
    case "ES256": return { name: "ECDSA", hash: "SHA-256" };
    case "ES384": return { name: "ECDSA", hash: "SHA-384" };
    case "EdDSA": return { name: "Ed25519" };
  }
}

export { imported as keyParameters };

function sure(condition: unknown): asserts condition {
  if (!condition) throw new TypeError("not a public key");
}

/** Bits of a number whose bytes may begin with zeros. */
function bits(number: Uint8Array): number {
  const first = number.findIndex(byte => byte !== 0);
  return first < 0 ? 0 : (number.length - first) * 8 - Math.clz32(number[first] as number) + 24;
}

export class PublicKey {
  private constructor(private readonly jwk: JsonWebKey, readonly algorithms: Algorithm[]) {}

  /** Reads a key; fails for one with a private member, another purpose, or a certificate of another key. */
  static async read(jwk: unknown): Promise<PublicKey> {
    sure(isMembers(jwk) && typeof jwk["kty"] === "string");
    const kind = jwk["kty"] === "RSA" ? "RSA" : jwk["crv"];
    sure(typeof kind === "string" && Object.hasOwn(ALGORITHMS, kind));
    sure(!PRIVATE.some(name => name in jwk) && (!("use" in jwk) || jwk["use"] === "sig"));
    sure(!("key_ops" in jwk) || Array.isArray(jwk["key_ops"]) && jwk["key_ops"].includes("verify"));
    const algorithms = (ALGORITHMS[kind] as Algorithm[]).filter(name => !("alg" in jwk) || jwk["alg"] === name);
    sure(algorithms.length > 0);
    const bare = kind === "RSA" ? PublicKey.rsa(jwk) : PublicKey.curve(jwk, kind);
    const key = new PublicKey(bare, algorithms);
    await key.crypto(algorithms[0] as Algorithm);
    if ("x5c" in jwk) await key.check(jwk["x5c"]);
    return key;
  }

  private static rsa(jwk: Members): JsonWebKey {
    const { n, e } = jwk;
    sure(typeof n === "string" && typeof e === "string");
    const [modulus, exponent] = [fromBase64url(n), fromBase64url(e)];
    sure(bits(modulus) >= 2048 && bits(modulus) <= 8192);
    sure(bits(exponent) > 1 && ((exponent[exponent.length - 1] as number) & 1) === 1);
    return { kty: "RSA", n, e };
  }

  private static curve(jwk: Members, kind: string): JsonWebKey {
    const { kty, x, y } = jwk;
    sure(kty === (kind === "Ed25519" ? "OKP" : "EC") && typeof x === "string" && fromBase64url(x).length === SIZES[kind]);
    if (kty === "OKP") return { kty, crv: kind, x };
    sure(typeof y === "string" && fromBase64url(y).length === SIZES[kind]);
    return { kty: "EC", crv: kind, x, y };
  }

  private crypto(algorithm: Algorithm, jwk = this.jwk): Promise<CryptoKey> {
    return crypto.subtle.importKey("jwk", jwk, imported(algorithm), true, ["verify"]);
  }

  /** RFC 7517 clause 4.7: the first certificate is one of this key. */
  private async check(chain: unknown): Promise<void> {
    sure(Array.isArray(chain) && chain.length > 0 && chain.every(one => typeof one === "string"));
    const [first] = (chain as string[]).map(fromBase64);
    const parameters = imported(this.algorithms[0] as Algorithm);
    const theirs = await crypto.subtle.importKey("spki", certificateKey(first as Uint8Array), parameters, true, ["verify"]);
    const jwk = await crypto.subtle.exportKey("jwk", theirs);
    for (const name of ["n", "e", "x", "y"] as const) {
      const [mine, other] = [this.jwk[name] ?? "", jwk[name] ?? ""].map(text => fromBase64url(text)) as [Uint8Array, Uint8Array];
      sure(areEqual(mine.subarray(mine.findIndex(byte => byte !== 0)), other.subarray(other.findIndex(byte => byte !== 0))));
    }
  }

  async verifies(algorithm: string, signature: Uint8Array, signed: Uint8Array): Promise<boolean> {
    if (!this.algorithms.includes(algorithm as Algorithm)) return false;
    const key = await this.crypto(algorithm as Algorithm);
    return crypto.subtle.verify(signing(algorithm as Algorithm), key, signature, signed);
  }

  /** Verifies the assertion of a passkey, whose ES256 signatures are in DER (WebAuthn 6.5.5). */
  async verifiesAssertion(signature: Uint8Array, signed: Uint8Array): Promise<boolean> {
    if (!this.algorithms.includes("ES256")) return this.verifies("RS256", signature, signed);
    const raw = rawSignature(signature);
    return raw !== undefined && this.verifies("ES256", raw, signed);
  }
}

/** The keys of a JWK set with an id. Keys that cannot be read are skipped (RFC 7517 clause 5). */
export async function keysOf(jwks: Members, kid: string): Promise<PublicKey[]> {
  const keys = Array.isArray(jwks["keys"]) ? jwks["keys"] : [];
  const found: PublicKey[] = [];
  for (const jwk of keys) {
    if (!isMembers(jwk) || jwk["kid"] !== kid) continue;
    try {
      found.push(await PublicKey.read(jwk));
    } catch {
      continue;
    }
  }
  return found;
}
