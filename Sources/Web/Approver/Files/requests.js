/** The requests that wait for an answer, and the answers on their way. */

import { now, Lost, Refused } from "./device.js";
import { parse } from "./json.js";
import { sha256 } from "./keys.js";

/**
 * @typedef {object} Request
 * @property {string} id `cns_…`
 * @property {import("./device.js").Device} device
 * @property {object} notification members of Guardian's notification
 * @property {"loading"|"open"|"sending"|"checking"|"over"} state
 * @property {Map} [record]
 * @property {Uint8Array} [digest] of the text that `record` was read from
 * @property {number} [expiresAt] milliseconds of the server's clock
 * @property {string} [outcome] key of a text, once it is over
 * @property {string} [problem] key of a text: the last answer was not taken
 */

/** Codes of refusals that end a request, and the text for each. A browser may have sent a lost answer a second time. */
const endings = {
  wrong_number: "outcomeWrongNumber", transaction_expired: "outcomeExpired",
  login_transaction_not_found: "outcomeAnswered", consent_not_found: "outcomeElsewhere",
};
/** Codes of refusals after which the person can answer again. */
const problems = { invalid_passkey: "problemPasskey", user_blocked: "problemBlocked" };

export class Requests extends EventTarget {
  /** @type {Map<string, Request>} */
  all = new Map();
  tabs = new BroadcastChannel("approver");

  constructor() {
    super();
    this.tabs.onmessage = ({ data }) => this.withdraw(data);
  }

  changed = () => this.dispatchEvent(new Event("change"));

  /** Requests to decide, oldest first. */
  get open() {
    return [...this.all.values()].filter((request) => request.record && request.state !== "over");
  }

  /** True if a record comes in a moment, so that the requests of one client appear together. */
  get isGathering() {
    return [...this.all.values()].some((request) => request.fetching && performance.now() - request.since < 1500);
  }

  /** Takes a notification, and fetches its record. */
  async add(device, notification, urgent) {
    const id = notification.txlnkid;
    const known = this.all.get(id);
    if (known && known.state !== "loading") return;
    const request = known ?? { id, device, notification, urgent, state: "loading" };
    this.all.set(id, request);
    if (request.fetching) return;
    request.fetching = true;
    request.since ??= performance.now();
    try {
      const text = await device.record(notification);
      const record = parse(text);
      request.digest = await sha256(text);
      request.record = record;
      request.createdAt = Date.parse(record.get("created_at"));
      request.expiresAt = Date.parse(record.get("expires_at"));
      request.urgent ||= record.get("urgent") === true;
      request.state = "open";
    } catch (error) {
      // The channel names it again after the connection returned.
      if (error instanceof Refused || error instanceof SyntaxError) this.all.delete(id);
      if (error instanceof SyntaxError) console.error(id, error);
    }
    request.fetching = false;
    this.changed();
  }

  /** The server's list of what an account still has to decide. */
  listed(device, ids) {
    for (const request of this.all.values()) {
      if (request.device !== device || request.state === "over") continue;
      if (!ids.includes(request.id)) {
        // After a lost answer: it has arrived, or another was faster.
        this.end(request, request.state === "checking" ? "outcomeAnswered" : "outcomeElsewhere");
      } else if (request.state === "checking") {
        request.state = "open";
        request.problem = "problemLost";
      } else if (request.state === "loading") {
        this.add(device, request.notification, request.urgent);
      }
    }
    this.changed();
  }

  /** The server says that a request needs no answer any more. */
  withdraw(id) {
    const request = this.all.get(id);
    if (!request || request.state === "sending" || request.state === "over") return;
    this.end(request, "outcomeElsewhere");
    this.changed();
  }

  /** Ends requests whose time is over. */
  expire() {
    for (const request of this.open) {
      if (request.expiresAt <= now() && request.state === "open") {
        this.end(request, "outcomeExpired");
        this.changed();
      }
    }
  }

  end(request, outcome) {
    request.state = "over";
    request.outcome = outcome;
    this.dispatchEvent(new CustomEvent("over", { detail: request }));
  }

  /** Forgets requests that are over. */
  clear() {
    for (const request of this.all.values()) if (request.state === "over") this.all.delete(request.id);
  }

  /** Forgets everything of an account. */
  drop(device) {
    for (const request of this.all.values()) if (request.device === device) this.all.delete(request.id);
    this.changed();
  }

  /**
   * Sends an answer, once. A lost one is not repeated: the server is asked first if it arrived.
   * @param {Request} request
   * @param {{accepted: boolean, reason?: string, reported?: boolean, pick?: string}} answer
   * @param {(request: Request) => Promise<?object>} confirm asks for a passkey's assertion; null if it is refused
   */
  async answer(request, answer, confirm) {
    if (request.state !== "open") return;
    request.state = "sending";
    request.problem = undefined;
    this.changed();
    try {
      await this.send(request, { ...answer, digest: request.digest }, confirm);
      this.end(request, answer.accepted ? "outcomeAllowed" : answer.reported ? "outcomeReported" : "outcomeRejected");
      this.tabs.postMessage(request.id);
    } catch (error) {
      if (error instanceof Lost) {
        request.state = "checking";
        this.dispatchEvent(new CustomEvent("lost", { detail: request }));
      } else {
        this.refused(request, error);
      }
    }
    this.changed();
  }

  async send(request, answer, confirm) {
    const { device, notification } = request;
    try {
      await device.resolve(notification, answer);
    } catch (error) {
      if (error.code !== "passkey_required") throw error;
      const passkey = await confirm(request);
      if (!passkey) throw new Refused("invalid_passkey");
      await device.resolve(notification, answer, passkey);
    }
  }

  refused(request, error) {
    if (error.code === "enrollment_not_found") {
      this.dispatchEvent(new CustomEvent("removed", { detail: request.device }));
    }
    if (endings[error.code]) return this.end(request, endings[error.code]);
    request.state = "open";
    request.problem = problems[error.code] ?? "problemRefused";
    if (!(error instanceof Refused)) console.error(error);
  }
}
