/** Texts in the person's language. */

import { h } from "./dom.js";
import { presenter, visible } from "./presentation.js";
import texts from "./texts.js";

/** In the order of the catalogue. */
const languages = ["en", "fr", "de"];
const known = (tag) => languages.includes(tag.slice(0, 2).toLowerCase());

/** Tag of the person's language with its region, for numbers and dates. */
const locale = navigator.languages.find(known) ?? "en";
/** Language of the texts. */
export const language = locale.slice(0, 2).toLowerCase();

const lines = texts.trim().split("\n").map((line) => line.trim());
const size = languages.length + 1;
/** The line of a text below its key. */
const column = languages.indexOf(language) + 1;
/** @type {Map<string, string>} */
const catalogue = new Map();
for (let at = 0; at < lines.length; at += size) catalogue.set(lines[at], lines[at + column]);
const plurals = new Intl.PluralRules(language);

export const has = (key) => catalogue.has(key);

/** A text split at its places, `{name}`, which `fill` fills in. */
function filled(key, values, fill) {
  const text = catalogue.get(key);
  if (text === undefined) throw new Error(`no text ${key}`);
  return text.split(/\{(\w+)\}/).map((part, index) => {
    const value = values[part];
    if (index % 2 === 0) return part;
    return typeof value === "number" ? value.toLocaleString(locale) : fill(value);
  });
}

/** A text for attributes, whose values are isolated (Unicode UAX 9). @param {string} key @param {object} [values] */
export const t = (key, values = {}) => filled(key, values, (value) => `\u2068${visible(value)}\u2069`).join("");

/** A text with its values as they are, for texts that are then isolated as a whole. @param {string} key */
export const plain = (key, values = {}) => filled(key, values, (value) => value).join("");

/** A text as nodes. Values of others are isolated, and cannot change the text around them. */
export const say = (key, values = {}) =>
  filled(key, values, (value) => (value instanceof Node ? value : foreign(value)));

/** The same with a count, which chooses the form. */
export const sayCount = (key, count) => say(`${key}_${plurals.select(count) === "one" ? "one" : "other"}`, { count });

/** A text of somebody else in an element of its own direction, with its control characters made visible. */
export const foreign = (text, name = "bdi") => h(name, { dir: "auto" }, visible(text));

/** Details of a request in the person's language. */
export const presented = presenter(locale, { none: t("none"), yes: t("yes"), no: t("no"), payment: catalogue.get("payment") ?? "" });

/** A list in one line. @param {string[]} parts */
export const joined = (parts) => new Intl.ListFormat(locale).format(parts);

/** A day, for names. @param {number} moment milliseconds */
export const day = (moment) => new Intl.DateTimeFormat(locale, { dateStyle: "medium" }).format(moment);

/** A time that is over, for lists. @param {number} moment milliseconds */
export const moment = (moment) =>
  new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" }).format(moment);

/** @type {[string, number][]} */
const units = [["day", 86_400], ["hour", 3600], ["minute", 60], ["second", 1]];

/** Time left in its two largest units. @param {number} milliseconds */
export function left(milliseconds) {
  let rest = Math.max(0, Math.ceil(milliseconds / 1000));
  const parts = units.map(([unit, seconds]) => {
    const number = Math.floor(rest / seconds);
    rest %= seconds;
    return { number, unit };
  });
  const first = parts.findIndex(({ number, unit }) => number > 0 || unit === "second");
  return parts.slice(first, first + 2).filter(({ number }, index) => number > 0 || index === 0)
    .map(({ number, unit }) => number.toLocaleString(locale, { style: "unit", unit, unitDisplay: "short" })).join(" ");
}
