/** Functions that run only after a person approved exactly that call. */
import { base64url, digestOf, sha256, utf8 } from "./bytes.js";
import { Countersign, digestOfDetails, type Approval, type Asking, type Detail, type Pending } from "./client.js";
import { CannotAsk, Changed } from "./errors.js";
import { canonical, copied, NotJson, type Json } from "./json.js";

type Template<Arguments> = (args: Arguments) => string | undefined;

export interface Rules<Arguments = any> {
  /** Name of the tool; by default that of the function. */
  tool?: string;
  /** The text that counts most, in the largest letters; a payment's amount. */
  headline?: Template<Arguments>;
  /** The payee or recipient. */
  to?: Template<Arguments>;
  /** The agent's own words, which the card shows as such. */
  says?: Template<Arguments>;
  /** The folder of a `command`, its command line, files and change. */
  folder?: Template<Arguments>;
  command?: Template<Arguments>;
  files?: (args: Arguments) => string[];
  diff?: Template<Arguments>;
  /** Names of arguments that are shown as their SHA-256 and size, because they are too large for a card. */
  asDigest?: string[];
  /** The API that registered the type; needed for types of one's own. */
  audience?: string;
  /** The person to ask. Never take it from the model. */
  user?: string;
  message?: string;
  client?: Countersign;
}

/** Keeps pending requests, which are secret, as JSON: a `Map`, or a table that outlasts the process. */
export interface Store {
  get(key: string): string | undefined | Promise<string | undefined>;
  set(key: string, pending: string): unknown;
  delete(key: string): unknown;
}

export interface Call {
  /** Id of the call, such as a framework's id of a tool call, so that asking again rings once. */
  key?: string;
  /** Keeps the pending request under the key, so that a call goes on after a restart. */
  store?: Store;
  user?: string;
  /** Ends the wait, and withdraws the request. */
  signal?: AbortSignal;
}

type Run<Arguments, Result> = (args: Arguments, approval: Approval) => Result;

