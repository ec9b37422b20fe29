import Foundation
import Primitives
import TestSupport
import Testing

@Suite("countersign admin")
struct AdministratorTests {
    private func json(_ arguments: [String], in folder: Folder) async throws -> JSONValue {
        let result = try await Program.run(arguments + ["--json"], in: folder.url)
        #expect(result.status == 0, "\(arguments): \(result.errors)")
        return try JSONReader.parse(result.output)
    }

    @Test("A person is invited by address: a user with a role of every scope, and a link to choose a password")
    func invitation() async throws {
        let folder = try Folder()
        try folder.write(
            #"{ "tenants": [ { "id": "acme", "name": "Acme", "host": "acme.example.com" } ] }"#, to: "acme.json")
        #expect(try await Program.run(["apply", "acme.json", "--create"], in: folder.url).status == 0)
        let wrong = try await Program.run(["admin", "invite", "ann@@acme.example"], in: folder.url)
        #expect(wrong.status == 2 && wrong.errors.contains("is not an e-mail address"), "\(wrong.errors)")
        let made = try await json(["admin", "invite", "Ann@Acme.example"], in: folder)
        let id = try (made["user_id"]?.stringValue).orThrow("no id")
        let role = try (made["role_id"]?.stringValue).orThrow("no role")
        #expect(made["link"]?.stringValue?.contains("/u/reset-password?ticket=") == true)
        #expect(made["dashboard"]?.stringValue?.hasSuffix("/admin") == true)
        #expect((try await json(["role", "show", role], in: folder)["permissions"]?.arrayValue?.count ?? 0) > 50)
        let again = try await json(["admin", "invite", "ann@acme.example"], in: folder)
        #expect(again["user_id"] == .string(id) && again["role_id"] == .string(role))
        _ = try await json(["user", "create", "--email", "eve@acme.example"], in: folder)
        let stranger = try await Program.run(["admin", "invite", "eve@acme.example"], in: folder.url)
        #expect(stranger.status == 1 && stranger.errors.contains("has never proved"), "\(stranger.errors)")
        let unknown = try await Program.run(["admin", "invite", "b@acme.example", "--role", "Nobody"], in: folder.url)
        #expect(unknown.status == 1 && unknown.errors.contains("there is no role Nobody"), "\(unknown.errors)")
    }
}
