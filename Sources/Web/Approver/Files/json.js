/**
 * Reads JSON (RFC 8259) without losing anything that a person should see: numbers keep their spelling, and members
 * their order. An object is a `Map`.
 *
 * @typedef {Map<string, any>|any[]|Numeral|string|boolean|null} Value members and elements are values, too
 */

/** A number as it was written. */
export class Numeral {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
  }
}

const token = /[\t\n\r ]*(?:([{}[\]:,])|("(?:[^"\\]|\\.)*")|(-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)|(true|false|null))/sy;

/** @param {string} text @returns {Value} */
export function parse(text) {
  let place = 0;

  const fail = (reason = `at ${place}`) => { throw new SyntaxError(reason); };

  function next() {
    token.lastIndex = place;
    const found = token.exec(text) ?? fail();
    place = token.lastIndex;
    return found;
  }

  /**
   * Calls `element` for each element until the end sign.
   * @param {string} end
   * @param {() => unknown} element
   */
  function list(end, element) {
    const start = place;
    if (next()[1] === end) return;
    place = start;
    for (;;) {
      element();
      const [, sign] = next();
      if (sign === end) return;
      if (sign !== ",") fail();
    }
  }

  /** @returns {Value} */
  function value() {
    const [, sign, string, number, word] = next();
    if (number) return new Numeral(number);
    if (string ?? word) return JSON.parse(string ?? word);
    if (sign === "[") {
      /** @type {Value[]} */
      const elements = [];
      list("]", () => elements.push(value()));
      return elements;
    }
    if (sign !== "{") fail();
    const members = new Map();
    list("}", () => {
      const [, , name] = next();
      if (!name || next()[1] !== ":") fail();
      const key = JSON.parse(name);
      // Two members of one name would show less than was signed.
      if (members.has(key)) fail(`twice: ${key}`);
      members.set(key, value());
    });
    return members;
  }

  const result = value();
  if (text.slice(place).trim()) fail();
  return result;
}
