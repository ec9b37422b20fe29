/** Base64url (RFC 4648 clause 5), UTF-8 and SHA-256. The service worker has these functions too. */

const utf8 = new TextEncoder();

/** @param {string} text @returns {Uint8Array} */
export const bytes = (text) => utf8.encode(text);

/** @param {ArrayBuffer|Uint8Array} data @returns {string} */
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
