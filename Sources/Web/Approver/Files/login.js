/**
 * A login that a person confirms: its question, its facts and the screen that shows its number, in the person's language.
 * The server's texts are the same (Tests/Vectors).
 *
 * @typedef {import("./json.js").Value} Value
 * @typedef {object} Login
 * @property {string} headline
 * @property {string} screen as "Firefox on macOS"
 * @property {{label: string, value: string}[]} rows
 */

/** Declares the member `at` as a time. */
const presentation = [new Map([["members", new Map([["at", new Map([["format", "date-time"]])]])]])];

/**
 * @param {Map<string, Value>} record
 * @param {string} language
 * @param {(key: string, values?: Record<string, string>) => string} text of the catalogue
 * @param {(details: Value, presentation: Value) => import("./presentation.js").Shown[]} presented
 * @returns {Login|undefined} nothing for a request of a client
 */
export function loginOf(record, language, text, presented) {
  const login = record.get("login");
  if (!(login instanceof Map)) return undefined;
  /** @param {Value|undefined} value */
  const word = (value) => (typeof value === "string" && value ? value : undefined);
  const [application, browser, system, address] = ["application", "browser", "system", "address"].map((name) => word(login.get(name)));
  const places = login.get("place");
  const place = places instanceof Map ? word(places.get(language)) ?? word(places.get("en")) : undefined;
  const known = browser ?? text("loginUnknownBrowser");
  const screen = system ? text("loginSoftware", { browser: known, system }) : known;
  const [{ parts: [time] = [] }] = presented([new Map([["at", login.get("at") ?? null]])], presentation);
  const rows = /** @type {[string, string|undefined][]} */ ([
    ["loginBrowser", screen], ["loginPlace", place], ["loginAddress", address], ["loginTime", time?.text],
  ]);
  return {
    headline: text("loginHeadline", { application: application ?? "" }), screen,
    rows: rows.flatMap(([key, value]) => (value ? [{ label: text(key), value }] : [])),
  };
}
