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
 * @property {string} [name] the member's name in the request
 * @property {Value} [value] the member's value
 * @property {Money} [money] the amount, if the value is one
 * @property {boolean} [isUnreadableMoney] true if the value is declared as money and cannot be read as such
 *
 * @typedef {object} Money
 * @property {string} amount decimal digits with an optional sign and fraction
 * @property {string} currency
 * @property {(amount: string, currency: string) => string} spell writes an amount
 *
 * @typedef {object} Part a text of a headline
 * @property {string} text
 * @property {boolean} [isOwn] true for words of the catalogue
 *
 * @typedef {object} Headline what counts most in a detail, such as an amount and its payee
 * @property {string} text
 * @property {Part[]} parts
 * @property {string} first the first value
 * @property {Money} [money]
 *
 * @typedef {Shown & {headline?: Headline, isMoney: boolean, isWhole: boolean, isGroupable: boolean}} Detail
 *   `isWhole` is true if the headline has all money
 * @typedef {object} Words texts of the language
 * @property {string} none
 * @property {string} yes
 * @property {string} no
 * @property {string} payment `{amount} to {payee}`
 */

import { Numeral } from "./json.js";

/** Characters that change what surrounds them or cannot be seen, and those that have none of their own place. */
const unseen = String.raw`\0-\x1f\x7f-\x9f\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u2d7f\u3164\ud800-\uf8ff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffc\u{1107f}\u{110bd}\u{110cd}\u{13430}-\u{1343f}\u{16fe4}\u{1bca0}-\u{1bca3}\u{1d159}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}\u{f0000}-\u{10ffff}`;
const picture = String.raw`[\xa9\xae\u203c\u2049\u2122\u2139\u2190-\u27bf\u2934\u2935\u2b00-\u2bff\u3030\u303d\u3297\u3299\u{1f000}-\u{1faff}][\ufe0e\ufe0f]?`;
const joining = String.raw`[\u0600-\u109f\u1780-\u18af\u1a00-\u1cff\ua800-\uabff\u{10a00}-\u{11fff}\u{1e900}-\u{1e95f}]`;
/** @param {string} name */
const tags = (name) => [...name].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join("");
const flags = `\u{1f3f4}(?:${["gbeng", "gbsct", "gbwls"].map(tags).join("|")})\u{e007f}`;
const pattern = new RegExp(String.raw`(${flags}|${picture}(?:\u200d(?!${flags})${picture})*|[\d#*]\ufe0f\u20e3|(?![${unseen}])${joining}[\u200c\u200d])|([${unseen}])|[^]`, "gu");
const risky = new RegExp(String.raw`[${unseen}\p{M}]`, "u");
/** Marks that stay on one base: more would be drawn over the lines around it. */
const markLimit = 4;
/** @param {string} letter */
const isMark = (letter) => /^[\p{Mn}\p{Me}]/u.test(letter);
/** @param {string} letter */
const number = (letter) => `‹U+${Number(letter.codePointAt(0)).toString(16).toUpperCase().padStart(4, "0")}›`;

/**
 * Makes invisible characters visible by their numbers, except those that shape a visible neighbour, and marks that are
 * too many for their base. A single line break stays, because more would push a part out of sight.
 * @param {unknown} text
 */
