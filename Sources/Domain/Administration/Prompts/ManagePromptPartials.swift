package import AuthorizationCore
package import Configuration
package import Primitives

/// Looks after what a tenant wants in its hosted pages beside what they have.
package struct ManagePromptPartials: Sendable {
    /// Pages that take parts of a tenant's own.
    package enum Prompt: String, Sendable, CaseIterable {
        case logIn = "login"
        case loginIdentifier = "login-id"
        case loginPassword = "login-password"
        case loginPasswordless = "login-passwordless"
        case signUp = "signup"
        case signUpIdentifier = "signup-id"
        case signUpPassword = "signup-password"
        case consent = "customized-consent"

        /// Its screens.
        package var screens: [String] {
            self == .loginPasswordless ? ["login-passwordless-sms-otp", "login-passwordless-email-code"] : [rawValue]
        }
    }

    /// Where a part may be.
    package static let insertionPoints = [
        "form-content-start", "form-content-end", "form-content", "form-footer-start", "form-footer-end",
        "secondary-actions-start", "secondary-actions-end",
    ]
    /// Characters of one part.
    package static let partLimit = 8_192

    private let store: any ConfigurationStore

    package init(store: any ConfigurationStore) { self.store = store }

    /// By screen and insertion point; empty where there are none.
    package func partials(of prompt: Prompt, in tenant: TenantID) async throws -> JSONObject {
        try await store.read { try $0.document(.promptPartial, prompt.rawValue, of: tenant)?.document } ?? [:]
    }

    /// Replaces all parts of a prompt; an empty object takes them away.
    package func set(_ prompt: Prompt, _ document: JSONObject, for context: AdministrativeContext) async throws {
        try await store.change(for: context) { change in
            let old = try change.transaction.document(.promptPartial, prompt.rawValue, of: context.tenant)?.document
            if document.isEmpty {
                _ = try change.transaction.remove(document: .promptPartial, prompt.rawValue, from: context.tenant)
            } else {
                try change.transaction.put(
                    TenantDocument(.promptPartial, id: prompt.rawValue, document: document), in: context.tenant)
            }
            try change.record(.prompt, prompt.rawValue, from: old ?? [:], to: document)
        }
    }
}
