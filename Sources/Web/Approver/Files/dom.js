/** Makes elements. Text becomes text nodes, never markup. */

/** Namespace of drawings. */
export const drawing = "http://www.w3.org/2000/svg";

/**
 * @template {string} Name
 * @param {Name} name tag and classes, as `p.hint`
 * @param {...(object|Node|string|Array|null|undefined|false)} content after the properties, if there are any:
 *   attributes, of which false and undefined are left out, and listeners as `on…`
 * @returns {Made<Name>}
 */
export function h(name, ...content) {
  const [tag, ...classes] = name.split(".");
  const element = document.createElement(tag);
  if (classes.length) element.className = classes.join(" ");
  if (content[0]?.constructor === Object) set(element, content.shift());
  element.append(...content.flat(Infinity).filter(Boolean));
  return (
    /** @type {Made<Name>} */
    (element));
}

function set(element, properties) {
  for (const [name, value] of Object.entries(properties)) {
    if ((value ?? false) === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
}

/** Adds a listener for each event. @param {EventTarget} target @param {Record<string, Function>} listeners */
export function listen(target, listeners) {
  for (const [name, listener] of Object.entries(listeners)) target.addEventListener(name, listener);
}

/** The heading of a view, which takes the focus when the view appears. */
export const heading = (...words) => h("h1", { tabindex: -1 }, words);

/** A line drawing that says nothing which the text does not. @param {string} path */
export function icon(path) {
  const [svg, line] = ["svg", "path"].map((name) => document.createElementNS(drawing, name));
  set(svg, { viewBox: "0 0 24 24", "aria-hidden": "true", class: "icon" });
  set(line, { d: path });
  svg.append(line);
  return svg;
}

/** A drawing above a heading. */
export const seal = (path, style = "seal") => h(`span.${style}`, { "aria-hidden": "true" }, icon(path));

/** Paths of icons. */
export const shapes = {
  requests: "M12 3l7 3v5c0 4.6-2.9 8.4-7 10-4.1-1.6-7-5.4-7-10V6zM9 12l2.2 2.2L15.5 10",
  history: "M12 7v5l3.2 2M4 12a8 8 0 1 0 2.5-5.8L4 8.6M4 4v4.6h4.6",
  settings: "M4 7h9m4 0h3M4 12h3m4 0h9M4 17h9m4 0h3M15 5v4M9 10v4M15 15v4",
  away: "M4 4l16 16M8.5 16.5a5 5 0 0 1 7 0M5 13a10 10 0 0 1 4.6-2.6M19 13a10 10 0 0 0-3.2-2.2M12 20h.01",
  phone: "M8 3h8a1 1 0 0 1 1 1v16a1 1 0 0 1-1 1H8a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1zM11 18h2",
  share: "M12 15V3m0 0L8.5 6.5M12 3l3.5 3.5M8 10H6v11h12V10h-2",
  add: "M5 4h14a1 1 0 0 1 1 1v14a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1V5a1 1 0 0 1 1-1zM12 8v8M8 12h8",
  done: "M5 12.5l4.5 4.5L19 7.5",
  no: "M6 6l12 12M18 6L6 18",
};

/** A form, whose fields the app checks. @param {(event: Event) => void} submitted */
export const form = (submitted, ...content) => h("form", {
  novalidate: true, onsubmit: (event) => {
    event.preventDefault();
    submitted(event);
  },
}, content);

/** A button. @param {string} style class names, separated by dots */
export const button = (style, words, action, properties = {}) =>
  h(`button.${style}`, { type: "button", onclick: action, ...properties }, words);
