/** The phone's P-256 keys. WebCrypto keeps the private half: no script can read it. */

import { base64url, bytes } from "./encoding.js";

const curve = { name: "ECDSA", namedCurve: "P-256" };
const signature = { name: "ECDSA", hash: "SHA-256" };

/** @returns {Promise<CryptoKeyPair>} */
export const makeKey = () => crypto.subtle.generateKey(curve, false, ["sign"]);

/** The public half as a JWK (RFC 7517). @param {CryptoKey} key */
export async function publicKey(key) {
  const { kty, crv, x, y } = await crypto.subtle.exportKey("jwk", key);
  return { kty, crv, x, y };
}

/**
 * Signs a JWT with ES256 (RFC 7515).
 * @param {CryptoKeyPair} pair
 * @param {object} claims
 * @param {object} [header] members beside `alg`
 */
export async function sign(pair, claims, header = { typ: "JWT" }) {
  const part = (value) => base64url(bytes(JSON.stringify(value)));
  const input = `${part({ alg: "ES256", ...header })}.${part(claims)}`;
  return `${input}.${base64url(await crypto.subtle.sign(signature, pair.privateKey, bytes(input)))}`;
}
