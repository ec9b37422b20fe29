/**
 * Values as a person reads them. The server's pages, mails and command show the same (Tests/Vectors).
 *
 * @typedef {import("./json.js").Value} Value
 * @typedef {Map<string, Value>} Members
 * @typedef {Members} Node declarations for a value
 * @typedef {object} Shown a value with its title, and either a text or parts
 * @property {string} [title]
 * @property {string} [description]
 * @property {string} [text]
 * @property {boolean} [isFormatted] true for a text of a declared format
 * @property {boolean} [isList] true for parts that are elements
 * @property {Shown[]} [parts]
 * @typedef {object} Words texts of the language
 * @property {string} none
 * @property {string} yes
 * @property {string} no
 */

import { Numeral } from "./json.js";

/** Characters that change what surrounds them or cannot be seen, and those that have none of their own place. */
const unseen = String.raw`\0-\x1f\x7f-\x9f\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u2d7f\u3164\ud800-\uf8ff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffc\u{1107f}\u{110bd}\u{110cd}\u{13430}-\u{1343f}\u{16fe4}\u{1bca0}-\u{1bca3}\u{1d159}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}\u{f0000}-\u{10ffff}`;
const picture = String.raw`[\xa9\xae\u203c\u2049\u2122\u2139\u2190-\u27bf\u2934\u2935\u2b00-\u2bff\u3030\u303d\u3297\u3299\u{1f000}-\u{1faff}][\ufe0e\ufe0f]?`;
const joining = String.raw`[\u0600-\u109f\u1780-\u18af\u1a00-\u1cff\ua800-\uabff\u{10a00}-\u{11fff}\u{1e900}-\u{1e95f}]`;
/** @param {string} name */
const tags = (name) => [...name].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join("");
const flags = `\u{1f3f4}(?:${["gbeng", "gbsct", "gbwls"].map(tags).join("|")})\u{e007f}`;
const pattern = new RegExp(String.raw`(${flags}|${picture}(?:\u200d(?!${flags})${picture})*|[\d#*]\ufe0f\u20e3|(?![${unseen}])${joining}[\u200c\u200d])|[${unseen}]`, "gu");

/**
 * Makes invisible characters visible by their numbers, except those that shape a visible neighbour. A single line break
 * stays, because more would push a part out of sight.
 * @param {unknown} text
 */
export const visible = (text) => String(text).replace(pattern, (found, kept, at, all) =>
  kept || (found === "\n" && all[at - 1] !== "\n") ? found
    : `‹U+${Number(found.codePointAt(0)).toString(16).toUpperCase().padStart(4, "0")}›`);

/** @param {Value|undefined} value @returns {Members} */
const members = (value) => (value instanceof Map ? value : new Map());
/** @param {Value|undefined} value */
const elements = (value) => (Array.isArray(value) ? value : []);
/** @param {string} text */
const folded = (text) => text.toLowerCase().replace(/[\p{White_Space}_-]/gu, "");
/**
 * True if its ends cannot be seen, or look like quotation marks.
 * @param {string} text
 */
