package import AuthorizationCore
package import Configuration
package import Primitives

/// Manages a tenant's additions to its hosted pages.
package struct ManagePromptPartials: Sendable {
    /// Pages that accept additions.
    package enum Prompt: String, Sendable, CaseIterable {
        case logIn = "login"
        case loginIdentifier = "login-id"
        case loginPassword = "login-password"
        case loginPasswordless = "login-passwordless"
        case signUp = "signup"
        case signUpIdentifier = "signup-id"
        case signUpPassword = "signup-password"
        case consent = "customized-consent"

        package var screens: [String] {
            self == .loginPasswordless ? ["login-passwordless-sms-otp", "login-passwordless-email-code"] : [rawValue]
        }
    }

    /// Positions of a part.
    package static let insertionPoints = [
        "form-content-start", "form-content-end", "form-content", "form-footer-start", "form-footer-end",
        "secondary-actions-start", "secondary-actions-end",
    ]
    /// Limit in characters.
    package static let partLimit = 8_192

    let store: any ConfigurationStore

    /// By screen and insertion point.
    package func partials(of prompt: Prompt, in tenant: TenantID) async throws -> JSONObject {
        try await store.view(tenant) { try $0.document(.promptPartial, prompt.rawValue)?.document } ?? [:]
    }

    /// Replaces all parts of a prompt. An empty object deletes them.
    package func set(_ prompt: Prompt, _ document: JSONObject, for context: AdministrativeContext) async throws {
        try await store.edit(for: context) { change in
            let old = try change.draft.document(.promptPartial, prompt.rawValue)?.document
            if document.isEmpty {
                change.remove(.promptPartial, prompt.rawValue)
            } else {
                change.draft.put(TenantDocument(.promptPartial, id: prompt.rawValue, document: document))
            }
            change.record(.prompt, prompt.rawValue, from: old ?? [:], to: document)
        }
    }
}

extension Managers {
    package var promptPartials: ManagePromptPartials { ManagePromptPartials(store: store) }
}
