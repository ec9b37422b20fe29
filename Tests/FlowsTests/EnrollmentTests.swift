import Administration
import Audit
import AuthorizationCore
@testable import Flows
import GuardianWire
import HTTPModel
import JOSE
import Primitives
import TestSupport
import Testing

@Suite("Enrolling and managing devices")
struct EnrollmentTests {
    private func enroll(_ fixture: FlowFixture) -> EnrollDevice {
        EnrollDevice(
            store: fixture.enrollmentStore, verifier: fixture.verifier, hashing: Samples.hashing,
            random: fixture.random, sealer: Samples.sealer, refusals: fixture.refusals, outgoing: OutgoingPolicy())
    }

    private func manager(_ fixture: FlowFixture) -> ManageDevice {
        ManageDevice(
            store: fixture.enrollmentStore, verifier: fixture.verifier, budgets: fixture.budgets,
            outgoing: OutgoingPolicy())
    }

    private func created(_ fixture: FlowFixture, _ user: String = "auth0|ann") -> AuditEvent {
        fixture.context.event(.enrollmentTicketCreated, charge: .server, user: UserID(user))
    }

    private func ticket(_ fixture: FlowFixture, lifetime: Int = 60) async throws -> EnrollmentTicketAuthorization {
        let uri = try #require(
            try await enroll(fixture).makeTicket(
                for: UserID("auth0|ann"), account: "ann@example.org", tenant: fixture.tenant, lifetime: lifetime,
                event: created(fixture)))
        return try #require(EnrollmentTicketAuthorization(ticket: uri.transactionID))
    }

    private func request(
        identifier: String = "PHONE-9", name: String = "Ann's", key: JWK? = nil, push: PushCredentials? = nil
    ) throws -> EnrollmentRequest {
        EnrollmentRequest(
            identifier: identifier, name: name, pushCredentials: push,
            publicKey: try key ?? Keys.signer(.es256).publicKey)
    }

    private func run(
        _ fixture: FlowFixture, _ request: EnrollmentRequest, _ ticket: EnrollmentTicketAuthorization,
        tenant: Tenant? = nil
    ) async throws -> EnrollmentResponse {
        try await enroll(fixture).enroll(
            request, ticket: ticket, context: try fixture.context(of: tenant))
    }

    @Test("A ticket is shown as a URI that both SDKs read, for a user that exists")
    func makeTicket() async throws {
        let fixture = try await FlowFixture(phone: false)
        let uri = try #require(
            try await enroll(fixture).makeTicket(
                for: UserID("auth0|ann"), account: "ann@example.org", tenant: fixture.tenant, lifetime: 60,
                event: created(fixture)))
        #expect(uri.transactionID.utf8.count == 32)
        #expect(uri.baseURL == "https://dev.example/appliance-mfa")
        #expect(uri.issuer == "Tenant dev")
        #expect(try EnrollmentURI(parsing: uri.text) == uri)
        let unknown = try await enroll(fixture).makeTicket(
            for: UserID("auth0|eve"), account: nil, tenant: fixture.tenant, lifetime: 60,
            event: created(fixture, "auth0|eve"))
        #expect(unknown == nil)
    }

    @Test("Enrolling binds the key to the ticket's user", arguments: [JWSAlgorithm.es256, .rs256])
    func enrols(algorithm: JWSAlgorithm) async throws {
        let fixture = try await FlowFixture(phone: false)
        let key = try Keys.signer(algorithm).publicKey
        let push = PushCredentials(service: .apns, token: "0A1B")
        let answer = try await run(fixture, request(key: key, push: push), ticket(fixture))
        #expect(answer.userID == "auth0|ann")
        #expect(answer.issuer == "Tenant dev")
        #expect(answer.url == "https://dev.example")
        #expect(answer.totp?.digits == 6)
        #expect(answer.totp?.period == 30)
        #expect(answer.totp.flatMap { Base32.decode($0.secret) }?.count == 20)
        let stored = try #require(
            try await fixture.enrollmentStore.device(DeviceID(answer.id), tenant: fixture.tenant.id))
        #expect(stored.device.publicKey == key)
        #expect(stored.device.push == push)
        #expect(stored.device.identifier == "PHONE-9")
        #expect(stored.tokenHash == Samples.hashing.sha256(Array(answer.token.utf8)))
        let log = try await fixture.made.database.auditLog("gd_enrollment_complete")
        #expect(log.last?.device == answer.id)
        #expect(log.last?.remoteAddress == FlowFixture.remote)
    }

    @Test("A ticket works once, in its lifetime and its tenant")
    func tickets() async throws {
        let fixture = try await FlowFixture(phone: false)
        func code(_ ticket: EnrollmentTicketAuthorization, tenant: Tenant? = nil) async throws -> String {
            let failure = try await deviceFailure { _ = try await run(fixture, request(), ticket, tenant: tenant) }
            return failure.code.rawValue
        }
        let gone = "enrollment_transaction_not_found"
        let unknown = try #require(EnrollmentTicketAuthorization(ticket: "unknown"))
        #expect(try await code(unknown) == gone)
        let used = try await ticket(fixture)
        #expect(try await code(used, tenant: Samples.tenant("other")) == gone)
        _ = try await run(fixture, request(), used)
        #expect(try await code(used) == gone)
        let late = try await ticket(fixture)
        fixture.clock.advance(by: .seconds(60))
        #expect(try await code(late) == gone)
    }

    @Test("Keys that cannot sign answers, and names out of range, are refused, and the ticket stays valid")
    func refusals() async throws {
        let fixture = try await FlowFixture(phone: false)
        let good = try await ticket(fixture)
        let offCurve = JWK(
            material: .ec(curve: .p256, x: [UInt8](repeating: 1, count: 32), y: [UInt8](repeating: 2, count: 32)))
        let wrong = [
            try request(key: Keys.signer(.es384).publicKey), try request(key: Keys.signer(.edDSA).publicKey),
            try request(key: Keys.signer(.ps256).publicKey), try request(key: offCurve), try request(identifier: ""),
            try request(name: String(repeating: "é", count: 65)),
        ]
        for request in wrong {
            let failure = try await deviceFailure { _ = try await run(fixture, request, good) }
            #expect(failure.code == .invalidBody)
        }
        _ = try await run(fixture, request(), good)
    }

    @Test("A phone has the capabilities that it names; Guardian's own apps name none")
    func capabilities() async throws {
        let fixture = try await FlowFixture(phone: false)
        for capabilities in [[], [.signedDigest], [.signedDigest, .numberMatching], [.oneTimeCode]]
            as [Set<DeviceCapability>]
        {
            var request = try request()
            request.capabilities = capabilities
            let answer = try await run(fixture, request, ticket(fixture))
            let stored = try await fixture.enrollmentStore.device(DeviceID(answer.id), tenant: fixture.tenant.id)
            #expect(stored?.device.capabilities == capabilities)
        }
    }

    // MARK: the device's token

    private func authenticate(
        _ fixture: FlowFixture, _ token: String, as id: DeviceID? = DeviceID("dev_one"),
        at path: AppliancePath = .deviceAccounts, tenant: Tenant? = nil
    ) async throws -> Device {
        try await DeviceAuthenticator(
            store: fixture.enrollmentStore, verifier: fixture.verifier, hashing: Samples.hashing
        )
        .authenticate(bearer: token, as: id, at: path, context: try fixture.context(of: tenant))
        .device
    }

    private func token(
        _ fixture: FlowFixture, key: String = "a", type: String? = "JWT",
        _ change: (inout JSONObject) -> Void = { _ in }
    ) throws -> String {
        var claims: JSONObject = [
            "iss": "dev_one", "sub": "auth0|ann", "aud": "https://dev.example/appliance-mfa/api/device-accounts",
            "iat": JSONValue(fixture.clock.now.seconds), "exp": JSONValue(fixture.clock.now.seconds + 7200),
        ]
        change(&claims)
        return try JWS.sign(JSONWriter.bytes(.object(claims)), type: type, with: Keys.signer(.es256, key))
    }

    @Test("A token signed with the enrolled key authenticates the device")
    func signedToken() async throws {
        let fixture = try await FlowFixture()
        #expect(try await authenticate(fixture, token(fixture)).id == DeviceID("dev_one"))
        #expect(try await authenticate(fixture, token(fixture), as: nil).id == DeviceID("dev_one"))
        let fractional = try token(fixture) { claims in
            claims["iat"] = JSONNumber(Double(fixture.clock.now.seconds) + 0.5).map(JSONValue.number)
            claims["exp"] = JSONNumber(Double(fixture.clock.now.seconds) + 7200.5).map(JSONValue.number)
            claims["aud"] = "HTTPS://DEV.example:443/api/device-accounts/"
        }
        #expect(try await authenticate(fixture, fractional).id == DeviceID("dev_one"))
        let stream = try token(fixture) { $0["aud"] = "https://dev.example/appliance-mfa/api/notifications" }
        #expect(try await authenticate(fixture, stream, at: .notifications).id == DeviceID("dev_one"))
        #expect(try await deviceFailure { _ = try await authenticate(fixture, stream) }.code == .invalidToken)
    }

    struct Break: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var key = "a"
        var type: String? = "JWT"
        /// Advice to a device that signed the token.
        var says: String?
        var change: @Sendable (inout JSONObject) -> Void = { _ in }
    }

    private static let now = Samples.start.seconds
    private static let audience = "aud must be https://dev.example/appliance-mfa/api/device-accounts"

    @Test(
        "Each check of a device's token refuses its own fault, and advises only the signer",
        arguments: [
            Break(testDescription: "another key", key: "thief"),
            Break(testDescription: "typ missing", type: nil, says: "typ must be JWT"),
            Break(testDescription: "typ of a proof", type: "dpop+jwt", says: "typ must be JWT"),
            Break(testDescription: "iss is the local identifier") { $0["iss"] = "PHONE-1" },
            Break(testDescription: "iss missing") { $0["iss"] = nil },
            Break(testDescription: "sub is another user", says: "sub must be the user_id of the enrolment") {
                $0["sub"] = "auth0|bob"
            },
            Break(testDescription: "aud names the device as well", says: Self.audience) {
                $0["aud"] = "https://dev.example/appliance-mfa/api/device-accounts/dev_one"
            },
            Break(testDescription: "aud of another host", says: Self.audience) {
                $0["aud"] = "https://evil.example/appliance-mfa/api/device-accounts"
            },
            Break(testDescription: "life over two hours", says: "exp must be at most 7201 s after iat") {
                $0["exp"] = JSONValue(now + 7202)
            },
            Break(testDescription: "expired", says: clockAdvice("exp", -60)) { claims in
                claims["iat"] = JSONValue(now - 7260)
                claims["exp"] = JSONValue(now - 60)
            },
            Break(testDescription: "from the future", says: clockAdvice("iat", 61)) { $0["iat"] = JSONValue(now + 61) },
            Break(testDescription: "exp missing", says: "token.exp is required") { $0["exp"] = nil },
        ])
    func refusedTokens(broken: Break) async throws {
        let fixture = try await FlowFixture()
        let token = try token(fixture, key: broken.key, type: broken.type, broken.change)
        let failure = try await deviceFailure { _ = try await authenticate(fixture, token) }
        #expect(failure.code == .invalidToken)
        let reason = broken.says.map { ": \($0)" } ?? ""
        #expect(failure.message == "The token is missing, expired or not for this request\(reason)")
    }

    @Test("Removed devices and those of another tenant do not exist")
    func goneDevice() async throws {
        let fixture = try await FlowFixture()
        let token = try token(fixture)
        let foreign = try await deviceFailure {
            _ = try await authenticate(fixture, token, tenant: Samples.tenant("other"))
        }
        #expect(foreign.code == .enrollmentNotFound)
        let device = try await authenticate(fixture, token)
        #expect(device.name == "Phone dev_one")
        let authenticator = DeviceAuthenticator(
            store: fixture.enrollmentStore, verifier: fixture.verifier, hashing: Samples.hashing)
        let proven = try await authenticator.authenticate(
            bearer: token, as: nil, at: .deviceAccounts, context: fixture.context)
        let manage = manager(fixture)
        try await manage.remove(proven, context: fixture.context)
        #expect(try await fixture.made.database.auditLog("gd_unenroll").map(\.remoteAddress) == [FlowFixture.remote])
        #expect(try await deviceFailure { _ = try await authenticate(fixture, token) }.code == .enrollmentNotFound)
        let again = try await deviceFailure {
            try await manage.remove(proven, context: fixture.context)
        }
        #expect(again.code == .enrollmentNotFound)
    }

    @Test("The opaque token of an enrolment authenticates only the device that the path names")
    func opaqueToken() async throws {
        let fixture = try await FlowFixture()
        let answer = try await run(fixture, request(), ticket(fixture))
        #expect(try await authenticate(fixture, answer.token, as: DeviceID(answer.id)).identifier == "PHONE-9")
        for (token, id) in [
            (answer.token, DeviceID("dev_one")), ("guess", DeviceID(answer.id)), ("", DeviceID(answer.id)),
        ] {
            let failure = try await deviceFailure { _ = try await authenticate(fixture, token, as: id) }
            #expect(failure.code == .invalidToken)
        }
        let nameless = try await deviceFailure { _ = try await authenticate(fixture, answer.token, as: nil) }
        #expect(nameless.code == .invalidToken)
    }

    @Test("A device changes its own name, identifier and push token, within their ranges")
    func update() async throws {
        let fixture = try await FlowFixture()
        let proven = try await DeviceAuthenticator(
            store: fixture.enrollmentStore, verifier: fixture.verifier, hashing: Samples.hashing
        ).authenticate(
            bearer: token(fixture), as: nil, at: .deviceAccounts, context: fixture.context)
        let manage = manager(fixture)
        func update(_ update: DeviceAccountUpdate) async throws -> Device {
            try await manage.update(proven, with: update, context: fixture.context)
        }
        let changed = try await update(
            DeviceAccountUpdate(name: "New", push: .register(PushCredentials(service: .gcm, token: "t"))))
        #expect(changed.name == "New")
        #expect(changed.identifier == "PHONE-1")
        #expect(changed.push?.token == "t")
        for wrong in [
            DeviceAccountUpdate(name: ""), DeviceAccountUpdate(identifier: String(repeating: "x", count: 129)),
        ] {
            #expect(try await deviceFailure { _ = try await update(wrong) }.code == .invalidBody)
        }
        #expect(try await fixture.made.database.auditLog("gd_update_device_account").map(\.device) == ["dev_one"])
    }

    @Test("A device that takes the identifier of the user's other one gets 409, and both stay unchanged")
    func identifierTaken() async throws {
        let fixture = try await FlowFixture()
        let key = try Keys.signer(.es256, "other").publicKey
        let other = try await run(fixture, request(identifier: "PHONE-2", key: key), ticket(fixture))
        let proven = try await DeviceAuthenticator(
            store: fixture.enrollmentStore, verifier: fixture.verifier, hashing: Samples.hashing
        ).authenticate(
            bearer: token(fixture), as: nil, at: .deviceAccounts, context: fixture.context)
        let failure = try await deviceFailure {
            _ = try await manager(fixture).update(
                proven, with: DeviceAccountUpdate(identifier: "PHONE-2"), context: fixture.context)
        }
        #expect(failure.code == .enrollmentConflict)
        for (id, identifier) in [(proven.device.id, "PHONE-1"), (DeviceID(other.id), "PHONE-2")] {
            let left = try await fixture.enrollmentStore.device(id, tenant: fixture.tenant.id)
            #expect(left?.device.identifier == identifier)
        }
    }
}
