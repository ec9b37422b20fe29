/** Requests over TLS with a private authority, which Node's `fetch` cannot be given. */
import { Agent, request } from "node:https";

export function fetchWith(authority: string): typeof fetch {
  const agent = new Agent({ ca: authority, keepAlive: true });
  return (input, init = {}) => new Promise((resolve, reject) => {
    const headers = Object.fromEntries(new Headers(init.headers));
    const body = init.body === undefined || init.body === null ? undefined : String(init.body);
    request(String(input), { agent, method: init.method ?? "GET", headers, signal: init.signal ?? undefined })
      .on("error", reject)
      .on("response", async incoming => {
        try {
          let text = "";
          const decoder = new TextDecoder();
          for await (const part of incoming) text += decoder.decode(part, { stream: true });
          const received = Object.entries(incoming.headers).filter(([, value]) => typeof value === "string");
          resolve(new Response(text + decoder.decode(), { status: incoming.statusCode, headers: received as [string, string][] }));
        } catch (error) {
          reject(error);
        }
      })
      .end(body);
  });
}
