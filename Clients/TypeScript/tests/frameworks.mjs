// Stand-ins that speak the documented shapes of the frameworks, with scripted models. They trust whatever they are given.

/** A tool call of a scripted model. */
export const toolCall = (toolCallId, toolName, input) => ({ type: "tool-call", toolCallId, toolName, input });

/** The AI SDK's `generateText`, which runs the calls of one answer, or of the approvals at the end of the messages. */
export async function generateText({ calls = [], tools, messages = [], abortSignal }) {
  const content = [];
  const execute = async ({ toolCallId, toolName, input }) => {
    try {
      const output = await tools[toolName].execute(input, { toolCallId, messages, abortSignal, context: {} });
      content.push({ type: "tool-result", toolCallId, toolName, output });
    } catch (error) {
      content.push({ type: "tool-error", toolCallId, toolName, error });
    }
  };
  const parts = messages.flatMap(({ content }) => content);
  const last = messages.at(-1);
  for (const response of last?.role === "tool" ? last.content.filter(({ type }) => type === "tool-approval-response") : []) {
    const request = parts.find(part => part.type === "tool-approval-request" && part.approvalId === response.approvalId);
    if (response.approved) await execute(request.toolCall);
    else content.push({ type: "tool-output-denied", toolCallId: request.toolCall.toolCallId, reason: response.reason });
  }
  for (const call of calls) {
    const { needsApproval } = tools[call.toolName];
    const needs = typeof needsApproval === "function" ? await needsApproval(call.input, { toolCallId: call.toolCallId, messages }) : needsApproval;
    if (needs) content.push({ type: "tool-approval-request", approvalId: `approval-${call.toolCallId}`, toolCall: call });
    else await execute(call);
  }
  return { content, messages: [...messages, { role: "assistant", content }] };
}

/** The state of a run of the OpenAI Agents SDK. */
export class RunState {
  constructor(calls, decisions = {}) {
    this.calls = calls;
    this.decisions = decisions;
  }

  approve({ rawItem }) { this.decisions[rawItem.callId] = { isApproved: true }; }
  reject({ rawItem }, { message } = {}) { this.decisions[rawItem.callId] = { isApproved: false, message }; }
  toString() { return JSON.stringify({ calls: this.calls, decisions: this.decisions }); }

  static async fromString(_, text) {
    const { calls, decisions } = JSON.parse(text);
    return new RunState(calls, decisions);
  }
}

/** The SDK's `tool()`: its `invoke` reads the model's text. */
export const functionTool = ({ name, execute, needsApproval = false }) => ({
  type: "function", name, description: "", parameters: {}, strict: true, isEnabled: async () => true,
  needsApproval: async (...values) => typeof needsApproval === "function" ? needsApproval(...values) : needsApproval,
  invoke: async (context, input, details) => execute(JSON.parse(input), context, details),
});

/** The SDK's `run`: calls of a scripted model, or a state that goes on. */
export async function run(agent, input) {
  const state = input instanceof RunState ? input : new RunState(input.map(({ id, name, args }) => (
    { type: "function_call", callId: id, name, arguments: typeof args === "string" ? args : JSON.stringify(args) })));
  const outputs = {};
  const interruptions = [];
  for (const rawItem of state.calls) {
    const tool = agent.tools.find(({ name }) => name === rawItem.name);
    const decision = state.decisions[rawItem.callId];
    if (decision && !decision.isApproved) outputs[rawItem.callId] = decision.message ?? "Tool execution was not approved.";
    else if (!decision && await tool.needsApproval({}, JSON.parse(rawItem.arguments), rawItem.callId)) {
      interruptions.push({ type: "tool_approval_item", rawItem, agent, name: rawItem.name, arguments: rawItem.arguments });
    } else outputs[rawItem.callId] = await tool.invoke({}, rawItem.arguments, { toolCall: rawItem });
  }
  return { state, interruptions, outputs };
}

/** An `McpServer` with a client. `client` answers pages; a client of 2026 is asked by rounds. */
export class McpServer {
  constructor({ client, isModern = false, capabilities = client ? { elicitation: { url: {} } } : {} } = {}) {
    this.tools = {};
    this.pages = [];
    this.completed = [];
    this.client = client;
    this.isModern = isModern;
    this.capabilities = capabilities;
    this.server = {
      getClientCapabilities: () => isModern ? undefined : capabilities,
      elicitInput: async params => {
        this.pages.push(params);
        return client(params);
      },
      createElicitationCompletionNotifier: id => async () => { this.completed.push(id); },
    };
  }

  registerTool(name, _, handler) { this.tools[name] = handler; }

  /** A call of the tool, and in rounds the calls after it, whose arguments `retry` may change. */
  async callTool(name, args, { signal = new AbortController().signal, retry = round => round } = {}) {
    if (!this.isModern) return this.tools[name](args, { signal, requestId: 1 });
    let round = { args, requestState: undefined, inputResponses: undefined };
    for (;;) {
      const { requestState, inputResponses } = round;
      const result = await this.tools[name](round.args, { mcpReq: {
        signal, inputResponses, requestState: () => requestState,
        envelope: { "io.modelcontextprotocol/clientCapabilities": this.capabilities },
      } });
      if (result.resultType !== "input_required") return result;
      const inputs = {};
      for (const [key, { params }] of Object.entries(result.inputRequests)) {
        this.pages.push(params);
        inputs[key] = await this.client(params);
      }
      round = retry({ args, requestState: result.requestState, inputResponses: inputs });
    }
  }
}
