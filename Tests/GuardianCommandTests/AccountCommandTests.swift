import ApprovalWire
import Foundation
import Guardian
@testable import GuardianCommand
import GuardianWire
import HTTPModel
import Localization
import PhoneScreen
import Primitives
import Synchronization
import Terminal
import Testing

@Suite("guardian: the person's account", .timeLimit(.minutes(2)))
struct AccountCommandTests {
    let home = Home()
    let server = FakeServer()

    private static func event(_ id: Int64) throws -> JSONObject {
        let text = FakeServer.request(id)
        guard case .notification(let payload) = text.content,
            var object = try JSONReader.parse(payload.apns).objectValue
        else { return [:] }
        object["sequence"] = .number(JSONNumber(id))
        return object
    }

    @Test("pending lists what waits, those of one client together")
    func pending() async throws {
        #expect(await home.enroll(on: server) == 0)
        server.account["pending"] = #"{"requests":[]}"#
        #expect(await home.run(["pending"], on: server).screen.diagnostics == "No request waits.\n")
        server.account["pending"] = JSONWriter.string([
            "requests": .array(try (1...3).map { .object(try Self.event($0)) })
        ])
        server.clients = ["cns_2": "c2"]
        let screen = await home.run(["pending"], on: server).screen
        let lines = screen.standard.split(separator: "\n").map { $0.split(separator: " ").first.map(String.init) }
        #expect(lines == ["REQUEST", "cns_1", "cns_3", "cns_2"])
        let json = try JSONReader.parse(await home.run(["pending", "--json"], on: server).screen.standard)
        #expect(json.arrayValue?.map { $0["id"] } == ["cns_1", "cns_2", "cns_3"])
        let sent = try #require(server.requests.first { $0.url.hasSuffix("/pending") })
        #expect(sent.url == "https://id.example.org/appliance-mfa/api/device-accounts/dev_1/pending")
        let token = try #require(sent.fields["Authorization"]?.split(separator: ".").dropFirst().first)
        let claims = try JSONReader.parse(try #require(Base64URL.decode(token)))
        #expect(claims["aud"] == "https://id.example.org/appliance-mfa/api/device-accounts")
    }

    @Test("history lists what was answered, with the cursor of earlier answers")
    func history() async throws {
        #expect(await home.enroll(on: server) == 0)
        let record = RequestRecord(
            id: "cns_7", issuer: "https://id.example.org/", tenant: "t", client: .init(id: "c1", name: "Agent"),
            user: "auth0|1", audience: .init(id: "a", name: "A"), scope: [], bindingMessage: "TX-1",
            authorizationDetails: [], createdAt: Timestamp(seconds: 1), expiresAt: Timestamp(seconds: 9), salt: "c2FsdA"
        )
        server.account["requests"] = JSONWriter.string([
            "requests": [
                [
                    "id": "cns_7", "decided_at": "2026-11-20T10:00:00.000Z", "decision": "rejected", "reason": "no",
                    "evidence": "signed-digest", "record": .string(record.text),
                ]
            ], "next": "abc",
        ])
        let (status, screen) = await home.run(["history", "--limit", "1", "--before", "x/y"], on: server)
        #expect(status == 0)
        #expect(
            screen.standard == """
                ANSWERED                  ANSWER    CLIENT      MESSAGE  REQUEST
                2026-11-20T10:00:00.000Z  rejected  Agent (c1)  TX-1     cns_7

                """)
        #expect(screen.diagnostics == "guardian history --before abc\n")
        #expect(server.requests.last?.url.hasSuffix("/requests?limit=1&before=x%2Fy") == true)
        let json = try JSONReader.parse(await home.run(["history", "--json"], on: server).screen.standard)
        #expect(json["next"] == "abc" && json["requests"]?[0]?["record"] == .string(record.text))
    }

