/// A problem in one field of a document.
package struct DocumentProblem: Error, Sendable, Equatable {
    /// As `tenants[0].clients[1].name`.
    package let path: String
    /// Remedy. Never holds a secret.
    package let message: String

    package init(path: String, message: String) {
        self.path = path
        self.message = message
    }
}
