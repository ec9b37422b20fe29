import AuthorizationCore
import Flows
import HTTPModel
import Primitives

/// Outcome of one message to a service that takes a tenant's credentials.
enum PushOutcome {
    /// `accepts` is true if the answer proves the credentials. A wait that the answer names is one of the service, unless
    /// `isOfDevice`.
    case answered(DeliveryResult, accepts: Bool = false, isOfDevice: Bool = false)
    /// The service, or this server before it, refuses the credentials and not the message.
    case refusedCredentials(String, detail: String? = nil)
    case noAnswer(HTTPClientError)
}

/// Sends messages to a service with tenants' credentials: one at a time while the service is silent, and none while it
/// refuses the credentials or asked for a pause.
struct CredentialedService: Sendable {
    /// Wait of a message while another tests the credentials.
    static let probeWait = Duration.seconds(2)

    /// Subject of a reason, as `Apple's push service`.
    let name: String
    /// As `APNs`.
    let credentialsName: String
    private let breaker = CredentialBreaker<CredentialStamp>()
    private let admission = ServiceAdmission<CredentialStamp>()

    init(_ name: String, credentials: String) {
        self.name = name
        credentialsName = credentials
    }

    /// While the credentials rest, messages are refused without a call: the cause is known, and only a change of the
    /// credentials helps.
    func send(
        with stamp: CredentialStamp, now: Timestamp, _ post: () async -> PushOutcome
    ) async -> DeliveryAttempt {
        let admitted = breaker.admit(stamp, now: now)
        switch admitted {
        case .usual, .probe: break
        case .resting(let reason): return DeliveryAttempt(.refused(reason: reason))
        case .waiting(let reason): return DeliveryAttempt(.notTried(reason: reason, wait: Self.probeWait))
        }
        func report(_ finding: CredentialBreaker<CredentialStamp>.Finding) {
            breaker.report(finding, of: stamp, admittedAs: admitted, now: now)
        }
        switch admission.admit(stamp, now: now) {
        case .admitted: break
        case .silent:
            report(.nothing)
            return DeliveryAttempt(.notTried(reason: "\(name) does not answer"))
        case .resting(let wait):
            report(.nothing)
            return DeliveryAttempt(.notTried(reason: "\(name) asked for a pause", wait: wait))
        }
        switch await post() {
        case .answered(let result, let accepts, let isOfDevice):
            admission.finished(stamp, answered: true, rest: isOfDevice ? nil : result.namedWait, now: now)
            report(accepts ? .accepted : .nothing)
            return DeliveryAttempt(result)
        case .refusedCredentials(let text, let detail):
            admission.finished(stamp, answered: true, now: now)
            // The operator sees the reason with each message in the log, and the tenant in the audit log.
            let reason = "the tenant's \(credentialsName) credentials are refused: \(text)"
            report(.refused(reason: reason))
            return DeliveryAttempt(.refused(reason: reason), detail: detail.map { "\(reason): \($0)" })
        case .noAnswer(let error):
            admission.finished(stamp, answered: error.isAnswered, now: now)
            report(.nothing)
            return DeliveryAttempt(
                .failed(reason: "\(name) cannot be reached from this server"), detail: error.text)
        }
    }
}

extension DeliveryResult {
    /// Wait that the receiver named.
    var namedWait: Duration? { if case .failed(_, let wait) = self { wait } else { nil } }
}
