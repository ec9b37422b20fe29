/*
 * Its input is in attributes of the form. It asks in the background if the browser can offer passkeys among the
 * suggestions of a field (conditional mediation), and again after the person closed the browser's dialog.
 */
'use strict';
{
    const form = document.getElementById('passkey');
    const { challenge, host, user, name, known, waits } = form.dataset;
    const problem = document.getElementById('passkey-problem');
    const bytes = text => Uint8Array.from(
        atob(text.replace(/-/g, '+').replace(/_/g, '/')), sign => sign.charCodeAt(0));
    const text = buffer => btoa(String.fromCharCode(...new Uint8Array(buffer)))
        .replace(/[+]/g, '-').replace(/[/]/g, '_').replace(/=/g, '');
    let current;
    const made = ({ response }) => ({
        client_data_json: text(response.clientDataJSON), attestation_object: text(response.attestationObject),
    });
    const got = ({ rawId, response }) => ({
        credential_id: text(rawId), client_data_json: text(response.clientDataJSON),
        authenticator_data: text(response.authenticatorData), signature: text(response.signature),
        user_handle: text(response.userHandle),
    });
    const add = signal => navigator.credentials.create({ signal, publicKey: {
        challenge: bytes(challenge), rp: { id: host, name: host },
        user: { id: bytes(user), name, displayName: name },
        pubKeyCredParams: [{ type: 'public-key', alg: -7 }, { type: 'public-key', alg: -257 }],
        excludeCredentials: known.split(' ').filter(id => id).map(id => ({ type: 'public-key', id: bytes(id) })),
        authenticatorSelection: {
            residentKey: 'required', requireResidentKey: true, userVerification: 'required',
        },
        attestation: 'none',
    } }).then(made);
    const logIn = (signal, mediation) => navigator.credentials.get({ signal, mediation, publicKey: {
        challenge: bytes(challenge), rpId: host, userVerification: 'required',
    } }).then(got);
    async function ask(mediation) {
        if (current) current.abort();
        const mine = current = new AbortController();
        try {
            const members = await (user ? add(mine.signal) : logIn(mine.signal, mediation));
            form.elements.passkey.value = JSON.stringify(members);
            HTMLFormElement.prototype.submit.call(form);
        } catch {
            if (mine !== current || mediation === 'conditional') return;
            problem.hidden = false;
            wait();
        }
    }
    async function wait() {
        const canWait = waits !== undefined && PublicKeyCredential.isConditionalMediationAvailable;
        if (canWait && await PublicKeyCredential.isConditionalMediationAvailable()) ask('conditional');
    }
    if ('PublicKeyCredential' in window) {
        form.hidden = false;
        const without = document.getElementById('passkey-without');
        if (without) without.hidden = true;
        form.addEventListener('submit', event => {
            event.preventDefault();
            problem.hidden = true;
            ask();
        });
        wait();
    }
}
