/** A request as a person decides it: what counts, everything that the record says, and the answers below. */

import { now } from "./device.js";
import { button, form, h, heading, seal, shapes } from "./dom.js";
import { goTo, Reading } from "./reading.js";
import { accessTo, requestedLines, requestedLine, asksNumber, choices, clientName, detailsOf, detailTitle, headline, isTyped, login, message, scopesOf } from "./record.js";
import { rejection, report } from "./sheet.js";
import { foreign, has, left, say, sayCount, t } from "./text.js";

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

/** A line of what is asked. Each value of somebody else is isolated. */
export const lineView = (line) => h("span.line", line.map(({ text, isOwn }) => (isOwn ? text : foreign(text))));

/** The question, each line by itself. */
function linesOf(record) {
  const [lines, audience] = [requestedLines(record), accessTo(record)];
  return lines.length ? lines.map(lineView) : audience ? say("accessTo", { audience }) : [];
}

/** The client's own words, as somebody's words. */
function quotation(record, words = message(record)) {
  return words && h("figure.says", h("figcaption", say("clientSays", { client: clientName(record) })),
    h("blockquote", longText(words, "p")));
}

/** Marks an element as a part that has to be read. @template {HTMLElement} Element @param {Element} element */
function part(element) {
  element.dataset.part = "";
  return element;
}

/** Characters of a text that fit into view at once, also in large letters. */
const chunk = 500;

/** A text of somebody else, of which each part has to be read. */
function longText(text, name = "span") {
  const all = String(text);
  if (all.length <= chunk) return part(foreign(all, name));
  const pieces = all.match(new RegExp(`[^]{1,${chunk}}(?![\\udc00-\\udfff])`, "g")) ?? [];
  return h(name, { dir: "auto" }, pieces.map((piece) => part(foreign(piece, "span"))));
}

