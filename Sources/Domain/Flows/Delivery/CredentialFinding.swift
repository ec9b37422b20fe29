package import HTTPModel

/// Result of one check of a provider's credentials or address, for the operator.
package struct CredentialFinding: Sendable, Equatable {
    package enum State: String, Sendable, CaseIterable { case ok, warning, fault }

    /// Object of the check, as `APNs com.example.app`.
    package let subject: String
    package let state: State
    /// Never holds a secret.
    package let text: String
    /// Remedy, which begins in lower case and ends without a full stop. Nil if the state is `ok`.
    package let advice: String?

    private init(_ state: State, _ subject: String, _ text: String, advice: String? = nil) {
        self.state = state
        self.subject = subject
        self.text = text
        self.advice = advice
    }

    package static func ok(_ subject: String, _ text: String) -> CredentialFinding {
        CredentialFinding(.ok, subject, text)
    }

    package static func warning(_ subject: String, _ text: String, advice: String) -> CredentialFinding {
        CredentialFinding(.warning, subject, text, advice: advice)
    }

    /// Advice if a service finds the time of this machine wrong.
    package static let settingClock =
        "set this machine's clock and keep it right, for example with timedatectl set-ntp true"

    package static func fault(_ subject: String, _ text: String, advice: String) -> CredentialFinding {
        CredentialFinding(.fault, subject, text, advice: advice)
    }

    /// Fault of a service that gives no answer.
    /// - Parameters:
    ///   - service: As `Apple's push service`.
    ///   - hosts: As `Apple's addresses`.
    ///   - settings: Names of the settings with the service's addresses.
    package static func unreachable(
        _ subject: String, service: String, _ error: HTTPClientError, hosts: String, settings: String
    ) -> CredentialFinding {
        let advice =
            switch error {
            case .tls, .untrusted:
                "see that nothing between this server and \(hosts) takes part in TLS, or set trusted-authorities or \(settings)"
            case .invalidURL, .cannotConnect, .timedOut, .cancelled, .tooLarge, .other:
                "allow connections to port 443 of \(hosts), or set \(settings)"
            }
        return .fault(subject, "\(service) cannot be reached: \(error.text)", advice: advice)
    }

    /// Warning after an answer that neither accepts nor refuses the credentials.
    package static func inconclusive(_ subject: String, _ answer: String) -> CredentialFinding {
        .warning(subject, "\(answer), which proves nothing", advice: "try again in a few minutes")
    }
}
