/** The OpenAI Agents SDK for JavaScript (package `@openai/agents`): function tools that a person approves. */
import { Guard, type Call, type Rules, type Store } from "../approve.js";
import type { Countersign } from "../client.js";
import { CountersignError } from "../errors.js";
import { canonical, type Json } from "../json.js";

/** The part of a function tool that is wrapped. */
interface FunctionTool {
  type: string;
  name: string;
  parameters?: any;
  invoke(context: any, input: string, details?: any): Promise<any>;
}

interface Details {
  toolCall?: { callId?: string; arguments?: string };
  signal?: AbortSignal;
}

interface Interruption {
  name?: string | undefined;
  arguments?: string | undefined;
  rawItem: { type: string; name?: string; callId?: string; arguments?: string };
}

/** The result of a run that stopped for approvals. */
export interface Interrupted {
  interruptions?: readonly any[];
  state: { approve(item: any): void; reject(item: any, options?: any): void };
}

export interface ToolRules extends Rules {
  type: string;
}

export interface AdapterOptions {
  client?: Countersign;
  /** Keeps pending requests beside the run's state; by default in memory. */
  store?: Store;
}

/** The arguments that a model wrote, with those defaults that the tool would add: the person sees them, too. */
function read(input: string, { parameters }: FunctionTool): object | undefined {
  try {
    const value: unknown = JSON.parse(input === "" ? "{}" : input);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    const properties: [string, any][] = Object.entries(parameters?.properties ?? {});
    const defaults = properties.flatMap(([name, property]) => property?.default === undefined ? [] : [[name, property.default]]);
    return { ...Object.fromEntries(defaults), ...value };
  } catch {
    return undefined;
  }
}

/**
 * The tools, of which those with rules run only what a person approved. A call that was not approved answers the model
 * with the reason.
 *
 * `settle` is for tools with `needsApproval`: it asks the person for each of a result's interruptions, and approves or
 * rejects it in the run's state. An approval that anybody else put into the state runs nothing: the tool then asks the
 * person itself.
 */
export function approved<Tool extends FunctionTool>(
  tools: readonly Tool[], rules: { [name: string]: ToolRules }, options: AdapterOptions = {},
): { tools: Tool[]; settle(result: Interrupted): Promise<void> } {
  const { store = new Map<string, string>(), client } = options;
  const guards = new Map<string, Guard>();
  for (const [name, rule] of Object.entries(rules)) {
    if (!tools.some(tool => tool.name === name)) throw new TypeError(`there is no tool ${name}`);
    guards.set(name, new Guard(rule.type, client === undefined ? rule : { client, ...rule }, rule.tool ?? name));
  }

  function call(key: string | undefined, signal?: AbortSignal): Call {
    return { ...key === undefined ? {} : { key, store }, ...signal === undefined ? {} : { signal } };
  }

  function wrapped(tool: Tool): Tool {
    const guard = guards.get(tool.name);
    if (guard === undefined) return tool;
    const invoke = async (context: unknown, input: string, details: Details = {}): Promise<unknown> => {
      const args = read(input, tool);
      if (args === undefined) return "The call did not run: its arguments are not a JSON object.";
      const run = (actual: object): Promise<unknown> => {
        // The tool reads the text, and may read the details: both have what was approved.
        const text = canonical(actual as Json);
        const toolCall = details.toolCall && { ...details.toolCall, arguments: text };
        return tool.invoke(context, text, { ...details, ...toolCall === undefined ? {} : { toolCall } });
      };
      try {
        return await guard.call(args, run, call(details.toolCall?.callId, details.signal));
      } catch (error) {
        if (error instanceof CountersignError) return error.message;
        throw error;
      }
    };
    return { ...tool, invoke };
  }

  async function settle(item: Interruption, state: Interrupted["state"]): Promise<void> {
    const { callId } = item.rawItem;
    const name = item.name ?? item.rawItem.name ?? "";
    const [guard, tool] = [guards.get(name), tools.find(tool => tool.name === name)];
    if (guard === undefined || tool === undefined || callId === undefined) return;
    try {
      await guard.settle(read(item.arguments ?? item.rawItem.arguments ?? "", tool) ?? {}, { ...call(callId), key: callId });
      state.approve(item);
    } catch (error) {
      if (!(error instanceof CountersignError)) throw error;
      state.reject(item, { message: error.message });
    }
  }

  return {
    tools: tools.map(wrapped),
    settle: async ({ interruptions = [], state }) => {
      await Promise.all(interruptions.map((item: Interruption) => settle(item, state)));
    },
  };
}
