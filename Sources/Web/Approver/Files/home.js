/** The requests that wait: one card, or one card with a list for several of the same client. */

import { answers, asking, choices, clientName, clock, contents, outcome, summary } from "./card.js";
import { button, h, heading, seal, shapes } from "./dom.js";
import { confirm } from "./passkey.js";
import { confirmed } from "./sheet.js";
import { foreign, say, sayCount, t } from "./text.js";

/** Milliseconds in which a new card takes no tap, which may have been meant for the page before. */
const settling = 500;

export class Home {
  /** Ids of the requests on the card. A request that comes later never takes their place. */
  shown = [];
  drawn = "";

  /** @param {import("./settings.js").App} app @param {import("./requests.js").Requests} requests */
  constructor(app, requests) {
    this.app = app;
    this.requests = requests;
    this.element = h("div.home");
  }

  /** Shows the card of a request, at once or when it comes. */
  open(id) {
    this.wanted = { id, until: performance.now() + 10_000 };
  }

  next = () => {
    this.requests.clear();
    this.shown = [];
    this.draw();
    this.app.focus();
  };

  /** Chooses the card: the oldest request, with the others of its client. */
  choose() {
    const open = this.requests.open;
    if (this.wanted && this.requests.all.get(this.wanted.id)?.record) {
      this.shown = [this.wanted.id];
      this.wanted = undefined;
    } else if (this.wanted?.until < performance.now()) {
      this.wanted = undefined;
    }
    const known = this.shown.filter((id) => this.requests.all.get(id)?.record);
    if (known.length || this.shown.some((id) => this.requests.all.get(id)?.state === "loading")) {
      this.shown = known.length ? known : this.shown;
      return;
    }
    this.shown = [];
    if (this.requests.isGathering) return;
    const [first] = [...open].sort((one, other) => Boolean(other.urgent) - Boolean(one.urgent) || one.createdAt - other.createdAt);
    const isOfSameClient = (request) => request.device === first.device
      && request.record.get("client_id") === first.record.get("client_id");
    this.shown = first ? open.filter(isOfSameClient).map((request) => request.id) : [];
  }

  /** Draws what changed. */
  draw() {
    this.choose();
    const shown = this.shown.map((id) => this.requests.all.get(id)).filter((request) => request?.record);
    const others = shown.length ? this.requests.open.filter((request) => !this.shown.includes(request.id)) : [];
    const state = JSON.stringify([
      shown.map(({ id, state, outcome, problem }) => [id, state, outcome, problem]), others.map(({ id }) => id),
      shown.length ? null : [this.app.isOnline, this.app.isOpen, this.requests.isGathering],
    ]);
    if (state === this.drawn) return;
    this.drawn = state;
    const isNew = this.cards !== this.shown.join();
    this.cards = this.shown.join();
    const hadFocus = this.element.contains(document.activeElement) && document.activeElement;
    this.element.replaceChildren(...this.content(shown, others).filter(Boolean));
    if (isNew && shown.length) this.settle();
    if (hadFocus) (this.element.querySelector("h1") ?? this.element).focus({ preventScroll: true });
  }

  content(shown, others) {
    if (shown.length === 0) return [this.idle()];
    const card = shown.length === 1 ? this.card(shown[0], others) : this.group(shown, others);
    return [card, others.length > 0 && this.waiting(others)];
  }

  idle() {
    const { isOpen, isOnline } = this.app;
    const page = (...content) => h("section.page.idle", content);
    if (this.requests.isGathering) return page(heading(t("loading")));
    if (!isOnline) return page(seal(shapes.away), heading(t("offline")), h("p.lead", t("offlineLead")));
    return page(seal(shapes.requests, "seal.good"), heading(t("nothingWaits")),
      h("p.lead", { role: "status" }, t(isOpen ? "listening" : "connecting")), this.app.banner());
  }

  /** The account that is asked, if this phone has several. */
  account = (request) => this.app.devices.length > 1
    && h("p.who", t("account"), " ", h("strong", foreign(request.device.account.label)));

  card(request, others) {
    if (request.state === "over") {
      const words = others.length ? t("nextRequest") : t("ok");
      return h("article.card.ended", outcome(request, button("allow", words, this.next)));
    }
    return h("article.card", { "data-request": request.id },
      h("header", clock(request), request.urgent && h("p.chip.urgent", t("urgent"))),
      asking(request.record, this.app.settings.name), this.account(request), contents(request),
      answers(request, (answer) => this.answer(request, answer)));
  }

  answer = (request, answer) => this.requests.answer(request, answer, confirm);

  /** Requests of one client, decided one by one or all. Each is signed by itself. */
  group(shown, others) {
    const [{ record }] = shown;
    const open = shown.filter((request) => request.state === "open");
    if (shown.every((request) => request.state === "over")) return this.groupEnded(shown, others);
    const withoutNumber = open.filter((request) => choices(request.record).length === 0);
    const all = async (accepted) => {
      const asked = accepted ? withoutNumber : open;
      const client = clientName(record);
      const [title, yes] = accepted ? ["allowAllTitle", "allowAll"] : ["rejectAllTitle", "rejectAll"];
      const [question, answer] = [title, yes].map((key) => say(key, { count: asked.length }));
      if (!await confirmed(question, say("allLead", { client }), answer, accepted ? "allow" : "reject")) return;
      // One after the other, as a passkey confirms each.
      for (const request of asked) await this.answer(request, { accepted });
    };
    return h("article.card.group",
      asking(record, this.app.settings.name), h("p.hint", say("group", { count: shown.length })), this.account(shown[0]),
      h("ol.items", shown.map((request) => this.item(request))),
      open.length > 1 && h("div.answers", h("div.row",
        button("reject", say("rejectAll", { count: open.length }), () => all(false)),
        withoutNumber.length > 1 && button("allow", say("allowAll", { count: withoutNumber.length }), () => all(true)))));
  }

  item(request) {
    if (request.state === "over") {
      return h("li.over", contents(request)[0], h("p.hint", { role: "status" }, t(request.outcome)));
    }
    return h("li", { "data-request": request.id }, clock(request), contents(request, { title: "h2", part: "h3" }),
      answers(request, (answer) => this.answer(request, answer)));
  }

  groupEnded = (shown, others) => h("article.card.ended", h("section.outcome",
    heading(t("allAnswered")),
    h("ul.decisions", shown.map((request) => h("li", summary(request), h("span.chip", t(request.outcome))))),
    button("allow", t(others.length ? "nextRequest" : "ok"), this.next)));

  /** The other requests. */
  waiting(others) {
    return h("section.waiting",
      h("h2", sayCount("moreWait", others.length)),
      h("ul", others.map((request) => h("li", h("button.entry", {
        type: "button", onclick: () => {
          this.open(request.id);
          this.draw();
          this.app.focus();
        },
      }, summary(request))))));
  }

  /** Keeps the answers closed for a moment. */
  settle() {
    const buttons = this.element.querySelectorAll(".answers button:not(:disabled)");
    for (const each of buttons) each.disabled = true;
    setTimeout(() => {
      for (const each of buttons) each.disabled = false;
    }, settling);
  }

  /** Moves the time that is left. */
  tick() {
    this.draw();
    for (const element of this.element.querySelectorAll(".moves")) element.update();
  }
}
