/** Node, Deno and Bun. */
import { webcrypto } from "node:crypto";
import { readFile } from "node:fs/promises";
import { Agent, request } from "node:https";
import { env } from "node:process";
import { LARGEST } from "./exchange.js";
import type { System } from "./system.js";

/** Node's `fetch` cannot be given an authority. */
function fetchWith(authority: string): typeof fetch {
  const agent = new Agent({ ca: authority, keepAlive: true });
  return (input, init = {}) => new Promise((resolve, reject) => {
    const headers = Object.fromEntries(new Headers(init.headers));
    request(String(input), { agent, method: init.method ?? "GET", headers, signal: init.signal ?? undefined })
      .on("error", reject)
      .on("response", async incoming => {
        try {
          const decoder = new TextDecoder();
          let [text, size] = ["", 0];
          for await (const part of incoming) {
            size += part.length;
            if (size > LARGEST) throw new Error("the answer is too large");
            text += decoder.decode(part, { stream: true });
          }
          const received = Object.entries(incoming.headers).filter(([, value]) => typeof value === "string");
          resolve(new Response(text + decoder.decode(), { status: incoming.statusCode, headers: received as [string, string][] }));
        } catch (error) {
          reject(error);
        }
      })
      .end(init.body === undefined || init.body === null ? undefined : String(init.body));
  });
}

export const system: System | undefined = { variables: env, read: path => readFile(path, "utf8"), fetchWith };
// Node 18 has no global one.
export const crypto = webcrypto;
