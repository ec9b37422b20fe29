/** The phone's P-256 keys, whose private half no script can read, and encodings. The service worker uses them too. */

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

/** True if the key still signs. @param {CryptoKeyPair} [pair] */
export const isUsable = (pair) => sign(pair, {}).then(() => true, () => false);

/** UTF-8. @param {string} text @returns {Uint8Array} */
const bytes = (text) => new TextEncoder().encode(text);

/** RFC 4648 clause 5. @param {ArrayBuffer|Uint8Array} data @returns {string} */
export function base64url(data) {
  let binary = "";
  for (const byte of new Uint8Array(data)) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** @param {string} text @returns {Uint8Array} */
export function fromBase64url(text) {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

/** @param {string} text @returns {Promise<Uint8Array>} */
export const sha256 = async (text) => new Uint8Array(await crypto.subtle.digest("SHA-256", bytes(text)));
