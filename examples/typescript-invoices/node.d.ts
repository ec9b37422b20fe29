// The package @types/node has these; the example compiles without it.
declare module "node:fs" {
  export function existsSync(path: string): boolean;
  export function mkdirSync(path: string, options: { recursive: boolean }): void;
  export function readFileSync(path: string, encoding: "utf8"): string;
  export function rmSync(path: string, options: { force: boolean }): void;
  export function writeFileSync(path: string, text: string, options?: { mode?: number; flag?: string }): void;
}
