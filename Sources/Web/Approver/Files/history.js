/** The person's own decisions, with their receipts. */

import { Lost } from "./device.js";
import { asking, contents, message, clientName } from "./card.js";
import { button, h, heading } from "./dom.js";
import { parse } from "./json.js";
import { foreign, moment, say, t } from "./text.js";

/**
 * @param {object} settings
 * @param {import("./device.js").Device[]} devices
 */
export function historyView(settings, devices) {
  return h("section.page",
    heading(t("history")),
    devices.map((device) => accountHistory(settings, device, devices.length > 1)));
}

function accountHistory(settings, device, named) {
  const list = h("ul.decisions");
  const status = h("p.hint", { role: "status" }, t("loading"));
  const more = button("plain", t("showMore"), () => load());
  let next;
  async function load() {
    more.remove();
    try {
      const page = await device.history(next);
      list.append(...page.requests.map((decision) => entry(settings, device, decision)));
      next = page.next;
      status.textContent = list.childElementCount ? "" : t("noDecisions");
      if (next) list.after(more);
    } catch (error) {
      status.textContent = t(error instanceof Lost ? "offline" : "notOffered");
    }
  }
  load();
  return h("section", named && h("h2", foreign(device.account.label)), list, status);
}

function entry(settings, device, decision) {
  const record = parse(decision.record);
  const isAllowed = decision.decision === "allowed";
  const facts = h("div");
  // Filled when it opens, as most never are.
  const opened = () => facts.childElementCount || facts.append(
    h("div.past", asking(record, settings.name, "h2"), contents({ record }, { part: "h3" }),
      decision.reason && h("p", say("reasonGiven", { reason: decision.reason })), receipt(device, decision.id)));
  return h("li", h("details", { ontoggle: opened },
    h("summary",
      h(isAllowed ? "span.chip.good" : "span.chip", t(isAllowed ? "allowed" : "rejected")),
      h("span.line", h("strong", foreign(clientName(record))), h("span", message({ record })),
        h("time.hint", { datetime: decision.decided_at }, moment(Date.parse(decision.decided_at))))),
    facts));
}

/** The receipt to keep or to pass on: a JWS, which docs/receipts.md explains. */
function receipt(device, id) {
  const place = h("div", { role: "status" });
  const get = async (show) => {
    try {
      show(await device.receipt(id));
    } catch (error) {
      place.replaceChildren(t(error instanceof Lost ? "offline" : "noReceipt"));
    }
  };
  const download = (text) => {
    const url = URL.createObjectURL(new Blob([text], { type: "application/jwt" }));
    h("a", { href: url, download: `receipt-${id}.jwt` }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  };
  const show = (text) => place.replaceChildren(
    h("label", { for: `receipt-${id}` }, t("receipt")),
    h("textarea", { id: `receipt-${id}`, readonly: true, rows: 6, spellcheck: "false" }, text));
  return h("div.receipt", h("div.row",
    button("plain", t("receiptShow"), () => get(show)),
    button("plain", t("receiptSave"), () => get(download))), place);
}
