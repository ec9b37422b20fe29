/** The service worker: keeps the app's files for times without a network, and shows what a push announces. */

import { Device } from "./%VERSION%/device.js";
import { account, accounts, keep, value } from "./%VERSION%/store.js";

const cacheName = "approver-%VERSION%";
const shellPath = "/approver";
const settingsPath = "/approver/settings.json";
const assets = "/approver/%VERSION%/";
const files = [shellPath, settingsPath, ...%FILES%.map((name) => assets + name)];

self.addEventListener("install", (event) => event.waitUntil(install()));
self.addEventListener("activate", (event) => event.waitUntil(activate()));
self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== "GET" || url.origin !== location.origin) return;
  if (url.pathname.startsWith(assets)) event.respondWith(kept(event.request));
  else if (url.pathname === shellPath || url.pathname === settingsPath) event.respondWith(fresh(event.request, url.pathname));
});
self.addEventListener("push", (event) => event.waitUntil(received(event.data)));
self.addEventListener("notificationclick", (event) => event.waitUntil(clicked(event.notification)));
self.addEventListener("pushsubscriptionchange", (event) => event.waitUntil(renewed(event)));

async function install() {
  const cache = await caches.open(cacheName);
  await cache.addAll(files.map((file) => new Request(file, { cache: "reload" })));
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
  return await caches.match(request) ?? fetch(request);
}

/** The current file, or the kept one without a network. */
async function fresh(request, path) {
  const cache = await caches.open(cacheName);
  try {
    const answer = await fetch(request, { signal: AbortSignal.timeout(5000) });
    if (answer.ok) await cache.put(path, answer.clone());
    return answer;
  } catch {
    return await cache.match(path) ?? Response.error();
  }
}

/** A push has ids alone, so that the push service learns nothing. */
async function received(data) {
  let payload;
  try {
    payload = data.json();
  } catch {
    payload = {};
  }
  const brief = await value("brief") ?? {};
  if (payload.kind === "withdrawal") return withdrawn(payload.txlnkid, brief);
  const owner = payload.dai && await account(payload.dai);
  const notice = { title: brief.name ?? location.host, body: brief.someRequest ?? "" };
  let { quietHours } = owner ?? {};
  if (owner && brief.base) {
    const device = new Device(brief.base, owner);
    const [pending, preferences] = await Promise.allSettled([device.pending(), device.preferences()]);
    const request = pending.value?.find(({ mfa }) => mfa.txlnkid === payload.txlnkid);
    if (request) notice.body = request.aps.alert.body;
    // Answered meanwhile on another phone.
    else if (pending.value) return withdrawn(payload.txlnkid, brief);
    if (preferences.value) quietHours = preferences.value.quiet_hours;
  }
  if (owner && (await accounts()).length > 1) notice.title += ` · ${owner.label}`;
  await show(notice, payload, await isSilent(payload, quietHours));
}

function show({ title, body }, payload, silent) {
  return self.registration.showNotification(title, {
    body, silent, tag: payload.txlnkid, renotify: !silent && Boolean(payload.txlnkid), requireInteraction: true, dir: "auto",
    icon: `${assets}icon-192.png`, badge: `${assets}badge-96.png`, data: { request: payload.txlnkid },
  });
}

/** In quiet hours, and while the person looks at the app, nothing rings. */
async function isSilent({ urgent }, quietHours) {
  const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const open = windows.filter((page) => new URL(page.url).pathname === shellPath);
  for (const page of open) page.postMessage({ kind: "arrived" });
  return open.some((page) => page.visibilityState === "visible" && page.focused) || (!urgent && isWithin(quietHours));
}

/** True between two times of the day in the phone's time zone, also over midnight. */
function isWithin(quietHours, time = new Date()) {
  if (!quietHours) return false;
  const minutes = (text) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3, 5));
  const [from, to] = [minutes(quietHours.from), minutes(quietHours.to)];
  const at = time.getHours() * 60 + time.getMinutes();
  return from <= to ? at >= from && at < to : at >= from || at < to;
}

/** Browsers want each push to show something, so the notification is replaced before it goes. */
async function withdrawn(id, brief) {
  await self.registration.showNotification(brief.name ?? location.host, {
    body: brief.over ?? "", tag: id, silent: true, icon: `${assets}icon-192.png`, badge: `${assets}badge-96.png`,
  });
  for (const notice of await self.registration.getNotifications({ tag: id })) notice.close();
}

async function clicked(notification) {
  notification.close();
  const { request } = notification.data ?? {};
  const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const open = windows.find((page) => new URL(page.url).pathname === shellPath);
  if (!open) return self.clients.openWindow(request ? `${shellPath}#request=${request}` : shellPath);
  open.postMessage({ kind: "open", request });
  return open.focus();
}

/** The push service replaced the subscription. */
async function renewed({ oldSubscription, newSubscription }) {
  const { base } = await value("brief") ?? {};
  const subscription = newSubscription
    ?? (oldSubscription && await self.registration.pushManager.subscribe(oldSubscription.options));
  if (!subscription || !base) return;
  for (const owner of await accounts()) {
    await new Device(base, owner).tell(subscription);
    await keep({ ...owner, pushEndpoint: subscription.endpoint });
  }
}
