/** How requests ended that the person was asked: their own decisions with receipts, and requests without an answer. */

import { Lost } from "./device.js";
import { asking, contents, outcomeWords, summary } from "./card.js";
import { button, h, heading } from "./dom.js";
import { parse } from "./json.js";
import { check } from "./receipt.js";
import { requestedLine, clientName } from "./record.js";
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
      list.append(...page.requests.map((ended) => entry(settings, device, ended)));
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

/** Key of the outcome's text. Servers before 1.0 tell the decision alone. */
const endings = {
  allowed: "outcomeAllowed", rejected: "outcomeRejected", reported: "outcomeReported", wrong_number: "outcomeWrongNumber",
  expired: "outcomeExpired", withdrawn: "outcomeWithdrawn",
};

/** The short outcome, for a chip. */
function ending({ outcome, decision, reason }) {
  const key = endings[outcome ?? decision] ?? "outcomeAnswered";
  return key === "outcomeRejected" && reason ? "outcomeReason" : key;
}

/** Place of the answer: elsewhere, if not this phone. */
function place({ decision, device: phone, evidence }, device) {
  if (!decision || phone?.id === device.account.id) return undefined;
  if (evidence === "session") return t("answeredOnPage");
  return phone && say("answeredWith", { phone: phone.name });
}

function entry(settings, device, ended) {
  const record = parse(ended.record);
  const key = ending(ended);
  const isAllowed = key === "outcomeAllowed";
  const at = ended.decided_at ?? ended.ended_at;
  const elsewhere = place(ended, device);
  const facts = h("div");
  // Filled when it opens, as most never are.
  const opened = () => facts.childElementCount || facts.append(
    h("div.past", h("p", outcomeWords(key, record)), elsewhere && h("p", elsewhere),
      ended.reason && h("p", say("reasonGiven", { reason: ended.reason })),
      asking(record, settings.name, "h2"), contents({ record }, { title: "h3", part: "h3" }),
      ended.decision && receipt(settings, device, record)));
  return h("li", h("details", { ontoggle: opened },
    h("summary",
      h(isAllowed ? "span.chip.good" : ["outcomeReported", "outcomeWrongNumber"].includes(key) ? "span.chip.urgent" : "span.chip",
        t(key)),
      h("span.decided", summary({ record }), elsewhere && h("span.hint", elsewhere),
        h("time.hint", { datetime: at }, moment(Date.parse(at))))),
    facts));
}

/** The issuer's public keys, or undefined. */
async function keys() {
  const answer = await fetch("/.well-known/jwks.json", { credentials: "omit" }).catch(() => undefined);
  return answer?.ok ? answer.json() : undefined;
}

/** The receipt, as a person reads it, and the JWS to keep or to pass on, which docs/receipts.md explains. */
function receipt(settings, device, record) {
  const id = record.get("id");
  const place = h("div", { role: "status" });
  const show = button("plain", t("receiptShow"), async () => {
    let text;
    try {
      text = await device.receipt(id);
    } catch (error) {
      place.replaceChildren(t(error instanceof Lost ? "offline" : "noReceipt"));
      return;
    }
    const known = await keys();
    const checked = known && await check(text, known, settings.issuer).catch(console.error);
    show.remove();
    place.replaceChildren(...receiptView(settings, record, text, known && (checked ?? { claims: {}, proof: undefined })));
  });
  return h("div.receipt", show, place);
}

/** The check's result in a sentence. @param {import("./receipt.js").Checked|undefined} checked undefined without keys */
function verdict({ name: tenant }, checked) {
  if (!checked) return h("p.problem", say("receiptUnchecked", { tenant }));
  const phone = checked.claims.device?.name ?? "";
  if (!checked.proof) return h("p.problem", say("receiptWrong", { tenant }));
  return h("p.verified",
    checked.proof === "phone" ? say("receiptPhone", { tenant, phone })
      : checked.proof === "challenge" ? say("receiptChallenge", { tenant, phone }) : say("receiptSession", { tenant }));
}

function receiptView(settings, record, text, checked) {
  const { claims = {} } = checked ?? {};
  const fact = (key, value) => value && [h("dt", t(key)), h("dd", foreign(value, "span"))];
  const isAllowed = claims.decision === "allowed";
  return [
    h("h3", t("receipt")), verdict(settings, checked),
    checked?.proof && h("dl",
      fact("receiptAsked", clientName(record)), fact("receiptWhat", requestedLine(record)),
      fact("receiptDecision", t(isAllowed ? "outcomeAllowed" : "outcomeRejected")),
      fact("receiptWhen", moment(Date.parse(claims.decided_at))),
      fact("receiptBy", claims.device?.name ?? t("browser")), fact("receiptSigned", claims.iss)),
    h("details.experts", h("summary", t("receiptExperts")),
      h("label", { for: `receipt-${claims.id}` }, t("receiptRaw")),
      h("textarea", { id: `receipt-${claims.id}`, readonly: true, rows: 6, spellcheck: "false" }, text),
      h("div.row", button("plain", t("receiptCopy"), (event) => copy(event.currentTarget, text)),
        button("plain", t("receiptSave"), () => save(text, record.get("id"))))),
  ].filter(Boolean);
}

async function copy(place, text) {
  await navigator.clipboard.writeText(text).then(() => { place.textContent = t("copied"); }, console.error);
}

function save(text, id) {
  const url = URL.createObjectURL(new Blob([text], { type: "application/jwt" }));
  h("a", { href: url, download: `receipt-${id}.jwt` }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
