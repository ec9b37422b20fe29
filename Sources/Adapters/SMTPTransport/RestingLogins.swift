/// Logins that servers refused. Each rests for a time that grows with each refusal, after which one mail tests it.
/// Servers block clients that try a wrong password again and again.
struct RestingLogins {
    enum Admission: Equatable {
        case usual
        case probe
        case resting
    }

    private struct Rest {
        let configuration: SMTPTransport.Configuration
        var refusals: Int
        var end: ContinuousClock.Instant
        var isProbed = false
    }

    static let firstWait = Duration.seconds(60)
    static let longestWait = Duration.seconds(300)
    private static let limit = 1000

    private var rests: [Rest] = []

    private func index(of configuration: SMTPTransport.Configuration) -> Int? {
        rests.firstIndex { $0.configuration.hasSameServer(as: configuration) }
    }

    /// The caller notes the outcome of a mail that is admitted.
    mutating func admit(_ configuration: SMTPTransport.Configuration, now: ContinuousClock.Instant) -> Admission {
        guard let index = index(of: configuration) else { return .usual }
        guard !rests[index].isProbed, rests[index].end <= now else { return .resting }
        rests[index].isProbed = true
        return .probe
    }

    /// Mails that were in flight when the login began to rest change nothing: their refusals are the same fault.
    mutating func noteRefusal(
        of configuration: SMTPTransport.Configuration, _ admission: Admission, now: ContinuousClock.Instant
    ) {
        guard let index = index(of: configuration) else {
            if rests.count >= Self.limit { rests.removeFirst() }
            rests.append(Rest(configuration: configuration, refusals: 1, end: now + Self.firstWait))
            return
        }
        guard admission == .probe else { return }
        let wait = Self.firstWait * (1 << min(rests[index].refusals, 3))
        rests[index].end = now + min(wait, Self.longestWait)
        rests[index].refusals += 1
        rests[index].isProbed = false
    }

    mutating func noteAcceptance(of configuration: SMTPTransport.Configuration) {
        rests.removeAll { $0.configuration.hasSameServer(as: configuration) }
    }

    /// The server's answer, or its absence, tells nothing of the login.
    mutating func noteNothing(of configuration: SMTPTransport.Configuration, _ admission: Admission) {
        if admission == .probe, let index = index(of: configuration) { rests[index].isProbed = false }
    }
}
