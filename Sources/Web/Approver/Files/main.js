/** The start of the approver: accounts, their channels, and the page around the views. */

import { clockWords } from "./card.js";
import { Channel } from "./channel.js";
import { codeOf, Device, now } from "./device.js";
import { button, h, heading, icon, listen, shapes } from "./dom.js";
import { enrolView, fragmentOf, ticketOf, welcome } from "./enrol.js";
import { historyView } from "./history.js";
import { Home } from "./home.js";
import { isUsable } from "./keys.js";
import { lost, mark, note, notes, unmark } from "./farewell.js";
import * as push from "./push.js";
import { Requests } from "./requests.js";
import { settingsView } from "./settings.js";
import { trying } from "./sheet.js";
import { accounts, forget } from "./store.js";
import { language, say, t } from "./text.js";
import { installView, lostView, unable, unableView } from "./ways.js";

/** Seconds left at which a screen reader hears of it. */
const announced = [60, 30, 10];

/** The tenant's settings, which the document brings along. */
const settings = () => JSON.parse(document.documentElement.dataset.settings ?? "");

export class App {
  /** @type {Device[]} */
  devices = [];
  /** @type {Map<Device, Channel>} */
  channels = new Map();
  /** @type {import("./enrol.js").Link|undefined} */
  link;
  tab = "requests";
  /** Accounts whose key is gone. @type {import("./farewell.js").Mark[]} */
  lost = [];
  /**
   * Words about an account that ended, above the next view.
   * @type {HTMLElement|undefined}
   */
  notice;
  isOnline = navigator.onLine;
  /** @type {?{prompt: () => void}} */
  installer = null;
  requests = new Requests();
  home = new Home(this, this.requests);

  // The page

  status = h("p.status", { role: "status" });
  live = h("p.unseen", { role: "status" });
  // Dialogs are beside the view, which is drawn anew.
  place = h("div.view");
  main = h("main", { id: "main", tabindex: -1 }, this.place, this.live);
  nav = h("nav", ["requests", "history", "settings"].map((name) =>
    h("a", { href: `/approver#${name}`, "data-tab": name }, icon(shapes[name]), h("span", t(name)))));

  /** @param settings those of the tenant */
  constructor(settings) {
    this.settings = settings;
  }

  async start() {
    document.documentElement.lang = language;
    this.frame();
    await this.open();
    this.listen();
    await push.brief(this.settings);
    this.follow();
    await push.startWorker();
    await this.renew();
  }

  /** Joins the accounts, and finds those whose key is gone. */
  async open() {
    for (const account of await accounts()) {
      if (await isUsable(account.key)) this.join(account);
      else await forget(account.id);
    }
    const joined = this.devices.map(({ account }) => account);
    this.usedCode = (await notes()).usedCode;
    await note({ base: this.settings.base, name: this.settings.name, notice: t("wayLost") });
    await mark(...joined);
    this.lost = await lost(joined);
    // The push service refuses what the server still sends to a phone that can open nothing.
    if (joined.length === 0) await push.end().catch(console.error);
  }

  /** Tells the server what changed, and shows the names that it gives the accounts. */
  async renew() {
    await push.renew(this.settings, this.devices);
    if (this.tab === "settings") this.render();
  }

  /** True once each account's list of requests is known. */
  get isListed() {
    return [...this.channels.values()].every((channel) => channel.isListed);
  }

  /** True if each account's channel is open. */
  get isOpen() {
    return [...this.channels.values()].every((channel) => channel.isOpen);
  }

  frame() {
    document.body.replaceChildren(
      h("a.skip", { href: "#main", onclick: (event) => { event.preventDefault(); this.main.focus(); } }, t("skip")),
      h("header.top", h("span.tenant", this.settings.name), this.status),
      this.main, this.nav);
  }

  /** Draws the view of the address. */
  render = () => {
    this.nav.hidden = this.devices.length === 0 || Boolean(this.link);
    for (const tab of this.nav.querySelectorAll("a")) {
      if (tab.dataset.tab === this.tab) tab.setAttribute("aria-current", "page");
      else tab.removeAttribute("aria-current");
    }
    this.drawStatus();
    this.home.drawn = "";
    this.place.replaceChildren(...(this.notice ? [this.notice] : []), this.view());
    // It looks at where its parts are.
    if (this.home.element.isConnected) this.home.draw();
  };

