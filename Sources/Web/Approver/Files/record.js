/** Content of a record in the person's language. The service worker reads records too. */

import { loginOf } from "./login.js";
import { visible, headlineOf } from "./presentation.js";
import { language, plain as words, presented, t } from "./text.js";

/** @typedef {Map<string, any>} Record */

const list = (value) => (Array.isArray(value) ? value : []);

/** @param {Record} record */
export const detailsOf = (record) => presented(record.get("authorization_details"), record.get("presentation"));

/** Name of the client, as its owner chose it. @param {Record} record */
export const clientName = (record) => record.get("client_name") ?? record.get("client_id") ?? "";

/** The login that asks, or nothing. @param {Record} record */
export const login = (record) => loginOf(record, language, words, presented);

/** The client's own words. Those of a login are the server's, and of another language maybe. @param {Record} record @returns {string} */
export const message = (record) => (isLogin(record) ? "" : record.get("binding_message") ?? "");

/** The numbers to pick from, or none. @param {Record} record */
export const choices = (record) => list(record.get("matching_choices")).filter((choice) => /^\d\d$/.test(choice));

/** True if the person types a number. @param {Record} record */
export const isTyped = (record) => record.get("matching") === "type";

/** True if only the right number allows the request. @param {Record} record */
export const asksNumber = (record) => isTyped(record) || choices(record).length > 0;

/** @param {Record} record @returns {Record[]} */
export const scopesOf = (record) => list(record.get("scope"));

/** The heading of a detail. @param {import("./presentation.js").Shown} detail */
export const detailTitle = (detail) => detail.title ?? t("untyped");

/** True for a person's own login, which asks for a second factor. @param {Record} record */
export const isLogin = (record) => record.get("login") instanceof Map;

/** The content that counts most. @param {Record[]} records one, or several that are decided together */
export const headline = (...records) => headlineOf(records.flatMap(detailsOf));

/**
 * The question, as lines of its largest text: the headline, else the kinds of details. Never the client's words, which
 * could say anything.
 * @param {Record} record
 * @returns {import("./presentation.js").Part[][]}
 */
export function requestedLines(record) {
  const question = login(record)?.headline;
  if (question) return [[{ text: question }]];
  const { lines } = headline(record);
  return lines.length ? lines.map(({ parts }) => parts) : detailsOf(record).map((detail) => [{ text: detailTitle(detail) }]);
}

/** Name of the API to which a request without details asks access. @param {Record} record @returns {string|undefined} */
export const accessTo = (record) => record.get("audience_name") ?? record.get("audience");

/** Marks that isolate a value. Its element does so in a page. */
const isolates = /[\u2066-\u2069]/g;

/** A line without marks of its parts. @param {import("./presentation.js").Part[]} line */
export const plain = (line) => line.map(({ text }) => visible(text)).join("");

/** The question in one line, or an empty text. @param {Record} record */
export function requestedLine(record) {
  const [lines, audience] = [requestedLines(record), accessTo(record)];
  return lines.length ? lines.map(plain).join(", ") : audience ? t("accessTo", { audience }).replace(isolates, "") : "";
}
