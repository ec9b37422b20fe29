/// A request of an agent, as far as both sides of the wire know it.
struct AskedRequest: Sendable {
    /// What is to become of it; its binding message says so, and with it the consent that the phone sees.
    enum Fate: String, CaseIterable, Sendable {
        /// Allowed, and redeemed by a poll that was there first.
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
    /// There from when the start was acknowledged.
    var authReqID: String?
    var asked: TestPhone.Asked?
    /// A decision, or a poll that may redeem, is on its way; whether it arrived nobody can know.
    var sentDecision = false
    var sentExchange = false
    var isDecided = false
    /// Told to the agent.
    var refreshToken: String?
    var isDenied = false
}
