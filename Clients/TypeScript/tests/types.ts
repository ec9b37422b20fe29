// Types of the package as programs see them. The compiler alone reads this file; each error that it expects is one.
import { generateText, tool } from "ai";
import { Agent, run, tool as functionTool } from "@openai/agents";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { approve, Countersign, type Pending, type Store } from "countersign";
import { approved as approvedTools } from "countersign/ai-sdk";
import { fake } from "countersign/fake";
import { approved as approvedHandler } from "countersign/mcp";
import { approved as approvedFunctions } from "countersign/openai-agents";

interface Booking { from: string; to: string; price: number }

const book = approve<Booking>("booking", { audience: "https://travel.example.com/" })(
  async ({ from, price }, { accessToken, receipt }) => `${from} ${price} ${accessToken} ${receipt.evidence}`);
export const booked: Promise<string> = book({ from: "ZRH", to: "FCO", price: 250 }, { key: "call", store: new Map<string, string>() });
// @ts-expect-error A price is a number.
void book({ from: "ZRH", to: "FCO", price: "250" });
// @ts-expect-error A member is missing.
void book({ from: "ZRH", to: "FCO" });
// @ts-expect-error A template gets the arguments of the type.
approve<Booking>("payment", { headline: ({ amount }) => `${amount}` });
// @ts-expect-error A headline is a text.
approve<Booking>("payment", { headline: ({ price }) => price });

const pay = approve("payment", { headline: ({ price }: Booking) => `${price}` })((args: Booking) => args.price);
export const paid: Promise<number> = pay({ from: "ZRH", to: "FCO", price: 1 });
export const pending: Promise<Pending> = pay.ask({ from: "ZRH", to: "FCO", price: 1 });

const { client, shown } = fake(({ detail }) => detail["tool"] === "pay" ? "allow" : { reject: "No" });
export const seen: string[] = shown.map(({ user }) => user);
new Countersign({ keep: ({ id, receipt, jwks }) => void [id, receipt, jwks], onAsked: async ({ approval_uri }) => console.log(approval_uri) });
export const store: Store = { get: async () => undefined, set: async () => undefined, delete: async () => undefined };

const rule = { type: "payment", headline: ({ amount }: { amount: number }) => `${amount}` };
const look = tool({ inputSchema: {} });
const { tools, answer } = approvedTools({ pay: tool({ inputSchema: {}, execute: () => 1 }), look }, { pay: rule }, { client, store });
export const message = generateText({ model: "model", tools, prompt: "" }).then(({ content }) => answer(content));
// @ts-expect-error No tool has this name.
approvedTools({ look }, { other: rule });

const functions = approvedFunctions([functionTool({ name: "pay", description: "", parameters: {}, execute: () => 1 })], { pay: rule });
export const settled = run(new Agent({ name: "Clerk", tools: functions.tools }), "").then(functions.settle);

const server = new McpServer({ name: "bank", version: "1" });
server.registerTool("pay", {}, approvedHandler(server, "pay", "payment", rule)(
  async ({ amount }, { signal }: { signal: AbortSignal }) => ({ content: [{ type: "text", text: `${amount} ${signal.aborted}` }] })));
