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

    /// Reads base64url or base64, padded or not; nil for anything else.
    public init?(parsing value: String) {
        var symbols = Array(value.utf8.prefix { $0 != UInt8(ascii: "=") })
        for index in symbols.indices {
            if symbols[index] == UInt8(ascii: "+") { symbols[index] = UInt8(ascii: "-") }
            if symbols[index] == UInt8(ascii: "/") { symbols[index] = UInt8(ascii: "_") }
        }
        guard let bytes = Base64URL.decode(symbols), let value = try? JSONReader.parse(bytes, depthLimit: 8),
            let name = value["name"]?.stringValue
        else { return nil }
        self.name = name
        version = value["version"]?.stringValue
        environment = [:]
        for (name, version) in value["env"]?.objectValue ?? [:] { environment[name] = version.stringValue }
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

    /// Auth0's own device SDKs, whose decoders need the dates of a consent record as strings.
    public var needsDatesAsStrings: Bool { name == "Guardian.swift" || name == "Guardian.Android" }
}
