/** A server and a person for tests, without a network. Its signatures are verified like the real server's. */
import { crypto } from "#system";
import { signed } from "./assertion.js";
import { digestOf } from "./bytes.js";
import { Countersign } from "./client.js";
import type { Options } from "./configuration.js";
import type { Json } from "./json.js";

/** A request as the person saw it. */
export interface Shown {
  id: string;
  user: string;
  message: string;
  audience: string;
  detail: { [name: string]: Json };
}

export type Answer = "allow" | "reject" | "nobody" | { reject: string };
export type Person = Answer | ((shown: Shown) => Answer | Promise<Answer>);

interface Request extends Shown {
  subject: string;
  secret: string;
  key: string;
  created: number;
  answer?: Promise<Answer>;
  rejection?: string;
  isWithdrawn: boolean;
  isRedeemed: boolean;
}

const ISSUER = "https://fake.invalid/";
const CLIENT = "fake-client";
const SUBJECT = "fake|person";
const RECEIPT = { typ: "approval-receipt+jwt" };
const LIFETIME = 300;
const ECDSA = { name: "ECDSA", namedCurve: "P-256" };

const pair = (): Promise<CryptoKeyPair> => crypto.subtle.generateKey(ECDSA, true, ["sign", "verify"]);
const seconds = (time: number): number => Math.floor(time / 1000);
const date = (time: number): string => new Date(time).toISOString();

function reply(status: number, body: object): Response {
  return new Response(JSON.stringify(body), { status, headers: { "Content-Type": "application/json" } });
}

/** The subject of a hint: its id, or the same one for all addresses. */
function subjectOf(hint: string): string {
  return hint.startsWith("{") ? JSON.parse(hint).id ?? SUBJECT : SUBJECT;
}

/** A result, unless the signal is aborted first. */
function abortable<Result>(result: Promise<Result>, signal?: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
    result.then(resolve, reject);
  });
}

const failure = (error: string, more: object = {}): Response => reply(400, { error, error_description: error, ...more });

/** The server. Tests of lies replace its methods. */
export class FakeServer {
  readonly requests: Request[] = [];
  private readonly keys = Promise.all([pair(), pair()]);

  constructor(readonly person: Person = "allow", readonly now: () => number = Date.now) {}

  /** A client of this server. */
  client(options: Options = {}): Countersign {
    return new Countersign({
      issuer: ISSUER, clientId: CLIENT, clientSecret: "secret", user: SUBJECT, now: this.now,
      fetch: (input, init) => abortable(this.fetch(String(input), init), init?.signal ?? undefined), ...options,
    });
  }

  async fetch(url: string, init: RequestInit = {}): Promise<Response> {
    const form = new URLSearchParams(String(init.body ?? ""));
    switch (url.slice(ISSUER.length)) {
      case ".well-known/jwks.json": return reply(200, { keys: [{ ...await this.publicKey(0), kid: "1", alg: "ES256" }] });
      case "bc-authorize": return this.start(form, new Headers(init.headers).get("Idempotency-Key") ?? "");
      case "oauth/token": return this.poll(form.get("auth_req_id") ?? "", init.signal);
      case "oauth/revoke": return this.withdraw(form.get("token") ?? "");
      default: return this.rejection(url.split("/")[4] ?? "");
    }
  }

  private start(form: URLSearchParams, key: string): Response {
    let request = this.requests.find(request => request.key === key);
    if (request === undefined) {
      const detail = JSON.parse(form.get("authorization_details") ?? "[]")[0];
      const [user, message, audience] = ["login_hint", "binding_message", "audience"].map(name => form.get(name) ?? "");
      request = {
        id: `cns_${crypto.randomUUID()}`, subject: subjectOf(user as string), secret: crypto.randomUUID(), key, created: this.now(), isWithdrawn: false,
        isRedeemed: false, detail, user: user as string, message: message as string, audience: audience as string,
      };
      this.requests.push(request);
    }
    return reply(200, {
      auth_req_id: request.secret, expires_in: LIFETIME, interval: 0, approval_uri: `${ISSUER}u/approve?id=${request.id}`,
    });
  }

