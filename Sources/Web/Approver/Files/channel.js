/** The device channel: Server-Sent Events, read with `fetch` because they need the phone's token. */

import { Lost, Refused } from "./device.js";

/** Milliseconds without a byte after which the connection counts as lost. The server sends a comment each 20 seconds. */
const silence = 45_000;
/** Milliseconds after which a page that was in the background does not trust its connection. */
const doubtful = 25_000;
const longestPause = 60_000;

/**
 * One account's channel. Events: `open`, `closed`, `removed`, and one with `detail` for each event of the server.
 */
export class Channel extends EventTarget {
  isOpen = false;
  last = "";
  failures = 0;
  heard = 0;

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
    this.abort?.abort();
    this.wake?.();
  }

  async run() {
    while (this.running) {
      let pause = 500;
      try {
        await this.read();
      } catch (error) {
        this.failures += 1;
        if (error instanceof Refused && error.code === "enrollment_not_found") {
          this.running = false;
          this.tell("removed");
        }
        pause = Math.min(longestPause, 1000 * 2 ** Math.min(this.failures, 6)) * (0.75 + Math.random() / 4);
      }
      this.open(false);
      if (!this.running) return;
      await new Promise((done) => {
        this.wake = done;
        setTimeout(done, pause);
      });
    }
  }

  async read() {
    this.abort = new AbortController();
    let silent = setTimeout(() => this.abort.abort(), silence);
    try {
      const answer = await this.device.events(this.last, this.abort.signal);
      this.failures = 0;
      this.heard = Date.now();
      this.open(true);
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = "";
      for (;;) {
        const { value, done } = await reader.read();
        if (done) return;
        this.heard = Date.now();
        clearTimeout(silent);
        silent = setTimeout(() => this.abort.abort(), silence);
        const blocks = (rest + value).split("\n\n");
        rest = blocks.pop();
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
    if (data) this.tell(event, JSON.parse(data));
    // After it was taken, so that an event that failed comes again.
    if (id !== undefined) this.last = id;
  }

  open(isOpen) {
    if (this.isOpen === isOpen) return;
    this.isOpen = isOpen;
    this.tell(isOpen ? "open" : "closed");
  }

  tell = (type, detail) => this.dispatchEvent(new CustomEvent(type, { detail }));
}

/** In place of a channel for accounts beyond a browser's connections to one server: asks for the list in turn. */
export class Poller extends Channel {
  async read() {
    const requests = await this.device.pending();
    this.heard = Date.now();
    this.open(true);
    for (const request of requests) this.tell("notification", request);
    this.tell("pending", { txlnkid: requests.map((request) => request.mfa.txlnkid) });
    await new Promise((done) => {
      this.abort = { abort: done };
      setTimeout(done, 15_000);
    });
  }
}
