/** A request as a person decides it: everything that the record says, and the answers below. */

import { now } from "./device.js";
import { button, h, heading, seal, shapes } from "./dom.js";
import { Numeral } from "./json.js";
import { rejection, report } from "./sheet.js";
import { account, date, dateTime, foreign, has, language, left, money, say, spaced, t } from "./text.js";

const list = (value) => (Array.isArray(value) ? value : []);

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
  const details = list(record.get("authorization_details"));
  const presentation = list(record.get("presentation"));
  const scopes = list(record.get("scope"));
  const audience = record.get("audience_name") ?? record.get("audience");
  return [
    h(`${title}.message`, { id: `message-${record.get("id")}` }, message({ record })),
    details.map((detail, index) => detailView(detail, presentation[index], part)),
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
  const [detail] = list(request.record.get("authorization_details"));
  const [node] = list(request.record.get("presentation"));
  return [
    h("strong", foreign(clientName(request.record))), h("span", message(request)),
    detail && h("span.hint", foreign(detailTitle(detail, node))),
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

/** @typedef {Map|undefined} Presentation a node of the record's member `presentation` */

const isMap = (value) => value instanceof Map;
const member = (node, name) => (isMap(node) ? node.get(name) : undefined);

/** A text of a presentation in the person's language. */
function translated(node, one, many) {
  const translation = member(member(node, many), language);
  const text = typeof translation === "string" ? translation : member(node, one);
  return typeof text === "string" && text ? text : undefined;
}

const label = (node, name) => translated(node, "label", "labels") ?? spaced(name);

/** Names of an object's members: those that `order` lists come first. */
function ordered(object, node) {
  const order = member(node, "order");
  const first = Array.isArray(order) ? order.filter((name) => object.has(name)) : [];
  return [...new Set([...first, ...object.keys()])];
}

/** The heading of a detail. */
function detailTitle(detail, node) {
  const type = detail.get("type");
  return label(node, typeof type === "string" ? type : t("untyped"));
}

/** One object of `authorization_details`. @param {Map} detail @param {Presentation} node */
function detailView(detail, node, heading) {
  const rest = new Map([...detail].filter(([name]) => name !== "type"));
  return h("section.detail",
    h(heading, foreign(detailTitle(detail, node))), description(node),
    members(rest, node, 0, detail));
}

function description(node) {
  const text = translated(node, "description", "descriptions");
  return text && h("p.hint", foreign(text));
}

function members(object, node, depth, whole = object) {
  if (object.size === 0) return null;
  const nodes = member(node, "members");
  // Deep values would become narrower and narrower.
  return h(depth > 3 ? "dl.deep" : "dl", ordered(object, node).map((name) => {
    const inner = member(nodes, name);
    const value = object.get(name);
    const view = byFormat(value, member(inner, "format"), whole) ?? shown(value, inner, depth + 1, whole);
    // Lists and objects take the whole width, and long amounts, whose digits belong together.
    const isLong = view.localName === "strong" && view.textContent.length > 16;
    const wide = isLong || view.localName === "dl" || view.localName === "ol" ? ".wide" : "";
    return [h(`dt${wide}`, foreign(label(inner, name))), h(`dd${wide}`, description(inner), view)];
  }));
}

/** A value. `whole` is the object around it. */
function shown(value, node, depth, whole) {
  if (value === null) return t("none");
  if (value === true) return t("yes");
  if (value === false) return t("no");
  if (value instanceof Numeral) return foreign(value.text);
  if (typeof value === "string") return value === "" ? t("empty") : foreign(value, "span");
  if (isMap(value)) return members(value, node, depth) ?? t("none");
  if (value.length === 0) return t("none");
  const items = member(node, "items");
  return h("ol", value.map((element) => h("li",
    byFormat(element, member(items, "format"), whole) ?? shown(element, items, depth + 1, whole))));
}

/** A value in a format that phones know. Null if it does not fit. */
function byFormat(value, format, whole) {
  const emphasized = (text) => text && h("strong.value", { dir: "auto" }, text);
  if (format === "money") return moneyView(value, whole, emphasized);
  if (typeof value !== "string") return null;
  if (format === "date") return emphasized(date(value));
  if (format === "date-time") return emphasized(dateTime(value));
  if (format === "account") {
    const groups = account(value);
    return groups && h("span.value.account", groups);
  }
  return null;
}

function moneyView(value, whole, emphasized) {
  if (!isMap(value)) return emphasized(money(value, whole.get("currency")));
  const name = ["amount", "value"].find((name) => value.has(name));
  const text = name && money(value.get(name), value.get("currency"));
  if (!text) return null;
  const rest = new Map([...value].filter(([other]) => other !== name && other !== "currency"));
  return rest.size ? h("div", emphasized(text), members(rest, undefined, 2)) : emphasized(text);
}
