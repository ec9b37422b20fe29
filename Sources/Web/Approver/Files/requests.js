/** The requests that wait for an answer, and the answers on their way. */

import { now, Lost, Refused } from "./device.js";
import { parse } from "./json.js";
import { sha256 } from "./keys.js";
import { isLogin } from "./record.js";

/**
 * @typedef {object} Request
 * @property {string} id `cns_…`
 * @property {import("./device.js").Device} device
 * @property {object} notification members of Guardian's notification
 * @property {"loading"|"open"|"sending"|"checking"|"over"} state
 * @property {number} failures tries in a row to fetch the record
 * @property {number} since milliseconds of the page's clock
 * @property {string} [text] of the record, if it came with the notification
 * @property {boolean} [urgent]
 * @property {number} [timer] of the next try
 * @property {boolean} [fetching]
 * @property {boolean} [asking] true while the server is asked if it is over
 * @property {Map<string, any>} record this and the following only once it is open
 * @property {Uint8Array} digest of the text that `record` was read from
 * @property {number} createdAt milliseconds of the server's clock
 * @property {number} expiresAt
 * @property {string} [outcome] key of a text, once it is over
 * @property {string} [problem] key of a text: the last answer was not taken
 */

/** Codes of refusals that end a request, and the text for each. A browser may have sent a lost answer a second time. */
const endings = {
  wrong_number: "outcomeWrongNumber", transaction_expired: "outcomeExpired",
  login_transaction_not_found: "outcomeAnswered", consent_not_found: "outcomeElsewhere",
};
/** Codes of refusals to show a request, which say that nobody can answer it. */
const gone = ["consent_not_found", "transaction_expired", "login_transaction_not_found"];
/** Codes of refusals after which the person can answer again. */
const problems = { invalid_passkey: "problemPasskey", user_blocked: "problemBlocked" };

/**
 * Order of what waits: urgent requests, then the newest login, whose screen is the one in front, then the oldest request.
 * @param {Pick<Request, "urgent"|"createdAt"|"record">} one @param {Pick<Request, "urgent"|"createdAt"|"record">} other
 */
export function order(one, other) {
  const logins = [one, other].map(({ record }) => isLogin(record));
  return Number(!one.urgent) - Number(!other.urgent) || Number(!logins[0]) - Number(!logins[1])
    || (logins[0] ? other.createdAt - one.createdAt : one.createdAt - other.createdAt);
}

export class Requests extends EventTarget {
  /** @type {Map<string, Request>} */
  all = new Map();
  tabs = new BroadcastChannel("approver");

  constructor() {
    super();
    this.tabs.onmessage = ({ data }) => {
      if (data.answered) this.withdraw(data.answered);
      else this.dispatchEvent(new Event("accounts"));
    };
  }

  changed = () => this.dispatchEvent(new Event("change"));

  /** Requests to decide, in the order in which they came. */
  get open() {
    return [...this.all.values()].filter((request) => request.record && request.state !== "over");
  }

  some = (test) => [...this.all.values()].some((request) => request.state === "loading" && test(request));

  /** True if a record comes in a moment, so that the requests of one client appear together. */
  get isGathering() {
    return this.some(({ failures, since }) => !failures && performance.now() - since < 1500);
  }

  /** True while a request has no record yet. */
  get isLoading() {
    return this.some(() => true);
  }

  /** True if a record could not be fetched, and the next try is to come. */
  get isFailing() {
    return this.some(({ failures }) => failures);
  }

  /** Takes a notification, and fetches its record. */
  add(device, notification, urgent, text) {
    const request = this.loading(device, notification.txlnkid);
    request.notification ??= notification;
    request.text ??= text;
    request.urgent ||= urgent;
    return this.load(request);
  }

  loading(device, id) {
    const request = this.all.get(id) ??
      /** @type {Request} */
      ({ id, device, state: "loading", failures: 0, since: performance.now() });
    this.all.set(id, request);
    return request;
  }

