interface Element {
  closest(selectors: string): HTMLElement | null;
  /** Parts that have to be read before the answers beside this element can allow. */
  unread?: import("./reading.js").Part[];
}
