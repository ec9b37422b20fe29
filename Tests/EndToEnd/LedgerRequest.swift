/// A backchannel request, as its client and phone know it.
struct LedgerRequest: Sendable {
    /// The intended outcome, which the binding message names for the phone.
    enum Fate: String, CaseIterable, Sendable {
        /// Allowed, and redeemed by a held poll.
        case redeem
        /// Allowed, and not polled.
        case allow
        case reject
        /// Never answered.
        case leave

        init?(message: String) { self.init(rawValue: String(message.prefix { $0 != " " })) }
    }

    let message: String
    let user: Int
    let fate: Fate
    /// Set when the start was acknowledged.
    var authReqID: String?
    var notified: TestPhone.NotifiedRequest?
    /// A decision, or a redeeming poll, was sent without an answer so far.
    var sentDecision = false
    var sentExchange = false
    var isDecided = false
    /// The answer that the agent received.
    var refreshToken: String?
    var isDenied = false
}