    @Test("phones lists all phones of the person")
    func phones() async throws {
        #expect(await home.enroll(on: server) == 0)
        server.account["devices"] =
            #"{"devices":[{"id":"dev_1","name":"Laptop","enrolled_at":"2026-11-20T10:00:00.000Z","push":null,"passkey":false,"current":true},{"id":"dev_2","name":"Pixel","enrolled_at":"2026-11-21T10:00:00.000Z","push":"WEBPUSH","passkey":true,"current":false}]}"#
        let screen = await home.run(["phones"], on: server, locale: "de").screen
        #expect(
            screen.standard == """
                ID     NAME    PUSH            ENROLLED                  \n\
                dev_1  Laptop  device channel  2026-11-20T10:00:00.000Z  dieses Telefon
                dev_2  Pixel   WEBPUSH         2026-11-21T10:00:00.000Z  \n
                """)
        let json = try JSONReader.parse(await home.run(["phones", "--json"], on: server).screen.standard)
        #expect(json[1]?["passkey"] == true && json[0]?["push"] == .null)
    }

    @Test("quiet-hours are shown, set and ended for all phones")
    func quietHours() async throws {
        #expect(await home.enroll(on: server) == 0)
        server.account["preferences"] = #"{"quiet_hours":{"from":"22:00","to":"07:00"}}"#
        let shown = await home.run(["quiet-hours"], on: server).screen.standard
        #expect(shown == "Requests make no sound from 22:00 to 07:00, unless they are urgent.\n")
        #expect(await home.run(["quiet-hours", "21:30", "06:15"], on: server).status == 0)
        let put = try #require(server.requests.last)
        #expect(put.method == .put && put.url.hasSuffix("/dev_1/preferences"))
        #expect(put.body == Array(#"{"quiet_hours":{"from":"21:30","to":"06:15"}}"#.utf8))
        let off = await home.run(["quiet-hours", "--off", "--json"], on: server).screen.standard
        #expect(off == #"{"quiet_hours":null}"# + "\n")
        #expect(server.requests.last?.body == Array(#"{"quiet_hours":null}"#.utf8))
        for wrong in [["22:00"], ["24:00", "07:00"], ["7:00", "08:00"], ["07:00", "07:00"], ["1", "2", "--off"]] {
            #expect(await home.run(["quiet-hours"] + wrong, on: server).status == 2, "\(wrong)")
        }
    }

    @Test(
        "The phone rings for a request, and in quiet hours for an urgent one alone",
        arguments: [
            (#"null"#, false, true), (#"{"from":"22:00","to":"07:00"}"#, false, false),
            (#"{"from":"22:00","to":"07:00"}"#, true, true), (#"{"from":"12:00","to":"13:00"}"#, false, true),
        ])
    func bell(hours: String, urgent: Bool, rings: Bool) async throws {
        #expect(await home.enroll(on: server) == 0)
        server.account["preferences"] = #"{"quiet_hours":\#(hours)}"#
        let notification = { (id: Int64, urgent: Bool) -> DeviceEvent in
            guard case .notification(var payload) = FakeServer.request(id).content else {
                return FakeServer.request(id)
            }
            payload.isUrgent = urgent
            return DeviceEvent(id: id, content: .notification(payload))
        }
        let screen = Screen()
        let expected = rings ? 2 : 1
        let output = screen.output(isLive: true) {
            // Arrivals ring in their order: the urgent one, which always rings, comes last.
            await screen.wait { $0.bells >= expected }
            return "y"
        }
        let phone = try await home.phone(on: server, output: output)
        let watch = Watch(
            phone: phone, answer: .ask, limit: 1, now: { Date(timeIntervalSince1970: 1_795_132_800) },
            timeZone: try #require(TimeZone(secondsFromGMT: 0)))
        let running = Task { try await watch.run() }
        await screen.wait { $0.diagnostics.contains("Listening") }
        for event in [notification(1, urgent), notification(2, true)] { server.push(event) }
        try await running.value
        #expect(screen.bells == expected)
    }
}
