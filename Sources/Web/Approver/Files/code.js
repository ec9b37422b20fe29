/**
 * One-time passwords (RFC 6238), which need no network.
 *
 * @typedef {object} Generator
 * @property {CryptoKey} key the secret, which no script can export
 * @property {number} digits
 * @property {number} period seconds
 */

const hashes = { sha1: "SHA-1", sha256: "SHA-256", sha512: "SHA-512" };

/** The bytes of Base32 (RFC 4648 clause 6). Undefined for any other text. @param {string} text */
export function fromBase32(text) {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  const made = [];
  let [bits, count] = [0, 0];
  for (const character of text.toUpperCase().replace(/=+$/, "")) {
    const value = alphabet.indexOf(character);
    if (value < 0) return undefined;
    bits = ((bits << 5) | value) & 0xfff;
    count += 5;
    if (count >= 8) {
      count -= 8;
      made.push((bits >> count) & 0xff);
    }
  }
  return Uint8Array.from(made);
}

/**
 * A generator from the parameters of an enrolment, whose secret is forgotten. Undefined if the server gave none that
 * this app can use.
 * @param {{secret: string, algorithm: string, digits: number, period: number}} [parameters]
 * @returns {Promise<Generator|undefined>}
 */
export async function generator(parameters) {
  if (!parameters) return undefined;
  const { secret, algorithm, digits, period } = parameters;
  const [bytes, hash] = [fromBase32(secret), hashes[algorithm]];
  if (!bytes?.length || !hash || ![6, 7, 8].includes(digits) || !(period >= 1 && period <= 3600)) return undefined;
  const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash }, false, ["sign"]);
  return { key, digits, period };
}

/**
 * The password at a time, and the milliseconds until the next one.
 * @param {Generator} generator
 * @param {number} time milliseconds of the server's clock
 */
export async function code({ key, digits, period }, time) {
  const length = period * 1000;
  const message = new DataView(new ArrayBuffer(8));
  message.setBigUint64(0, BigInt(Math.floor(time / length)));
  const digest = new DataView(await crypto.subtle.sign("HMAC", key, message));
  // RFC 4226 clause 5.3: four bytes from an offset that the digest itself names.
  const number = digest.getUint32(digest.getUint8(digest.byteLength - 1) & 15) & 0x7fffffff;
  return { text: String(number % 10 ** digits).padStart(digits, "0"), left: length - (time % length) };
}
