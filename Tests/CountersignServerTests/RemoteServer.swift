import Foundation
import Primitives
import TestSupport
import Testing

/// The tenant of the examples at a running server, and a client for its Management API.
final class RemoteServer: Sendable {
    static let clientID = "ci"
    static let secret = "a-secret-of-a-program-that-applies-files"

    /// Scopes that a dry run needs.
    static let reading = [
        "read:tenant_settings", "read:custom_domains", "read:resource_servers", "read:roles", "read:clients",
        "read:client_credentials", "read:client_grants", "read:connections", "read:guardian_factors",
        "read:email_provider", "read:email_templates", "read:users",
    ]

    /// The server's folder, in which commands work on the data folder beside it.
    let folder: Folder
    let ids: [String: String]
    private let program: Program
    private let host: String

    var url: String { "https://\(host)" }

    /// Starts a server on a copy of the examples' folder. Nil `scopes` grants all.
    init(_ example: ExampleFolder, scopes: [String]? = nil) async throws {
        (folder, ids) = (try example.copy(), example.ids)
        let port = try FreePort.find()
        host = "localhost:\(port)"
        try folder.write(JSONWriter.string(Self.configuration(host, scopes)), to: "server.json")
        let applied = try await Program.run(["apply", "server.json"], in: folder.url)
        #expect(applied.status == 0, "\(applied.errors)")
        program = try await Program(
            ["serve", "--port", "\(port)", "--metrics-port", "none"], in: folder.url, lifetime: .seconds(600))
        let listens = await program.output.wait(for: "Countersign listens on ")
        let errors = program.errors.soFar
        try #require(listens, "\(errors)")
    }

    private static func configuration(_ host: String, _ scopes: [String]?) -> JSONValue {
        var grant: JSONObject = ["audience": .string("https://\(host)/api/v2/"), "subject_type": "client"]
        grant["scope"] = scopes.map { JSONValue($0) }
        return [
            "tenants": [
                [
                    "id": "shop", "name": "Example Shop", "host": .string(host),
                    "settings": ["management_requests_per_minute": 100_000],
                    "clients": [
                        [
                            "client_id": .string(clientID), "name": "CI", "client_secret": .string(secret),
                            "grant_types": ["client_credentials"], "client_grants": [.object(grant)],
                        ]
                    ],
                ]
            ]
        ]
    }

    /// Variables by which commands work on the server.
    var environment: [String: String] {
        [
            "COUNTERSIGN_SERVER": url, "COUNTERSIGN_CLIENT_ID": Self.clientID,
            "COUNTERSIGN_CLIENT_SECRET": Self.secret, "COUNTERSIGN_CA": "countersign-data/tls/ca.pem",
        ]
    }

    /// The script's commands at the server.
    func remote(_ script: String) async throws -> Program.Result {
        let exports = environment.map { "export \($0.key)='\($0.value)'\n" }.joined()
        return try await ExampleFolder.run(exports + script, ids, in: folder)
    }

    /// The script's commands on the data folder.
    func home(_ script: String) async throws -> Program.Result { try await ExampleFolder.run(script, ids, in: folder) }

    func run(
        _ arguments: [String], environment further: [String: String] = [:]
    ) async throws -> Program.Result {
        try await Program.run(
            arguments, in: folder.url, environment: environment.merging(further) { $1 })
    }

    func stop() async {
        program.send(SIGTERM)
        _ = await program.status()
    }
}
