/** A request as a person decides it: everything that the record says, and the answers below. */

import { now } from "./device.js";
import { h, icon, button, shapes } from "./dom.js";
import { detailView, detailTitle } from "./details.js";
import { left } from "./format.js";
import { rejection, report } from "./sheet.js";
import { foreign, locale, say, sayCount, t } from "./text.js";

/** OIDC Core 5.4. */
const standardScopes = ["openid", "profile", "email", "address", "phone", "offline_access"];

const list = (value) => (Array.isArray(value) ? value : []);

/** Name of the client, as its owner chose it. */
export const clientName = (record) => record.get("client_name") ?? record.get("client_id") ?? "";

/** Sentence about a request for lists. */
export const message = (request) => foreign(request.record.get("binding_message") ?? "");

/** The numbers to pick from, or none. */
export const choices = (record) => list(record.get("matching_choices")).filter((choice) => /^\d\d$/.test(choice));

/** The time left in words. */
export const clockWords = (request) =>
  say("timeLeft", { time: document.createTextNode(left(request.expiresAt - now(), locale)) });

/** Time left, which moves. The page updates it each second. */
export function clock(request) {
  const bar = h("span", {});
  const words = h("span.left", {});
  const element = h("p.clock", {}, words, h("span.bar", { "aria-hidden": "true" }, bar));
  element.update = () => {
    const rest = request.expiresAt - now();
    const share = Math.max(0, Math.min(1, rest / (request.expiresAt - request.createdAt)));
    words.replaceChildren(...clockWords(request));
    bar.style.inlineSize = `${share * 100}%`;
    element.classList.toggle("soon", rest < 30_000);
  };
  element.update();
  element.classList.add("moves");
  return element;
}

/** Picture of the client: its logo, or the first letter of its name. */
function picture(record) {
  const logo = record.get("client_logo");
  const letter = h("span.letter", { "aria-hidden": "true" }, [...clientName(record).trim()][0]?.toUpperCase() ?? "?");
  if (typeof logo !== "string" || !logo.startsWith("https://")) return letter;
  const image = h("img.logo", { src: logo, alt: "", referrerpolicy: "no-referrer", width: 48, height: 48 });
  image.addEventListener("error", () => image.replaceWith(letter));
  return image;
}

/** The client, and if it belongs to the tenant. */
export function asking(record, tenant, heading = "h1") {
  const own = record.get("client_is_first_party");
  return h("div.asking", {}, picture(record), h("div", {},
    h(heading, { tabindex: -1 }, say("asks", { client: clientName(record) })),
    own === undefined ? null : h(own ? "p.origin.own" : "p.origin", {},
      say(own ? "ownClient" : "foreignClient", { tenant }))));
}

/** Everything that is asked for. @param {import("./requests.js").Request} request */
export function contents({ record }, { title = "p", part = "h2" } = {}) {
  const details = list(record.get("authorization_details"));
  const presentation = list(record.get("presentation"));
  const scopes = list(record.get("scope"));
  const audience = record.get("audience_name") ?? record.get("audience");
  return [
    h(`${title}.message`, {}, foreign(record.get("binding_message") ?? "")),
    details.map((detail, index) => detailView(detail, presentation[index], part)),
    scopes.length ? h("section.scopes", {},
      h(part, {}, say("scopes")), h("ul", {}, scopes.map((scope) => h("li", {}, scopeText(scope))))) : null,
    h("details.origin-facts", {}, h("summary", {}, t("more")),
      h("dl", {},
        fact("factFor", audience), fact("factAddress", record.get("audience")),
        fact("factClient", record.get("client_id")), fact("factServer", record.get("iss")),
        fact("factRequest", record.get("id")))),
  ];
}

const fact = (key, value) => value && [h("dt", {}, t(key)), h("dd", {}, foreign(value, "span"))];

function scopeText(scope) {
  const [value, description] = [scope.get("value"), scope.get("description")];
  if (description) return foreign(description, "span");
  return standardScopes.includes(value) ? t(`scope_${value}`) : h("code", { dir: "auto" }, value);
}

/** A line about a request, for lists. */
export function summary(request) {
  const [detail] = list(request.record.get("authorization_details"));
  const [node] = list(request.record.get("presentation"));
  return [
    h("strong", {}, foreign(clientName(request.record))), h("span", {}, message(request)),
    detail && h("span.hint", {}, foreign(detailTitle(detail, node))),
  ];
}

/** Buttons with the numbers, one of which the other screen shows. */
function numbers(record, isOpen, pick) {
  return h("fieldset.numbers", {}, h("legend", {}, t("pickNumber")),
    h("div", {}, choices(record).map((number) =>
      button("number", number, () => pick(number), { disabled: !isOpen, "aria-label": t("pickThis", { number }) }))));
}

/**
 * The answers.
 * @param {import("./requests.js").Request} request
 * @param {(answer: object) => void} answer sends one
 */
export function answers(request, answer) {
  const isOpen = request.state === "open";
  const asking = (question) => async () => {
    const given = await question();
    if (given) answer(given);
  };
  const disabled = !isOpen;
  const hasNumbers = choices(request.record).length > 0;
  const state = { sending: "sending", checking: "checking" }[request.state];
  return h("div.answers", {},
    request.problem && h("p.problem", { role: "alert" }, t(request.problem)),
    state && h("p.working", { role: "status" }, t(state)),
    hasNumbers && numbers(request.record, isOpen, (pick) => answer({ accepted: true, pick })),
    h("div.row", {},
      button("reject", t("reject"), () => answer({ accepted: false }), { disabled }),
      !hasNumbers && button("allow", t("allow"), () => answer({ accepted: true }), { disabled })),
    h("div.row", {},
      button("quiet", t("withReason"), asking(rejection), { disabled, "aria-haspopup": "dialog" }),
      button("quiet", t("report"), asking(report), { disabled, "aria-haspopup": "dialog" })));
}

/** How a request ended. */
export function outcome(request, buttons) {
  const isGood = ["outcomeAllowed"].includes(request.outcome);
  const isNo = ["outcomeRejected", "outcomeReported", "outcomeWrongNumber"].includes(request.outcome);
  return h("section.outcome", {},
    h(isGood ? "span.seal.good" : "span.seal", { "aria-hidden": "true" }, icon(isGood ? shapes.done : isNo ? shapes.no : shapes.history)),
    h("h1", { tabindex: -1 }, t(request.outcome)),
    h("p", {}, say("outcomeOf", { client: clientName(request.record), message: message(request) })),
    t(`${request.outcome}Lead`) && h("p.hint", {}, t(`${request.outcome}Lead`)),
    buttons);
}

/** Title of a card with several requests of one client. */
export const groupHeading = (record, tenant, number) => [
  asking(record, tenant), h("p.hint", {}, sayCount("group", number)),
];
