/** The little of Node that is used where it runs, so that no package of types is needed. */
declare module "node:crypto" {
  export const webcrypto: Crypto;
}

declare module "node:fs/promises" {
  export function readFile(path: string, encoding: "utf8"): Promise<string>;
}

declare module "node:https" {
  interface Incoming extends AsyncIterable<Uint8Array> {
    statusCode: number;
    headers: { [name: string]: string | string[] | undefined };
  }
  interface Outgoing {
    on(event: "error", listener: (error: Error) => void): this;
    on(event: "response", listener: (response: Incoming) => void): this;
    end(body?: string): void;
  }
  export class Agent {
    constructor(options: { ca: string; keepAlive: boolean });
  }
  export function request(url: string, options: object): Outgoing;
}

declare module "node:process" {
  export const env: { [name: string]: string | undefined };
}
