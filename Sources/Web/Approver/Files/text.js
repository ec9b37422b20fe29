/** Texts and values in the person's language. A value that a format does not fit is shown as it is. */

import { h } from "./dom.js";
import { Numeral } from "./json.js";
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

/** A text as nodes. Values of others are isolated, and cannot change the text around them. */
export const say = (key, values = {}) =>
  filled(key, values, (value) => (value instanceof Node ? value : foreign(value)));

/** The same with a count, which chooses the form. */
export const sayCount = (key, count) => say(`${key}_${plurals.select(count) === "one" ? "one" : "other"}`, { count });

/** A text of somebody else in an element of its own direction, with its control characters made visible. */
export const foreign = (text, name = "bdi") => h(name, { dir: "auto" }, visible(text));

/** Characters that change what surrounds them or cannot be seen: controls, marks of direction, private ones. */
const unseen = /(?![\ufe00-\ufe0f\u{e0020}-\u{e007f}])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/**
 * Makes invisible characters visible by their numbers. A single line break stays, because more would push a part out of
 * sight. Joiners stay except beside ASCII, because scripts and emoji need them. @param {string} text
 */
const visible = (text) => String(text).replace(unseen, (character, at, all) => {
  const stays = character === "\n" ? all[at - 1] !== "\n" : /[\u200c\u200d]/.test(character) && all[at - 1] > "\x7f";
  return stays ? character : `‹U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}›`;
});

/** `instructedAmount` and `instructed_amount` as "Instructed amount". Other names stay. @param {string} name */
export function spaced(name) {
  if (!/^[\w-]+$/.test(name)) return name;
  const words = name.replace(/[_-]+/g, " ").replace(/([a-z])([A-Z])(?=[a-z])/g, (_, end, start) => `${end} ${start.toLowerCase()}`)
    .replace(/([a-z])([A-Z])/g, "$1 $2").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const decimal = /^-?\d{1,40}(?:\.(\d{1,20}))?$/;
const text = (value) => (value instanceof Numeral ? value.text : value);

/** An amount in a currency, with all its digits. Null if it is none. */
export function money(amount, currency) {
  const digits = typeof text(amount) === "string" && decimal.exec(text(amount));
  if (!digits || typeof currency !== "string" || !/^[A-Z]{3}$/.test(currency)) return null;
  const style = { style: "currency", currency };
  const usual = new Intl.NumberFormat(locale, style).resolvedOptions().maximumFractionDigits;
  const fraction = Math.max(usual, digits[1]?.length ?? 0);
  const format = new Intl.NumberFormat(locale, {
    ...style, minimumFractionDigits: fraction, maximumFractionDigits: fraction,
  });
  const shown = format.format(text(amount));
  // Browsers that count in floating point lose digits of long numbers.
  const significant = (text) => text.replace(/\D/g, "").replace(/^0+/, "");
  return significant(shown).startsWith(significant(digits[0])) ? shown : null;
}

/** A calendar date. Null for any other text. */
export function date(value) {
  const moment = new Date(`${value}T00:00:00Z`);
  if (Number.isNaN(moment.getTime()) || moment.toISOString().slice(0, 10) !== value) return null;
  return new Intl.DateTimeFormat(locale, { dateStyle: "full", timeZone: "UTC" }).format(moment);
}

/** A point in time, in the phone's time zone, which is named. Null for any other text. */
export function dateTime(value) {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/i.test(value)) return null;
  const moment = new Date(value);
  if (Number.isNaN(moment.getTime())) return null;
  return new Intl.DateTimeFormat(locale, { dateStyle: "full", timeStyle: "long" }).format(moment);
}

/** An IBAN in groups of four. Null for any other text. */
export function account(value) {
  const plain = value.replace(/ /g, "");
  return /^[A-Z]{2}\d\d[A-Z0-9]{11,30}$/.test(plain) ? plain.match(/.{1,4}/g).join(" ") : null;
}

/** A time that is over, for lists. @param {number} moment milliseconds */
export const moment = (moment) =>
  new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" }).format(moment);

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
