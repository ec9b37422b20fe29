/** Receipts of approvals, and the rules that each must keep. The names of rules are those of the format's description. */
import { areEqual, fromBase64url, sha256, utf8, utf8Text } from "./bytes.js";
import { isMembers, Numeral, parse, parseMembers, plain, type Json, type Members, type Value } from "./json.js";
import { readJws, type Jws } from "./jws.js";
import { keysOf, PublicKey } from "./keys.js";

/** A receipt that proves nothing. `rule` names the broken rule. */
export class InvalidReceipt extends Error {
  override readonly name = "InvalidReceipt";
  constructor(readonly rule: string) {
    super(`The receipt breaks the rule "${rule}".`);
  }
}

export interface Receipt {
  id: string;
  issuer: string;
  subject: string;
  clientId: string;
  decision: "allowed" | "rejected";
  reason?: string;
  decidedAt: string;
  evidence: "user-verified" | "signed-digest" | "signed-challenge" | "session";
  requestDigest: string;
  /** Everything that the person was shown. */
  record: { [name: string]: Json };
  /** The signed text, which proves the rest. */
  text: string;
}

const LEVELS = ["user-verified", "signed-digest", "signed-challenge", "session"];
const DATE = /^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const PLACE = /^(?:([1-9][0-9]{0,18})\.)?([1-9][0-9]{0,18}):([0-9a-f]{64})$/;
const TWO_DIGITS = /^[0-9]{2}$/;
const BLANK = /^[\t\n\v\f\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*$/;
const PLACES = 2n ** 63n;

function sure(condition: unknown): asserts condition {
  if (!condition) throw new TypeError("not a member of that type");
}

function need(condition: unknown, rule: string): asserts condition {
  if (!condition) throw new InvalidReceipt(rule);
}

/** The result of a step, every failure of which breaks one rule. */
async function within<Result>(rule: string, step: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await step();
  } catch {
    throw new InvalidReceipt(rule);
  }
}

function text(members: Members, name: string): string {
  const value = members[name];
  sure(typeof value === "string");
  return value;
}

function texts(members: Members, names: string): void {
  for (const name of names.split(" ")) text(members, name);
}

function optionalTexts(members: Members, names: string): void {
  for (const name of names.split(" ")) if (name in members) text(members, name);
}

function object(members: Members, name: string): Members {
  const value = members[name];
  sure(isMembers(value));
  return value;
}

function list(members: Members, name: string): Value[] {
  const value = members[name];
  sure(Array.isArray(value));
  return value;
}

const areTexts = (values: Value[]): values is string[] => values.every(value => typeof value === "string");

/** Milliseconds of a date in its only spelling. */
function date(value: string): number {
  const time = Date.parse(value);
  sure(DATE.test(value) && new Date(time).toISOString() === value);
  return time;
}

/** Milliseconds of a NumericDate (RFC 7519), which may have fractions. */
function numericDate(value: Value | undefined): number {
  sure(value instanceof Numeral && Math.abs(Number(value.text)) < 1e12);
  return Math.trunc(Number(value.text) * 1000);
}

interface Content {
  claims: Members;
  record: Members;
  decided: number;
  created: number;
  expires: number;
}

function readRecord(record: Members): void {
  texts(record, "id iss tenant client_id client_name sub audience audience_name binding_message created_at expires_at");
  for (const scope of list(record, "scope")) {
    sure(isMembers(scope));
    texts(scope, "value"), optionalTexts(scope, "description");
  }
  sure(!("authorization_details" in record) || list(record, "authorization_details").every(isMembers));
  optionalTexts(record, "client_logo language");
  sure(!("client_is_first_party" in record) || typeof record["client_is_first_party"] === "boolean");
  if ("matching_choices" in record) {
    const choices = list(record, "matching_choices");
    sure(areTexts(choices) && choices.length === 3 && new Set(choices).size === 3);
    sure(choices.every(choice => TWO_DIGITS.test(choice)));
  }
  sure(!("matching" in record) || record["matching"] === "type" && !("matching_choices" in record));
  if ("login" in record) {
    const login = object(record, "login");
    texts(login, "application"), optionalTexts(login, "browser system address"), date(text(login, "at"));
    if ("place" in login) texts(object(login, "place"), "en de fr");
  }
}

