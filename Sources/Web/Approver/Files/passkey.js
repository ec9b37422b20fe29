/** Passkeys (Web Authentication): the person proves themselves to the phone before it allows. */

import { base64url, fromBase64url } from "./keys.js";
import { button, h } from "./dom.js";
import { change } from "./store.js";
import { sheet } from "./sheet.js";
import { t } from "./text.js";

export const areSupported = "PublicKeyCredential" in window;

/** The page on which people add passkeys and remove lost ones. */
const accountPage = "/account/passkeys";

/** @typedef {{rpId: string, ids: string[]}} Passkeys those of the person that this host knows */

/** The person's passkeys, as the server has them now. @param {import("./device.js").Device} device */
export async function offered(device) {
  const offer = await device.passkey();
  const passkeys = { rpId: offer.rp_id, ids: offer.credential_ids };
  await change(device.account, { passkeys });
  return { passkeys, offer, mayMake: areSupported && offer.may_register };
}

/** Makes the person's first passkey, and registers it. @param {import("./device.js").Device} device */
export async function register(device) {
  const { offer } = await offered(device);
  const made =
    /** @type {PublicKeyCredential & {response: AuthenticatorAttestationResponse}} */
    (await navigator.credentials.create({ publicKey: {
    challenge: fromBase64url(offer.challenge), rp: { id: offer.rp_id, name: document.title },
    user: { id: fromBase64url(offer.user_id), name: offer.user_name, displayName: offer.user_name },
    pubKeyCredParams: [{ type: "public-key", alg: -7 }, { type: "public-key", alg: -257 }],
    authenticatorSelection: { userVerification: "required", residentKey: "preferred" }, attestation: "none",
  } }));
  await device.keepPasskey({
    client_data_json: base64url(made.response.clientDataJSON),
    attestation_object: base64url(made.response.attestationObject),
  });
  const passkeys = { rpId: offer.rp_id, ids: [made.id] };
  await change(device.account, { passkeys });
  return passkeys;
}

/** A passkey's signature over the digest of a request. @param {Passkeys} passkeys @param {Uint8Array} digest */
async function assertion({ rpId, ids }, digest) {
  const got =
    /** @type {PublicKeyCredential & {response: AuthenticatorAssertionResponse}} */
    (await navigator.credentials.get({ publicKey: {
    challenge: digest, rpId, allowCredentials: ids.map((id) => ({ type: "public-key", id: fromBase64url(id) })),
    userVerification: "required",
  } }));
  return {
    credential_id: got.id, client_data_json: base64url(got.response.clientDataJSON),
    authenticator_data: base64url(got.response.authenticatorData), signature: base64url(got.response.signature),
  };
}

/** Leads to the page that replaces a lost passkey, which asks the person for more than this phone. */
export const elsewhere = (device, words) => h("p", h("a", {
  href: accountPage, target: "_blank", rel: "noopener",
  // The server says afterwards which ones there are.
  onclick: () => change(device.account, { passkeys: undefined }),
}, t(words)));

/**
 * The assertion for a request. Browsers want a tap for each, so a second try is behind a button.
 * @returns {Promise<?object>} null if the person did not confirm
 */
export async function confirm({ device, digest }) {
  const known = device.account.passkeys;
  if (areSupported && known?.ids.length) {
    try {
      return await assertion(known, digest);
    } catch {
      // Without a tap just before, refused, or lost: the person chooses.
    }
  }
  // The person may have added or removed one meanwhile.
  const { passkeys, mayMake } = await offered(device);
  const state = !areSupported ? "passkeyUnsupported" : passkeys.ids.length ? "passkeyConfirm" : "passkeyNeeded";
  const lead = state === "passkeyNeeded" && !mayMake ? "passkeyElsewhereLead" : `${state}Lead`;
  return await sheet(t(state), (close) => {
    const problem = h("p.problem", { role: "alert" });
    const trying = (action) => async () => {
      problem.textContent = "";
      try {
        close(await action());
      } catch {
        problem.textContent = t("didNotWork");
      }
    };
    return [
      h("p", t(lead)), problem,
      areSupported && passkeys.ids.length > 0 && [
        button("allow", t("passkeyUse"), trying(() => assertion(passkeys, digest))), elsewhere(device, "passkeyLost"),
      ],
      mayMake && button("allow", t("passkeyMake"), trying(async () => assertion(await register(device), digest))),
      state === "passkeyNeeded" && !mayMake && elsewhere(device, "passkeyAccount"),
    ];
  }) ?? null;
}
