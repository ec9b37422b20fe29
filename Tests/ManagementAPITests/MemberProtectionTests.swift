import APIDescription
import AuthorizationCore
import Configuration
import Endpoints
import Foundation
import HTTPModel
import JSONSchema
import Primitives
import TestSupport
import Testing

/// Declarations of every member of every body.
@Suite("Management API: what members of bodies protect")
struct MemberProtectionTests {
    private struct Place {
        let name: String
        let shape: Shape
    }

    private func places() async throws -> [Place] {
        let operations = try await ManagementFixture().server.application.operations
        return operations.filter { $0.path.hasPrefix("/api/v2/") }.compactMap { placed in
            placed.operation.body.map {
                Place(name: "\(placed.method) \(placed.path.dropFirst("/api/v2".count))", shape: $0.shape)
            }
        }
    }

    private static func members(_ schema: JSONValue, below path: [String] = []) -> [[String]] {
        let own = (schema["properties"]?.objectValue ?? [:]).flatMap { name, member in
            [path + [name]] + members(member, below: path + [name])
        }
        let items = schema["items"].map { members($0, below: path) } ?? []
        let alternatives = (schema["anyOf"]?.arrayValue ?? []).flatMap { members($0, below: path) }
        return own + items + alternatives
    }

    @Test("Every member of every body, at every level, declares what it protects")
    func declared() async throws {
        var count = 0
        for place in try await places() {
            let declared = Set(place.shape.protections.map(\.path))
            for path in Self.members(place.shape.json) {
                count += 1
                #expect(
                    declared.contains(path),
                    "\(place.name): \(path.joined(separator: ".")) says nothing: declare it with Member.protecting")
            }
        }
        #expect(count > 400)
    }

    @Test("A member that protects the person or evidence needs their scope, beyond what its operation needs")
    func scopes() async throws {
        let settings = try (try await places().first { $0.name == "PATCH /tenants/settings" }).orThrow("no settings")
        func sets(_ name: String) -> [[String]]? { settings.shape.protections.first { $0.path == [name] }?.sets }
        for name in [
            "requests_per_minute_per_user", "rejections_before_pause", "rejection_pause", "report_pause", "matching",
            "brute_force_protection", "password_minimum_length", "session_lifetime",
        ] {
            #expect(sets(name) == [["update:mfa_policies"]], "\(name)")
        }
        for name in ["approval_retention", "evidence"] {
            #expect(sets(name) == [["update:approval_evidence"]], "\(name)")
        }
    }

    @Test("docs/members.md has the table of all members")
    func document() async throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "docs/members.md")
        let marker = "<!-- generated; WRITE_MEMBER_TABLE=1 swift test --filter MemberProtectionTests writes it -->\n"
        let parts = try String(contentsOf: file, encoding: .utf8).components(separatedBy: marker)
        let expected = marker + Self.table(try await places())
        if ProcessInfo.processInfo.environment["WRITE_MEMBER_TABLE"] != nil {
            try (parts[0] + expected).write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: file, encoding: .utf8).hasSuffix(expected))
    }

    private static func table(_ places: [Place]) -> String {
        var text = "\n| operation | protects | needs besides | members |\n|---|---|---|---|\n"
        for place in places.sorted(by: { $0.name < $1.name }) {
            let rules = place.shape.protections.filter { $0.warning == nil }
            for protected in Protected.allCases {
                var done: [[[String]]] = []
                for rule in rules where rule.protected == protected && !done.contains(rule.sets) {
                    done.append(rule.sets)
                    let alike = rules.filter { $0.protected == protected && $0.sets == rule.sets }
                    let scopes = rule.sets.map { $0.map { "`\($0)`" }.joined(separator: " and ") }
                        .joined(separator: ", or ")
                    let names = alike.map { "`\($0.name)`" }.joined(separator: ", ")
                    text +=
                        "| `\(place.name)` | \(protected.rawValue) | \(scopes.isEmpty ? "–" : scopes) | \(names) |\n"
                }
            }
            let taken = place.shape.protections.filter { $0.warning != nil && $0.path.count == 1 }
                .map { "`\($0.name)`" }
            if !taken.isEmpty { text += "| | taken with a warning | | \(taken.joined(separator: ", ")) |\n" }
        }
        return text
    }
}
