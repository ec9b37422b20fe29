interface Element {
  closest(selectors: string): HTMLElement | null;
  /** The request whose end this element is. */
  request?: import("./requests.js").Request;
}