  /** The heading of a new view tells a screen reader of it. */
  focus() {
    scrollTo(0, 0);
    this.main.querySelector("h1")?.focus();
  }

  view() {
    const { link } = this;
    if (link && push.needsInstallation && this.settings.web_push_key && !this.stays) {
      const issue = async () => (link.code ? { code: link.code, expires_at: new Date(now() + 900_000) }
        : codeOf(this.settings.base, link.ticket));
      return installView(this.settings, link, issue, () => {
        this.stays = true;
        this.render();
        this.focus();
      });
    }
    if (this.link) return enrolView(this.settings, this.link, (account) => this.enrolled(account));
    if (this.devices.length === 0 && this.lost.length) {
      return lostView(this.settings, this.lost, this.enrol, async () => {
        await unmark(() => true);
        this.lost = [];
        this.render();
        this.focus();
      });
    }
    if (this.devices.length === 0) return welcome(this.settings, this.enrol);
    if (this.tab === "history") return historyView(this.settings, this.devices);
    if (this.tab === "settings") return settingsView(this);
    return this.home.element;
  }

  drawStatus() {
    const state = this.devices.length === 0 ? "" : !this.isOnline ? "offline" : this.isOpen ? "" : "connecting";
    this.status.className = `status ${state}`;
    const words = state ? t(state) : "";
    if (this.status.textContent !== words) this.status.replaceChildren(...(state ? [icon(shapes.away), words] : []));
  }

  changed = () => {
    this.drawStatus();
    if (this.tab === "requests" && !this.link && this.devices.length > 0) this.home.draw();
    const number = this.requests.open.length;
    this.nav.firstElementChild?.toggleAttribute("data-waiting", number > 0);
    document.title = number ? `(${number}) ${this.settings.name}` : this.settings.name;
    if (number) navigator.setAppBadge?.(number)?.catch(() => {});
    else navigator.clearAppBadge?.()?.catch(() => {});
  };

  /** The address says which view is shown, and what a link asks for. */
  follow = () => {
    const fragment = location.hash.slice(1);
    const values = new URLSearchParams(fragment);
    const link = values.has("enroll") ? ticketOf(location.href) : undefined;
    this.link = link?.ticket ? link : undefined;
    // An installed app starts with the code of its installation each time.
    const code = values.get("code") ?? undefined;
    if (code && code !== this.usedCode && this.devices.length === 0) this.link = { code };
    this.tab = ["history", "settings"].includes(fragment) ? fragment : "requests";
    this.render();
    this.focus();
    // Another tab may have added its account.
    if (values.has("request")) this.sync().then(() => this.home.open(values.get("request"))).catch(console.error);
  };

  /** Takes over what other tabs changed in the accounts. */
  async sync() {
    const all = await accounts();
    const gone = this.devices.filter((device) => !all.some(({ id }) => id === device.account.id));
    for (const device of gone) this.leave(device);
    let isChanged = gone.length > 0;
    for (const account of all) {
      const device = this.devices.find((other) => other.account.id === account.id);
      if (device) Object.assign(device.account, account);
      else this.join(account);
      isChanged ||= !device;
    }
    if (isChanged && !this.link) this.render();
  }

  enrol = (link) => {
    location.hash = String(fragmentOf(link));
  };

  // Accounts

  /** Listens for an account. */
  join(account) {
    const device = new Device(this.settings.base, account);
    const channel = new Channel(device);
    this.devices.push(device);
    this.channels.set(device, channel);
    listen(channel, {
      open: this.changed, closed: this.changed, removed: () => this.gone(device),
      pending: ({ detail }) => this.requests.listed(device, detail.txlnkid),
      withdrawal: ({ detail }) => {
        this.requests.withdraw(detail.txlnkid);
        push.closeNotice(detail.txlnkid);
      },
      notification: ({ detail }) => this.requests.add(device, detail.mfa, detail.urgent, detail.record),
    });
    channel.start();
    return device;
  }

