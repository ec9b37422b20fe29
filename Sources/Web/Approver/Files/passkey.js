/** Passkeys (Web Authentication): the person proves themselves to the phone before it allows. */

import { base64url, fromBase64url } from "./keys.js";
import { button, h } from "./dom.js";
import { change } from "./store.js";
import { sheet } from "./sheet.js";
import { t } from "./text.js";

export const areSupported = "PublicKeyCredential" in window;

/** Makes a passkey, and registers it for this phone. @param {import("./device.js").Device} device */
export async function register(device) {
  const offer = await device.passkey();
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
  await change(device.account, { passkey: { rpId: offer.rp_id, id: made.id } });
}

/** The passkey's signature over the digest of a request. */
async function assertion({ rpId, id }, digest) {
  const got =
    /** @type {PublicKeyCredential & {response: AuthenticatorAssertionResponse}} */
    (await navigator.credentials.get({ publicKey: {
    challenge: digest, rpId, allowCredentials: [{ type: "public-key", id: fromBase64url(id) }],
    userVerification: "required",
  } }));
  return {
    credential_id: got.id, client_data_json: base64url(got.response.clientDataJSON),
    authenticator_data: base64url(got.response.authenticatorData), signature: base64url(got.response.signature),
  };
}

/** The passkey of an account. A phone that lost its note of it asks the server. */
async function known(device) {
  if (device.account.passkey) return device.account.passkey;
  const offer = await device.passkey();
  return offer.is_registered && offer.credential_id ? { rpId: offer.rp_id, id: offer.credential_id } : undefined;
}

/**
 * The assertion for a request. Browsers want a tap for each, so a second try is behind a button.
 * @returns {Promise<?object>} null if the person did not confirm
 */
export async function confirm({ device, digest }) {
  if (!areSupported) return null;
  let passkey = await known(device);
  if (passkey) {
    try {
      return await assertion(passkey, digest);
    } catch {
      // Without a tap just before, or refused: the person chooses.
    }
  }
  return await sheet(t(passkey ? "passkeyConfirm" : "passkeyNeeded"), (close) => {
    const problem = h("p.problem", { role: "alert" });
    return [
      h("p", t(passkey ? "passkeyConfirmLead" : "passkeyNeededLead")), problem,
      button("allow", t(passkey ? "passkeyUse" : "passkeyAdd"), async () => {
        try {
          if (!passkey) await register(device);
          passkey = await known(device);
          close(await assertion(passkey, digest));
        } catch {
          problem.textContent = t("didNotWork");
        }
      }),
    ];
  }) ?? null;
}
