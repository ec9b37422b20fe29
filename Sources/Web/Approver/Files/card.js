/** A request as a person decides it: everything that the record says, and the answers below. */

import { now } from "./device.js";
import { button, h, heading, seal, shapes } from "./dom.js";
import { rejection, report } from "./sheet.js";
import { foreign, has, left, presented, say, t } from "./text.js";

const list = (value) => (Array.isArray(value) ? value : []);

const detailsOf = (record) => presented(record.get("authorization_details"), record.get("presentation"));

/** Name of the client, as its owner chose it. */
export const clientName = (record) => record.get("client_name") ?? record.get("client_id") ?? "";

/** Sentence about a request for lists. */
export const message = (request) => foreign(request.record.get("binding_message") ?? "");

/** The numbers to pick from, or none. */
export const choices = (record) => list(record.get("matching_choices")).filter((choice) => /^\d\d$/.test(choice));

/** The time left in words. */
export const clockWords = (request) =>
  say("timeLeft", { time: document.createTextNode(left(request.expiresAt - now())) });

/** Time left, which moves. The page updates it each second. */
export function clock(request) {
  const bar = h("span");
  const words = h("span.left");
  const element = h("p.clock.moves", words, h("span.bar", { "aria-hidden": "true" }, bar));
  element.update = () => {
    const rest = request.expiresAt - now();
    const share = Math.max(0, Math.min(1, rest / (request.expiresAt - request.createdAt)));
    words.replaceChildren(...clockWords(request));
    bar.style.inlineSize = `${share * 100}%`;
    element.classList.toggle("soon", rest < 30_000);
  };
  element.update();
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
  return h("div.asking", picture(record), h("div",
    h(heading, { tabindex: -1 }, say("asks", { client: clientName(record) })),
    own !== undefined && h(own ? "p.origin.own" : "p.origin", say(own ? "ownClient" : "foreignClient", { tenant }))));
}

/** Everything that is asked for. @param {import("./requests.js").Request} request */
export function contents({ record }, { title = "p", part = "h2" } = {}) {
  const scopes = list(record.get("scope"));
  const audience = record.get("audience_name") ?? record.get("audience");
  return [
    h(`${title}.message`, { id: `message-${record.get("id")}` }, message({ record })),
    detailsOf(record).map((detail) => detailView(detail, part)),
    scopes.length > 0 && h("section.scopes",
      h(part, t("scopes")), h("ul", scopes.map((scope) => h("li", scopeText(scope))))),
    h("span.end"),
    h("details.origin-facts", h("summary", t("more")),
      h("dl",
        fact("factFor", audience), fact("factAddress", record.get("audience")),
        fact("factClient", record.get("client_id")), fact("factServer", record.get("iss")),
        fact("factRequest", record.get("id")))),
  ];
}

const fact = (key, value) => value && [h("dt", t(key)), h("dd", foreign(value, "span"))];

function scopeText(scope) {
  const [value, description] = [scope.get("value"), scope.get("description")];
  if (description) return foreign(description, "span");
  const standard = `scope_${value}`;
  return has(standard) ? t(standard) : foreign(value, "code");
}

/** A line about a request, for lists. */
export function summary(request) {
  const [detail] = detailsOf(request.record);
  return [
    h("strong", foreign(clientName(request.record))), h("span", message(request)),
    detail && h("span.hint", foreign(detailTitle(detail))),
  ];
}

/** Buttons with the numbers, one of which the other screen shows. */
function numbers(record, pick, properties) {
  return h("fieldset.numbers", h("legend", t("pickNumber")),
    h("div", choices(record).map((number) =>
      button("number", number, () => pick(number), { ...properties, "aria-label": t("pickThis", { number }) }))));
}

/**
 * The answers. All are disabled until the page enables them, those that allow once the person saw everything.
 * @param {import("./requests.js").Request} request
 * @param {(answer: object) => void} answer sends one
 */
export function answers(request, answer) {
  const asking = (question) => async () => {
    const given = await question();
    if (given) answer(given);
  };
  const properties = { disabled: true, "aria-describedby": `message-${request.id}` };
  const allows = { ...properties, "data-allows": true };
  const dialog = { ...properties, "aria-haspopup": "dialog" };
  const hasNumbers = choices(request.record).length > 0;
  const isBusy = request.state !== "open";
  return h("div.answers",
    request.problem && h("p.problem", { role: "alert" }, t(request.problem)),
    isBusy && h("p.working", { role: "status" }, t(request.state)),
    readOn(),
    hasNumbers && numbers(request.record, (pick) => answer({ accepted: true, pick }), allows),
    h("div.row",
      button("reject", t("reject"), () => answer({ accepted: false }), properties),
      !hasNumbers && button("allow", t("allow"), () => answer({ accepted: true }), allows)),
    h("div.row",
      button("quiet", t("withReason"), asking(rejection), dialog),
      button("quiet", t("report"), asking(report), dialog)));
}

/** Says why nothing can be allowed yet. */
export const readOn = () => h("p.hint.read-on", { hidden: true }, t("readOn"));

/** How a request ended. */
export function outcome(request, buttons) {
  const isGood = request.outcome === "outcomeAllowed";
  const isNo = ["outcomeRejected", "outcomeReported", "outcomeWrongNumber"].includes(request.outcome);
  const lead = `${request.outcome}Lead`;
  return h("section.outcome",
    isGood ? seal(shapes.done, "seal.good") : seal(isNo ? shapes.no : shapes.history),
    heading(t(request.outcome)),
    h("p", foreign(clientName(request.record)), " – ", message(request)),
    has(lead) && h("p.hint", t(lead)),
    buttons);
}

// Details of any shape (RFC 9396), by the presentation that the API registered.

/** @typedef {import("./presentation.js").Shown} Shown */

/** The heading of a detail. @param {Shown} detail */
const detailTitle = (detail) => detail.title ?? t("untyped");

/** One object of `authorization_details`. @param {Shown} detail @param {string} heading */
const detailView = (detail, heading) =>
  h("section.detail", h(heading, foreign(detailTitle(detail))), description(detail), members(detail.parts, 0));

/** @param {Shown} value */
const description = (value) => value.description && h("p.hint", foreign(value.description));

/** @param {Shown[]} parts @param {number} depth */
function members(parts, depth) {
  if (!parts.length) return null;
  // Deep values would become narrower and narrower.
  return h(depth > 3 ? "dl.deep" : "dl", parts.map((part) => {
    // Lists and objects take the whole width, and long amounts, whose digits belong together.
    const wide = part.parts || (part.isFormatted && String(part.text).length > 16) ? ".wide" : "";
    return [h(`dt${wide}`, foreign(part.title)), h(`dd${wide}`, description(part), shown(part, depth + 1))];
  }));
}

/** @param {Shown} value @param {number} depth */
function shown({ text, parts, isFormatted, isList }, depth) {
  if (!parts) return foreign(text, isFormatted ? "strong.value" : "span");
  if (!isList) return members(parts, depth);
  return h("ol", parts.map((part) => h("li",
    part.title && [h("strong", foreign(part.title)), " "], description(part), shown(part, depth + 1))));
}
