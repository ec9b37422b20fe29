/** The client of the server: asks, waits, withdraws, and believes only what is signed. */
import { crypto } from "#system";
import { advice } from "./advice.js";
import { authentication } from "./assertion.js";
import { digestOf } from "./bytes.js";
import { settings, type Options, type Settings } from "./configuration.js";
import { CannotAsk, Changed, CountersignError, NobodyAnswered, Rejected } from "./errors.js";
import { because, pause, textOf, within } from "./exchange.js";
import { canonical, copied, isMembers, NotJson, Numeral, parseMembers, type Json, type Members } from "./json.js";
import { readJws } from "./jws.js";
import { verifyReceipt, type Receipt } from "./receipt.js";
import { KeySet, verifyToken } from "./token.js";

/** A request that waits for its answer, as JSON. Keep it as a secret: `auth_req_id` fetches the approval. */
export interface Pending {
  version: 1;
  issuer: string;
  auth_req_id: string;
  /** Id of the request, which the receipt must have. */
  request_id: string;
  digest: string;
  key: string;
  /** The person who was asked. */
  user: string;
  /** Seconds since 1970. */
  expires_at: number;
  interval: number;
  /** Page on which the person sees the request; not a secret. */
  approval_uri: string;
  /** Number that your program must display, if one has to be picked. */
  matching_code?: string;
}

/** A person's yes to exactly one call, verified. */
export interface Approval {
  /** The token for the API that does the work. Show it to no model. */
  accessToken: string;
  subject: string;
  digest: string;
  /** End of the token, in milliseconds since 1970. */
  expiresAt: number;
  receipt: Receipt;
}

export interface Asking {
  /** Id of the call, so that a repeated start rings once; random without it. */
  key?: string;
  user?: string;
  audience?: string;
  /** Up to 64 characters that the phone shows beside the details. */
  message?: string;
  signal?: AbortSignal;
}

/** One object of RFC 9396: a registered type, and the members that the person is shown. */
export interface Detail {
  type: string;
  [member: string]: unknown;
}

interface Answer {
  status: number;
  body: Members;
  text: (name: string) => string | undefined;
  number: (name: string) => number | undefined;
  retryAfter: number | undefined;
}

const CIBA = "urn:openid:params:grant-type:ciba";
const HELD = 30;
const PATIENCE = 30_000;
const ATTEMPTS = 3;
const GRACE = 60_000;
const LONGEST_PAUSE = 60_000;
const GO_ON = ["authorization_pending", "slow_down", "temporarily_unavailable"];

/** The digest of a call: of the details of a request for it. */
export const digestOfDetails = (details: unknown): Promise<string> =>
  digestOf(`{"authorization_details":${canonical(details as Json)}}`);

export class Countersign {
  private configured: Promise<Settings> | undefined;
  private keys: KeySet | undefined;
  /** Ids of the approvals that were used here, with the time until which their tokens count. */
  private readonly used = new Map<string, number>();

  constructor(private readonly options: Options = {}) {}

  /** Milliseconds since 1970. */
  now(): number {
    return (this.options.now ?? Date.now)();
  }

  private settings(): Promise<Settings> {
    return this.configured ??= settings(this.options).catch(error => {
      this.configured = undefined;
      throw error instanceof CannotAsk ? error : new CannotAsk((error as Error).message);
    });
  }