const OTHERS = "its arguments are not those that the person was shown";
const TEMPLATES = ["headline", "to", "says", "folder", "command", "files", "diff"] as const;
/** The types for agents, and what their cards show beside the arguments. */
const AGENT_TYPES = new Map<string, readonly (typeof TEMPLATES[number])[]>([
  ["tool_call", ["headline", "to", "says"]], ["payment", ["headline", "to", "says"]],
  ["command", ["folder", "command", "files", "diff", "says"]],
]);
/** Characters of an agent's words that fit on a card. */
const WORDS = 250;
const UNSAFE = /[^A-Za-z0-9 +\-_.,:#]+/g;

let shared: Countersign | undefined;

/** A type of call, with the rules by which a card is made of its arguments. */
export class Guard<Arguments extends object = any> {
  readonly client: Countersign;
  private readonly settled = new Map<string, Approval>();

  constructor(readonly type: string, readonly rules: Rules<Arguments>, readonly tool: string) {
    this.client = rules.client ?? (shared ??= new Countersign());
    const fits = AGENT_TYPES.get(type);
    if (fits && tool === "") throw new TypeError("the function has no name: set `tool`");
    if (type === "payment" && !rules.headline) throw new TypeError("a payment needs `headline`, its amount");
    if (type === "command" && !rules.folder) throw new TypeError("a command needs `folder`");
    if (!fits && rules.audience === undefined) throw new TypeError(`the type ${type} needs \`audience\`, its API`);
    const strange = TEMPLATES.find(name => name in rules && !fits?.includes(name));
    if (strange !== undefined) throw new TypeError(`cards of the type ${type} have no ${strange}`);
  }

  /** The arguments as they are now, and the detail that shows them. Both are copies: nothing else can change them. */
  private async read(args: Arguments): Promise<{ actual: Arguments; detail: Detail }> {
    try {
      const actual = copied(args ?? {}, "the argument");
      if (typeof actual !== "object" || actual === null || Array.isArray(actual)) {
        throw new NotJson("the argument is not one object of arguments");
      }
      return { actual: actual as Arguments, detail: await this.detail(actual) };
    } catch (error) {
      throw error instanceof NotJson ? new CannotAsk(error.message) : error;
    }
  }

  private async detail(actual: { [name: string]: Json }): Promise<Detail> {
    const displayed = { ...actual };
    for (const name of this.rules.asDigest ?? []) {
      const value = actual[name];
      if (value === undefined) continue;
      const bytes = utf8(typeof value === "string" ? value : canonical(value));
      // The kind keeps a value and the text of its JSON apart.
      const kind = typeof value === "string" ? {} : { kind: "json" };
      displayed[name] = { sha256: base64url(await sha256(bytes)), bytes: bytes.length, ...kind };
    }
    const templates = AGENT_TYPES.get(this.type);
    if (templates === undefined) {
      if ("type" in displayed) throw new NotJson("the argument has a member `type`, which is the name of the detail's type");
      return { type: this.type, ...displayed };
    }
    const detail: Detail = { type: this.type, tool: this.tool, arguments: displayed };
    for (const name of templates) {
      // Each template has a copy of its own, so that it cannot change the call.
      const value = this.rules[name]?.(copied(actual, "the argument") as unknown as Arguments);
      if (value === undefined || value === "") continue;
      const words = name === "says" ? [...value] : [];
      detail[name] = words.length > WORDS ? `${words.slice(0, WORDS).join("")}…` : value;
    }
    return detail;
  }

  /** Asks the person for a call with these arguments. */
  async ask(args: Arguments, { key, user, signal }: Call = {}): Promise<Pending> {
    const { detail } = await this.read(args);
    return this.client.ask(detail, { ...this.asking(user, signal), ...key === undefined ? {} : { key } });
  }

  /** All that an approval is for, beside the detail. */
  private asking(user = this.rules.user, signal?: AbortSignal): Asking {
    const { message, audience } = this.rules;
    const name = this.tool.replace(UNSAFE, " ").trim() || this.type;
    return {
      message: message ?? name.slice(0, 64), ...user === undefined ? {} : { user },
      ...audience === undefined ? {} : { audience }, ...signal === undefined ? {} : { signal },
    };
  }

  /** Waits for the answer to a request, and runs the function. The signal ends the wait, and withdraws nothing. */
  async run<Result>(
    pending: Pending, args: Arguments, run: Run<Arguments, Result>, { user, signal }: Pick<Call, "user" | "signal"> = {},
  ): Promise<Awaited<Result>> {
    return this.execute(await this.client.wait(pending, this.asking(user, signal)), args, run);
  }

  /** Asks, unless the store has the request already; waits, and runs. An approval of `settle` is taken first. */
  async call<Result>(args: Arguments, run: Run<Arguments, Result>, call: Call = {}): Promise<Awaited<Result>> {
    const entry = call.key === undefined ? "" : await this.entry(call.key, call.user);
    const settled = this.settled.get(entry);
    this.settled.delete(entry);
    return this.execute(settled ?? await this.approved(args, call), args, run);
  }

  /** Asks and waits. The next call with this key runs by the approval, which only this process has. */
  async settle(args: Arguments, call: Call & { key: string }): Promise<void> {
    const entry = await this.entry(call.key, call.user);
    for (const [name, { expiresAt }] of this.settled) if (expiresAt <= this.client.now()) this.settled.delete(name);
    if (!this.settled.has(entry)) this.settled.set(entry, await this.approved(args, call));
  }

  /** The request of the store, or a new one. */
  async begin(args: Arguments, call: Call): Promise<Pending> {
    const { key, store } = call;
    if (store !== undefined && key === undefined) throw new TypeError("a store needs the call's `key`");
    const stored = key === undefined || store === undefined ? undefined : await this.stored(key, store, call.user);
    if (stored !== undefined) return stored;
    const pending = await this.ask(args, call);
    if (key !== undefined) await store?.set(await this.entry(key, call.user), JSON.stringify(pending));
    return pending;
  }

  /** The pending request of a key, if the store has it whole. */
  async stored(key: string, store: Store, user?: string): Promise<Pending | undefined> {
    const text = await store.get(await this.entry(key, user));
    try {
      return text === undefined ? undefined : this.client.resume(text);
    } catch {
      // A crash may have left a part of it. With the same key, asking again is the same request.
      return undefined;
    }
  }

  async forget({ key, store, user }: Call): Promise<void> {
    if (key !== undefined) await store?.delete(await this.entry(key, user));
  }

  /**
   * The name under which a call is kept. Keys come from models and clients, and could name files, or calls of other tools
   * and people.
   */
  private entry(key: string, user = this.rules.user): Promise<string> {
    return digestOf(canonical([this.type, this.tool, key, user ?? null]));
  }

  private async approved(args: Arguments, call: Call): Promise<Approval> {
    const { user, signal } = call;
    const pending = await this.begin(args, call);
    try {
      signal?.throwIfAborted();
      if (await digestOfDetails([(await this.read(args)).detail]) !== pending.digest) throw new Changed(OTHERS);
      const approval = await this.client.wait(pending, this.asking(user, signal));
      signal?.throwIfAborted();
      await this.forget(call);
      return approval;
    } catch (error) {
      // Without a code, the server could not be reached, and the request may still be answered.
      if (!(error instanceof CannotAsk && error.code === undefined)) await this.forget(call);
      if (signal?.aborted || error instanceof Changed) await this.client.cancel(pending).catch(() => undefined);
      throw error;
    }
  }

  /**
   * Runs the function if the arguments, read again now, are those that were approved. The function gets the copy whose
   * digest was compared.
   */
  private async execute<Result>(approval: Approval, args: Arguments, run: Run<Arguments, Result>): Promise<Awaited<Result>> {
    const { actual, detail } = await this.read(args);
    if (await digestOfDetails([detail]) !== approval.digest) throw new Changed(OTHERS);
    if (this.client.now() >= approval.expiresAt) throw new Changed("the approval has expired");
    return await run(actual, approval);
  }
}

export interface Approved<Arguments, Result> {
  /** Asks, waits, and runs the function. */
  (args: Arguments, call?: Call): Promise<Awaited<Result>>;
  /** Asks only. Keep the result as JSON, and pass it to `run` here or in another process. */
  ask(args: Arguments, call?: Call): Promise<Pending>;
  /**
   * Waits for the answer to `pending`, and runs the function if the arguments are those that were approved. The signal ends
   * the wait and withdraws nothing, so that it can be called again. `user` is the one who was asked, if the call named them.
   */
  run(pending: Pending, args: Arguments, waiting?: Pick<Call, "user" | "signal">): Promise<Awaited<Result>>;
}

/**
 * A function that asks a person before each call: `approve("payment", { headline: … })(pay)`.
 *
 * The function takes its arguments as one object. The person sees them, and it gets exactly what the person saw; its
 * second parameter is the approval, with the token for an API.
 */
export function approve<Most = any>(type: string, rules: Rules<Most> = {}) {
  return <Arguments extends Most & object, Result>(
    run: Run<Arguments, Result>,
  ): Approved<Arguments, Result> => {
    const guard = new Guard<Arguments>(type, rules as unknown as Rules<Arguments>, rules.tool ?? run.name);
    return Object.assign((args: Arguments, call?: Call) => guard.call(args, run, call), {
      ask: (args: Arguments, call?: Call) => guard.ask(args, call),
      run: (pending: Pending, args: Arguments, waiting?: Pick<Call, "user" | "signal">) => guard.run(pending, args, run, waiting),
    });
  };
}
