/** The device API: Guardian's wire format, with the additions that docs/approvals.md describes. */

import { base64url, publicKey, sha256, sign } from "./keys.js";

/** A refusal by the server, with its code. */
export class Refused extends Error {
  constructor(code, status) {
    super(code);
    this.code = code;
    this.status = status;
  }
}

/** No answer came: the request may or may not have arrived. */
export class Lost extends Error {}

/** Milliseconds for an answer. The worker has to show something soon. */
const patience = "document" in globalThis ? 20_000 : 5000;
const capabilities = [
  "signed-digest", "number-matching", "number-typing", ...("PublicKeyCredential" in globalThis ? ["passkeys"] : []),
];
/**
 * Abilities of this version for an account.
 * @param {{generator?: object}} account
 * @returns {string[]}
 */
const abilitiesOf = ({ generator }) => [...capabilities, ...(generator ? ["one-time-code"] : [])];
/** As one text. @param {{generator?: object}} account */
export const abilities = (account) => abilitiesOf(account).join(" ");

/** Milliseconds by which the server's clock is ahead of this one. */
let ahead = 0;

/** The server's time in milliseconds. */
export const now = () => Date.now() + ahead;

const seconds = () => Math.floor(now() / 1000);

/** Notes the server's time. Half a second is the mean of what the field `Date` leaves out. */
function note(answer) {
  const date = Date.parse(answer.headers.get("Date") ?? "");
  // An answer out of a cache is old.
  if (!Number.isNaN(date) && !answer.headers.has("Age")) {
    const difference = date + 500 - Date.now();
    if (Math.abs(difference - ahead) > 1500) ahead = difference;
  }
}

/** @returns {Promise<Response>} an answer that is no refusal */
async function call(url, options = {}) {
  let answer;
  try {
    answer = await fetch(url, {
      cache: "no-store", credentials: "omit", redirect: "error",
      // @ts-ignore: TypeScript before 5 does not know it.
      signal: AbortSignal.timeout(patience), ...options,
    });
  } catch (error) {
    throw new Lost(String(error));
  }
  note(answer);
  if (answer.ok) return answer;
  const body = await answer.json().catch(() => ({}));
  // A proxy's answer says nothing about what the server did.
  if (answer.status >= 500 && !body.errorCode) throw new Lost(`status ${answer.status}`);
  throw new Refused(body.errorCode ?? body.error, answer.status);
}

/** Codes of refusals whose cause may be the clock. */
const late = ["invalid_challenge", "invalid_proof"];

/** Runs a request whose signature names the time. If the clock was wrong, its refusal corrected it: then once more. */
async function timed(device, request) {
  const before = ahead;
  try {
    return await request();
  } catch (error) {
    if (!(error instanceof Refused) || (error.status !== 401 && (ahead === before || !late.includes(error.code)))) throw error;
    device.tokens.clear();
    return request();
  }
}

const json = (method, body, fields = {}) => ({
  method, body: JSON.stringify(body), headers: { "Content-Type": "application/json", ...fields },
});

/** The requests of one enrolment. */
export class Device {
  /** @param {string} base URL of the device API @param {import("./store.js").Account} account */
  constructor(base, account) {
    this.base = base;
    this.account = account;
    this.tokens = new Map();
  }

  /** A token that the phone signs, for five minutes. */
  async token(audience) {
    const known = this.tokens.get(audience);
    if (known?.ahead === ahead && known.until > seconds()) return known.text;
    const iat = seconds();
    const { id: iss, userId: sub, key } = this.account;
    const text = await sign(key, { iss, sub, aud: audience, iat, exp: iat + 300 });
    this.tokens.set(audience, { text, ahead, until: iat + 240 });
    return text;
  }

  /** A request below the phone's own account. */
  own(path, options = {}) {
    const url = `${this.base}/api/device-accounts`;
    return timed(this, async () => {
      const headers = { ...options.headers, Authorization: `Bearer ${await this.token(url)}` };
      return call(`${url}/${this.account.id}${path}`, { ...options, headers });
    });
  }

  /** Opens the device channel. @param {string} last `Last-Event-ID` @param {AbortSignal} signal */
  events(last, signal) {
    const url = `${this.base}/api/notifications`;
    return timed(this, async () => {
      const headers = { Authorization: `Bearer ${await this.token(url)}`, Accept: "text/event-stream" };
      if (last) headers["Last-Event-ID"] = last;
      return call(`${url}?records=true`, { headers, signal });
    });
  }

