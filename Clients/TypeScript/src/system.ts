/** Runtimes without files and variables, such as browsers. */

export interface System {
  variables: { [name: string]: string | undefined };
  read(path: string): Promise<string>;
  /** Requests over TLS with a private authority. */
  fetchWith(authority: string): typeof fetch;
}

export const system: System | undefined = undefined;
export const { crypto } = globalThis;