  /** Asks the person. The phone rings when this resolves. */
  async ask(detail: Detail, asking: Asking = {}): Promise<Pending> {
    const configured = await this.settings();
    const user = asking.user ?? configured.user;
    if (user === undefined) throw new CannotAsk("nobody to ask is known; pass `user`, or set COUNTERSIGN_USER");
    const details = [shown(detail)];
    const digest = await digestOfDetails(details);
    const [message, audience] = [asking.message ?? "Approval", asking.audience ?? configured.audience];
    const key = asking.key === undefined
      ? crypto.randomUUID() : await digestOf(canonical([asking.key, digest, user, message, audience]));
    const parameters = {
      login_hint: hint(user), binding_message: message, audience,
      authorization_details: canonical(details), approval_receipt: "true",
      ...this.options.expiry === undefined ? {} : { requested_expiry: String(this.options.expiry) },
    };
    const answer = await this.started(configured, parameters, key, asking.signal);
    const [request, seconds, uri] = [answer.text("auth_req_id"), answer.number("expires_in"), answer.text("approval_uri")];
    const id = uri === undefined ? null : new URL(uri, configured.issuer).searchParams.get("id");
    if (request === undefined || seconds === undefined || uri === undefined || id === null) {
      throw new CannotAsk("the server's answer lacks auth_req_id, expires_in or approval_uri; update the server");
    }
    const code = answer.text("matching_code");
    const pending: Pending = {
      version: 1, issuer: configured.issuer, auth_req_id: request, request_id: id, digest, key, user,
      expires_at: this.now() / 1000 + seconds, interval: answer.number("interval") ?? 5, approval_uri: uri,
      ...code === undefined ? {} : { matching_code: code },
    };
    if (this.options.onAsked) {
      try {
        await this.options.onAsked(pending);
      } catch (error) {
        // Nobody will wait for the answer.
        await this.cancel(pending).catch(() => undefined);
        throw error;
      }
    } else if (code !== undefined) console.warn(`The person has to pick the number ${code}.`);
    return pending;
  }

  /** The pending request of its JSON, in any process with the same client. */
  resume(json: string | object): Pending {
    const pending = (typeof json === "string" ? parsed(json) : json) as Pending;
    const names = ["issuer", "auth_req_id", "request_id", "digest", "key", "user", "approval_uri"] as const;
    if (pending?.version !== 1 || names.some(name => typeof pending[name] !== "string")
      || !Number.isFinite(pending.expires_at) || !Number.isFinite(pending.interval)) {
      throw new CannotAsk("this is no pending request of this version");
    }
    return { ...pending };
  }

  /**
   * Waits for the answer: resolves with the approval of this request, once, if it is one of the given user, message and API.
   * Fails with `Rejected`, `NobodyAnswered`, `CannotAsk`, `Changed`, or the signal's reason.
   */
  async wait(pending: Pending, expected: Omit<Asking, "key"> = {}): Promise<Approval> {
    const configured = await this.settings();
    if (pending.issuer !== configured.issuer) throw new CannotAsk("the pending request is one of another server");
    if ((expected.user ?? pending.user) !== pending.user) throw new Changed("another person was asked");
    const answer = await this.answered(configured, pending, expected.signal);
    const approval = await this.verified(answer, configured, pending, expected);
    if (approval.digest !== pending.digest) throw new Changed("the approval is one of another call");
    try {
      await this.kept(configured, approval.receipt);
    } catch (error) {
      throw new CannotAsk(`the receipt could not be kept (${(error as Error).message})`, "not_kept");
    }
    return approval;
  }

  private async kept(configured: Settings, { id, text: receipt }: Receipt): Promise<void> {
    await this.options.keep?.({ id, receipt, jwks: await this.keySet(configured).text(keyOf(receipt)) });
  }

  /** Keeps the receipt of a rejection, if receipts are kept. A withdrawn request has none. */
  private async keptRejection(configured: Settings, { request_id: id, digest }: Pending): Promise<void> {
    if (!this.options.keep) return;
    try {
      const { response, text } = await this.posted(configured, `approvals/${encodeURIComponent(id)}/receipt`, {});
      if (response.status === 404) return;
      if (response.status !== 200) throw new Error(`status ${response.status}`);
      const receipt = await verifyReceipt(text, await this.keySet(configured).text(keyOf(text)), configured.issuer);
      const shown = await digestOfDetails(receipt.record["authorization_details"] ?? null);
      if (receipt.decision !== "rejected" || receipt.id !== id || shown !== digest) throw new Error("it is of another decision");
      await this.kept(configured, receipt);
    } catch (error) {
      // The rejection counts, whether or not it is proved.
      console.warn(`The receipt of the rejected request ${id} was not kept: ${because(error)}`);
    }
  }

  /** Withdraws the request: the phone removes it. */
  async cancel(pending: Pending): Promise<void> {
    await this.post(await this.settings(), "oauth/revoke", { token: pending.auth_req_id, token_type_hint: "auth_req_id" });
  }