/** The claims, the record and the dates, if each member is there and has its type. */
async function readContent(payload: Uint8Array): Promise<Content> {
  const claims = parseMembers(utf8Text(payload));
  texts(claims, "iss sub aud id decision evidence decided_at request_digest record");
  const record = parseMembers(text(claims, "record"));
  readRecord(record);
  const iat = claims["iat"];
  sure(iat instanceof Numeral && /^(0|[1-9][0-9]{0,11})$/.test(iat.text) && Number(iat.text) < 253402300800);
  sure(["allowed", "rejected"].includes(text(claims, "decision")) && LEVELS.includes(text(claims, "evidence")));
  sure(fromBase64url(text(claims, "request_digest")).length === 32 && "device" in claims === "answer" in claims);
  texts(object(claims, "audit"), "entry head"), optionalTexts(claims, "reason answer");
  if ("device" in claims) {
    const device = object(claims, "device");
    texts(device, "id name identifier enrolled_at"), date(text(device, "enrolled_at"));
    await PublicKey.read(device["jwk"]);
  }
  if ("session" in claims) {
    const session = object(claims, "session");
    texts(session, "sid_sha256 auth_time"), optionalTexts(session, "acr");
    sure(areTexts(list(session, "amr")) && date(text(session, "auth_time")) >= 0);
  }
  if ("passkey" in claims) {
    const passkey = object(claims, "passkey");
    texts(passkey, "rp_id");
    for (const name of ["credential_id", "client_data_json", "authenticator_data", "signature"]) fromBase64url(text(passkey, name));
    await PublicKey.read(passkey["jwk"]);
  }
  const [decided, created, expires] = [
    date(text(claims, "decided_at")), date(text(record, "created_at")), date(text(record, "expires_at"))];
  sure(Math.min(decided, created, expires) >= 0);
  return { claims, record, decided, created, expires };
}

interface Answer {
  issuer: string;
  isAccepted: boolean;
  isPick: boolean;
  reason: string;
  digest: string | undefined;
  begin: number;
  end: number;
}

function readAnswer(jws: Jws): Answer {
  sure(typeof jws.header["typ"] === "string" && jws.header["typ"].toLowerCase() === "jwt");
  const answer = parseMembers(utf8Text(jws.payload));
  // Devices may write null for a member that they leave out.
  for (const name of Object.keys(answer)) if (answer[name] === null) delete answer[name];
  texts(answer, "iss sub aud auth0_guardian_method");
  optionalTexts(answer, "request_digest auth0_guardian_reason matching_pick");
  sure(answer["iss"] && answer["sub"] && answer["aud"] && answer["auth0_guardian_method"] === "push");
  const { auth0_guardian_accepted: isAccepted, reported, matching_pick: pick } = answer;
  sure(typeof isAccepted === "boolean" && (reported === undefined || typeof reported === "boolean"));
  sure(!(reported && isAccepted) && (pick === undefined || TWO_DIGITS.test(text(answer, "matching_pick"))));
  return {
    issuer: text(answer, "iss"), isAccepted, isPick: pick !== undefined,
    reason: [...(answer["auth0_guardian_reason"] as string | undefined ?? "")].slice(0, 256).join(""),
    digest: answer["request_digest"] as string | undefined,
    begin: numericDate(answer["iat"]), end: numericDate(answer["exp"]),
  };
}

async function verifyAnswer({ claims, record, decided }: Content): Promise<void> {
  const device = claims["device"] as Members;
  const { jws, algorithm, key } = await within("answer", async () => {
    const jws = readJws(text(claims, "answer"), 16_384);
    const key = await PublicKey.read(device["jwk"]);
    const algorithm = key.algorithms.find(name => name === jws.header["alg"] && ["RS256", "ES256"].includes(name));
    sure(algorithm && !("crit" in jws.header));
    return { jws, algorithm, key };
  });
  need(await key.verifies(algorithm, jws.signature, jws.signed), "answer-signature");
  const answer = await within("answer", () => readAnswer(jws));
  need(answer.issuer === device["identifier"], "answer-device");
  const wasPickWrong = answer.isAccepted && answer.isPick && ("matching_choices" in record || "matching" in record);
  need(answer.isAccepted === (claims["decision"] === "allowed") || wasPickWrong, "answer-decision");
  const hasReason = !answer.isAccepted && !BLANK.test(answer.reason);
  need(claims["reason"] === (hasReason ? answer.reason : undefined), "answer-reason");
  need(answer.begin - 60_000 <= decided && decided < answer.end + 60_000, "answer-time");
  if (["user-verified", "signed-digest"].includes(text(claims, "evidence"))) {
    need(answer.digest === claims["request_digest"], "answer-digest");
  } else {
    need(answer.digest === undefined, "level");
  }
}

