/** Several requests of one client, allowed at once: after a list of what each is about. */

import { allowing, lineView, readOn, showUnread } from "./card.js";
import { h } from "./dom.js";
import { Reader, Reading } from "./reading.js";
import { requestedLines, asksNumber, headline, isLogin, message } from "./record.js";
import { sheet } from "./sheet.js";
import { foreign, joined, say, t } from "./text.js";

/** @typedef {import("./requests.js").Request} Request */

/**
 * The requests that may be allowed together: those without a number, and no logins. None if one is about money whose type wants
 * each to be decided by itself, or whose sum nobody can tell.
 * @param {Request[]} open
 */
export function allowable(open) {
  const all = headline(...open.map(({ record }) => record));
  if (all.isMoney && !(all.isGroupable && all.sums.length)) return [];
  return open.filter(({ record }) => !asksNumber(record) && !isLogin(record));
}

/** The sum of each currency, or undefined without money. @param {Request[]} requests */
export function totals(requests) {
  const { sums } = headline(...requests.map(({ record }) => record));
  return sums.length ? joined(sums) : undefined;
}

/** Times the middle amount from which one is told apart. */
const outlying = 3;

/**
 * True for each amount that is far above the others of its currency. One of two has nothing to be compared with.
 * @param {({amount: string, currency: string}|undefined)[]} amounts
 */
export function outliers(amounts) {
  return amounts.map((one) => {
    const others = amounts.filter((other) => one && other?.currency === one.currency)
      .map((other) => Math.abs(Number(other?.amount))).sort((first, second) => first - second);
    return others.length > 2 && Math.abs(Number(one?.amount)) >= outlying * others[Math.floor((others.length - 1) / 2)];
  });
}

/**
 * Shows what each request is about, and the sum. Allowing is possible once all rows were seen.
 * @param {Request[]} requests
 * @returns {Promise<boolean|undefined>}
 */
export function allowAll(requests) {
  const count = requests.length;
  const action = totals(requests);
  const heads = requests.map(({ record }) => headline(record));
  const far = outliers(heads.map(({ lines }) => lines[0]?.money));
  const rows = requests.map(({ record }, index) => h("li",
    requestedLines(record).map(lineView), far[index] && h("span.chip.urgent", t("outlier")),
    message(record) && h("q.hint", foreign(message(record)))));
  const list = h("ol.together", rows);
  const allow = h("button.allow", { type: "button", disabled: true }, allowing("allowAll", action, { count }));
  const rest = readOn();
  const reading = new Reading(rows.length);
  const reader = new Reader(() => list.closest("dialog")?.getBoundingClientRect(), () => {
    allow.disabled = reader.unread.length > 0;
    showUnread(rest, reader.unread);
  });
  reader.follow(rows.map((element, index) => ({ element, reading, index })));
  showUnread(rest, reader.unread);
  return sheet(say("allowAllTitle", { count }), (close) => {
    allow.addEventListener("click", () => close(true));
    return [
      list,
      action && h("dl.sums", h("dt", t("sum")), h("dd", h("strong.value", foreign(action)))),
      h("p.hint", t("allSigned")), rest, allow,
    ];
  }).finally(() => reader.stop());
}
