/** Values as people read them. A value that a format does not fit is shown as it is. */

import { Numeral } from "./json.js";

/** Controls, marks of direction, and other characters that change what surrounds them or cannot be seen. */
const unseen = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\u{e0000}-\u{e0fff}]/gu;

/** Makes invisible characters visible by their numbers. @param {string} text */
export const visible = (text) =>
  String(text).replace(unseen, (character) => `‹U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}›`);

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
export function money(amount, currency, locale) {
  const digits = typeof text(amount) === "string" && decimal.exec(text(amount));
  if (!digits || typeof currency !== "string" || !/^[A-Z]{3}$/.test(currency)) return null;
  const style = { style: "currency", currency };
  const usual = new Intl.NumberFormat(locale, style).resolvedOptions().maximumFractionDigits;
  const written = digits[1]?.length ?? 0;
  const format = new Intl.NumberFormat(locale, {
    ...style, minimumFractionDigits: Math.max(usual, written), maximumFractionDigits: Math.max(usual, written),
  });
  const shown = format.format(text(amount));
  // Browsers that count in floating point lose digits of long numbers.
  const kept = shown.replace(/[^\d]/g, "").replace(/^0+/, "");
  const wanted = digits[0].replace(/[^\d]/g, "").replace(/^0+/, "");
  return kept.startsWith(wanted) ? shown : null;
}

/** A calendar date. Null for any other text. */
export function date(value, locale) {
  if (!/^\d{4}-\d\d-\d\d$/.test(value)) return null;
  const moment = new Date(`${value}T00:00:00Z`);
  if (Number.isNaN(moment.getTime()) || moment.toISOString().slice(0, 10) !== value) return null;
  return new Intl.DateTimeFormat(locale, { dateStyle: "full", timeZone: "UTC" }).format(moment);
}

/** A point in time, in the phone's time zone, which is named. Null for any other text. */
export function dateTime(value, locale) {
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
export const moment = (moment, locale) =>
  new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" }).format(moment);

/** Time left: minutes and seconds, or hours and minutes, or days and hours. @param {number} milliseconds */
export function left(milliseconds, locale) {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
  const unit = (number, unit) => new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "short" }).format(number);
  if (seconds < 60) return unit(seconds, "second");
  if (seconds < 3600) return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")} ${unit(0, "minute").replace(/[\d\s]/g, "")}`;
  const [large, largeUnit, small, smallUnit] = seconds < 86_400
    ? [Math.floor(seconds / 3600), "hour", Math.floor((seconds % 3600) / 60), "minute"]
    : [Math.floor(seconds / 86_400), "day", Math.floor((seconds % 86_400) / 3600), "hour"];
  return small ? `${unit(large, largeUnit)} ${unit(small, smallUnit)}` : unit(large, largeUnit);
}
