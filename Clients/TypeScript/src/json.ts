/** JSON: a strict reader (RFC 8259), the canonical form (RFC 8785), and copies of values that can be written as it. */

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** A number of a text, which keeps its spelling. */
export class Numeral {
  constructor(readonly text: string) {}
}

export type Value = null | boolean | Numeral | string | Value[] | Members;

/** An object without a prototype, so that only the text's members are there. */
export interface Members {
  [name: string]: Value | undefined;
}

export const isMembers = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Numeral);

const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?/y;
const STRING = /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*"/y;
const LITERALS: [string, null | boolean][] = [["null", null], ["true", true], ["false", false]];
const LONE_SURROGATE = /\p{Surrogate}/u;

class Reader {
  private at = 0;

  constructor(private readonly text: string) {}

  document(depth: number): Value {
    const value = this.value(depth);
    this.match(SPACE);
    if (this.at !== this.text.length) this.fail();
    return value;
  }

  private fail(): never {
    throw new SyntaxError(`not strict JSON at character ${this.at}`);
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    this.at += found?.length ?? 0;
    return found;
  }

  private takes(character: string): boolean {
    this.match(SPACE);
    if (this.text[this.at] !== character) return false;
    this.at += 1;
    return true;
  }

  private value(depth: number): Value {
    if (this.takes("{")) return this.members(depth);
    if (this.takes("[")) return this.list(depth);
    if (this.text[this.at] === '"') return this.string();
    for (const [word, value] of LITERALS) {
      if (this.text.startsWith(word, this.at)) {
        this.at += word.length;
        return value;
      }
    }
    return new Numeral(this.match(NUMBER) ?? this.fail());
  }

  private string(): string {
    const text: string = JSON.parse(this.match(STRING) ?? this.fail());
    return LONE_SURROGATE.test(text) ? this.fail() : text;
  }

  private members(depth: number): Members {
    if (depth === 0) this.fail();
    const members: Members = Object.create(null);
    const names = new Set<string>();
    if (this.takes("}")) return members;
    do {
      this.match(SPACE);
      const name = this.string();
      const normal = name.normalize("NFC");
      if (names.has(normal) || !this.takes(":")) this.fail();
      names.add(normal);
      members[name] = this.value(depth - 1);
    } while (this.takes(","));
    return this.takes("}") ? members : this.fail();
  }

  private list(depth: number): Value[] {
    if (depth === 0) this.fail();
    const list: Value[] = [];
    if (this.takes("]")) return list;
    do list.push(this.value(depth - 1)); while (this.takes(","));
    return this.takes("]") ? list : this.fail();
  }
}

/**
 * The value of a JSON text. Refuses objects that have a name twice, also if the two differ only by Unicode normalization,
 * lone surrogates, and more than `depth` levels.
 */
export const parse = (text: string, depth = 32): Value => new Reader(text).document(depth);

/** The object of a JSON text. */
export function parseMembers(text: string, depth = 32): Members {
  const value = parse(text, depth);
  if (!isMembers(value)) throw new SyntaxError("not a JSON object");
  return value;
}

/** Ordinary JSON of a value that was read. */
export function plain(value: Value): Json {
  if (value instanceof Numeral) return Number(value.text);
  if (Array.isArray(value)) return value.map(plain);
  if (!isMembers(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member as Value)]));
}

/** The canonical text (RFC 8785), the same for equal values. */
export function canonical(value: Json | Value): string {
  if (value instanceof Numeral || typeof value === "number") {
    const number = value instanceof Numeral ? Number(value.text) : value;
    if (!Number.isFinite(number)) throw new RangeError("a number that no double has");
    return String(number === 0 ? 0 : number);
  }
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.keys(value).sort().map(name => `${JSON.stringify(name)}:${canonical(value[name] as Json)}`);
  return `{${members.join(",")}}`;
}

/** A value that cannot be written as JSON, so that nobody could be shown it. */
export class NotJson extends TypeError {}

/**
 * A copy that reads each member once and has nothing that its JSON does not have: getters, proxies and inherited members
 * cannot answer differently later. Members that are undefined are left out.
 */
export function copied(value: unknown, place: string, depth = 32): Json {
  const refuse = (reason: string): never => {
    throw new NotJson(`${place} ${reason}`);
  };
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "string") {
    return LONE_SURROGATE.test(value) ? refuse("has half of a character (a lone surrogate)") : value;
  }
  if (typeof value === "number") {
    if (!Number.isFinite(value)) return refuse(`is ${value}, which JSON cannot say`);
    return value === 0 ? 0 : value;
  }
  if (typeof value !== "object") return refuse(`is ${typeof value}, which JSON cannot say: pass text or a number`);
  if (depth === 0) return refuse("is nested too deeply, or contains itself");
  if (Array.isArray(value)) {
    return Array.from({ length: value.length }, (_, index) => copied(value[index], `${place}[${index}]`, depth - 1));
  }
  // A polluted prototype would give the copy members that nobody was shown.
  for (const name in {}) refuse(`cannot be copied, because every object of this process inherits ${JSON.stringify(name)}`);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    return refuse("is an object of a class, which JSON cannot say: pass its values in a plain object");
  }
  const copy: { [name: string]: Json } = {};
  const names = new Set<string>();
  for (const name of Object.keys(value)) {
    const member: unknown = (value as { [name: string]: unknown })[name];
    if (member === undefined) continue;
    if (name === "__proto__" || LONE_SURROGATE.test(name)) refuse(`has a member ${JSON.stringify(name)}, which is refused`);
    if (names.has(name.normalize("NFC"))) refuse(`has two members ${JSON.stringify(name)} that look the same`);
    names.add(name.normalize("NFC"));
    copy[name] = copied(member, `${place}.${name}`, depth - 1);
  }
  return copy;
}
