/** Reading: nothing can be allowed before each of its parts was in view. The server's page has the same rule. */

/** Milliseconds for which the bottom half of a part stays in view before the part counts as read. */
export const readingTime = 300;
/** Milliseconds between two looks. Scrolling looks at once, so that no part counts while it flies past. */
const pause = 100;
/** A fraction of a pixel is not out of view. */
const tolerance = 1;

/**
 * @typedef {{top: number, bottom: number}} Span
 * @typedef {{element: HTMLElement, reading: Reading, index: number, request?: object}} Part
 */

/** True if the bottom half of a part is in view, or as much of it as fits. @param {Span} part @param {Span} view */
export function isInView({ top, bottom }, view) {
  const half = Math.max((top + bottom) / 2, bottom - (view.bottom - view.top));
  return half >= view.top - tolerance && bottom <= view.bottom + tolerance;
}

/** Parts of one request that a person has read, by their numbers. */
export class Reading {
  /** @type {Set<number>} */
  unread;
  /** Parts in view that are not read yet, and since when. @type {Map<number, number>} */
  since = new Map();

  /** @param {number} count */
  constructor(count) {
    this.unread = new Set(Array.from({ length: count }, (_, index) => index));
  }

  /**
   * Notes the parts in view.
   * @param {Iterable<number>} inView
   * @param {number} now milliseconds of a clock that only grows
   * @returns {boolean} true if a part has become read
   */
  note(inView, now) {
    const before = this.unread.size;
    const since = new Map();
    for (const index of inView) {
      if (!this.unread.has(index)) continue;
      const start = this.since.get(index) ?? now;
      if (now - start >= readingTime) this.unread.delete(index);
      else since.set(index, start);
    }
    this.since = since;
    return this.unread.size < before;
  }
}

/** Looks at the parts on the page until all are read. */
export class Reader {
  /** @type {Part[]} */
  parts = [];
  /** @type {ReturnType<typeof setInterval>|undefined} */
  timer;

  /**
   * @param {() => Span|undefined} view where the person can see parts now; undefined while something covers them
   * @param {() => void} changed
   */
  constructor(view, changed) {
    this.view = view;
    this.changed = changed;
  }

  /** Follows these parts instead of the earlier ones. @param {Part[]} parts */
  follow(parts) {
    this.stop();
    this.parts = parts;
    if (!this.unread.length) return;
    addEventListener("scroll", this.observe, { capture: true, passive: true });
    this.timer = setInterval(this.observe, pause);
    this.observe();
  }

  stop() {
    removeEventListener("scroll", this.observe, { capture: true });
    clearInterval(this.timer);
    this.timer = undefined;
  }

  get unread() {
    return this.parts.filter(({ reading, index }) => reading.unread.has(index));
  }

  observe = () => {
    const view = document.hidden ? undefined : this.view();
    /** @type {Map<Reading, number[]>} */
    const seen = new Map(this.parts.map(({ reading }) => [reading, []]));
    for (const { element, reading, index } of view ? this.unread : []) {
      if (isInView(element.getBoundingClientRect(), view)) seen.get(reading)?.push(index);
    }
    const now = performance.now();
    const isChanged = [...seen].map(([reading, inView]) => reading.note(inView, now)).includes(true);
    if (!this.unread.length) this.stop();
    if (isChanged) this.changed();
  };
}

/** Scrolls to a part, and gives it the focus: a screen reader reads it. @param {HTMLElement} element */
export function goTo(element) {
  element.tabIndex = -1;
  element.focus({ preventScroll: true });
  element.scrollIntoView({ block: "start" });
}
