import Foundation
@testable import Guardian
import GuardianWire
import HTTPModel
import JOSE
import Primitives
import Synchronization
import Testing

@Suite("The device channel")
struct DeviceChannelTests {
    let key: P256PrivateKey

    init() throws { key = try P256PrivateKey.new() }

    static func notification(_ id: Int64) -> String {
        String(
            decoding: DeviceEvent(id: id, content: .notification(Fixtures.payload)).serverSentEvent.bytes, as: UTF8.self
        )
    }

    static func withdrawal(_ id: Int64) -> String {
        let event = DeviceEvent(id: id, content: .withdrawal(transactionLinkingID: "cns_1"))
        return String(decoding: event.serverSentEvent.bytes, as: UTF8.self)
    }

    static let refusal =
        #"{"statusCode":401,"error":"Unauthorized","message":"Unknown device","errorCode":"invalid_token"}"#

    /// Descriptions of all events until the channel throws, and the error's code.
    func play(
        _ transport: ScriptedTransport, after: String? = nil, idleAtOnce: Bool = false
    ) async -> (events: [String], code: String?) {
        var configuration = Fixtures.configuration(transport)
        configuration.channelIdleTimeout = .seconds(77)
        configuration.sleep = { duration in
            if duration == .seconds(77), !idleAtOnce { try await Task.sleep(for: .seconds(3600)) }
            try Task.checkCancellation()
        }
        var events: [String] = []
        do {
            let channel = notifications(
                forDomain: "h.example", device: Fixtures.device(key), after: after, configuration: configuration)
            for try await event in channel {
                switch event {
                case .connected: events.append("connected")
                case .notification(let notification, let id):
                    events.append("notification \(notification.transactionLinkingId ?? "") \(id)")
                case .withdrawal(let linkingId, let id): events.append("withdrawal \(linkingId) \(id)")
                case .pending(let linkingIds): events.append("pending \(linkingIds.sorted().joined(separator: " "))")
                case .interrupted(_, let pause): events.append("interrupted \(pause.milliseconds)")
                }
            }
            return (events, nil)
        } catch {
            return (events, (error as? GuardianError)?.code ?? "\(error)")
        }
    }