  async load(request) {
    const { id, device, notification } = request;
    if (request.state !== "loading" || request.fetching) return;
    clearTimeout(request.timer);
    request.fetching = true;
    try {
      const text = request.text ?? await device.record(notification);
      const record = parse(text);
      if (!(record instanceof Map)) throw new SyntaxError(text);
      const digest = await sha256(text);
      // It may have ended meanwhile.
      if (request.state === "loading") {
        const [createdAt, expiresAt] = ["created_at", "expires_at"].map((name) => Date.parse(record.get(name)));
        const urgent = request.urgent || record.get("urgent") === true;
        Object.assign(request, { record, digest, createdAt, expiresAt, urgent, state: "open" });
      }
    } catch (error) {
      if (error instanceof SyntaxError) console.error(id, error);
      request.text = undefined;
      if (error instanceof Refused && gone.includes(error.code)) this.all.delete(id);
      else this.retry(request, () => this.load(request));
    }
    request.fetching = false;
    this.changed();
  }

  /** Tries again after a pause, which grows. */
  retry(request, action) {
    request.failures += 1;
    const pause = Math.min(60_000, 1000 * 2 ** request.failures) * (0.5 + Math.random() / 2);
    clearTimeout(request.timer);
    request.timer = setTimeout(() => this.all.get(request.id) === request && action(), pause);
  }

  /** Asks the server what an account still has to decide. */
  refresh(device) {
    device.refreshing ??= device.pending().then((list) => {
      for (const { mfa, urgent, record } of list) this.add(device, mfa, urgent, record);
      // A longer list is cut off.
      if (list.length < 100) this.listed(device, list.map(({ mfa }) => mfa.txlnkid));
    }).finally(() => { device.refreshing = undefined; });
    return device.refreshing;
  }

  /** Asks for the notification of a request that the server named alone. */
  async find(request) {
    if (!request.notification) await this.refresh(request.device).catch(console.error);
    if (!request.notification) this.retry(request, () => this.find(request));
    this.changed();
  }

  /** The server's list of what an account still has to decide. */
  listed(device, ids) {
    for (const id of ids) {
      if (this.all.has(id)) continue;
      const request = this.loading(device, id);
      // Its notification mostly follows.
      request.timer = setTimeout(() => this.find(request), 1500);
    }
    for (const request of this.all.values()) {
      if (request.device !== device) continue;
      const { id, state } = request;
      if (!ids.includes(id)) {
        // After a lost answer: it has arrived, or another was faster.
        if (state === "checking") this.end(request, "outcomeAnswered");
        else if (state !== "over" && state !== "sending") this.endUnanswered(request);
      } else if (state === "checking") {
        request.state = "open";
        request.problem = "problemLost";
      } else if (request.outcome === "outcomeExpired") {
        // This phone's clock was wrong.
        request.state = "open";
        request.outcome = undefined;
      } else if (state === "loading" && request.notification) {
        this.load(request);
      }
    }
    this.dispatchEvent(new CustomEvent("listed", { detail: { device, ids } }));
    this.changed();
  }

  /** The server says that a request needs no answer any more. */
  withdraw(id) {
    const request = this.all.get(id);
    if (!request || request.state === "sending" || request.state === "over") return;
    this.endUnanswered(request);
    this.changed();
  }

  /** Ends a request that was not answered here. */
  endUnanswered(request) {
    if (!request.record) this.all.delete(request.id);
    this.end(request, request.expiresAt <= now() ? "outcomeExpired" : "outcomeElsewhere");
  }

  /** Ends requests whose time is over. The server is asked first, as this phone's clock may have been moved. */
  async expire() {
    const late = this.open.filter((request) => request.state === "open" && request.expiresAt <= now() && !request.asking);
    for (const request of late) request.asking = true;
    for (const device of new Set(late.map((request) => request.device))) {
      await this.refresh(device).catch(() => {
        for (const request of late) if (request.device === device) this.endUnanswered(request);
        this.changed();
      });
    }
    for (const request of late) request.asking = false;
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
      this.tabs.postMessage({ answered: request.id });
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
      if (!(error instanceof Refused) || error.code !== "passkey_required") throw error;
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