export function visible(text) {
  const whole = String(text);
  if (!risky.test(whole)) return whole;
  // A text begins without a base, and so does each of its lines.
  let marks = markLimit;
  return whole.replace(pattern, (found, kept, hidden, at) => {
    if (found === "\n" && whole[at - 1] !== "\n") {
      marks = markLimit;
      return found;
    }
    if (hidden) return number(found);
    const [first, ...rest] = found;
    if (isMark(first)) {
      marks += 1;
      return marks > markLimit ? number(first) + rest.join("") : found;
    }
    // A spacing mark has a place of its own, and is no base.
    if (!/^\p{Mc}/u.test(first)) marks = rest.filter(isMark).length;
    return found;
  });
}

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
/** Names of members that say who gets an amount, as in Swift's `Headline`. */
const payees = new Set([
  "payee", "payeename", "payto", "creditor", "creditorname", "recipient", "recipientname", "beneficiary",
  "beneficiaryname", "merchant", "merchantname", "to",
]);
/** Signs that no other currency shares. */
const signs = new Map([["EUR", "€"], ["GBP", "£"], ["USD", "US$"]]);
/** Characters that a button shows in one line of a narrow phone. */
const actionLimit = 24;

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
    const [whole, fraction] = amount.replace("-", "").split(".");
    const minus = amount.startsWith("-") ? "-" : "";
    const digits = whole.replace(/\B(?=(\d{3})+$)/g, grouping) + (fraction ? point + fraction : "");
    const sign = signs.get(currency);
    if (!sign) return `${minus}${digits}\u00a0${currency}`;
    return language === "en" ? `${minus}${sign}${digits}` : `${minus}${digits}\u00a0${sign}`;
  }

  /**
   * The amount of an object that has nothing but an amount and a currency.
   * @param {Value|undefined} value
   * @returns {Money|undefined}
   */
  function moneyOf(value) {
    if (!(value instanceof Map) || value.size !== 2) return undefined;
    const [amount, currency] = [decimal(value.get("amount") ?? value.get("value")), currencyOf(value.get("currency"))];
    return amount && currency ? { amount, currency, spell: money } : undefined;
  }

  /**
   * The amount that a shown member is, also without a declaration.
   * @param {Shown} member
   * @param {Value|undefined} beside value of the member `currency` beside it
   */
  function amountOf(member, beside) {
    const own = member.money ?? moneyOf(member.value);
    if (own || (member.name !== "amount" && member.name !== "value")) return own;
    const [amount, currency] = [decimal(member.value), currencyOf(beside)];
    return amount && currency ? { amount, currency, spell: money } : undefined;
  }

  /**
   * The text of a member in a headline, and its amount. Undefined for one that has no text or an empty one.
   * @param {Shown} member
   * @param {Money|undefined} amount
   */
  function headlined(member, amount = member.money ?? moneyOf(member.value)) {
    if (amount) return { text: money(amount.amount, amount.currency), money: amount };
    const isEmpty = typeof member.value === "string" ? !/\P{White_Space}/u.test(member.value)
      : member.value === null || member.value instanceof Map || Array.isArray(member.value);
    return isEmpty || member.text === undefined ? undefined : { text: member.text };
  }

  /** @param {Shown} member */
  const isPayee = (member) => payees.has(folded(member.name ?? "")) && headlined(member) !== undefined;

  /**
   * @param {{text: string, money?: Money}[]} values
   * @param {boolean} isPayment
   * @returns {Headline|undefined}
   */
  function headline(values, isPayment) {
    if (!values.length) return undefined;
    /** @type {Part[]} */
    const line = isPayment
      ? words.payment.split(/\{(\w+)\}/).filter(Boolean).map((part) => (part === "amount" ? { text: values[0].text }
        : part === "payee" ? { text: values[1].text } : { text: part, isOwn: true }))
      : values.flatMap(({ text }, index) => [...(index ? [{ text: " · ", isOwn: true }] : []), { text }]);
    return {
      text: line.map(({ text }) => text).join(""), parts: line, first: values[0].text,
      money: values.find((value) => value.money)?.money,
    };
  }

  /**
   * The headline that the API names.
   * @param {Value|undefined} names
   * @param {Shown[]} all
   */
  function declaredHeadline(names, all) {
    const named = elements(names).flatMap((name) => all.filter((member) => member.name === name).slice(0, 1))
      .filter((member) => headlined(member));
    const values = named.flatMap((member) => headlined(member) ?? []);
    return headline(values, values.length === 2 && Boolean(values[0].money) && isPayee(named[1]));
  }

  /**
   * The only amount with its payee, and the number of places where money is, read or not. The client chooses the order
   * and the spelling of what the schema leaves open, so neither may decide which of several amounts a person sees first.
   * @param {Members} detail
   * @param {Shown[]} all
   */
  function searched(detail, all) {
    /** @type {Headline|undefined} */
    let found;
    let count = 0;
    let isBroken = false;
    const broken = () => {
      count += 1;
      isBroken = true;
    };
    /** @param {Members} object @param {Shown[]} shown @param {boolean} isListed @param {Shown[][]} around the nearest first */
    function search(object, shown, isListed, around) {
      const beside = object.get("currency");
      let isRead = false;
      for (const member of shown) {
        const amount = amountOf(member, beside);
        if (!amount) {
          if (member.isUnreadableMoney) broken();
          if (member.parts) search(members(member.value), member.parts, isListed || Boolean(member.isList), member.isList ? [] : [shown, ...around]);
          continue;
        }
        isRead = true;
        count += 1;
        if (isListed) continue;
        // The client would choose which of two payees is shown.
        const payees = [shown, ...around].flat().filter(isPayee);
        const payee = payees.length === 1 ? payees[0] : undefined;
        const values = [headlined(member, amount), payee && headlined(payee)].flatMap((value) => value ?? []);
        found = headline(values, values.length === 2);
      }
      if (!isRead && [...object.keys()].some((name) => folded(name).endsWith("currency"))) broken();
    }
    search(detail, all, false, []);
    const isReadable = count === 1 && !isBroken;
    return { found: isReadable ? found : undefined, isMoney: count > 0, isReadable };
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

  /** @param {Value|undefined} value @param {Node} node */
  const isUnreadableMoney = (value, node) =>
    node.get("format") === "money" && !(value instanceof Map) && value !== null && { isUnreadableMoney: true };

  /** @param {Value|undefined} value @param {Node} node @param {string} [currency] @returns {Shown} */
  function content(value, node, currency) {
    const text = formatted(value, node.get("format"), currency);
    if (text !== undefined) {
      const amount = decimal(value);
      const isMoney = node.get("format") === "money";
      return {
        text, isFormatted: true, value,
        ...(isMoney && { money: moneyOf(value) ?? (amount && currency ? { amount, currency, spell: money } : undefined) }),
      };
    }
    if (value instanceof Map && value.size) return { parts: list(value, node), value };
    if (!Array.isArray(value) || !value.length) return { text: plain(value), value, ...isUnreadableMoney(value, node) };
    const items = members(node.get("items"));
    const own = { title: label(items), description: description(items) };
    return { isList: true, value, ...isUnreadableMoney(value, node), parts: value.map((element) => ({ ...own, ...content(element, items, currency) })) };
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
        name, title: label(members(nodes.get(name))) ?? named(name, labels), description: description(members(nodes.get(name))),
        ...content(object.get(name), members(nodes.get(name)), currency),
      }));
  }

  /**
   * Each detail, whose title is missing if it has neither label nor type.
   * @param {Value|undefined} details
   * @param {Value|undefined} presentation
   * @returns {Detail[]}
   */
  return (details, presentation) => {
    const nodes = elements(presentation).map(members);
    const labels = nodes.map(label);
    return elements(details).map(members).map((detail, index) => {
      const [type, node] = [detail.get("type"), nodes[index] ?? new Map()];
      const parts = list(detail, node, true);
      const { found, isMoney, isReadable } = searched(detail, parts);
      const headline = declaredHeadline(node.get("headline"), parts) ?? found;
      const isWhole = !isMoney || (isReadable && headline?.money !== undefined);
      const isNegative = headline?.money?.amount.startsWith("-") === true;
      return {
        isMoney, isWhole, isGroupable: node.get("groupable") === true && isWhole && !isNegative, headline,
        title: label(node) ?? (typeof type === "string" ? named(type, labels) : undefined), description: description(node),
        parts,
      };
    });
  };
}