  private async poll(secret: string, signal?: AbortSignal | null): Promise<Response> {
    const request = this.requests.find(request => request.secret === secret);
    if (request === undefined || request.isRedeemed) return failure("invalid_grant");
    if (request.isWithdrawn) return failure("access_denied");
    const { id, user, message, audience, detail, created } = request;
    const { person } = this;
    request.answer ??= Promise.resolve(typeof person === "function" ? person({ id, user, message, audience, detail }) : person);
    const answer = await request.answer;
    // The tokens wait for a client that hung up.
    signal?.throwIfAborted();
    if (request.isRedeemed) return failure("invalid_grant");
    if (request.isWithdrawn) return failure("access_denied");
    if (answer === "reject" || typeof answer === "object") {
      request.rejection = typeof answer === "object" ? answer.reject : "";
      return failure("access_denied", request.rejection === "" ? {} : { reason: request.rejection });
    }
    if (answer === "nobody" || this.now() >= created + LIFETIME * 1000) return failure("expired_token");
    request.isRedeemed = true;
    return reply(200, await this.response(request));
  }

  private withdraw(secret: string): Response {
    const request = this.requests.find(request => request.secret === secret);
    if (request !== undefined) request.isWithdrawn = true;
    return reply(200, {});
  }

  /** The receipt of a rejected request. */
  private async rejection(id: string): Promise<Response> {
    const request = this.requests.find(request => request.id === id && request.rejection !== undefined);
    if (request === undefined) return reply(404, { error: "not_found" });
    const record = JSON.stringify(this.record(request));
    return new Response(await this.sign(RECEIPT, await this.receipt(request, record, await digestOf(record))));
  }

  /** The token response of an allowed request. */
  async response(request: Request): Promise<object> {
    const record = JSON.stringify(this.record(request));
    const digest = await digestOf(record);
    return {
      access_token: await this.sign({ typ: "at+jwt" }, this.claims(request, digest)), token_type: "Bearer", expires_in: LIFETIME,
      authorization_details: [request.detail],
      approval_receipt: await this.sign(RECEIPT, await this.receipt(request, record, digest)),
    };
  }

  /** The claims of the access token. */
  claims({ id, subject, audience, detail }: Request, digest: string): object {
    return {
      iss: ISSUER, sub: subject, aud: audience, client_id: CLIENT, iat: seconds(this.now()), exp: seconds(this.now()) + LIFETIME,
      jti: crypto.randomUUID(), authorization_details: [detail], approval: { id, digest },
    };
  }

  /** The record that the person signs. */
  record({ id, subject, audience, message, detail, created }: Request): object {
    return {
      id, iss: ISSUER, tenant: "fake", client_id: CLIENT, client_name: "Fake client", sub: subject, audience,
      audience_name: "Fake API", scope: [], binding_message: message, authorization_details: [detail],
      created_at: date(created), expires_at: date(created + LIFETIME * 1000), salt: crypto.randomUUID(),
    };
  }

  /** The claims of the receipt. */
  async receipt({ id, subject, created, rejection }: Request, record: string, digest: string): Promise<object> {
    const decided = Math.max(created, this.now() - 1);
    const [identifier, place] = ["fake-phone", `1:${"0".repeat(64)}`];
    const answer = {
      iss: identifier, sub: "challenge", aud: ISSUER, iat: seconds(decided), exp: seconds(decided) + 60,
      auth0_guardian_method: "push", auth0_guardian_accepted: rejection === undefined, request_digest: digest,
      auth0_guardian_reason: rejection ?? null,
    };
    const [, phone] = await this.keys;
    return {
      iss: ISSUER, sub: subject, aud: CLIENT, id, iat: seconds(decided) + 1, record, request_digest: digest,
      decision: rejection === undefined ? "allowed" : "rejected", ...rejection?.trim() ? { reason: rejection } : {},
      decided_at: date(decided), evidence: "signed-digest",
      device: { id: "dev_fake", name: "Fake phone", identifier, jwk: await this.publicKey(1), enrolled_at: date(created) },
      answer: await signed({ typ: "JWT" }, answer, phone.privateKey), audit: { entry: place, head: place },
    };
  }

  async sign(header: object, claims: object): Promise<string> {
    const [issuer] = await this.keys;
    return signed({ kid: "1", ...header }, claims, issuer.privateKey);
  }

  private async publicKey(index: 0 | 1): Promise<object> {
    const { kty, crv, x, y } = await crypto.subtle.exportKey("jwk", (await this.keys)[index].publicKey);
    return { kty, crv, x, y };
  }
}

/** A client whose person answers as a test says, and the requests that the person was shown. */
export function fake(person: Person = "allow", options: Options = {}): { client: Countersign; shown: readonly Shown[] } {
  const server = new FakeServer(person, options.now);
  return { client: server.client(options), shown: server.requests };
}