    @Test("The channel reconnects after the last whole event, with a fresh token each time")
    func resume() async throws {
        let notification = Self.notification(8)
        let transport = ScriptedTransport([
            .stream([":\n\n", Self.notification(7), String(notification.prefix(40))], end: .fail(.other("reset"))),
            .stream([notification, Self.withdrawal(9)], end: .close),
            .answer(401, Self.refusal),
        ])
        let (events, code) = await play(transport)
        #expect(
            events == [
                "connected", "notification cns_1 7", "interrupted 1000", "connected", "notification cns_1 8",
                "withdrawal cns_1 9", "interrupted 1000",
            ])
        #expect(code == "invalid_token")
        #expect(transport.requests.map { $0.fields["Last-Event-ID"] } == [nil, "7", "9"])
        for request in transport.requests {
            #expect(request.url == "https://h.example/appliance-mfa/api/notifications")
            #expect(request.fields["Accept"] == "text/event-stream")
            #expect(request.timeout == nil)
            let token = try #require(request.fields["Authorization"]?.dropFirst("Bearer ".count))
            let claims = try DeviceToken(try Fixtures.verified(String(token), by: key).claims)
            #expect(claims.audience == request.url)
            #expect(claims.enrollmentID == "dev_1")
            #expect(claims.userID == "auth0|1")
        }
    }

    @Test("The channel resumes from an earlier run's last event")
    func earlierRun() async {
        let transport = ScriptedTransport([.answer(401, Self.refusal)])
        _ = await play(transport, after: "41")
        #expect(transport.requests.first?.fields["Last-Event-ID"] == "41")
    }

    @Test("The phone reconnects within an hour, whatever pause the stream asks for")
    func longestPause() async {
        let stream = ScriptedTransport.Step.stream(["retry: 9223372036854775807\n\n"], end: .close)
        let transport = ScriptedTransport([stream, .answer(410, "{}")])
        #expect(await play(transport).events == ["connected", "interrupted 3600000"])
    }

    @Test("Pauses double up to 1 minute and reset after a connection; Retry-After and retry are honoured")
    func backoff() async {
        let down = ScriptedTransport.Step.fail(.cannotConnect("down"))
        let transport = ScriptedTransport(
            Array(repeating: down, count: 8)
                + [.stream(["retry: 5000\n\n"], end: .close), .answer(503, "{}"), .answer(410, "{}")])
        let (events, code) = await play(transport)
        #expect(
            events == [
                "interrupted 1000", "interrupted 2000", "interrupted 4000", "interrupted 8000", "interrupted 16000",
                "interrupted 32000", "interrupted 60000", "interrupted 60000", "connected", "interrupted 5000",
                "interrupted 9000",
            ])
        #expect(code == "The server refused the request")
    }

    @Test(
        "An error that only the caller can fix ends the stream at the first connection",
        arguments: [HTTPClientError.untrusted("nobody vouches"), .invalidURL("https://h example")])
    func callersMistake(_ mistake: HTTPClientError) async {
        let transport = ScriptedTransport([.fail(.cannotConnect("down")), .fail(mistake), .fail(mistake)])
        let (events, code) = await play(transport)
        #expect(events == ["interrupted 1000"])
        #expect(code == mistake.text)
        #expect(transport.requests.count == 2)
    }

    @Test("A server trusted before is retried after an untrusted certificate or a broken handshake")
    func untrustedLater() async {
        let transport = ScriptedTransport([
            .fail(.tls("reset")), .stream([":\n\n"], end: .close), .fail(.untrusted("nobody vouches")),
            .answer(401, Self.refusal),
        ])
        let (events, code) = await play(transport)
        #expect(events == ["interrupted 1000", "connected", "interrupted 1000", "interrupted 2000"])
        #expect(code == "invalid_token")
    }

    @Test("A silent connection counts as dead")
    func idle() async {
        let transport = ScriptedTransport([
            .stream([Self.notification(1)], end: .silence), .answer(401, Self.refusal),
        ])
        let (events, code) = await play(transport, idleAtOnce: true)
        #expect(events.first == "connected")
        #expect(events.last == "interrupted 1000")
        #expect(code == "invalid_token")
    }

    @Test("The opening event lists pending requests and sets the point of resumption")
    func pending() async {
        let list = DeviceEvent(id: 0, content: .pending(transactionLinkingIDs: ["cns_2", "cns_1"]))
        let transport = ScriptedTransport([
            .stream([String(decoding: list.serverSentEvent.bytes, as: UTF8.self)], end: .close),
            .answer(401, Self.refusal),
        ])
        let (events, _) = await play(transport, after: "7")
        #expect(events == ["connected", "pending cns_1 cns_2", "interrupted 1000"])
        #expect(transport.requests.map { $0.fields["Last-Event-ID"] } == ["7", "0"])
    }

    @Test("Unreadable events and unknown types do not stop later events")
    func unreadable() async {
        let transport = ScriptedTransport([
            .stream(
                ["id: 1\nevent: notification\ndata: {}\n\nid: 2\nevent: later\ndata: x\n\n", Self.withdrawal(3)],
                end: .close),
            .answer(401, Self.refusal),
        ])
        let (events, _) = await play(transport)
        #expect(events == ["connected", "withdrawal cns_1 3", "interrupted 1000"])
    }

    @Test("Cancelling the reader ends the stream without an error")
    func cancel() async throws {
        let transport = ScriptedTransport([.stream([Self.notification(1)], end: .silence)])
        let channel = notifications(
            forDomain: "h.example", device: Fixtures.device(key), configuration: Fixtures.configuration(transport))
        let task = Task {
            var count = 0
            for try await event in channel {
                if case .notification = event { count += 1; withUnsafeCurrentTask { $0?.cancel() } }
            }
            return count
        }
        #expect(try await task.value == 1)
    }
}