/**
 * The exact sum. No amount is too large, and one amount keeps its spelling.
 * @param {string[]} amounts
 */
function sum(amounts) {
  if (amounts.length === 1) return amounts[0];
  const places = Math.max(...amounts.map((amount) => (amount.split(".")[1] ?? "").length));
  const total = amounts.map((amount) => {
    const [whole, fraction = ""] = amount.split(".");
    return BigInt(whole + fraction.padEnd(places, "0"));
  }).reduce((one, other) => one + other, 0n);
  const digits = String(total).replace("-", "").padStart(places + 1, "0");
  const fraction = places ? `.${digits.slice(-places)}` : "";
  return `${total < 0n ? "-" : ""}${digits.slice(0, digits.length - places)}${fraction}`;
}

/**
 * Values that count in a request, or in several whose details are given together.
 * @param {Detail[]} details
 * @returns {{lines: Headline[], sums: string[], action?: string, isMoney: boolean, isGroupable: boolean}} `action` stands
 *   in the button beside "Allow". `sums` has the exact sum for each currency, and none if money is elsewhere in a detail.
 *   `isGroupable` is true if each detail with money may be allowed together with others.
 */
export function headlineOf(details) {
  const lines = details.flatMap(({ headline }) => headline ?? []);
  const isMoney = details.some((detail) => detail.isMoney);
  const isWhole = details.every((detail) => detail.isWhole);
  const amounts = isWhole ? lines.flatMap(({ money }) => money ?? []) : [];
  const sums = [...new Set(amounts.map(({ currency }) => currency))].map((currency) => {
    const all = amounts.filter((amount) => amount.currency === currency);
    return all[0].spell(sum(all.map(({ amount }) => amount)), currency);
  });
  const short = details.length === 1 && !isMoney && lines[0] && [...lines[0].first].length <= actionLimit ? lines[0].first : undefined;
  return {
    lines, sums, action: sums.length ? sums.join(" + ") : short, isMoney,
    isGroupable: details.every((detail) => !detail.isMoney || detail.isGroupable),
  };
}
