/** Functions that run only after a person approved exactly that call. */
import { base64url, sha256, utf8 } from "./bytes.js";
import { Countersign, digestOfDetails, type Approval, type Asking, type Detail, type Pending } from "./client.js";
import { CannotAsk, Changed } from "./errors.js";
import { canonical, copied, NotJson, type Json } from "./json.js";

type Template<Arguments> = (args: Arguments) => string | undefined;

export interface Rules<Arguments = any> {
  /** Name of the tool; by default that of the function. */
  tool?: string;
  /** What counts most, in the largest letters; a payment's amount. */
  headline?: Template<Arguments>;
  /** The payee or recipient. */
  to?: Template<Arguments>;
  /** The agent's own words, which the card shows as such. */
  says?: Template<Arguments>;
  /** Of a `command`: its folder, command line, files and change. */
  folder?: Template<Arguments>;
  command?: Template<Arguments>;
  files?: (args: Arguments) => string[];
  diff?: Template<Arguments>;
  /** Names of arguments that are shown as their SHA-256 and size, because they are too large for a card. */
  digested?: string[];
  /** The API that registered the type; needed for types of one's own. */
  audience?: string;
  /** The person to ask. Never take it from the model. */
  user?: string;
  message?: string;
  client?: Countersign;
}

export interface Call {
  /** Id of the call, so that asking again rings once. */
  key?: string;
  user?: string;
  /** Ends the wait, and withdraws the request. */
  signal?: AbortSignal;
  /** Receives the pending request, to show its page or number, or to keep it. */
  onAsked?: (pending: Pending) => void | Promise<void>;
}

const AGENT_TYPES = ["tool_call", "payment", "command"];
const TEMPLATES = ["headline", "to", "says", "folder", "command", "files", "diff"] as const;
const UNSAFE = /[^A-Za-z0-9 +\-_.,:#]+/g;

let shared: Countersign | undefined;

/** A type of call, with the rules by which a card is made of its arguments. */
export class Guard<Arguments extends object = any> {
  readonly client: Countersign;

  constructor(readonly type: string, readonly rules: Rules<Arguments>, readonly tool: string) {
    this.client = rules.client ?? (shared ??= new Countersign());
    const isAgentType = AGENT_TYPES.includes(type);
    if (isAgentType && tool === "") throw new TypeError("the function has no name: set `tool`");
    if (type === "payment" && !rules.headline) throw new TypeError("a payment needs `headline`, its amount");
    if (type === "command" && !rules.folder) throw new TypeError("a command needs `folder`");
    if (!isAgentType && rules.audience === undefined) throw new TypeError(`the type ${type} needs \`audience\`, its API`);
    if (!isAgentType && TEMPLATES.some(name => name in rules)) {
      throw new TypeError(`cards of ${type} are made by its schema: leave out ${TEMPLATES.join(", ")}`);
    }
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
    for (const name of this.rules.digested ?? []) {
      const value = actual[name];
      if (value === undefined) continue;
      const bytes = utf8(typeof value === "string" ? value : canonical(value));
      displayed[name] = { sha256: base64url(await sha256(bytes)), bytes: bytes.length };
    }
    if (!AGENT_TYPES.includes(this.type)) {
      if ("type" in displayed) throw new NotJson("the argument has a member `type`, which is the name of the detail's type");
      return { type: this.type, ...displayed };
    }
    const detail: Detail = { type: this.type, tool: this.tool, arguments: displayed };
    for (const name of TEMPLATES) {
      // Each template has a copy of its own, so that it cannot change the call.
      const value = this.rules[name]?.(copied(actual, "the argument") as unknown as Arguments);
      if (value !== undefined) detail[name] = value;
    }
    return detail;
  }

  /** Asks the person for a call with these arguments. */
  async ask(args: Arguments, { key, user, signal }: Call = {}): Promise<Pending> {
    const { detail } = await this.read(args);
    const asking: Asking = { message: this.rules.message ?? (this.tool.replace(UNSAFE, " ").trim().slice(0, 64) || this.type.slice(0, 64)) };
    const person = user ?? this.rules.user;
    if (person !== undefined) asking.user = person;
    if (this.rules.audience !== undefined) asking.audience = this.rules.audience;
    if (key !== undefined) asking.key = key;
    if (signal !== undefined) asking.signal = signal;
    return this.client.ask(detail, asking);
  }

  /**
   * Waits, and runs the function if the arguments, read again now, are those that were approved. The function gets the
   * copy whose digest was compared.
   */
  async run<Result>(
    pending: Pending, args: Arguments, run: (args: Arguments, approval: Approval) => Result, signal?: AbortSignal,
  ): Promise<Awaited<Result>> {
    const approval = await this.client.wait(pending, signal === undefined ? {} : { signal });
    const { actual, detail } = await this.read(args);
    if (await digestOfDetails([detail]) !== approval.digest) {
      throw new Changed("its arguments are not those that the person was shown");
    }
    return await run(actual, approval);
  }

  /** Asks, waits and runs. */
  async call<Result>(
    args: Arguments, run: (args: Arguments, approval: Approval) => Result, call: Call = {},
  ): Promise<Awaited<Result>> {
    const pending = await this.ask(args, call);
    try {
      await call.onAsked?.(pending);
      return await this.run(pending, args, run, call.signal);
    } catch (error) {
      if (call.signal?.aborted) await this.client.cancel(pending).catch(() => undefined);
      throw error;
    }
  }
}

export interface Approved<Arguments, Result> {
  /** Asks, waits, and runs the function. */
  (args: Arguments, call?: Call): Promise<Awaited<Result>>;
  /** Asks only. Keep the result as JSON, and pass it to `run` here or in another process. */
  ask(args: Arguments, call?: Call): Promise<Pending>;
  /** Waits for the answer to `pending`, and runs the function if the arguments are those that were approved. */
  run(pending: Pending, args: Arguments, signal?: AbortSignal): Promise<Awaited<Result>>;
}

/**
 * A function that asks a person before each call: `approve("payment", { headline: … })(pay)`.
 *
 * The function takes its arguments as one object. The person sees them, and it gets exactly what the person saw; its
 * second parameter is the approval, with the token for an API.
 */
export function approve<Most = any>(type: string, rules: Rules<Most> = {}) {
  return <Arguments extends Most & object, Result>(
    run: (args: Arguments, approval: Approval) => Result,
  ): Approved<Arguments, Result> => {
    const guard = new Guard<Arguments>(type, rules as unknown as Rules<Arguments>, rules.tool ?? run.name);
    return Object.assign((args: Arguments, call?: Call) => guard.call(args, run, call), {
      ask: (args: Arguments, call?: Call) => guard.ask(args, call),
      run: (pending: Pending, args: Arguments, signal?: AbortSignal) => guard.run(pending, args, run, signal),
    });
  };
}
