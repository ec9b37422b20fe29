/** Texts in the person's language. */

import { h } from "./dom.js";
import { visible } from "./format.js";

/** Languages, each with a file of its name. */
const languages = ["en", "fr", "de"];
const known = (tag) => languages.includes(tag.slice(0, 2).toLowerCase());

/** Tag of the person's language with its region, for numbers and dates. */
export const locale = navigator.languages.find(known) ?? "en";
/** Language of the texts. */
export const language = locale.slice(0, 2).toLowerCase();

/** @type {Record<string, string>} */
const catalogue = (await import(`./${language}.js`)).default;
const plurals = new Intl.PluralRules(language);

/** The key of a plural form. */
const form = (key, count) => `${key}_${plurals.select(count) === "one" ? "one" : "other"}`;

/** Splits a text at its places: `{name}`. */
const parts = (key) => {
  const text = catalogue[key];
  if (text === undefined) throw new Error(`no text ${key}`);
  return text.split(/\{(\w+)\}/);
};

/** A text for attributes, whose values are isolated (Unicode UAX 9). @param {string} key @param {object} [values] */
export const t = (key, values = {}) =>
  parts(key).map((part, index) => {
    if (index % 2 === 0) return part;
    return typeof values[part] === "number" ? values[part].toLocaleString(locale) : `\u2068${visible(values[part])}\u2069`;
  }).join("");

/** A text as nodes. Values of others are isolated, and cannot change the text around them. */
export const say = (key, values = {}) =>
  parts(key).map((part, index) => {
    if (index % 2 === 0) return part;
    const value = values[part];
    if (value instanceof Node) return value;
    return typeof value === "number" ? value.toLocaleString(locale) : foreign(value);
  });

/** The same with a count, which chooses the form. */
export const count = (key, number, values = {}) => t(form(key, number), { count: number, ...values });
export const sayCount = (key, number, values = {}) => say(form(key, number), { count: number, ...values });

/** A text of somebody else in an element of its own direction, with its control characters made visible. */
export const foreign = (text, name = "bdi") => h(name, { dir: "auto" }, visible(text));
