import AuthorizationCore
import Flows
import GuardianWire
import HTTPModel
import JOSE
import MicroHTTPServer
import Primitives
import Synchronization
import TestSupport
import Testing

@Suite("Over sockets: sizes, races and the device channel", .serialized, .timeLimit(.minutes(5)))
struct SocketTests {
    /// Number of runs per race.
    static let rounds = 250

    @Test("Every endpoint refuses bodies and heads beyond the limits, without changes")
    func sizes() async throws {
        let fixture = try await EndpointFixture()
        try await InProcessSockets.serve(fixture.server) { sockets in
            for endpoint in EndpointFixture.Endpoint.allCases {
                var request = try fixture.good(endpoint)
                if EndpointFixture.Endpoint.reading.contains(endpoint) {
                    request.body = [UInt8](repeating: UInt8(ascii: "a"), count: 65_537)
                    try await fixture.refused(
                        request, at: endpoint, [413], ["invalid_request", "invalid_body"], via: sockets)
                }
                let long = try fixture.good(endpoint).with("X-Long", String(repeating: "a", count: 20_000))
                try await fixture.refused(long, at: endpoint, [431], ["invalid_request", "invalid_body"], via: sockets)
                var target = try fixture.good(endpoint)
                target.path += "?" + String(repeating: "a", count: 9000)
                try await fixture.refused(target, at: endpoint, [414], ["invalid_request"], via: sockets)
            }
        }
    }

    @Test("Two concurrent polls of an approved request get exactly one set of tokens")
    func pollRace() async throws {
        let fixture = try await EndpointFixture()
        try await InProcessSockets.serve(fixture.server) { sockets in
            let client = InProcessClient(via: sockets)
            for _ in 0..<Self.rounds {
                let id = try await fixture.client.started()
                #expect(try await fixture.phone.decide(id).status == 204)
                async let first = client.poll(id)
                async let second = client.poll(id)
                let answers = try await [first, second]
                let winners = answers.filter { $0.status == 200 }
                let losers = answers.filter { $0.status == 400 && $0.code == "invalid_grant" }
                #expect(winners.count == 1 && losers.count == 1, "\(answers.map(\.text))")
                try #require(winners.count == 1)
                #expect(winners[0]["access_token"]?.stringValue?.isEmpty == false)
                #expect(try await client.poll(id).code == "invalid_grant")
            }
        }
        #expect(try await fixture.server.auditKinds().filter { $0 == "ciba_exchange_succeeded" }.count == Self.rounds)
    }

    @Test("Concurrent polls with offline_access keep exactly one refresh token")
    func refreshTokenRace() async throws {
        let fixture = try await EndpointFixture {
            $0.apis = [try Samples.resourceServer { $0.allowsOfflineAccess = true }]
        }
        try await InProcessSockets.serve(fixture.server) { sockets in
            let client = InProcessClient(via: sockets)
            func families() async throws -> Int {
                try await fixture.server.dump().count { $0.hasPrefix("refresh_token_family:") }
            }
            let before = try await families()
            for round in 1...20 {
                let id = try await fixture.client.started(["audience": Samples.api, "scope": "openid offline_access"])
                _ = try await fixture.phone.decide(id)
                let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                    for _ in 0..<8 { group.addTask { try await client.poll(id).status } }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(statuses.filter { $0 == 200 }.count == 1)
                #expect(try await families() == before + round)
            }
        }
    }

    @Test("Concurrent approval and rejection from two devices: exactly one decides, and the client gets that one")
    func decisionRace() async throws {
        let fixture = try await EndpointFixture()
        let second = try await InProcessPhone(identifier: "PHONE-2", in: fixture.server)
        var allowed = 0
        try await InProcessSockets.serve(fixture.server) { sockets in
            for round in 0..<Self.rounds {
                let id = try await fixture.client.started()
                let notifications = try await (fixture.phone.notification(of: id), second.notification(of: id))
                let allow = fixture.phone.answerRequest(
                    notifications.0, response: try fixture.phone.response(to: notifications.0))
                let reject = second.answerRequest(
                    notifications.1, response: try second.response(to: notifications.1, accepted: false))
                async let first = sockets.send(round.isMultiple(of: 2) ? allow : reject)
                async let other = sockets.send(round.isMultiple(of: 2) ? reject : allow)
                let answers = try await [first, other]
                #expect(answers.filter { $0.status == 204 }.count == 1)
                #expect(answers.filter { $0.code == "login_transaction_not_found" }.count == 1)
                let allowWon = (answers[0].status == 204) == round.isMultiple(of: 2)
                let poll = try await fixture.client.poll(id)
                #expect(allowWon ? poll.status == 200 : poll.code == "access_denied")
                allowed += allowWon ? 1 : 0
            }
        }
        let kinds = try await fixture.server.auditKinds()
        #expect(kinds.filter { $0 == "gd_auth_succeed" }.count == allowed)
        #expect(kinds.filter { $0 == "gd_auth_rejected" }.count == Self.rounds - allowed)
    }