  private keySet(configured: Settings): KeySet {
    return this.keys ??= new KeySet(() => this.repeated(configured, undefined, async () => {
      const [response, text] = await within(PATIENCE, undefined, async signal => {
        const response = await configured.fetch(`${configured.issuer}.well-known/jwks.json`, { signal, redirect: "error" });
        return [response, await textOf(response)] as const;
      });
      if (!response.ok) throw new Error(`status ${response.status}`);
      parseMembers(text);
      return text;
    }), () => this.now());
  }

  /** The result of a step, which is tried again after failures of the network. */
  private async repeated<Result>(
    { issuer }: Settings, signal: AbortSignal | undefined, step: (isLast: boolean) => Promise<Result>,
  ): Promise<Result> {
    for (let attempt = 1;; attempt += 1) {
      try {
        return await step(attempt === ATTEMPTS);
      } catch (error) {
        signal?.throwIfAborted();
        if (error instanceof CannotAsk) throw error;
        if (attempt === ATTEMPTS) throw new CannotAsk(`${issuer} cannot be reached (${because(error)})`);
        await pause(attempt * 500, signal);
      }
    }
  }

  private async posted(
    configured: Settings, path: string, parameters: { [name: string]: string }, headers: { [name: string]: string } = {},
    signal?: AbortSignal, patience = PATIENCE,
  ): Promise<{ response: Response; text: string }> {
    const body = new URLSearchParams({ ...await authentication(configured, this.now()), ...parameters });
    return within(patience, signal, async limit => {
      const response = await configured.fetch(configured.issuer + path, {
        method: "POST", body, signal: limit, redirect: "error",
        headers: { "Content-Type": "application/x-www-form-urlencoded", ...headers },
      });
      return { response, text: await textOf(response) };
    });
  }

  private async post(...request: Parameters<Countersign["posted"]>): Promise<Answer> {
    const { response, text } = await this.posted(...request);
    const members = text === "" ? {} : parseMembers(text);
    const retryAfter = Number(response.headers.get("Retry-After") ?? NaN);
    return {
      status: response.status, body: members, retryAfter: Number.isFinite(retryAfter) ? retryAfter : undefined,
      text: name => typeof members[name] === "string" ? members[name] as string : undefined,
      number: name => members[name] instanceof Numeral ? Number((members[name] as Numeral).text) : undefined,
    };
  }

  /** Starts the request. The key makes repeating safe: the phone rings once. */
  private started(
    configured: Settings, parameters: { [name: string]: string }, key: string, signal?: AbortSignal,
  ): Promise<Answer> {
    return this.repeated(configured, signal, async isLast => {
      const answer = await this.post(configured, "bc-authorize", parameters, { "Idempotency-Key": key }, signal);
      if (answer.status >= 500 && !isLast) throw new Error(`status ${answer.status}`);
      if (answer.status >= 400) throw refusal(answer);
      return answer;
    });
  }

  /** The token response of an allowed request. */
  private async answered(configured: Settings, pending: Pending, signal?: AbortSignal): Promise<Answer> {
    const end = pending.expires_at * 1000 + GRACE;
    let [interval, failures] = [pending.interval, 0];
    for (;;) {
      const began = this.now();
      let failure = "it does not say that the request has ended";
      try {
        const answer = await this.post(
          configured, "oauth/token", { grant_type: CIBA, auth_req_id: pending.auth_req_id }, { Prefer: `wait=${HELD}` },
          signal, HELD * 1000 + PATIENCE);
        const error = answer.text("error");
        if (answer.status < 400 && error === undefined) return answer;
        if (error === "access_denied") {
          await this.keptRejection(configured, pending);
          throw new Rejected(answer.text("reason"));
        }
        if (error === "expired_token") throw new NobodyAnswered();
        if (answer.status < 500 && answer.status !== 429 && !GO_ON.includes(error ?? "")) throw refusal(answer);
        interval = answer.retryAfter ?? answer.number("interval") ?? interval;
        failures = 0;
      } catch (error) {
        signal?.throwIfAborted();
        if (error instanceof CountersignError) throw error;
        failure = because(error);
        failures += 1;
      }
      const now = this.now();
      if (now > end) throw new CannotAsk(`${configured.issuer} cannot be reached (${failure})`, "expired");
      const backoff = failures === 0 ? 0 : Math.min(250 * 2 ** failures, LONGEST_PAUSE);
      await pause(Math.min(Math.max(began + interval * 1000 - now, backoff), end + 1 - now), signal);
    }
  }

