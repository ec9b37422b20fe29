/** The requests that wait: one card, or one card with a list for several of the same client. */

import { allowing, answers, asking, clock, contents, outcome, outcomeWords, partsOf, readOn, showUnread, summary } from "./card.js";
import { codes } from "./codes.js";
import { button, h, heading, seal, shapes } from "./dom.js";
import { allowable, allowAll, totals } from "./group.js";
import { confirm } from "./passkey.js";
import { Reader } from "./reading.js";
import { clientName, isLogin } from "./record.js";
import { order } from "./requests.js";
import { confirmed } from "./sheet.js";
import { foreign, say, sayCount, t } from "./text.js";

/** Milliseconds in which a new card takes no tap, which may have been meant for the page before. */
const settling = 500;

export class Home {
  /** Ids of the requests on the card. A request that comes later never takes their place. */
  shown = [];
  drawn = "";
  settledUntil = 0;
  reader = new Reader(() => this.inView(), () => this.gate());

  /** @param {import("./main.js").App} app @param {import("./requests.js").Requests} requests */
  constructor(app, requests) {
    this.app = app;
    this.requests = requests;
    this.cardPlace = h("div.home");
    this.othersPlace = h("div");
    this.element = h("div.home", this.cardPlace, this.othersPlace);
  }

  /** Shows the card of a request, at once or when it comes. One that no account has any more is over. */
  async open(id) {
    this.wanted = { id, until: performance.now() + 10_000 };
    this.isMissed = false;
    if (this.requests.all.has(id)) return;
    const refreshes = await Promise.allSettled(this.app.devices.map((device) => this.requests.refresh(device)));
    this.isMissed = refreshes.every(({ status }) => status === "fulfilled") && !this.requests.all.has(id);
    this.draw();
  }

  next = () => {
    this.requests.clear();
    this.shown = [];
    this.isMissed = false;
    this.draw(true);
    this.app.focus();
  };

  /** Requests that were fetched. */
  requestsOf = (ids) => ids.map((id) => this.requests.all.get(id)).filter((request) => request?.record);

  /** Chooses the card: the first request in order, with the others of its client. Each login has its own screen. */
  choose() {
    const open = this.requests.open;
    if (this.wanted && this.requests.all.get(this.wanted.id)?.record) {
      this.isMissed = false;
      this.shown = [this.wanted.id];
      this.wanted = undefined;
    } else if ((this.wanted?.until ?? 0) < performance.now()) {
      this.wanted = undefined;
    }
    const known = this.requestsOf(this.shown).map(({ id }) => id);
    if (known.length || this.shown.some((id) => this.requests.all.get(id)?.state === "loading")) {
      this.shown = known.length ? known : this.shown;
      return;
    }
    this.shown = [];
    if (this.requests.isGathering) return;
    const [first] = [...open].sort(order);
    const isLone = (request) => isLogin(request.record);
    const isOfSameClient = (request) => request === first || !isLone(first) && !isLone(request) && request.device === first.device
      && request.record.get("client_id") === first.record.get("client_id");
    this.shown = first ? open.filter(isOfSameClient).map((request) => request.id) : [];
  }

  /** Draws what changed. @param {boolean} [byPerson] true if the person went on */
  draw(byPerson) {
    this.choose();
    const shown = this.requestsOf(this.shown);
    const others = shown.length
      ? this.requests.open.filter((request) => !this.shown.includes(request.id)).sort(order) : [];
    this.drawOthers(others, byPerson);
    const { app, requests } = this;
    const state = JSON.stringify([
      shown.map(({ id, state, outcome, problem }) => [id, state, outcome, problem]),
      shown.length ? shown.every(({ state }) => state === "over") && others.length > 0
        : [app.isOnline, app.isOpen, app.isListed, this.isMissed, requests.isLoading, requests.isFailing],
    ]);
    if (state === this.drawn) return;
    this.drawn = state;
    const isNew = this.cards !== this.shown.join();
    this.cards = this.shown.join();
    const hadFocus = this.cardPlace.contains(document.activeElement);
    const card = shown.length > 1 ? this.group(shown, others) : shown.length ? this.card(shown[0], others) : this.idle();
    this.cardPlace.replaceChildren(card);
    // A request that ends moves the answers of the others under the finger.
    if (shown.some(({ state }) => state !== "over")) {
      this.settledUntil = performance.now() + settling;
      setTimeout(() => this.gate(), settling);
    }
    if (isNew && shown.length && !byPerson) this.announce(say("asks", { client: clientName(shown[0].record) }));
    if (!shown.length) this.announce([]);
    this.watch();
    this.gate();
    if (hadFocus) (this.cardPlace.querySelector("h1") ?? this.cardPlace).focus({ preventScroll: true });
  }