    @Test("Two phones enrol concurrently with one ticket: one succeeds")
    func ticketRace() async throws {
        let fixture = try await EndpointFixture()
        try await InProcessSockets.serve(fixture.server) { sockets in
            let before = try await fixture.server.dump().filter { $0.hasPrefix("device:") }.count
            for round in 1...40 {
                let ticket = try await InProcessPhone.ticket(in: fixture.server)
                let requests = try ["A", "B"].map { name in
                    InProcessPhone.enrollRequest(
                        ticket: ticket, identifier: "\(name)-\(round)",
                        key: try Keys.signer(.es256, "phone \(name)").publicKey.json)
                }
                async let first = sockets.send(requests[0])
                async let second = sockets.send(requests[1])
                let answers = try await [first, second]
                #expect(answers.filter { $0.status == 200 }.count == 1)
                #expect(answers.filter { $0.code == "enrollment_transaction_not_found" }.count == 1)
                #expect(try await fixture.server.dump().filter { $0.hasPrefix("device:") }.count == before + round)
            }
        }
    }

    @Test("One proof used twice concurrently reads the consent once")
    func proofRace() async throws {
        let fixture = try await EndpointFixture()
        try await InProcessSockets.serve(fixture.server) { sockets in
            for _ in 0..<50 {
                let request = try fixture.good(.consent)
                async let first = sockets.send(request)
                async let second = sockets.send(request)
                let answers = try await [first, second]
                #expect(answers.filter { $0.status == 200 }.count == 1)
                #expect(answers.filter { $0.code == "invalid_dpop_assertion" }.count == 1)
            }
        }
    }

    @Test("Concurrent starts do not exceed a user's limit")
    func limitRace() async throws {
        let fixture = try await EndpointFixture { $0.tenant.settings.requestsPerMinutePerUser = 5 }
        try await InProcessSockets.serve(fixture.server) { sockets in
            let client = InProcessClient(via: sockets)
            for _ in 0..<10 {
                fixture.server.advance(.seconds(61))
                let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                    for _ in 0..<16 { group.addTask { try await client.start().status } }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(statuses.filter { $0 == 200 }.count == 5)
                #expect(statuses.filter { $0 == 429 }.count == 11)
            }
        }
    }

    @Test("A poll that races the decision is pending or gets the tokens, which are issued once")
    func pollAgainstDecision() async throws {
        let fixture = try await EndpointFixture()
        try await InProcessSockets.serve(fixture.server) { sockets in
            let client = InProcessClient(via: sockets)
            for _ in 0..<100 {
                let id = try await fixture.client.started()
                async let decided = fixture.phone.decide(id, via: sockets)
                async let polled = client.poll(id)
                #expect(try await decided.status == 204)
                let answer = try await polled
                #expect(answer.status == 200 || answer.code == "authorization_pending")
                let later = try await client.poll(id)
                #expect(answer.status == 200 ? later.code == "invalid_grant" : later.status == 200)
            }
        }
    }

    @Test("A decision counts in the last millisecond before expiry and not in the next")
    func expiryEdge() async throws {
        let fixture = try await EndpointFixture()
        try await InProcessSockets.serve(fixture.server) { sockets in
            for (early, status) in [(1, 204), (0, 404)] {
                let id = try await fixture.client.started(["requested_expiry": "10"])
                let notification = try await fixture.phone.notification(of: id)
                fixture.server.advance(.seconds(10) - .milliseconds(early))
                let request = fixture.phone.answerRequest(
                    notification, response: try fixture.phone.response(to: notification))
                #expect(try await sockets.send(request).status == status)
                let poll = try await InProcessClient(via: sockets).poll(id)
                #expect(status == 204 ? poll.status == 200 : poll.code == "expired_token")
            }
        }
    }

    @Test("A decision answers a held poll over sockets")
    func held() async throws {
        let fixture = try await EndpointFixture()
        try await InProcessSockets.serve(fixture.server) { sockets in
            let client = InProcessClient(via: sockets)
            for _ in 0..<50 {
                let id = try await fixture.client.started()
                async let answering = client.poll(id, wait: 60)
                await fixture.server.timer.awaitSleepers()
                _ = try await fixture.phone.decide(id, via: sockets)
                let answer = try await answering
                #expect(answer.status == 200)
                #expect(answer.fields["Preference-Applied"] == "wait=60")
            }
        }
        #expect(fixture.server.hub.waiting == 0)
    }

