/// Result of one check of a provider's credentials or address, for the operator.
package struct CredentialFinding: Sendable, Equatable {
    package enum State: String, Sendable, CaseIterable { case ok, warning, fault }

    /// Object of the check, as `APNs com.example.app`.
    package let subject: String
    package let state: State
    /// Never holds a secret.
    package let text: String
    /// Remedy. Nil if the state is `ok`.
    package let advice: String?

    package init(_ state: State, subject: String, _ text: String, advice: String? = nil) {
        self.state = state
        self.subject = subject
        self.text = text
        self.advice = advice
    }

    package static func ok(_ subject: String, _ text: String) -> CredentialFinding {
        CredentialFinding(.ok, subject: subject, text)
    }

    package static func warning(_ subject: String, _ text: String, advice: String) -> CredentialFinding {
        CredentialFinding(.warning, subject: subject, text, advice: advice)
    }

    package static func fault(_ subject: String, _ text: String, advice: String) -> CredentialFinding {
        CredentialFinding(.fault, subject: subject, text, advice: advice)
    }
}