  /** The other requests, beside the card that stays as it is. */
  drawOthers(others, byPerson) {
    const ids = others.map(({ id }) => id).join();
    if (ids === this.others) return;
    const more = sayCount("moreWait", others.length);
    if (!byPerson && others.some(({ id }) => !this.others?.includes(id))) this.announce(more);
    this.others = ids;
    this.othersPlace.replaceChildren(...(others.length ? [this.waiting(others)] : []));
  }

  announce = (words) => this.app.live.replaceChildren(...words);

  /** Height at the foot of the page that the answers cover. */
  get covered() {
    const answers = this.cardPlace.querySelector(".card > .answers");
    const isAtFoot = answers && getComputedStyle(answers).position === "sticky";
    return isAtFoot ? answers.offsetHeight + this.app.nav.offsetHeight : 0;
  }

  /** Area in which the person sees the card now. A dialog covers it. */
  inView() {
    if (!this.element.isConnected || document.querySelector("dialog[open]")) return undefined;
    return { top: 0, bottom: innerHeight - this.covered };
  }

  /** Watches which parts of the requests come into view above the answers, which stay at the foot of the page. */
  watch() {
    const shown = this.requestsOf(this.shown).filter(({ state }) => state !== "over");
    if (!shown.length || !this.element.isConnected) return this.reader.follow([]);
    this.reader.follow(shown.flatMap((request) => {
      const place = this.cardPlace.querySelector(`[data-request="${CSS.escape(request.id)}"]`);
      return place ? partsOf(request, place).map((part) => ({ ...part, request })) : [];
    }));
  }

  /** Enables the answers that can be given: those of open requests, after a moment, and to allow after all was seen. */
  gate() {
    const isSettled = performance.now() >= this.settledUntil;
    const parts = this.reader.unread;
    for (const place of this.cardPlace.querySelectorAll(".answers")) {
      const requests = "all" in place.dataset ? this.shown : [place.closest("[data-request]")?.dataset.request];
      const open = this.requestsOf(requests).filter(({ state }) => state === "open");
      const unread = parts.filter(({ request }) => open.some((other) => other === request));
      const buttons = [...place.getElementsByTagName("button")].filter((button) => !button.closest(".read-on"));
      for (const button of buttons) {
        button.disabled = !isSettled || !open.length || ("allows" in button.dataset && unread.length > 0);
      }
      const readOn = place.querySelector(".read-on");
      if (readOn) showUnread(readOn, isSettled ? unread : []);
    }
    // Focus scrolls what it reaches out from below the answers, whose height has changed.
    document.documentElement.style.scrollPaddingBottom = `${this.covered + 16}px`;
  }

  idle() {
    const { isOpen, isOnline, isListed } = this.app;
    const page = (...content) => h("section.page.idle", content, codes(this.app.devices));
    if (!isOnline) return page(seal(shapes.away), heading(t("offline")), h("p.lead", t("offlineLead")));
    if (this.requests.isFailing) return page(seal(shapes.away), heading(t("notLoaded")), h("p.lead", t("notLoadedLead")));
    if (this.requests.isLoading || !isListed) return page(heading(t("loading")));
    if (this.isMissed) {
      return page(heading(t("outcomeElsewhere")), h("p.lead", t("outcomeElsewhereLead")), button("plain", t("ok"), this.next));
    }
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
    const together = allowable(open);
    const all = async (requests, accepted, isSure) => {
      if (!await isSure) return;
      // One after the other, as a passkey confirms each.
      for (const request of requests) await this.answer(request, { accepted });
    };
    const [rejectTitle, reject] = ["rejectAllTitle", "rejectAll"].map((key) => say(key, { count: open.length }));
    const client = clientName(record);
    return h("article.card.group",
      asking(record, this.app.settings.name), h("p.hint", say("group", { count: shown.length })), this.account(shown[0]),
      h("ol.items", shown.map((request) => this.item(request))),
      open.length > 1 && h("div.answers", { "data-all": true }, readOn(),
        !together.length && h("p.hint", t("notTogether")),
        h("div.row",
          button("reject", reject,
            () => all(open, false, confirmed(rejectTitle, say("rejectAllLead", { client }), t("reject"), "reject"))),
          together.length > 1 && button("allow", allowing("allowAll", totals(together), { count: together.length }),
            () => all(together, true, allowAll(together)), { "data-allows": true, "aria-haspopup": "dialog" }))));
  }

  item(request) {
    if (request.state === "over") {
      return h("li.over", h("p", { role: "status" }, outcomeWords(request.outcome, request.record)));
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
          this.draw(true);
          this.app.focus();
        },
      }, summary(request))))));
  }

  /** Moves the time that is left. */
  tick() {
    this.draw();
    for (const element of this.element.querySelectorAll(".moves")) element.update?.();
  }
}