    @Test("Only one of two held polls of a request gets the tokens")
    func heldRace() async throws {
        let fixture = try await EndpointFixture()
        try await InProcessSockets.serve(fixture.server) { sockets in
            let client = InProcessClient(via: sockets)
            for _ in 0..<50 {
                let id = try await fixture.client.started()
                async let first = client.poll(id, wait: 60)
                await fixture.server.timer.awaitSleepers()
                fixture.server.clock.advance(by: .seconds(5))
                async let second = client.poll(id, wait: 60)
                await fixture.server.timer.awaitSleepers(2)
                _ = try await fixture.phone.decide(id)
                let answers = try await [first, second]
                #expect(answers.filter { $0.status == 200 }.count == 1)
                #expect(answers.filter { $0.code == "invalid_grant" }.count == 1)
            }
        }
    }

    @Test("An open channel delivers a request and its withdrawal; HEAD opens no channel")
    func channel() async throws {
        let fixture = try await EndpointFixture()
        let second = try await InProcessPhone(identifier: "PHONE-2", in: fixture.server)
        let delivery = fixture.server.delivering()
        defer { delivery.cancel() }
        try await InProcessSockets.serve(fixture.server) { sockets in
            var head = fixture.phone.channelRequest(token: try fixture.phone.channelToken)
            head.method = .head
            #expect(try await sockets.send(head).status == 200)
            let response = try await sockets.stream(fixture.phone.channelRequest(token: fixture.phone.channelToken))
            #expect(response.status == 200)
            #expect(response.fields["Content-Type"] == "text/event-stream")
            #expect(response.fields["Cache-Control"] == "no-store")
            var events = EventReader(response.body)
            let waiting = try #require(fixture.notification.transactionLinkingID)
            #expect(try await events.next() == DeviceEvent(id: 0, content: .pending(transactionLinkingIDs: [waiting])))
            #expect(try await events.next().content.consent == waiting)
            let id = try await fixture.client.started()
            let consent = InProcessClient.consent(of: id).rawValue
            let told = try await events.next()
            #expect(told.content.consent == consent)
            let notification = try await second.notification(of: id)
            let answer = second.answerRequest(notification, response: try second.response(to: notification))
            #expect(try await sockets.send(answer).status == 204)
            #expect(try await events.next().content == .withdrawal(transactionLinkingID: consent))
            #expect(fixture.server.openChannels == 1)
            // A new channel delivers only new pending requests.
            let again = try await sockets.stream(
                fixture.phone.channelRequest(token: fixture.phone.channelToken, after: 0))
            var resumed = EventReader(again.body)
            #expect(try await resumed.next().content == .pending(transactionLinkingIDs: [waiting]))
            #expect(try await resumed.next().content.consent == waiting)
        }
    }
}

extension SocketTests {
    @Test("A device that reports a future event id gets every event, as if it had reported none")
    func eventsAhead() async throws {
        let fixture = try await EndpointFixture()
        let delivery = fixture.server.delivering()
        defer { delivery.cancel() }
        try await InProcessSockets.serve(fixture.server) { sockets in
            let response = try await sockets.stream(
                fixture.phone.channelRequest(token: fixture.phone.channelToken, after: .max))
            var events = EventReader(response.body)
            let waiting = try #require(fixture.notification.transactionLinkingID)
            #expect(try await events.next() == DeviceEvent(id: 0, content: .pending(transactionLinkingIDs: [waiting])))
            #expect(try await events.next().content.consent == waiting)
            let consent = InProcessClient.consent(of: try await fixture.client.started()).rawValue
            let live = try await events.next()
            #expect(live.content.consent == consent)
            #expect(live.id == 2)
        }
    }
}

extension DeviceEvent.Content {
    fileprivate var consent: String? {
        switch self {
        case .notification(let payload): payload.transactionLinkingID
        case .withdrawal(let id): id
        case .pending: nil
        }
    }
}

/// Reads a device channel event by event.
private struct EventReader {
    private var body: AsyncThrowingStream<[UInt8], any Error>.AsyncIterator
    private var parser = ServerSentEventParser()
    private var read: [DeviceEvent] = []

    init(_ body: AsyncThrowingStream<[UInt8], any Error>) { self.body = body.makeAsyncIterator() }

    mutating func next() async throws -> DeviceEvent {
        while read.isEmpty {
            let bytes = try await body.next(isolation: #isolation).orThrow("the channel ended")
            for event in try parser.parse(bytes) {
                if let event = try DeviceEvent(event) { read.append(event) }
            }
        }
        return read.removeFirst()
    }
}
