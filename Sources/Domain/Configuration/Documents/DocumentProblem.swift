import AuthorizationCore
import OAuthWire
import Primitives

/// What is wrong with one field of a document.
package struct DocumentProblem: Error, Sendable, Equatable {
    /// Where: `tenants[0].clients[1].name`.
    package let path: String
    /// What to change. Never holds a secret.
    package let message: String

    package init(path: String, message: String) {
        self.path = path
        self.message = message
    }
}
