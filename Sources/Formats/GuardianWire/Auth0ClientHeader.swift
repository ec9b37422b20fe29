import Primitives

/// The `Auth0-Client` field: the calling SDK. A hint, not to be trusted.
package struct Auth0ClientHeader: Sendable, Equatable {
    package static let fieldName = "Auth0-Client"

    package var name: String
    package var version: String?
    /// Versions of the SDK's platform, by name.
    package var environment: [String: String]

    package init(name: String, version: String?, environment: [String: String] = [:]) {
        self.name = name
        self.version = version
        self.environment = environment
    }

    package var fieldValue: String {
        let header = JSONWriter.object { writer in
            writer.member("name", name)
            writer.member("version", ifPresent: version)
            guard !environment.isEmpty else { return }
            writer.member("env") { writer in
                for (name, version) in environment.sorted(by: <) { writer.member(name, version) }
            }
        }
        return Base64URL.encode(header)
    }
}
