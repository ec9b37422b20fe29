/** Receipts (docs/receipts.md): who signed what, checked by this phone. `countersign receipt verify` checks every rule. */

import { base64url, fromBase64url, sha256 } from "./keys.js";
import { parse } from "./json.js";

/** Algorithms of JWS (RFC 7518, RFC 8037) as WebCrypto names them. @type {Record<string, any>} */
const algorithms = {
  ES256: { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" }, RS256: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
  PS256: { name: "RSA-PSS", hash: "SHA-256", saltLength: 32 }, EdDSA: { name: "Ed25519" },
};

/**
 * @typedef {object} Checked
 * @property {Record<string, any>} claims
 * @property {"phone"|"challenge"|"session"|undefined} proof what the answer proves; undefined if the receipt proves nothing
 */

/** The parts of a JWS in compact form (RFC 7515). @param {string} text */
function read(text) {
  const parts = text.split(".");
  const [header, payload, signature] = parts.map(fromBase64url);
  if (parts.length !== 3) throw new SyntaxError("not three parts");
  const json = (bytes) => new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  // A name that stands twice would mean two things.
  parse(json(payload));
  return {
    header: JSON.parse(json(header)), claims: JSON.parse(json(payload)), signature,
    input: new TextEncoder().encode(`${parts[0]}.${parts[1]}`),
  };
}

/** True if the key signed. @param {ReturnType<typeof read>} jws @param {any} key JWK (RFC 7517) @param {string[]} allowed */
async function isSigned({ header, signature, input }, { kty, crv, x, y, n, e }, allowed) {
  const algorithm = algorithms[header.alg];
  if (!allowed.includes(header.alg) || header.crit) return false;
  try {
    const key = await crypto.subtle.importKey("jwk", { kty, crv, x, y, n, e }, algorithm, false, ["verify"]);
    return await crypto.subtle.verify(algorithm, key, signature, input);
  } catch {
    // A key of another kind, or an algorithm that this browser does not know.
    return false;
  }
}

/**
 * Checks a receipt of an issuer.
 * @param {string} text
 * @param {{keys: any[]}} keySet the issuer's JWK set (RFC 7517)
 * @param {string} issuer
 * @returns {Promise<Checked>}
 */
export async function check(text, keySet, issuer) {
  const receipt = read(text);
  const { header, claims } = receipt;
  const nothing = { claims, proof: undefined };
  const record = JSON.parse(claims.record);
  const key = keySet.keys.find(({ kid }) => kid === header.kid);
  const digest = base64url(await sha256(claims.record));
  const names = { iss: record.iss, sub: record.sub, aud: record.client_id, id: record.id };
  const agrees = Object.entries(names).every(([name, value]) => claims[name] === value);
  if (header.typ !== "approval-receipt+jwt" || !key || claims.iss !== issuer || claims.request_digest !== digest || !agrees
    || !await isSigned(receipt, key, Object.keys(algorithms))) return nothing;
  if (claims.evidence === "session") return { claims, proof: claims.answer ? undefined : "session" };
  const answer = read(claims.answer);
  const { claims: said } = answer;
  const isAllowed = claims.decision === "allowed";
  // The issuer states that a picked or typed number was wrong.
  const isWrongNumber = said.auth0_guardian_accepted && !isAllowed && said.matching_pick
    && (record.matching_choices || record.matching === "type");
  if (said.iss !== claims.device.identifier || (said.auth0_guardian_accepted !== isAllowed && !isWrongNumber)
    || !await isSigned(answer, claims.device.jwk, ["ES256", "RS256"])) return nothing;
  if (claims.evidence === "signed-challenge") return { claims, proof: "challenge" };
  return { claims, proof: said.request_digest === digest ? "phone" : undefined };
}
