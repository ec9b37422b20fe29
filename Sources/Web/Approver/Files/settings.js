/** Accounts of this phone, notifications, quiet hours, passkeys, and the person's other phones. */

import { button, h, heading } from "./dom.js";
import { pasteForm, installSteps } from "./enrol.js";
import { unmark } from "./farewell.js";
import * as passkey from "./passkey.js";
import { previewSwitch } from "./preview.js";
import * as push from "./push.js";
import { entered, confirmed, trying } from "./sheet.js";
import { change, forget } from "./store.js";
import { names } from "./names.js";
import { day, foreign, moment, say, t } from "./text.js";
import { addAnother, scanButton } from "./ways.js";

/** @param {import("./main.js").App} app */
export function settingsView(app) {
  return h("section.page",
    heading(t("settings")),
    notifications(app),
    app.devices.map((device) => accountView(app, device)),
    h("section.block", h("h2", t("anotherAccount")), h("p.hint", t("haveLinkLead")), pasteForm(app.enrol), scanButton(app.enrol)),
    app.installer && h("section.block", h("h2", t("install")),
      button("plain", t("install"), () => app.installer?.prompt())),
    h("p.hint.version", app.settings.name, " · ", document.documentElement.dataset.version));
}

function notifications(app) {
  const block = h("div");
  const fill = async () => {
    const state = await push.state(app.settings);
    const change = (action) => async () => {
      await trying(action);
      fill();
    };
    block.replaceChildren(h("section.block", h("h2", t("notifications")), state !== "on" && h("p.hint", t(`push_${state}`)),
      state === "off" && button("allow", t("turnOn"), change(() => push.turnOn(app.settings, app.devices))),
      state === "on" && previewSwitch(),
      state === "on" && button("plain", t("turnOff"), change(() => push.turnOff(app.devices))),
      state === "install" && installSteps(app.settings)));
  };
  fill();
  return block;
}

function accountView(app, device) {
  const { account } = device;
  const rename = async () => {
    const name = await entered(t("rename"), t("nameOfPhone"), account.name, t("save"));
    if (!name || name === account.name) return;
    await trying(async () => {
      await device.update({ name });
      await change(account, { name });
    });
    app.render();
  };
  const remove = async () => {
    const text = say("removeLead", { account: account.label });
    if (!await confirmed(t("removeAccount"), text, t("removeNow"))) return;
    await trying(async () => {
      // A phone that the server does not know any more is removed, too.
      await device.remove().catch((error) => {
        if (error.code !== "enrollment_not_found") throw error;
      });
      await forget(account.id);
      await unmark(({ id }) => id === account.id);
      app.removed(device);
    });
  };
  return h("section.block.account", { "aria-label": account.label },
    h("h2", foreign(account.label)),
    h("div.fact", h("span", h("span.hint", t("thisPhone")), h("strong", foreign(account.name))),
      button("small", t("rename"), rename, { "aria-label": t("renameThis", { name: account.name }) })),
    passkeyRow(app, device), quietHours(device), phones(app, device),
    button("danger.plain", t("removeAccount"), remove));
}

/** A part that stays empty at a server that does not offer it. */
function offered(load, fill) {
  const part = h("div");
  load().then((value) => part.append(h("div.part", fill(value))), () => part.remove());
  return part;
}

const passkeyRow = (app, device) => offered(() => passkey.offered(device), ({ passkeys, mayMake }) => [
  h("div.fact",
    h("span", h("span.hint", t("passkey")), h("strong", t(passkeys.ids.length ? "passkeyYes" : "passkeyNo"))),
    mayMake && button("small", t("passkeyAdd"), async () => {
      await trying(() => passkey.register(device));
      app.render();
    })),
  !mayMake && passkey.elsewhere(device, passkeys.ids.length ? "passkeyLost" : "passkeyAccount"),
]);

function quietHours(device) {
  return offered(device.preferences, ({ quiet_hours: hours }) => {
    const id = device.account.id;
    const time = (name, value) => h("input", { id: `${name}-${id}`, type: "time", value, required: true });
    const from = time("from", hours?.from ?? "22:00");
    const to = time("to", hours?.to ?? "07:00");
    const isOn = h("input", { id: `quiet-${id}`, type: "checkbox", checked: Boolean(hours) });
    const times = h("div.times", { hidden: !hours },
      h("label", { for: from.id }, t("from")), from, h("label", { for: to.id }, t("to")), to);
    const status = h("p.hint", { role: "status" });
    const save = () => trying(async () => {
      times.hidden = !isOn.checked;
      if (!from.value || !to.value) return;
      const quietHours = isOn.checked ? { from: from.value, to: to.value } : null;
      await device.keepPreferences({ quiet_hours: quietHours });
      await change(device.account, { quietHours });
      status.textContent = t("saved");
    });
    for (const field of [from, to, isOn]) field.addEventListener("change", save);
    return [
      h("label.switch", { for: isOn.id }, h("span", h("span", t("quietHours")), h("span.hint", t("quietHoursLead"))), isOn),
      times, status,
    ];
  });
}

const phones = (app, device) => offered(device.phones, ({ devices }) => [
  phoneList(devices, names(devices, day)),
  app.settings.phones_add_phones !== "never" && button("plain", t("wayAnother"), async () => {
    await addAnother(device, app.settings.phones_add_phones);
    app.render();
  }),
]);

const phoneList = (devices, named) => [
  h("h3", t("yourPhones")),
  h("ul.phones", devices.map((phone) => h("li",
    h("span", h("strong", foreign(named.get(phone))), phone.current && h("span.chip.good", t("thisPhone")),
      phone.key_lost && h("span.chip.urgent", t("wayKeyGone"))),
    h("span.hint", t("since", { date: moment(Date.parse(phone.enrolled_at)) }),
      phone.push && ` · ${t("notifications")}`, phone.passkey && ` · ${t("passkey")}`)))),
];
