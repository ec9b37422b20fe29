import AuthorizationCore
import Flows
import HTTPModel
import Primitives

/// Outcome of one message to a service that takes a tenant's credentials.
enum PushOutcome {
    /// `accepts` is true if the answer proves the credentials.
    case answered(DeliveryResult, accepts: Bool = false)
    /// The service, or this server before it, refuses the credentials and not the message.
    case refusedCredentials(String, detail: String? = nil)
    case noAnswer(HTTPClientError)
}

/// Sends messages to a service with tenants' credentials: a limited number at a time, one at a time while the service is
/// silent, and none while it refuses the credentials.
struct CredentialedService: Sendable {
    /// Wait of a message for which a tenant's others leave no room.
    static let roomWait = Duration.seconds(2)

    /// Subject of a reason, as `Apple's push service`.
    let name: String
    /// As `APNs`.
    let credentialsName: String
    private let breaker = CredentialBreaker()
    private let admission = ServiceAdmission<CredentialStamp>(limit: mobilePushLimit)

    init(_ name: String, credentials: String) {
        self.name = name
        credentialsName = credentials
    }

    /// Messages that are not sent wait. Their entries' ends bound it.
    func send(
        with stamp: CredentialStamp, now: Timestamp, _ post: () async -> PushOutcome
    ) async -> DeliveryAttempt {
        // Room comes first, because a probe that finds none would keep others from probing.
        switch admission.admit(stamp) {
        case .admitted: break
        case .silent: return DeliveryAttempt(.notTried(reason: "\(name) does not answer"))
        case .full:
            return DeliveryAttempt(
                .notTried(
                    reason: "the tenant has \(mobilePushLimit) messages on their way to \(name)", wait: Self.roomWait))
        }
        let admitted = breaker.admit(stamp, now: now)
        if case .resting(let reason) = admitted {
            admission.finished(stamp, answered: nil)
            return DeliveryAttempt(.notTried(reason: reason))
        }
        func report(_ finding: CredentialBreaker.Finding) {
            breaker.report(finding, of: stamp, admittedAs: admitted, now: now)
        }
        switch await post() {
        case .answered(let result, let accepts):
            admission.finished(stamp, answered: true)
            report(accepts ? .accepted : .nothing)
            return DeliveryAttempt(result)
        case .refusedCredentials(let text, let detail):
            admission.finished(stamp, answered: true)
            // The operator sees the reason with each message in the log, and the tenant in the audit log.
            let reason = "the tenant's \(credentialsName) credentials are refused: \(text)"
            report(.refused(reason: reason))
            return DeliveryAttempt(.refused(reason: reason), detail: detail.map { "\(reason): \($0)" })
        case .noAnswer(let error):
            admission.finished(stamp, answered: false)
            report(.nothing)
            return DeliveryAttempt(
                .failed(reason: "\(name) cannot be reached from this server"), detail: error.text)
        }
    }
}
