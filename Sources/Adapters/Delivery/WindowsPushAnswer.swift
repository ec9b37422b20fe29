import HTTPModel

/// Answer of Windows' push services, which name their reasons in fields of their own.
struct WindowsPushAnswer {
    /// True for 406, by which these services ask a sender to slow down. Elsewhere it refuses the message (RFC 9110
    /// clause 15.5.7).
    let isThrottled: Bool
    /// For the operator's log. Empty if the service gave none.
    let words: String

    /// Nil for another service's answer.
    init?(_ answer: ClientResponse, of origin: String) {
        guard origin.hasSuffix(".notify.windows.com") else { return nil }
        isThrottled = answer.status == 406
        words = ["X-WNS-Status", "X-WNS-NotificationStatus", "X-WNS-Error-Description", "X-WNS-Debug-Trace"]
            .compactMap { name in answer.fields[name].map { ", \(name): \($0.prefix(200))" } }.joined()
    }
}
