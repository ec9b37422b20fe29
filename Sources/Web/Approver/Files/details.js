/** Details of any shape as lists of names and values (RFC 9396), by the presentation that the API registered. */

import { account, date, dateTime, money, spaced } from "./format.js";
import { Numeral } from "./json.js";
import { h } from "./dom.js";
import { foreign, language, locale, t } from "./text.js";

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

/** One object of `authorization_details`. @param {Map} detail @param {Presentation} node */
export function detailView(detail, node, heading) {
  const type = detail.get("type");
  const rest = new Map([...detail].filter(([name]) => name !== "type"));
  return h("section.detail", {},
    h(heading, {}, foreign(label(node, typeof type === "string" ? type : t("untyped")))),
    description(node),
    members(rest, node, 0, detail));
}

/** The heading of a detail, for lists. */
export const detailTitle = (detail, node) =>
  label(node, typeof detail.get("type") === "string" ? detail.get("type") : t("untyped"));

function description(node) {
  const text = translated(node, "description", "descriptions");
  return text && h("p.hint", {}, foreign(text));
}

function members(object, node, depth, whole = object) {
  if (object.size === 0) return null;
  const nodes = member(node, "members");
  // Deep values would become narrower and narrower.
  return h(depth > 3 ? "dl.deep" : "dl", {}, ordered(object, node).map((name) => {
    const inner = member(nodes, name);
    const value = object.get(name);
    const view = byFormat(value, member(inner, "format"), whole) ?? shown(value, inner, depth + 1, whole);
    // Lists and objects take the whole width, and long amounts, whose digits belong together.
    const isLong = view.localName === "strong" && view.textContent.length > 16;
    const wide = isLong || view.localName === "dl" || view.localName === "ol" ? ".wide" : "";
    return [h(`dt${wide}`, {}, foreign(label(inner, name))), h(`dd${wide}`, {}, description(inner), view)];
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
  return h("ol", {}, value.map((element) => h("li", {},
    byFormat(element, member(items, "format"), whole) ?? shown(element, items, depth + 1, whole))));
}

/** A value in a format that phones know. Null if it does not fit. */
function byFormat(value, format, whole) {
  const emphasized = (text) => text && h("strong.value", { dir: "auto" }, text);
  if (format === "money") return moneyView(value, whole, emphasized);
  if (typeof value !== "string") return null;
  if (format === "date") return emphasized(date(value, locale));
  if (format === "date-time") return emphasized(dateTime(value, locale));
  if (format === "account") {
    const groups = account(value);
    return groups && h("span.value.account", {}, groups);
  }
  return null;
}

function moneyView(value, whole, emphasized) {
  if (!isMap(value)) return emphasized(money(value, whole.get("currency"), locale));
  const name = ["amount", "value"].find((name) => value.has(name));
  const text = name && money(value.get(name), value.get("currency"), locale);
  if (!text) return null;
  const rest = new Map([...value].filter(([other]) => other !== name && other !== "currency"));
  return rest.size ? h("div", {}, emphasized(text), members(rest, undefined, 2)) : emphasized(text);
}