  /** Compares everything that the answer says of the request, and takes each approval once. */
  private async verified(
    answer: Answer, configured: Settings, { request_id: id, user }: Pending, expected: Omit<Asking, "key">,
  ): Promise<Approval> {
    const audience = expected.audience ?? configured.audience;
    const [token, text] = [answer.text("access_token"), answer.text("approval_receipt")];
    if (token === undefined || text === undefined) throw new Changed("the answer has no token or no receipt");
    const keys = this.keySet(configured);
    let claims: Members, receipt: Receipt;
    try {
      claims = await verifyToken(token, keys, configured.issuer, audience, configured.clientId, this.now());
      receipt = await verifyReceipt(text, await keys.text(keyOf(text)), configured.issuer);
    } catch (error) {
      throw error instanceof CannotAsk ? error : new Changed((error as Error).message);
    }
    const digest = await digestOfDetails(claims["authorization_details"] ?? null);
    const record = receipt.record;
    const agree = (condition: boolean, name: string): void => {
      if (!condition) throw new Changed(`${name} is about something else than the token`);
    };
    agree(await digestOfDetails(answer.body["authorization_details"] ?? null) === digest, "the answer");
    agree(await digestOfDetails(record["authorization_details"] ?? null) === digest, "the receipt");
    agree(receipt.decision === "allowed" && receipt.clientId === configured.clientId, "the receipt");
    const issued = Number((claims["iat"] as Numeral).text) * 1000;
    agree(issued >= Date.parse(String(record["created_at"])) - 1000, "the receipt");
    agree(receipt.subject === claims["sub"] && record["audience"] === audience, "the receipt");
    const message = record["binding_message"];
    if (message !== (expected.message ?? message)) throw new Changed("the person was shown another message");
    const person = subjectOf(expected.user ?? user);
    if (receipt.subject !== (person ?? receipt.subject)) throw new Changed("another person answered");
    const approval = claims["approval"];
    if (isMembers(approval)) agree(approval["id"] === receipt.id && approval["digest"] === receipt.requestDigest, "the receipt");
    if (receipt.id !== id) throw new Changed("the approval is one of another request");
    if (this.used.has(receipt.id)) throw new Changed("the approval was used before");
    for (const [id, until] of this.used) if (until < this.now()) this.used.delete(id);
    const expiresAt = Number((claims["exp"] as Numeral).text) * 1000;
    this.used.set(receipt.id, expiresAt + 2 * GRACE);
    return { accessToken: token, subject: receipt.subject, digest, expiresAt, receipt };
  }
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** The JSON of a detail, of which nothing can change later. */
function shown(detail: Detail): Json {
  try {
    return copied(detail, "the call");
  } catch (error) {
    throw error instanceof NotJson ? new CannotAsk(error.message) : error;
  }
}

/** The subject that has to answer, if the person is named by it and not by an address. */
function subjectOf(user: string): string | undefined {
  return user.startsWith("{") || /^\+[0-9]+$/.test(user) || user.includes("@") && !user.includes("|") ? undefined : user;
}

/** The parameter that names the person. */
function hint(user: string): string {
  if (subjectOf(user) !== undefined) return JSON.stringify({ format: "opaque", id: user });
  return user.startsWith("+") && !user.includes("@") ? JSON.stringify({ format: "phone_number", phone_number: user }) : user;
}

/** The id of the key that signed a token, which is not verified yet. */
function keyOf(token: string): string {
  const { kid } = readJws(token, 1 << 20).header;
  return typeof kid === "string" ? kid : "";
}

function refusal(answer: Answer): CannotAsk {
  const code = answer.text("error") ?? `status ${answer.status}`;
  return new CannotAsk(advice(code, answer.text("error_description") ?? ""), code, answer.retryAfter);
}
