import Foundation
import Guardian
@testable import GuardianCommand
import GuardianWire
import HTTPModel
import Primitives
import Terminal
import Testing

@Suite("guardian: the phone's capabilities", .timeLimit(.minutes(2)))
struct CapabilityTests {
    let home = Home()

    /// A phone as an earlier version enrolled it, whose file does not note what the server was told.
    private func enrollEarlier(on server: FakeServer) async throws {
        #expect(await home.enroll(on: server) == 0)
        var file = try stored()
        var devices = try #require(file["devices"]?.arrayValue).compactMap(\.objectValue)
        #expect(
            devices.first?["capabilities"] == ["signed-digest", "number-matching", "number-typing", "one-time-code"])
        for index in devices.indices { devices[index]["capabilities"] = nil }
        file["devices"] = .array(devices.map(JSONValue.object))
        try Data(JSONWriter.bytes(.object(file))).write(to: URL(filePath: home.store))
    }

    private func stored() throws -> JSONObject {
        try JSONReader.parse(Array(try Data(contentsOf: URL(filePath: home.store)))).objectValue ?? [:]
    }

    private func announcements(_ server: FakeServer) throws -> [DeviceAccountUpdate] {
        try server.requests.filter { $0.method == .patch }.map { try DeviceAccountUpdate(parsing: $0.body ?? []) }
    }

    @Test(
        "A phone of an earlier version announces its capabilities once, when it starts to watch or answer",
        arguments: [["watch", "--answer", "allow", "--count", "1"], ["allow"], ["reject", "cns_1"]])
    func once(command: [String]) async throws {
        let server = FakeServer([FakeServer.request(1)])
        try await enrollEarlier(on: server)
        for _ in 1...2 { #expect(await home.run(command, on: server).status == 0) }
        #expect(
            try announcements(server) == [
                DeviceAccountUpdate(capabilities: [.signedDigest, .numberMatching, .numberTyping, .oneTimeCode])
            ])
        #expect(server.answers.count == 2)
    }

    @Test("A phone that enrolled with its capabilities announces nothing")
    func enrolled() async throws {
        let server = FakeServer([FakeServer.request(1)])
        #expect(await home.enroll(on: server) == 0)
        #expect(await home.run(["allow"], on: server).status == 0)
        #expect(try announcements(server).isEmpty)
    }

    @Test("A refused announcement hinders no answer, is not told, and is tried again at the next start")
    func refused() async throws {
        let server = FakeServer([FakeServer.request(1)])
        try await enrollEarlier(on: server)
        server.refuse("/device-accounts/dev_1", 400, "invalid_request", "Unknown member")
        let (status, screen) = await home.run(["allow"], on: server)
        #expect(status == 0 && screen.diagnostics.isEmpty)
        #expect(await home.run(["allow"], on: server).status == 0)
        #expect(try announcements(server).count == 2 && server.answers.count == 2)
    }

    @Test("An announcement changes nothing else of the stored device, and does not bring back a removed one")
    func store() async throws {
        let server = FakeServer()
        try await enrollEarlier(on: server)
        let store = FileDeviceStore(path: home.store)
        let device = try await home.device()
        var renamed = device
        renamed.name = "Renamed"
        try await store.save(renamed)
        let configuration = Home.configuration(server)
        try await Guardian.announceCapabilities(
            forDomain: "id.example.org", device: device, store: store, configuration: configuration)
        #expect(try await store.devices().map(\.name) == ["Renamed"])
        try await store.remove(id: device.id)
        try await Guardian.announceCapabilities(
            forDomain: "id.example.org", device: device, store: store, configuration: configuration)
        #expect(try await store.devices().isEmpty)
    }
}
