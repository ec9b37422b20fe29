"use strict";
{
    const { target, response } = document.currentScript.dataset;
    const receiver = window.parent === window ? window.opener : window.parent;
    const message = { type: "authorization_response", response: JSON.parse(response) };
    if (receiver) receiver.postMessage(message, target);
}
