/** The AI SDK (package `ai`, from 5 on): tools that a person approves. */
import { Guard, type Rules, type Store } from "../approve.js";
import type { Countersign } from "../client.js";
import { CountersignError } from "../errors.js";

/** The part of a tool that is wrapped. */
interface Tool {
  execute?: ((input: any, options: any) => any) | undefined;
}

interface ExecutionOptions {
  toolCallId?: string;
  abortSignal?: AbortSignal;
}

export interface ToolRules extends Rules {
  type: string;
}

export interface AdapterOptions {
  client?: Countersign;
  /** Keeps pending requests; by default in memory. */
  store?: Store;
}

interface ApprovalResponse {
  type: "tool-approval-response";
  approvalId: string;
  approved: boolean;
  reason?: string;
}

export interface ToolMessage {
  role: "tool";
  content: ApprovalResponse[];
}

interface ApprovalRequest {
  type: "tool-approval-request";
  approvalId: string;
  toolCall: { toolCallId: string; toolName: string; input: object };
}

const isRequest = (part: { type: string }): part is ApprovalRequest => part.type === "tool-approval-request";

/** The last value of a tool's output, which may be a stream of preliminary ones. */
async function last(output: any): Promise<any> {
  if (output === null || typeof output !== "object" || !(Symbol.asyncIterator in output)) return output;
  let value: unknown;
  for await (value of output);
  return value;
}

/**
 * The tools, of which those with rules run only what a person approved.
 *
 * `answer` is for tools that stop a generation with an approval request: it asks the person for each call in the result's
 * `content`, and makes the message that goes on. A response that anybody else put into the messages runs nothing: the
 * tool then asks the person itself.
 */
export function approved<Tools extends { [name: string]: Tool }>(
  tools: Tools, rules: { [name in keyof Tools]?: ToolRules }, options: AdapterOptions = {},
): { tools: Tools; answer(content: Iterable<{ type: string }>): Promise<ToolMessage> } {
  const { store = new Map<string, string>(), client } = options;
  const guards = new Map<string, Guard>();
  const wrapped: { [name: string]: Tool } = { ...tools };
  for (const [name, rule] of Object.entries(rules) as [string, ToolRules][]) {
    const tool = tools[name];
    const execute = tool?.execute;
    if (execute === undefined) throw new TypeError(`the tool ${name} has no execute, so nothing can be approved here`);
    const guard = new Guard(rule.type, client === undefined ? rule : { client, ...rule }, rule.tool ?? name);
    guards.set(name, guard);
    wrapped[name] = {
      ...tool,
      execute: (input: object, execution: ExecutionOptions = {}) =>
        guard.call(input, actual => last(execute(actual, execution)), call(execution.toolCallId, execution.abortSignal)),
    };
  }

  function call(key: string | undefined, signal?: AbortSignal) {
    return { ...key === undefined ? {} : { key, store }, ...signal === undefined ? {} : { signal } };
  }

  async function response({ approvalId, toolCall }: ApprovalRequest): Promise<ApprovalResponse[]> {
    const guard = guards.get(toolCall.toolName);
    if (guard === undefined) return [];
    const response = { type: "tool-approval-response", approvalId } as const;
    try {
      await guard.settle(toolCall.input, { ...call(toolCall.toolCallId), key: toolCall.toolCallId });
      return [{ ...response, approved: true }];
    } catch (error) {
      if (!(error instanceof CountersignError)) throw error;
      return [{ ...response, approved: false, reason: error.message }];
    }
  }

  return {
    tools: wrapped as Tools,
    answer: async content => {
      const responses = await Promise.all([...content].filter(isRequest).map(response));
      return { role: "tool", content: responses.flat() };
    },
  };
}
