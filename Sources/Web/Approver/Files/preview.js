/** Texts of this phone's notifications. The push itself has ids alone; the worker fetches the rest with the phone's key. */

import { h } from "./dom.js";
import { parse } from "./json.js";
import { requestedLine, clientName } from "./record.js";
import { keepValue, value } from "./store.js";
import { t } from "./text.js";

const name = "preview";
/** Milliseconds for the record. Browsers want a notification soon. */
const patience = 3000;

/** True if notifications may show what is asked, which anybody reads who sees the locked screen. */
const isOn = async () => await value(name) === true;

/**
 * The text of a notification by the request's record, if the person wants it and the record comes in time.
 * @param {import("./device.js").Device} device
 * @param {object} notification
 * @returns {Promise<string|undefined>}
 */
export async function preview(device, notification) {
  if (!await isOn()) return undefined;
  const shown = async () => {
    const record = parse(await device.record(notification));
    const what = record instanceof Map && requestedLine(record);
    return what ? t("noticeAsks", { client: clientName(record), what }) : undefined;
  };
  const late = new Promise((done) => { setTimeout(done, patience); });
  return Promise.race([shown(), late]).catch(() => undefined);
}

/** The setting. */
export function previewSwitch() {
  const box = h("input", { id: "preview", type: "checkbox", disabled: true, onchange: () => keepValue(name, box.checked) });
  isOn().then((isOn) => Object.assign(box, { checked: isOn, disabled: false }));
  return h("label.switch", { for: box.id },
    h("span", h("span", t("preview")), h("span.hint", t("previewHint"))), box);
}