  /**
   * The text of a request's record.
   * @param {{txlnkid: string, txtkn: string}} notification
   * @returns {Promise<string>}
   */
  async record({ txlnkid, txtkn }) {
    const url = new URL(`/rich-consents/${encodeURIComponent(txlnkid)}`, this.base).href;
    const header = { typ: "dpop+jwt", jwk: await publicKey(this.account.key.publicKey) };
    const ath = base64url(await sha256(txtkn));
    const answer = await timed(this, async () => {
      const claims = { htu: url, htm: "GET", ath, jti: crypto.randomUUID(), iat: seconds() };
      const proof = await sign(this.account.key, claims, header);
      return call(url, { headers: { Authorization: `MFA-DPoP ${txtkn}`, "MFA-DPoP": proof } });
    });
    const { id, record } = await answer.json();
    if (id !== txlnkid || typeof record !== "string") throw new Refused("no_record");
    return record;
  }

  /**
   * Sends a signed answer. The digest is that of the text that was shown.
   * @param {{txtkn: string, c: string}} notification
   * @param {{accepted: boolean, reason?: string, reported?: boolean, pick?: string, digest: Uint8Array}} answer
   * @param {object} [passkey] an assertion
   */
  resolve({ txtkn, c }, answer, passkey) {
    const url = `${this.base}/api/resolve-transaction`;
    return timed(this, async () => {
      const iat = seconds();
      const claims = {
        iss: this.account.identifier, sub: c, aud: url, iat, exp: iat + 30, auth0_guardian_method: "push",
        auth0_guardian_accepted: answer.accepted, auth0_guardian_reason: answer.reason,
        request_digest: base64url(answer.digest), matching_pick: answer.pick, reported: answer.reported,
      };
      const body = { challenge_response: await sign(this.account.key, claims), passkey };
      return call(url, json("POST", body, { Authorization: `Bearer ${txtkn}` }));
    });
  }

  read = async (path) => (await this.own(path)).json();
  pending = async () => (await this.read("/pending?records=true")).requests;
  /** The person's phones as `devices`, and the `account`'s name. */
  phones = () => this.read("/devices");
  preferences = () => this.read("/preferences");
  keepPreferences = (preferences) => this.own("/preferences", json("PUT", preferences));
  passkey = () => this.read("/passkey");
  keepPasskey = (made) => this.own("/passkey", json("PUT", made));
  /** A link, a code and a picture for another phone. @param {object} [passkey] an assertion */
  newPhone = async (passkey) => (await this.own("/tickets", json("POST", { passkey }))).json();
  update = (changes) => this.own("", json("PATCH", changes));
  remove = () => this.own("", { method: "DELETE" });
  receipt = async (request) => (await this.own(`/receipts/${encodeURIComponent(request)}`)).text();

  /** One page of ended requests. @param {string} [before] cursor of the page */
  history(before) {
    const query = new URLSearchParams({ limit: "20", unanswered: "true", ...(before && { before }) });
    return this.read(`/requests?${query}`);
  }

  /** Tells the server what this version can, and where its pushes go. @param {PushSubscription} [subscription] */
  describe(subscription) {
    const token = subscription && JSON.stringify(subscription);
    // The worker has no passkeys, and does not know if the page has.
    const known = "document" in globalThis ? undefined : this.account.capabilities?.split(" ");
    return this.update({ capabilities: known ?? abilitiesOf(this.account), ...(token && { push_credentials: { service: "WEBPUSH", token } }) });
  }
}

/** Tells the server that this phone's key is gone. @param {string} base @param {string} id @param {string} secret */
export const farewell = (base, id, secret) => call(`${base}/api/device-accounts/${id}/farewell`, {
  method: "POST", headers: { Authorization: `Farewell id="${secret}"` },
});

/** A code that stands for a ticket. @param {string} base @param {string} ticket */
export const codeOf = async (base, ticket) => (await call(`${base}/api/enroll/code`, {
  method: "POST", headers: { Authorization: `Ticket id="${ticket}"` },
})).json();

/** Uses up an enrolment ticket, or the code that stands for it. @param {string} base */
export async function enroll(base, { ticket, code }, { identifier, name, key }) {
  const body = {
    identifier, name, public_key: await publicKey(key.publicKey), capabilities: abilitiesOf({ generator: {} }),
  };
  const answer = await call(`${base}/api/enroll`, json("POST", body, { Authorization: code ? `Code id="${code}"` : `Ticket id="${ticket}"` }));
  return answer.json();
}