async function verifyPasskey(claims: Members): Promise<void> {
  const passkey = claims["passkey"] as Members;
  const bytes = (name: string): Uint8Array => fromBase64url(text(passkey, name));
  const [clientData, data] = [bytes("client_data_json"), bytes("authenticator_data")];
  const { challenge, origin } = await within("passkey", () => {
    const client = parseMembers(utf8Text(clientData));
    texts(client, "type challenge origin");
    sure(client["type"] === "webauthn.get" && (!("crossOrigin" in client) || client["crossOrigin"] === false));
    sure(data.length >= 37);
    return { challenge: fromBase64url(text(client, "challenge")), origin: text(client, "origin") };
  });
  const signed = new Uint8Array([...data, ...await sha256(clientData)]);
  const key = await PublicKey.read(passkey["jwk"]);
  need(await key.verifiesAssertion(bytes("signature"), signed), "passkey-signature");
  need(areEqual(challenge, fromBase64url(text(claims, "request_digest"))), "passkey-challenge");
  const host = text(passkey, "rp_id");
  need(areEqual(data.subarray(0, 32), await sha256(utf8(host))), "passkey-origin");
  need(origin.startsWith(`https://${host}`) && /^(:[0-9]+)?$/.test(origin.slice(8 + host.length)), "passkey-origin");
  need(((data[32] as number) & 5) === 5, "passkey-user");
}

function verifyAudit(audit: Members): void {
  const [entry, head] = [PLACE.exec(text(audit, "entry")), PLACE.exec(text(audit, "head"))];
  need(entry && head && entry[1] === head[1] && BigInt(entry[1] ?? 0) < PLACES, "audit");
  const [number, last] = [BigInt(entry[2] as string), BigInt(head[2] as string)];
  need(number <= last && last < PLACES, "audit");
  need(number !== last || entry[3] === head[3], "audit");
}

/**
 * The content of a valid receipt. Fails with `InvalidReceipt`, which names the broken rule.
 *
 * `jwks` is the issuer's JWK set: its text, or the object that was read from it. `issuer` is the expected one, if any.
 */
export async function verifyReceipt(receipt: string, jwks: string | object, issuer?: string): Promise<Receipt> {
  const set = parseMembers(typeof jwks === "string" ? jwks : JSON.stringify(jwks));
  const jws = await within("form", () => readJws(receipt, 1 << 20));
  const { alg, kid } = jws.header;
  need(["RS256", "PS256", "ES256", "EdDSA"].includes(alg as string), "algorithm");
  need(!("crit" in jws.header), "critical");
  need(jws.header["typ"] === "approval-receipt+jwt", "type");
  const keys = typeof kid === "string" ? await keysOf(set, kid) : [];
  const key = keys.find(key => key.algorithms.some(name => name === alg));
  need(key, "key");
  need(await key.verifies(alg as string, jws.signature, jws.signed), "signature");
  const content = await within("payload", () => readContent(jws.payload));
  const { claims, record, decided, created, expires } = content;
  for (const [name, source] of [["iss", "iss"], ["sub", "sub"], ["aud", "client_id"], ["id", "id"]] as const) {
    need(claims[name] === record[source], "agreement");
  }
  need(issuer === undefined || claims["iss"] === issuer, "issuer");
  const digest = await sha256(utf8(text(claims, "record")));
  need(areEqual(digest, fromBase64url(text(claims, "request_digest"))), "digest");
  need(created <= decided && decided < expires, "decision-time");
  need(Number((claims["iat"] as Numeral).text) >= Math.floor(decided / 1000), "issue-time");
  need(claims["decision"] === "rejected" || !("reason" in claims), "reason");
  const isSession = claims["evidence"] === "session";
  need(isSession !== "answer" in claims && isSession === "session" in claims, "level");
  if ("answer" in claims) await verifyAnswer(content);
  need((claims["evidence"] === "user-verified") === "passkey" in claims, "level");
  if ("passkey" in claims) await verifyPasskey(claims);
  verifyAudit(object(claims, "audit"));
  return {
    id: text(claims, "id"), issuer: text(claims, "iss"), subject: text(claims, "sub"), clientId: text(claims, "aud"),
    decision: claims["decision"] as Receipt["decision"], evidence: claims["evidence"] as Receipt["evidence"],
    ..."reason" in claims ? { reason: text(claims, "reason") } : {},
    decidedAt: text(claims, "decided_at"), requestDigest: text(claims, "request_digest"),
    record: plain(parse(text(claims, "record"))) as Receipt["record"], text: receipt,
  };
}
