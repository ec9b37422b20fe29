extension Texts.Dashboard {
    /// Requests and deliveries.
    package struct Requests: Sendable {
        package let pending, allowed, rejected, reported, wrongNumber, redeemed, expired, cancelled, undelivered,
            superseded, request, client, person, state, begun, ended, expires, channel, none, noMatch,
            byUser, all, reload, shown, whereItIs, whyQuiet, receipt, phone, attempts, happened, answer,
            advice, nextTry, deviceChannel, mail, logoutNotice, waiting, sent,
            failed, unreachable, skipped, adviceWaiting, adviceAgain, adviceSent, adviceFailed, adviceGone,
            adviceGoneMail, adviceSkipped, noPush, adviceNoPush, noPhone, adviceNoPhone, keyLost,
            adviceKeyLost, adviceClosed, pageOnly, advicePage, noLonger, noDeliveries, mayNotSee,
            receiptValid, receiptInvalid, receiptText, logEntry, evidence, decidedWith, browser, reason,
            digest, login, deliveriesNone, delivery, why, retry, retryLead, device: String
    }

    /// Clients and APIs.
    package struct Clients: Sendable {
        package let newAgent, agentLead, newWeb, webLead, newNative, nativeLead, newMachine, machineLead, none,
            clientID, secret, secretOnce, noSecret, open, rotate, rotateLead, channels, keys, noKeys,
            newKey, removeKey, access, noAccess, newAccess, connections, noConnections, type, grantTypes,
            created, tryIt, tryLead, tried, follow, approve, fromProgram, withCurl, withPython,
            withTypeScript, editScopes, noScopes, types, noTypes, editTypes, typesLead, preview, sample,
            sampleLead, noSample, badSample, onPage, inMail: String
    }
}
