import Foundation
import Primitives
import TestSupport
import Testing

@Suite("countersign: a user's phones")
struct PhoneListTests {
    @Test(
        "user show and device list name each phone's push service, and a refusal until it registers again, and a lost key"
    )
    func refusals() async throws {
        let folder = try Folder()
        try folder.write(
            """
            { "tenants": [ { "id": "acme", "name": "Acme", "host": "acme.example.com",
              "users": [ { "user_id": "auth0|ann", "name": "Ann" } ] } ] }
            """, to: "acme.json")
        let applied = try await Program.run(["apply", "acme.json", "--create"], in: folder.url)
        #expect(applied.status == 0, "\(applied.errors)")
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        let phones = [
            ("dev_apple", "'APNS', 'token', NULL, NULL"), ("dev_channel", "NULL, NULL, NULL, NULL"),
            ("dev_lost", "NULL, NULL, NULL, NULL"),
            ("dev_gone", "'APNS', NULL, \(now), 'the push service no longer knows the phone'"),
        ]
        let rows = phones.map { id, push in
            """
            INSERT INTO device (id, tenant, "user", identifier, name, public_key, push_service, push_token,
                push_ended_at, push_problem, push_registered_at, token_hash, enrolled_at)
            VALUES ('\(id)', 'acme', 'auth0|ann', '\(id)', 'Phone', '\(Self.key)', \(push), 1, x'01', 1);
            """
        }
        try await alterDatabase(
            folder.url.appending(path: "countersign-data/countersign.db").path,
            (rows + ["UPDATE device SET key_lost_at = \(now) WHERE id = 'dev_lost';"]).joined(separator: "\n"))
        let listed = try await Program.run(["device", "list", "--user", "auth0|ann", "--json"], in: folder.url)
        let list = try JSONReader.parse(listed.output).arrayValue ?? []
        func phone(_ id: String) -> JSONValue? { list.first { $0["id"]?.stringValue == id } }
        #expect(phone("dev_apple")?["push_service"] == "APNS", "\(listed.errors)")
        #expect(phone("dev_apple")?["push_refused_at"] == .null, "it registered again")
        #expect(phone("dev_channel")?["push_refused_at"] == .null)
        #expect(phone("dev_gone")?["push_refused_at"] == .string(Timestamp(milliseconds: now).iso8601))
        #expect(phone("dev_gone")?["push_refused_reason"] == "the push service no longer knows the phone")
        #expect(phone("dev_lost")?["key_lost_at"] == .string(Timestamp(milliseconds: now).iso8601))
        #expect(phone("dev_gone")?["key_lost_at"] == .null)
        let table = try await Program.run(["device", "list", "--user", "auth0|ann"], in: folder.url)
        #expect(table.output.contains("reached while its app is open"), "\(table.output)")
        #expect(table.output.contains("lost its key on "), "\(table.output)")
        let shown = try await Program.run(["user", "show", "auth0|ann"], in: folder.url)
        #expect(shown.output.contains("Phone (dev_gone), APNS: push refused on "), "\(shown.output)")
        let json = try await Program.run(["user", "show", "auth0|ann", "--json"], in: folder.url)
        #expect(try JSONReader.parse(json.output)["phones"]?.arrayValue?.count == 4)
        let doctor = try await Program.run(["doctor", "--offline", "--only", "deliveries"], in: folder.url)
        #expect(doctor.output.contains("push services refused 1 phone within a week"), "\(doctor.output)")
    }

    private static let key =
        #"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#
}