  async enrolled(account) {
    // The server replaced an earlier enrolment of the same person.
    for (const device of this.devices.filter(({ account: { userId } }) => userId === account.userId)) this.leave(device);
    this.join(account);
    this.isNew = true;
    this.notice = undefined;
    this.usedCode = this.link?.code;
    this.lost = [];
    this.link = undefined;
    this.begin();
    this.render();
    this.focus();
    this.notifyTabs();
    this.renew().catch(console.error);
  }

  /** Notifies other tabs that the accounts changed. */
  notifyTabs = () => this.requests.tabs.postMessage({});

  leave(device) {
    this.channels.get(device)?.stop();
    this.channels.delete(device);
    this.devices = this.devices.filter((other) => other !== device);
    this.requests.drop(device);
    // Without accounts there is one page.
    if (this.devices.length === 0) this.begin();
  }

  begin() {
    history.replaceState(null, "", "/approver");
    this.tab = "requests";
  }

  /** The person removed the account. */
  removed(device) {
    this.leave(device);
    this.notifyTabs();
    this.render();
    this.focus();
  }

  /** The server knows this phone no more. */
  async gone(device) {
    if (!this.devices.includes(device)) return;
    await forget(device.account.id);
    await unmark(({ id }) => id === device.account.id);
    this.leave(device);
    this.notice = h("p.notice", { role: "alert" }, say("gone", { account: device.account.label }));
    this.render();
  }

  /** Below the page without requests: the phone is new, or its notifications are off. */
  banner() {
    const place = h("div");
    push.state(this.settings).then((state) => {
      const words = this.isNew && h("p.notice", { role: "status" }, t("ready"));
      const ways = {
        off: () => button("allow", t("turnOn"), async () => {
          await trying(() => push.turnOn(this.settings, this.devices));
          this.render();
        }),
        install: () => h("a", { href: "#settings" }, t("installApple")),
      };
      const way = ways[state]?.();
      // Without notifications the person has to know that requests come only here.
      place.append(h("div", words,
        state !== "on" && h("section.notice", h("h2", t("notifications")), h("p", t(`push_${state}`)), way)));
    });
    return place;
  }

  // The world

  listen() {
    const connect = ({ type }) => {
      this.isOnline = navigator.onLine;
      // A hidden window has no channel.
      const all = !this.isOnline || type === "visibilitychange";
      for (const channel of this.channels.values()) if (all || !channel.isFresh) channel.restart();
      this.changed();
    };
    listen(window, {
      hashchange: () => {
        this.notice = undefined;
        this.follow();
      },
      online: connect, offline: connect, resize: () => this.home.watch(),
      beforeinstallprompt: (event) => {
        event.preventDefault();
        this.installer = event;
      },
    });
    document.addEventListener("visibilitychange", connect);
    navigator.serviceWorker?.addEventListener("message", (event) => {
      if (event.data.request) location.hash = `request=${event.data.request}`;
      connect(event);
    });
    listen(this.requests, {
      change: this.changed, accounts: () => this.sync().catch(console.error),
      listed: ({ detail }) => push.closeNotices(detail.device.account.id, detail.ids),
      over: ({ detail }) => push.closeNotice(detail.id),
      lost: ({ detail }) => this.channels.get(detail.device)?.restart(), removed: ({ detail }) => this.gone(detail),
    });
    setInterval(() => this.tick(), 1000);
  }

  tick() {
    this.requests.expire();
    this.home.tick();
    for (const id of this.home.shown) {
      const request = this.requests.all.get(id);
      if (request?.state !== "open") continue;
      const seconds = Math.ceil((request.expiresAt - now()) / 1000);
      if (announced.includes(seconds)) this.live.replaceChildren(...clockWords(request));
    }
  }
}

const start = async () => {
  const reason = unable();
  if (reason) document.body.replaceChildren(unableView(reason));
  else await new App(settings()).start();
};
start().catch((error) => {
  console.error(error);
  document.body.replaceChildren(h("main", h("section.page",
    heading(t("cannotStart")), h("p", t("cannotStartLead")), button("allow", t("tryAgain"), () => location.reload()))));
});
