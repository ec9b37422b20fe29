/** Authentication of a client: a secret, or an assertion that its key signs (RFC 7523). */
import { crypto } from "#system";
import { base64url, fromBase64, utf8 } from "./bytes.js";
import type { Settings } from "./configuration.js";
import { CannotAsk } from "./errors.js";
import { keyParameters, signing, type Algorithm } from "./keys.js";

const LIFETIME = 60;

async function fromPem(pem: string): Promise<CryptoKey> {
  const body = /-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\s]+)-----END PRIVATE KEY-----/.exec(pem)?.[1];
  if (body === undefined) {
    throw new CannotAsk("the client's key is not PKCS #8 in PEM; convert it with: openssl pkcs8 -topk8 -nocrypt -in KEY");
  }
  for (const algorithm of ["ES256", "ES384", "EdDSA", "RS256"] as const) {
    try {
      const bytes = fromBase64(body.replace(/\s/g, ""));
      return await crypto.subtle.importKey("pkcs8", bytes, keyParameters(algorithm), false, ["sign"]);
    } catch {
      continue;
    }
  }
  throw new CannotAsk("the client's key is none of P-256, P-384, Ed25519 and RSA");
}

function algorithmOf({ algorithm }: CryptoKey): Algorithm {
  const { name, namedCurve, hash } = algorithm as { name: string; namedCurve?: string; hash?: { name: string } };
  if (name === "ECDSA" && namedCurve === "P-256") return "ES256";
  if (name === "ECDSA" && namedCurve === "P-384") return "ES384";
  if (name === "Ed25519") return "EdDSA";
  if (name === "RSASSA-PKCS1-v1_5" && hash?.name === "SHA-256") return "RS256";
  if (name === "RSA-PSS" && hash?.name === "SHA-256") return "PS256";
  throw new CannotAsk(`the client's key is of ${name}, which signs no assertion`);
}

/** A token that a key signs. */
export async function signed(header: object, claims: object, key: CryptoKey): Promise<string> {
  const alg = algorithmOf(key);
  const text = [{ alg, ...header }, claims].map(part => base64url(utf8(JSON.stringify(part)))).join(".");
  return `${text}.${base64url(new Uint8Array(await crypto.subtle.sign(signing(alg), key, utf8(text))))}`;
}

/** Parameters of a request that authenticate the client. */
export async function authentication({ issuer, clientId, credential }: Settings, now: number): Promise<{ [name: string]: string }> {
  if ("secret" in credential) return { client_id: clientId, client_secret: credential.secret };
  const key = typeof credential.key === "string" ? await fromPem(credential.key) : credential.key;
  const iat = Math.floor(now / 1000);
  const claims = { iss: clientId, sub: clientId, aud: issuer, iat, exp: iat + LIFETIME, jti: crypto.randomUUID() };
  return {
    client_id: clientId, client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    client_assertion: await signed({ typ: "JWT", ...credential.id === undefined ? {} : { kid: credential.id } }, claims, key),
  };
}
