import Primitives

/// The `Auth0-Client` field: which SDK calls. A hint, never a reason to trust.
public struct Auth0ClientHeader: Sendable, Equatable {
    public static let fieldName = "Auth0-Client"

    public var name: String
    public var version: String?
    /// Versions of what the SDK runs on, by name.
    public var environment: [String: String]

    public init(name: String, version: String?, environment: [String: String] = [:]) {
        self.name = name
        self.version = version
        self.environment = environment
    }

    public var fieldValue: String {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("name", name)
            writer.member("version", ifPresent: version)
            if !environment.isEmpty {
                writer.name("env")
                writer.object { writer in
                    for (name, version) in environment.sorted(by: <) { writer.member(name, version) }
                }
            }
        }
        return Base64URL.encode(writer.bytes)
    }
}
