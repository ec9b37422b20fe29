/** Settings of a client: from its options, then the environment, then the file of a development server. */
import { system } from "#system";
import type { Pending } from "./client.js";
import { CannotAsk } from "./errors.js";
import { parseMembers, plain, type Json } from "./json.js";
import type { System } from "./system.js";

export interface Options {
  /** Address of the server's tenant, such as `https://id.example.com/`. */
  issuer?: string;
  clientId?: string;
  clientSecret?: string;
  /** Private key instead of a secret: PKCS #8 in PEM, or a key of WebCrypto that may sign. */
  clientKey?: string | CryptoKey;
  /** Id of the key in the client's registration, if it has several. */
  clientKeyId?: string;
  /** The person to ask: an address, or a subject identifier in JSON. */
  user?: string;
  /** The API that registered the types of details. */
  audience?: string;
  /** Certificates in PEM of a private authority; Node only. Elsewhere the runtime's own settings count. */
  authority?: string;
  /** Used instead of the runtime's `fetch`. */
  fetch?: typeof fetch;
  /** Seconds for which a person may answer. */
  expiry?: number;
  /** Receives each request that was made, to show its page, or the number that the person has to pick. */
  onAsked?: (pending: Pending) => void | Promise<void>;
  /** Keeps each receipt before its call runs. If it fails, the call does not run. */
  keep?: (kept: { id: string; receipt: string; jwks: string }) => void | Promise<void>;
  /** Milliseconds since 1970. */
  now?: () => number;
}

export interface Settings {
  issuer: string;
  clientId: string;
  credential: { secret: string } | { key: string | CryptoKey; id: string | undefined };
  user: string | undefined;
  audience: string;
  fetch: typeof fetch;
}

export const AGENT_TOOLS = "urn:countersign:agent-tools";
const DEVELOPMENT = "countersign-data";
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** The text of a file that somebody named. */
async function read(path: string): Promise<string> {
  try {
    return await (system as System).read(path);
  } catch (error) {
    throw new CannotAsk(`the file ${path} cannot be read (${(error as Error).message})`);
  }
}

/** The values of a development server that was started in this folder. */
async function development(): Promise<{ [name: string]: Json }> {
  const text = await system?.read(`${DEVELOPMENT}/development.json`).catch(() => undefined);
  if (text === undefined) return {};
  const found = plain(parseMembers(text)) as { [name: string]: Json };
  if (!LOOPBACK.test(new URL(String(found["issuer"])).hostname)) {
    throw new CannotAsk(`${DEVELOPMENT} is of a server on another machine; set COUNTERSIGN_ISSUER and the client yourself`);
  }
  return { ...found, ca: `${DEVELOPMENT}/tls/ca.pem` };
}

export async function settings(options: Options): Promise<Settings> {
  const variable = (name: string): string | undefined => system?.variables[`COUNTERSIGN_${name}`] || undefined;
  const given = options.issuer ?? variable("ISSUER");
  const file = given === undefined ? await development() : {};
  const member = (name: string): string | undefined => file[name] as string | undefined;
  const required = (value: string | undefined, option: string, name: string): string => {
    if (value !== undefined) return value;
    throw new CannotAsk(`no ${option} is known; pass it, or set COUNTERSIGN_${name}, or run in the folder of a development server`);
  };
  const issuer = required(given ?? member("issuer"), "issuer", "ISSUER");
  if (!/^https:\/\/[^?#]+$/.test(issuer)) throw new CannotAsk(`the issuer ${issuer} is no https address`);

  const client = options.clientId ?? variable("CLIENT_ID");
  const keyFile = options.clientSecret === undefined ? variable("CLIENT_KEY") : undefined;
  const key = options.clientKey ?? (keyFile && await read(keyFile));
  const secret = options.clientSecret ?? variable("CLIENT_SECRET") ?? (client === undefined ? member("client_secret") : undefined);
  const authorityFile = variable("CA") ?? member("ca");
  const authority = options.authority ?? (authorityFile && await read(authorityFile));
  return {
    issuer: issuer.endsWith("/") ? issuer : `${issuer}/`,
    clientId: required(client ?? member("client_id"), "clientId", "CLIENT_ID"),
    credential: key === undefined
      ? { secret: required(secret, "clientSecret or clientKey", "CLIENT_SECRET") } : { key, id: options.clientKeyId },
    user: options.user ?? variable("USER") ?? member("user_id"),
    audience: options.audience ?? variable("AUDIENCE") ?? AGENT_TOOLS,
    fetch: options.fetch ?? (authority && system ? system.fetchWith(authority) : globalThis.fetch),
  };
}
