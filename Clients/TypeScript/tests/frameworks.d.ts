// The documented types of the frameworks, as far as the adapters and the guide use them.

declare module "ai" {
  interface ToolExecutionOptions { toolCallId: string; messages: unknown[]; abortSignal?: AbortSignal }
  interface Tool {
    description?: string;
    inputSchema: unknown;
    needsApproval?: boolean;
    execute?: (input: any, options: ToolExecutionOptions) => AsyncIterable<any> | PromiseLike<any> | any;
  }
  export function tool(definition: Tool): Tool;
  export function generateText(options: { model: string; tools: { [name: string]: Tool }; prompt: string }):
    Promise<{ content: { type: string }[]; toolResults: { output: unknown }[] }>;
}

declare module "@openai/agents" {
  interface ToolCall { type: "function_call"; callId: string; name: string; arguments: string }
  interface FunctionTool {
    type: "function";
    name: string;
    needsApproval: (context: unknown, input: any, callId?: string) => Promise<boolean>;
    invoke(context: object, input: string, details?: { toolCall: ToolCall }): Promise<unknown>;
  }
  class RunToolApprovalItem {
    type: "tool_approval_item";
    rawItem: ToolCall;
    get name(): string | undefined;
    get arguments(): string | undefined;
  }
  class RunState {
    approve(item: RunToolApprovalItem, options?: { alwaysApprove?: boolean }): void;
    reject(item: RunToolApprovalItem, options?: { alwaysReject?: boolean; message?: string }): void;
  }
  export function tool(options: {
    name: string; description: string; parameters: unknown; needsApproval?: boolean; execute: (input: any) => unknown;
  }): FunctionTool;
  export class Agent { constructor(options: { name: string; tools: FunctionTool[] }); }
  export function run(agent: Agent, input: string | RunState):
    Promise<{ interruptions: RunToolApprovalItem[]; state: RunState; finalOutput: unknown }>;
}

declare module "@modelcontextprotocol/sdk/server/mcp.js" {
  interface Extra { signal: AbortSignal; requestId: string | number; sessionId?: string }
  interface Result { content: ({ type: "text"; text: string } | { type: "image"; data: string })[]; isError?: boolean }
  class Server {
    getClientCapabilities(): { elicitation?: { form?: object; url?: object } } | undefined;
    elicitInput(params: { mode: "url"; message: string; url: string; elicitationId: string }, options?: object):
      Promise<{ action: "accept" | "decline" | "cancel" }>;
    createElicitationCompletionNotifier(id: string): () => Promise<void>;
  }
  export class McpServer {
    constructor(info: { name: string; version: string });
    readonly server: Server;
    registerTool(name: string, config: object, handler: (args: any, extra: Extra) => Result | Promise<Result>): unknown;
    connect(transport: object): Promise<void>;
  }
}

declare module "@modelcontextprotocol/sdk/server/stdio.js" {
  export class StdioServerTransport {}
}

declare module "zod" {
  export const z: { object(shape: object): unknown; number(): unknown; string(): unknown };
}
