/** MCP servers (packages `@modelcontextprotocol/sdk` and `@modelcontextprotocol/server`): tools that a person approves. */
import { crypto } from "#system";
import { Guard, type Call, type Rules, type Store } from "../approve.js";
import type { Pending } from "../client.js";
import { CountersignError } from "../errors.js";

interface Capabilities {
  elicitation?: { url?: object };
}

/** The part of an `McpServer` that is used. */
interface Server {
  server: {
    getClientCapabilities?(): any;
    elicitInput?(params: any, options?: any): Promise<{ action: string }>;
    createElicitationCompletionNotifier?(id: string): () => Promise<void>;
  };
}

/** The part of a handler's second parameter that is used, in the first and second version of the packages. */
interface Context {
  signal?: AbortSignal;
  mcpReq?: {
    signal?: AbortSignal;
    /** Present since the protocol of 2026-07-28, in which a server cannot send requests. */
    envelope?: { [name: string]: unknown };
    inputResponses?: { [name: string]: { action?: string } };
    requestState?: () => unknown;
  };
}

interface TextResult {
  content: { type: "text"; text: string }[];
  isError?: boolean;
}

const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
const refusal = (text: string): TextResult => ({ content: [{ type: "text", text }], isError: true });
const DECLINED = "The person declined at the client; the request was withdrawn, and the call did not run.";

/** The page of a request, with the number if one has to be picked. */
function pageOf(tool: string, pending: Pending): { mode: "url"; message: string; url: string } {
  const number = pending.matching_code === undefined ? "" : ` Your number: ${pending.matching_code}.`;
  const message = `${tool} waits for your approval, on your phone or on this page.${number}`;
  return { mode: "url", message, url: pending.approval_uri };
}

/**
 * Makes a tool's handler that runs only what a person approved:
 * `server.registerTool("pay", config, approved(server, "pay", "payment", rules)(handler))`.
 *
 * A client that can open pages (URL elicitation) shows the page of the request; the phone rings in any case.
 */
export function approved<Most = any>(
  server: Server, tool: string, type: string, rules: Rules<Most> & { store?: Store } = {},
) {
  const { store = new Map<string, string>() } = rules;
  return <Arguments extends Most & object, Extra, Result>(handler: (args: Arguments, extra: Extra) => Result) => {
    const guard = new Guard<Arguments>(type, rules as unknown as Rules<Arguments>, rules.tool ?? tool);

    /** Shows the page, until the request has its answer. */
    async function running(args: Arguments, extra: Extra, signal: AbortSignal | undefined): Promise<Awaited<Result>> {
      const { getClientCapabilities, elicitInput, createElicitationCompletionNotifier } = server.server;
      const capabilities = getClientCapabilities?.call(server.server) as Capabilities | undefined;
      const stop = new AbortController();
      const abort = (): void => stop.abort(signal?.reason);
      signal?.throwIfAborted();
      signal?.addEventListener("abort", abort, { once: true });
      const call = { key: crypto.randomUUID(), store, signal: stop.signal };
      try {
        const pending = await guard.begin(args, call);
        const running = guard.call(args, actual => handler(actual, extra), call);
        if (!elicitInput || !capabilities?.elicitation?.url) return await running;
        const page = { ...pageOf(tool, pending), elicitationId: pending.request_id };
        // A client that cannot show the page, or cannot close it, takes nothing from the phone.
        const ignored = (step: () => Promise<unknown> | undefined): Promise<unknown> => Promise.resolve().then(step).catch(() => undefined);
        void ignored(() => elicitInput.call(server.server, page).then(
          ({ action }) => action === "accept" || stop.abort(new CountersignError(DECLINED))));
        return await running.finally(() =>
          ignored(() => createElicitationCompletionNotifier?.call(server.server, pending.request_id)()));
      } finally {
        signal?.removeEventListener("abort", abort);
      }
    }

    /** Returns the page as a request for input, and runs when the client calls again. */
    async function inRounds(args: Arguments, extra: Extra, context: NonNullable<Context["mcpReq"]>): Promise<unknown> {
      const state = context.requestState?.();
      const action = context.inputResponses?.["approval"]?.action;
      const known = typeof state === "string" && action !== undefined ? await guard.stored(state, store) : undefined;
      if (typeof state === "string" && known !== undefined) {
        if (action === "accept") {
          const call: Call = { key: state, store };
          if (context.signal !== undefined) call.signal = context.signal;
          return guard.call(args, actual => handler(actual, extra), call);
        }
        await guard.forget({ key: state, store });
        await guard.client.cancel(known);
        return refusal(DECLINED);
      }
      // A random handle, since the client holds it: the pending request itself is secret.
      const key = crypto.randomUUID();
      const pending = await guard.begin(args, { key, store });
      const approval = { method: "elicitation/create", params: pageOf(tool, pending) };
      return { resultType: "input_required", inputRequests: { approval }, requestState: key };
    }

    return async (args: Arguments, extra: Extra): Promise<Awaited<Result>> => {
      const { mcpReq, signal } = (extra ?? {}) as Context;
      const capabilities = mcpReq?.envelope?.[CAPABILITIES] as Capabilities | undefined;
      try {
        if (mcpReq && capabilities?.elicitation?.url) return await inRounds(args, extra, mcpReq) as Awaited<Result>;
        return await running(args, extra, mcpReq?.signal ?? signal);
      } catch (error) {
        if (error instanceof CountersignError) return refusal(error.message) as Awaited<Result>;
        throw error;
      }
    };
  };
}
