/** The service worker: keeps the app's files for times without a network, and shows what a push announces. */

import { Device } from "./device.js";
import { lost, notes } from "./farewell.js";
import { preview } from "./preview.js";
import { account, accounts, change, value } from "./store.js";

const cacheName = "approver-%VERSION%";
const shellPath = "/approver";
// The server fills in the places between percent signs.
const assets = "/approver/%VERSION%/";
const files = "%FILES%".split(" ").map((name) => assets + name);

/** @type {Record<string, (event: WorkerEvent) => Promise<unknown>>} */
const tasks = {
  install, activate, push: received, notificationclick: clicked, pushsubscriptionchange: renewed,
};
for (const [name, task] of Object.entries(tasks)) {
  self.addEventListener(name, (event) => event.waitUntil(task(event)));
}
self.addEventListener("fetch", (event) => {
  const { method, url } = event.request;
  const { origin, pathname } = new URL(url);
  if (method !== "GET" || origin !== location.origin) return;
  if (pathname.startsWith(assets)) event.respondWith(kept(event.request));
  else if (pathname === shellPath) shell(event);
});

async function install() {
  const cache = await caches.open(cacheName);
  // The page fetched most of them, and an address with a version never changes its content.
  await cache.addAll([new Request(shellPath, { cache: "reload" }), ...files]);
  await self.skipWaiting();
}

async function activate() {
  for (const name of await caches.keys()) {
    if (name.startsWith("approver-") && name !== cacheName) await caches.delete(name);
  }
  await self.clients.claim();
}

/** A file whose address names its content. */
async function kept(request) {
  const known = await caches.match(request);
  if (known) return known;
  const answer = await fetch(request);
  if (answer.ok) await (await caches.open(cacheName)).put(request, answer.clone());
  return answer;
}

/**
 * The kept document at once, so that a start waits for nothing. The current one is fetched beside it, and serves the
 * next start.
 */
function shell(event) {
  const current = (async () => {
    const cache = await caches.open(cacheName);
    const answer = await fetch(shellPath, { cache: "no-cache" });
    // A document of another version comes with that version's worker, which keeps its files, too.
    if (answer.ok && (await answer.clone().text()).includes(assets)) await cache.put(shellPath, answer.clone());
    return answer;
  })();
  event.respondWith(caches.match(shellPath).then((known) => known ?? current));
  event.waitUntil(current.catch(() => {}));
}

/** A push has ids alone, so that the push service learns nothing. */
async function received({ data }) {
  /** @type {Record<string, any>} */
  let payload = {};
  try {
    payload = data.json() ?? {};
  } catch {
    // Something is shown for any push.
  }
  if ((await accounts()).length === 0) return keyless();
  const brief = await value("brief") ?? {};
  if (payload.kind === "withdrawal") return withdrawn(payload.txlnkid, brief);
  const owner = payload.dai && await account(payload.dai);
  let [title, body, quietHours] = [brief.name ?? location.host, brief.someRequest ?? "", owner?.quietHours];
  if (owner && brief.base) {
    const device = new Device(brief.base, owner);
    const [pending, preferences] = await Promise.all(
      [device.pending(), device.preferences()].map((answer) => answer.catch(() => undefined)));
    const request = pending?.find(({ mfa }) => mfa.txlnkid === payload.txlnkid);
    if (request) body = await preview(device, request.mfa) ?? request.aps.alert.body;
    // Answered meanwhile on another phone.
    else if (pending) return withdrawn(payload.txlnkid, brief);
    if (preferences) quietHours = preferences.quiet_hours;
  }
  if (owner && (await accounts()).length > 1) title += ` · ${owner.label}`;
  const silent = await isSilent(payload, quietHours);
  const tag = payload.txlnkid;
  await show(title, {
    body, silent, tag, renotify: !silent && Boolean(tag), requireInteraction: true, data: { request: tag, account: owner?.id },
  });
}

/** The key is gone with the accounts: the server hears of it, and the push service refuses what comes. */
async function keyless() {
  await (await self.registration.pushManager.getSubscription())?.unsubscribe();
  await lost([]);
  const { name, notice } = await notes();
  await show(name ?? location.host, { body: notice ?? "", tag: "lost" });
}

function show(title, options) {
  return self.registration.showNotification(title, {
    icon: `${assets}icon-192.png`, badge: `${assets}badge-96.png`, dir: "auto", ...options,
  });
}

/** Windows of the app. */
async function pages() {
  const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  return windows.filter((page) => new URL(page.url).pathname === shellPath);
}

/**
 * In quiet hours, and while the person looks at the app, nothing rings.
 * @param {{urgent?: boolean}} payload
 * @param {import("./store.js").Account["quietHours"]} quietHours
 */
async function isSilent({ urgent }, quietHours) {
  const open = await pages();
  for (const page of open) page.postMessage({});
  return open.some((page) => page.visibilityState === "visible" && page.focused) || (!urgent && isWithin(quietHours));
}

/** True between two times of the day in the phone's time zone, also over midnight. */
function isWithin(quietHours, time = new Date()) {
  if (!quietHours) return false;
  const { from, to } = quietHours;
  // Times as HH:MM, which are in order as texts.
  const at = time.toTimeString().slice(0, 5);
  return from <= to ? at >= from && at < to : at >= from || at < to;
}

/** Browsers want each push to show something, so the notification is replaced before it goes. */
async function withdrawn(id, brief) {
  await show(brief.name ?? location.host, { body: brief.over ?? "", tag: id, silent: true });
  for (const notice of await self.registration.getNotifications({ tag: id })) notice.close();
}

async function clicked({ notification }) {
  notification.close();
  const { request } = notification.data ?? {};
  const [page] = await pages();
  if (!page) return self.clients.openWindow(request ? `${shellPath}#request=${request}` : shellPath);
  page.postMessage({ request });
  return page.focus();
}

/** The push service replaced the subscription. */
async function renewed({ oldSubscription, newSubscription }) {
  const { base } = await value("brief") ?? {};
  const subscription = newSubscription
    ?? (oldSubscription && await self.registration.pushManager.subscribe(oldSubscription.options));
  if (!subscription || !base) return;
  // The app describes an account that this misses when it starts.
  await Promise.allSettled((await accounts()).map(async (owner) => {
    await new Device(base, owner).describe(subscription);
    await change(owner, { pushEndpoint: subscription.endpoint });
  }));
}