const isOpen = (text) => (/^$|^["\p{White_Space}]|\p{White_Space}$/u.test(text));
/**
 * True for signs that part names and values in mails.
 * @param {string} text
 */
const parts = (text) => (/: | \/ /.test(text));
/** @param {Value|undefined} value */
const currencyOf = (value) => (typeof value === "string" && /^[A-Z]{3}$/.test(value) ? value : undefined);

/**
 * Digits, with a sign and a fraction at most.
 * @param {Value|undefined} value
 */
function decimal(value) {
  const text = value instanceof Numeral ? value.text : value;
  return typeof text === "string" && /^-?\d+(\.\d+)?$/.test(text) ? text : undefined;
}

/**
 * Reads details by the presentation that their API registered.
 * @param {string} locale tag of the person's language
 * @param {Words} words
 * @param {string} [timeZone] that of this device if it is absent
 */
export function presenter(locale, words, timeZone) {
  const tag = locale.toLowerCase();
  const [language] = tag.split("-");
  const [grouping, point] = language === "fr" ? ["\u202f", ","] : language === "de" ? [".", ","] : [",", "."];
  /** @type {Intl.DateTimeFormatOptions} */
  const clock = {
    hour: "2-digit", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3, hourCycle: "h23",
    timeZoneName: "short",
  };
  /** @param {Intl.DateTimeFormatOptions} options */
  const format = (options) => new Intl.DateTimeFormat(language === "en" ? "en-GB" : language, options);

  /**
   * `Intl` does not know the first of a month in French.
   * @param {Date|number} moment
   * @param {string} [zone]
   */
  const dayOf = (moment, zone) =>
    format({ dateStyle: "long", timeZone: zone }).format(moment).replace(language === "fr" ? /^1 / : /^$/, "1er ");

  /**
   * A text of a node, in the language if there is one.
   * @param {Node} node
   * @param {string} one
   * @param {string} many
   */
  function translated(node, one, many) {
    const translations = [...members(node.get(many))];
    for (const name of [tag, language]) {
      const text = translations.find(([other]) => other.toLowerCase() === name)?.[1];
      if (typeof text === "string" && text) return text;
    }
    const text = node.get(one);
    return typeof text === "string" && text ? text : undefined;
  }

  /** @param {Node} node */
  const label = (node) => translated(node, "label", "labels");
  /** @param {Node} node */
  const description = (node) => translated(node, "description", "descriptions");

  /**
   * A name beside labels. One that could be taken for a label is in quotation marks.
   * @param {string} name
   * @param {(string|undefined)[]} labels
   */
  const named = (name, labels) =>
    (isOpen(name) || parts(name) || labels.some((label) => label !== undefined && folded(label) === folded(name)) ? JSON.stringify(name) : name);

  /** @param {string} amount @param {string} currency */
  function money(amount, currency) {
    const [whole, fraction] = amount.split(".");
    const digits = whole.replace(/\B(?=(\d{3})+$)/g, grouping);
    return `${digits}${fraction ? point + fraction : ""}\u00a0${currency}`;
  }

  /** @param {string} text */
  function date(text) {
    const moment = new Date(`${text}T00:00:00Z`);
    const exists = /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(text);
    return exists ? dayOf(moment, "UTC") : undefined;
  }

  /** @param {string} text */
  function time(text) {
    const parts = /^(\d{4}-\d\d-\d\d)[Tt ]([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.(\d+))?(?:[Zz]|([+-])([01]\d|2[0-3]):?([0-5]\d))$/.exec(text);
    if (!parts || !date(parts[1])) return undefined;
    const [, date_, hour, minute, second, fraction, sign, hours, minutes] = parts;
    const offset = sign ? (Number(hours) * 60 + Number(minutes)) * (sign === "-" ? -60_000 : 60_000) : 0;
    const moment = Date.parse(`${date_}T${hour}:${minute}:00Z`) + Number(second) * 1000
      + Number((fraction ?? "").slice(0, 3).padEnd(3, "0")) - offset;
    const at = Object.fromEntries(format({ ...clock, timeZone }).formatToParts(moment).map(({ type, value }) => [type, value]));
    const rest = at.fractionalSecond === "000" ? at.second === "00" ? "" : `:${at.second}` : `:${at.second}.${at.fractionalSecond}`;
    return `${dayOf(moment, timeZone)}, ${at.hour}:${at.minute}${rest} ${at.timeZoneName}`;
  }

  /**
   * The text of a value in a format. Undefined for another format, and for a value that does not have it.
   * @param {Value|undefined} value
   * @param {Value|undefined} kind
   * @param {string} [currency]
   */
  function formatted(value, kind, currency) {
    if (kind === "money" && value instanceof Map) {
      const [amount, unit] = [decimal(value.get("amount") ?? value.get("value")), currencyOf(value.get("currency"))];
      // Further members would be left out.
      return value.size === 2 && amount && unit ? money(amount, unit) : undefined;
    }
    const amount = decimal(value);
    if (kind === "money") return currency && amount ? money(amount, currency) : undefined;
    if (typeof value !== "string") return undefined;
    if (kind === "date") return date(value);
    if (kind === "date-time") return time(value);
    if (kind !== "account") return undefined;
    const isIBAN = /^[A-Z]{2}\d\d[A-Z0-9]{11,30}$/.test(value);
    return isIBAN ? value.replace(/.{4}(?=.)/g, "$& ") : value;
  }

  /**
   * A value without a declared format. A text that could be taken for another kind of value is in quotation marks.
   * @param {Value|undefined} value
   */
  function plain(value) {
    if (typeof value === "string") {
      const isKind = [words.none, words.yes, words.no, "{}", "[]"].includes(value);
      const isNumber = /^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$/.test(value);
      return isKind || isNumber || isOpen(value) ? JSON.stringify(value) : value;
    }
    if (value instanceof Numeral) return value.text;
    if (value === null) return words.none;
    if (typeof value === "boolean") return value ? words.yes : words.no;
    return Array.isArray(value) ? "[]" : "{}";
  }

  /** @param {Value|undefined} value @param {Node} node @param {string} [currency] @returns {Shown} */
  function content(value, node, currency) {
    const text = formatted(value, node.get("format"), currency);
    if (text !== undefined) return { text, isFormatted: true };
    if (value instanceof Map && value.size) return { parts: list(value, node) };
    if (!Array.isArray(value) || !value.length) return { text: plain(value) };
    const items = members(node.get("items"));
    const own = { title: label(items), description: description(items) };
    return { isList: true, parts: value.map((element) => ({ ...own, ...content(element, items, currency) })) };
  }

  /**
   * Members in the declared order, then the others in that of the request.
   * @param {Members} object
   * @param {Node} node
   * @returns {Shown[]}
   */
  function list(object, node, isDetail = false) {
    const nodes = new Map([...object.keys()].map((name) => [name, members(members(node.get("members")).get(name))]));
    const labels = [...nodes.values()].map(label);
    const unit = currencyOf(object.get("currency"));
    const hasAmount = [...object].some(([name, value]) =>
      name !== "currency" && nodes.get(name)?.get("format") === "money" && decimal(value));
    const currency = hasAmount ? unit : undefined;
    const first = elements(node.get("order")).filter((name) => object.has(name));
    return [...new Set([...first, ...object.keys()])]
      // Each amount shows the currency.
      .filter((name) => !(currency && name === "currency") && !(isDetail && name === "type" && typeof object.get(name) === "string"))
      .map((name) => ({
        title: label(members(nodes.get(name))) ?? named(name, labels), description: description(members(nodes.get(name))),
        ...content(object.get(name), members(nodes.get(name)), currency),
      }));
  }

  /**
   * Each detail, whose title is missing if it has neither label nor type.
   * @param {Value|undefined} details
   * @param {Value|undefined} presentation
   * @returns {Shown[]}
   */
  return (details, presentation) => {
    const nodes = elements(presentation).map(members);
    const labels = nodes.map(label);
    return elements(details).map(members).map((detail, index) => {
      const [type, node] = [detail.get("type"), nodes[index] ?? new Map()];
      return {
        title: label(node) ?? (typeof type === "string" ? named(type, labels) : undefined), description: description(node),
        parts: list(detail, node, true),
      };
    });
  };
}
