import ApprovalWire
import AuthorizationCore
import HTTPModel
import Persistence
import Primitives
import TestSupport
import Testing

@Suite("Management API: requests for approval")
struct ApprovalTests {
    private func started(_ count: Int, _ fixture: ManagementFixture) async throws -> [String] {
        var ids: [String] = []
        for _ in 0..<count {
            ids.append(try await InProcessClient(via: fixture.server).started())
            fixture.server.clock.advance(by: .seconds(1))
        }
        return ids
    }

    private func list(_ answer: HTTPAnswer) -> [String] {
        (answer["approvals"]?.arrayValue ?? []).compactMap { $0["id"]?.stringValue }
    }

    private func id(_ authReqID: String) -> String { InProcessClient.consent(of: authReqID).rawValue }

    @Test("Requests are listed newest first, by user, client and state, and page by key")
    func pages() async throws {
        let fixture = try await ManagementFixture()
        let phone = try await InProcessPhone(in: fixture.server)
        let requests = try await started(5, fixture)
        #expect(try await phone.decide(requests[1], signsDigest: true).status == 204)
        let newest = requests.map(id).reversed()
        #expect(list(await fixture.get("/approvals")) == Array(newest))
        #expect(list(await fixture.get("/approvals?user_id=auth0%7Cann")) == Array(newest))
        #expect(list(await fixture.get("/approvals?user_id=auth0%7Cbob")).isEmpty)
        #expect(list(await fixture.get("/approvals?client_id=operator")).isEmpty)
        #expect(list(await fixture.get("/approvals?client_id=agent&state=allowed")) == [id(requests[1])])
        #expect(list(await fixture.get("/approvals?state=pending&take=1")) == [id(requests[4])])
        var seen: [String] = []
        var from = ""
        for _ in 0..<4 {
            let page = await fixture.get("/approvals?take=2\(from)")
            seen += list(page)
            guard let next = page["next"]?.stringValue else { break }
            from = "&from=\(next)"
        }
        #expect(seen == Array(newest))
        #expect(await fixture.get("/approvals?from=none").code == "invalid_query_string")
        #expect(await fixture.get("/approvals?state=odd").code == "invalid_query_string")
    }

    /// Lets the sweep walk all requests, as the server does.
    private func sweep(_ fixture: ManagementFixture) async throws {
        var cursor = SweepCursor()
        let now = fixture.server.clock.now
        repeat {
            _ = try await fixture.server.storage.store.sweep(&cursor, endedBefore: now - .seconds(600), now: now) { _ in
                864_000
            }
        } while !cursor.isAtStart
    }

    @Test("Requests whose rows were deleted stay in the list by their ends, each once")
    func ended() async throws {
        let fixture = try await ManagementFixture()
        let phone = try await InProcessPhone(in: fixture.server)
        let requests = try await started(3, fixture)
        #expect(try await phone.decide(requests[0], signsDigest: true).status == 204)
        fixture.server.clock.advance(by: .seconds(86_400))
        try await sweep(fixture)
        let later = try await fixture.with(scopes: ["read:approvals"])
        let young = try await started(1, fixture)
        let found = list(await later.get("/approvals"))
        #expect(found.first == id(young[0]) && Set(found) == Set((requests + young).map(id)), "\(found)")
        #expect(found.count == 4)
        #expect(list(await later.get("/approvals?state=allowed")) == [id(requests[0])])
        #expect(Set(list(await later.get("/approvals?state=expired"))) == Set(requests.dropFirst().map(id)))
        var seen: [String] = []
        var from = ""
        for _ in 0..<8 {
            let page = await later.get("/approvals?take=1\(from)")
            seen += list(page)
            guard let next = page["next"]?.stringValue else { break }
            from = "&from=\(next)"
        }
        #expect(seen == found)
    }

    @Test("One request shows the record that its person was shown, the decision and the verified receipt")
    func one() async throws {
        let fixture = try await ManagementFixture()
        let phone = try await InProcessPhone(in: fixture.server)
        let request = try await started(1, fixture)[0]
        let before = await fixture.get("/approvals/\(id(request))")
        #expect(before["state"] == "pending" && before["decision"] == nil && before["receipt"] == nil)
        let record = try RequestRecord(parsing: before["record"]?.stringValue ?? "")
        #expect(record.bindingMessage == before["binding_message"]?.stringValue)
        #expect(try await phone.decide(request, signsDigest: true).status == 204)
        let after = await fixture.get("/approvals/\(id(request))")
        #expect(after["state"] == "allowed" && after["decision"]?["evidence"] == "signed-digest", "\(after.text)")
        #expect(after["receipt"]?["is_valid"] == true, "\(after.text)")
        #expect(await fixture.get("/approvals/cns_abcdefghijklmnopqrstuv").status == 404)
        #expect(await fixture.get("/approvals/x").status == 404)
    }

    @Test("A program cannot try a client, whatever its scopes: a request goes to a person on the dashboard alone")
    func program() async throws {
        let fixture = try await ManagementFixture()
        let body: JSONValue = ["client_id": "agent", "binding_message": "TRY-1"]
        let answer = await fixture.send(.post, "/approvals", body)
        #expect(answer.status == 403 && answer.message.contains("/bc-authorize"), "\(answer.text)")
        #expect(list(await fixture.get("/approvals")).isEmpty)
    }
}
