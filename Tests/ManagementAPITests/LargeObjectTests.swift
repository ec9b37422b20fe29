import HTTPModel
import Primitives
import TestSupport
import Testing

/// Objects whose members nobody would write by hand. Steps that grow with the square of their number would take minutes.
@Suite("Management API: objects with tens of thousands of members", .timeLimit(.minutes(1)))
struct LargeObjectTests {
    private static let many = JSONObject(numbered: 40_000)

    @Test("Metadata that is too large is refused in time that grows with its size alone")
    func metadata() async throws {
        let fixture = try await ManagementFixture()
        let before = try await fixture.server.dump()
        let refused = await fixture.patch("/users/auth0%7Cann", ["user_metadata": .object(Self.many)])
        #expect(refused.status == 400 && refused.message.contains("user_metadata"), "\(refused.status) \(refused.text)")
        let deleted = Self.many.members.reduce(into: JSONObject()) { $0[$1.name] = JSONValue.null }
        _ = await fixture.patch("/users/auth0%7Cann", ["user_metadata": .object(deleted)])
        #expect(try await fixture.server.dump() == before)
    }

    @Test("So is a file with unknown settings, of which the first ones are named")
    func settings() async throws {
        let fixture = try await ManagementFixture()
        let stored = await fixture.get("/tenants/configuration").json
        var tenant = try (stored["tenants"]?[0]?.objectValue).orThrow("no tenant")
        tenant["settings"] = .object(Self.many)
        let before = try await fixture.server.dump()
        let refused = await fixture.put("/tenants/configuration?dry_run=true", ["tenants": [.object(tenant)]])
        #expect(refused.status == 400 && refused.message.contains("settings.member0"), "\(refused.status)")
        #expect(try await fixture.server.dump() == before)
    }

    @Test("RFC 8259 4: a large object finds, changes, adds and removes members as a small one does, in their order")
    func members() {
        for count in [31, 32, 33, 34, 100] {
            var object = JSONObject(numbered: count)
            object["member5"] = "other"
            object["member7"] = JSONValue?.none
            object["new"] = 1
            let expected = (0..<count).filter { $0 != 7 }.map { "member\($0)" } + ["new"]
            #expect(object.members.map(\.name) == expected)
            for name in expected where !["member5", "new"].contains(name) {
                #expect(object[name]?.intValue.map { "member\($0)" } == name)
            }
            #expect(object["member5"] == "other" && object["new"] == 1 && object["member7"] == nil)
            #expect(object.without(["member0", "new"]).members.map(\.name) == Array(expected.dropFirst().dropLast()))
            #expect(object.without(["member0"])["member1"] == 1)
        }
    }
}

extension JSONObject {
    /// `{"member0": 0, …}`
    fileprivate init(numbered count: Int) {
        self.init()
        for number in 0..<count { self["member\(number)"] = .number(JSONNumber(number)) }
    }
}