/** Everything that is asked for. @param {import("./requests.js").Request} request */
export function contents({ record }, { title = "h2", part: subtitle = "h2" } = {}) {
  const scopes = scopesOf(record);
  const lines = linesOf(record);
  const rows = login(record)?.rows;
  return [
    lines.length > 0 && part(h(`${title}.headline`, { id: `headline-${record.get("id")}` }, lines)),
    quotation(record),
    rows && h("section.detail", h("dl", rows.map(({ label, value }) =>
      [h("dt", label), h("dd", part(foreign(value, "strong")))]))),
    detailsOf(record).map((detail) => detailView(detail, subtitle)),
    scopes.length > 0 && h("section.scopes",
      h(subtitle, t("scopes")), h("ul", scopes.map((scope) => part(h("li", scopeText(scope)))))),
    h("details.origin-facts", h("summary", t("more")),
      h("dl",
        fact("factFor", record.get("audience_name")), fact("factAddress", record.get("audience")),
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

/** A request in a list: what is asked stands first. */
export function summary({ record }) {
  const lines = linesOf(record);
  return h("span.brief", lines.length > 0 && h("strong", lines), h("span", foreign(clientName(record))), brief(record));
}

/** The question for the number, with the screen that shows it if it is known. */
function numberQuestion(record, key) {
  const screen = login(record)?.screen;
  return screen ? say(`${key}Of`, { screen }) : say(key);
}

/** A field for the number that the other screen shows. A wrong one ends the request, so an incomplete one is not sent. */
function typedNumber(record, pick, properties) {
  const id = `number-${record.get("id")}`;
  const problem = h("p.problem", { id: `${id}-problem`, role: "alert" });
  const input = h("input.digits", {
    id, type: "text", inputmode: "numeric", autocomplete: "off", maxlength: 2, "aria-describedby": problem.id,
  });
  return h("div.numbers", form(() => {
    const number = input.value.trim();
    if (/^\d\d$/.test(number)) return pick(number);
    problem.textContent = t("typeTwoDigits");
    input.setAttribute("aria-invalid", "true");
    input.focus();
  }, h("label", { for: id }, numberQuestion(record, "typeNumber")), problem, input,
  button("allow", allowing("allow", headline(record).action), undefined, { ...properties, type: "submit" })));
}

/** The client's words, in a list. */
const brief = (record) => message(record) && h("q.hint", foreign(message(record)));

/** The verb with what it allows. @param {string} key @param {string|undefined} action @param {object} [more] */
export const allowing = (key, action, more = {}) => (action ? say(`${key}What`, { action, ...more }) : say(key, more));

/** Buttons with the numbers, one of which the other screen shows. */
function numbers(record, pick, properties) {
  const { action } = headline(record);
  return h("fieldset.numbers", h("legend", numberQuestion(record, "pickNumber")),
    h("div", choices(record).map((number) => button("number", number, () => pick(number), {
      ...properties, "aria-label": action ? t("pickThisWhat", { number, action }) : t("pickThis", { number }),
    }))));
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
  const { record } = request;
  const properties = { disabled: true, "aria-describedby": `headline-${request.id}` };
  const allows = { ...properties, "data-allows": true };
  const dialog = { ...properties, "aria-haspopup": "dialog" };
  const pick = (number) => answer({ accepted: true, pick: number });
  const isBusy = request.state !== "open";
  return h("div.answers",
    request.problem && h("p.problem", { role: "alert" }, t(request.problem)),
    isBusy && h("p.working", { role: "status" }, t(request.state)),
    readOn(),
    isTyped(record) ? typedNumber(record, pick, allows) : asksNumber(record) && numbers(record, pick, allows),
    h("div.row",
      button("reject", t("reject"), () => answer({ accepted: false }), properties),
      !asksNumber(record) && button(
        "allow", allowing("allow", headline(record).action), () => answer({ accepted: true }), allows)),
    h("div.row",
      button("quiet", t("withReason"), asking(rejection), dialog),
      button("quiet", t("report"), asking(report), dialog)));
}

/** Says how much is to be read before anything can be allowed, and leads there. Shown by `showUnread`. */
export const readOn = () => h("div.read-on", { hidden: true });

/** @param {HTMLElement} place one of `readOn` @param {import("./reading.js").Part[]} unread */
export function showUnread(place, unread) {
  place.hidden = unread.length === 0;
  const words = sayCount("partsLeft", unread.length);
  const [leads] = place.getElementsByTagName("button");
  if (!leads) {
    place.append(h("p.hint"), button("small", t("nextPart"), () => place.unread?.[0] && goTo(place.unread[0].element)));
  }
  place.unread = unread;
  place.firstElementChild?.replaceChildren(...words);
}

/** Parts of each request that a person has read. */
const readings = new WeakMap();

/** The parts of a request below an element. @returns {import("./reading.js").Part[]} */
export function partsOf(request, element) {
  const elements = [...element.querySelectorAll("[data-part]")];
  if (!readings.has(request)) readings.set(request, new Reading(elements.length));
  return elements.map((element, index) => ({ element, index, reading: readings.get(request) }));
}

/** The outcome with what it is about, in one line. @param {string} outcome key of a text */
export function outcomeWords(outcome, record) {
  const what = requestedLine(record);
  return what ? say("outcomeWhat", { outcome: document.createTextNode(t(outcome)), what }) : [t(outcome)];
}

/** How a request ended. */
export function outcome(request, buttons) {
  const { record } = request;
  const isGood = request.outcome === "outcomeAllowed";
  const isNo = ["outcomeRejected", "outcomeReported", "outcomeWrongNumber"].includes(request.outcome);
  const lead = `${request.outcome}Lead`;
  return h("section.outcome",
    isGood ? seal(shapes.done, "seal.good") : seal(isNo ? shapes.no : shapes.history),
    heading(outcomeWords(request.outcome, record)),
    h("p", foreign(clientName(record))), h("p", brief(record)),
    has(lead) && h("p.hint", t(lead)),
    buttons);
}

// Details of any shape (RFC 9396), by the presentation that the API registered.

/** @typedef {import("./presentation.js").Shown} Shown */

/** One object of `authorization_details`. @param {Shown} detail @param {string} heading */
const detailView = (detail, heading) => h("section.detail",
  part(h(heading, foreign(detailTitle(detail)))), description(detail, true), members(detail.parts ?? [], 1));

/** @param {Shown} value @param {boolean} isPart */
const description = (value, isPart) => {
  const words = value.description && h("p.hint", foreign(value.description));
  return words && (isPart ? part(words) : words);
};

/** Levels that are indented. Deeper ones are told by their rule and by the numbers of their rows. */
const indented = 4;

/**
 * @param {Shown[]} parts
 * @param {number} depth of these parts; those of a detail have 1
 * @param {string} [path] number of the row that has these parts
 */
function members(parts, depth, path = "") {
  if (!parts.length) return null;
  return h(depth > indented ? "dl.deep" : "dl", { "data-depth": depth }, parts.map((row, index) => {
    // Lists and objects take the whole width, and long amounts, whose digits belong together.
    const wide = row.parts || (row.isFormatted && String(row.text).length > 16) ? ".wide" : "";
    const number = `${path}${index + 1}`;
    const title = h(`dt${wide}`, depth >= indented && h("span.path", `${number} `), foreign(row.title));
    return [row.parts ? part(title) : title,
      h(`dd${wide}`, description(row, Boolean(row.parts)), shown(row, depth + 1, `${number}.`))];
  }));
}

/** @param {Shown} value @param {number} depth @param {string} path */
function shown({ text, parts, isFormatted, isList }, depth, path) {
  if (!parts) return longText(text, isFormatted ? "strong.value" : "span");
  if (!isList) return members(parts, depth, path);
  return h("ol", parts.map((element, index) => h("li", { "data-depth": depth },
    element.title && [h("strong", foreign(element.title)), " "], description(element, false),
    shown(element, depth + 1, `${path}${index + 1}.`))));
}
