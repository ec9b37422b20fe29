/** The device channel: Server-Sent Events, read with `fetch` because they need the phone's token. */

import { Lost, Refused } from "./device.js";

/** Milliseconds without a byte after which the connection counts as lost. The server sends a comment each 20 seconds. */
const silence = 45_000;
/** Milliseconds after which a page that was in the background does not trust its connection. */
const doubtful = 25_000;
const longestPause = 60_000;
/** Channels of all windows at once. Browsers open six connections to a server that speaks HTTP/1.1. */
const slots = 3;

/** Runs `work` with true in one of the slots. Hidden windows, and those beyond the slots, run it with false. */
function inSlot(work, slot = slots) {
  if (slot === 0 || document.hidden || !navigator.locks) return work(false);
  return navigator.locks.request(`approver-channel-${slot}`, { ifAvailable: true },
    (lock) => (lock ? work(true) : inSlot(work, slot - 1)));
}

/**
 * One account's channel. Without a slot it asks for the list in turn. Events: `open`, `closed`, `removed`, and one with `detail` for each event of the server.
 */
export class Channel extends EventTarget {
  isOpen = false;
  /** True once the server named what waits. */
  isListed = false;
  last = "";
  failures = 0;
  heard = 0;
  abort = new AbortController();
  /** @type {((value?: undefined) => void)|undefined} Ends the pause. */
  wake;

  /** False if the channel may have died while the phone slept. */
  get isFresh() {
    return this.isOpen && Date.now() - this.heard < doubtful;
  }

  constructor(device) {
    super();
    this.device = device;
  }

  /** Opens the channel, and keeps it open until `stop`. */
  start() {
    if (this.running) return;
    this.running = true;
    this.run();
  }

  stop() {
    this.running = false;
    this.restart();
  }

  /** Connects anew, at once. */
  restart() {
    this.failures = 0;
    this.abort.abort();
    this.wake?.();
  }

  async run() {
    while (this.running) {
      let pause;
      this.abort = new AbortController();
      try {
        pause = await inSlot((has) => (has ? this.read() : this.poll()));
      } catch (error) {
        this.failures += 1;
        if (error instanceof Refused && error.code === "enrollment_not_found") {
          this.running = false;
          this.emit("removed");
        }
      }
      if (!pause) this.open(false);
      if (!this.running) return;
      pause ??= Math.min(longestPause, 500 * 2 ** this.failures);
      const { signal } = this.abort;
      await new Promise((done) => {
        this.wake = done;
        setTimeout(done, signal.aborted ? 0 : pause * (0.5 + Math.random() / 2));
      });
    }
  }

  async read() {
    let silent = setTimeout(() => this.abort.abort(), silence);
    try {
      const answer = await this.device.events(this.last, this.abort.signal);
      // The page of a network that wants a login.
      if (!answer.headers.get("Content-Type")?.startsWith("text/event-stream")) throw new Lost("no events");
      this.heard = Date.now();
      this.open(true);
      // Grows if the connection ends before an event or comment.
      this.failures += 1;
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = "";
      for (;;) {
        const { value, done } = await reader.read();
        if (done) return undefined;
        this.heard = Date.now();
        clearTimeout(silent);
        silent = setTimeout(() => this.abort.abort(), silence);
        const blocks = (rest + value).split("\n\n");
        rest = blocks.pop() ?? "";
        if (blocks.length) this.failures = 0;
        for (const block of blocks) this.take(block);
      }
    } catch (error) {
      throw error instanceof Refused ? error : new Lost(String(error));
    } finally {
      clearTimeout(silent);
    }
  }

  /** One event (HTML Standard 9.2.6), whose data the server writes as one JSON text. */
  take(block) {
    const { event, data, id } = Object.fromEntries(
      block.split("\n").map((line) => line.split(/: ?(.*)/, 2)));
    if (data) this.receive(event, JSON.parse(data));
    // After it was taken, so that an event that failed comes again.
    if (id !== undefined) this.last = id;
  }

  open(isOpen) {
    if (this.isOpen === isOpen) return;
    this.isOpen = isOpen;
    this.emit(isOpen ? "open" : "closed");
  }

  receive(event, detail) {
    this.isListed ||= event === "pending";
    this.emit(event, detail);
  }

  /** Asks for the list. @returns {Promise<number>} milliseconds until the next time */
  async poll() {
    const requests = await this.device.pending();
    this.failures = 0;
    this.heard = Date.now();
    this.open(true);
    for (const request of requests) this.receive("notification", request);
    this.receive("pending", { txlnkid: requests.map((request) => request.mfa.txlnkid) });
    return 15_000;
  }

  emit = (type, detail) => this.dispatchEvent(new CustomEvent(type, { detail }));
}
