import Administration
import ApprovalWire
import AuthorizationCore
import Configuration
import Flows
import JOSE
import OAuthWire
import Primitives
import SQL
import TestSupport
import Testing

@Suite("Starting a backchannel request")
struct StartTests {
    @Test("CIBA Core 7.3: the acknowledgement has an id of 64 characters, the expiry and the interval")
    func acknowledgement() async throws {
        let fixture = try await FlowFixture(tenant: Samples.tenant { $0.settings.pollInterval = 7 })
        let answer = try await fixture.start()
        #expect(answer.authReqID.utf8.count == 64)
        #expect(Base64URL.decode(answer.authReqID)?.count == 48)
        #expect(answer.expiresIn == 300)
        #expect(answer.interval == 7)
        let other = try await fixture.start()
        #expect(other.authReqID != answer.authReqID)
        #expect(fixture.signal.count == 2)
    }

    @Test("CIBA Core 13: a user who is deleted or blocked during the start is unknown, and nothing is stored")
    func changedDuringStart() async throws {
        let fixture = try await FlowFixture()
        let changes: [@Sendable () async throws -> Void] = [
            { try await fixture.change(ann: { $0.blocked = true }) },
            { try await fixture.made.database.write { _ = try $0.execute(#"DELETE FROM "user""#) } },
        ]
        for change in changes {
            try await fixture.change(ann: { $0.blocked = false })
            let store = ChangingStore(wrapped: fixture.startStore, change: change)
            let error = try await oauthError { _ = try await fixture.start(store: store) }
            #expect(error.code == .unknownUserID)
        }
        #expect(try await fixture.made.database.count("backchannel_request") == 0)
        #expect(try await fixture.made.database.auditLog("ciba_start_failed").count == 2)
        #expect(fixture.signal.count == 0)
    }

    @Test("Requests are stored in the order of their start, and no other request's time finds one")
    func order() async throws {
        let fixture = try await FlowFixture()
        var ids: [String] = []
        for _ in 0..<4 {
            ids.append(try await fixture.start().authReqID)
            fixture.clock.advance(by: .milliseconds(700))
        }
        let hashes = ids.map { AuthReqIDHash(of: $0, Samples.hashing) }
        #expect(hashes.map { Hex.encode($0.bytes) } == hashes.map { Hex.encode($0.bytes) }.sorted())
        #expect(Set(hashes).count == 4 && Set(hashes.map(\.consentID)).count == 4)
        let forged = ids[0].prefix(8) + ids[1].dropFirst(8)
        let found = try await fixture.redeemStore.request(
            AuthReqIDHash(of: String(forged), Samples.hashing), tenant: fixture.tenant.id)
        #expect(found == nil)
        for strange in ["", "x", "!!!!!!!!", ids[0] + "A"] {
            #expect(!hashes.contains(AuthReqIDHash(of: strange, Samples.hashing)))
        }
    }

    @Test("The request is stored as sent, with the peer in the audit log")
    func stored() async throws {
        let fixture = try await FlowFixture()
        let details = #"[{"type":"payment","amount":12.50}]"#
        let answer = try await fixture.start([
            "audience": Samples.api, "scope": "openid profile pay:send", "authorization_details": details,
            "requested_expiry": "60",
        ])
        let request = try await fixture.stored(answer.authReqID)
        #expect(request.consentID.rawValue.hasPrefix("cns_"))
        #expect(request.consentID.rawValue.utf8.count == 26)
        #expect(request.scope.description == "openid profile pay:send")
        #expect(request.audience == Samples.api)
        #expect(request.record.bindingMessage == "TX-4711")
        #expect(request.authorizationDetails.map(JSONWriter.string) == details)
        #expect(request.expiresAt == fixture.clock.now + .seconds(60))
        #expect(request.channel == .guardianPush)
        let log = try await fixture.made.database.auditLog("ciba_start_succeeded")
        #expect(log.map(\.remoteAddress) == [FlowFixture.remote])
        #expect(log.map(\.user) == ["auth0|ann"])
    }

    // MARK: scope and audience

    @Test("openid is required without authorization_details; with them it is optional")
    func openid() async throws {
        let fixture = try await FlowFixture()
        let error = try await oauthError { _ = try await fixture.start(["scope": "profile"]) }
        #expect(error.code == .invalidRequest)
        #expect(error.description.text == "openid scope must be requested")
        let answer = try await fixture.start([
            "scope": nil, "audience": Samples.api, "authorization_details": #"[{"type":"payment"}]"#,
        ])
        #expect(try await fixture.stored(answer.authReqID).scope.isEmpty)
    }

    @Test("Without an audience the tokens are for the userinfo endpoint, with OpenID scopes alone")
    func noAudience() async throws {
        let fixture = try await FlowFixture()
        for audience in [nil, "", "None", "https://dev.example/userinfo"] {
            let answer = try await fixture.start(["audience": audience, "scope": "openid email pay:send"])
            let request = try await fixture.stored(answer.authReqID)
            #expect(request.audience == "https://dev.example/userinfo")
            #expect(request.scope.description == "openid email")
        }
    }

    @Test("A tenant's default audience is used if the client names none")
    func defaultAudience() async throws {
        let fixture = try await FlowFixture(tenant: Samples.tenant { $0.settings.defaultAudience = Samples.api })
        #expect(try await fixture.stored(fixture.start().authReqID).audience == Samples.api)
    }

    @Test("An unknown API, or one the client may not use, is invalid_target")
    func audienceRules() async throws {
        let clients = [
            Samples.client { $0.limit(to: [Samples.api: ["pay:read"]]) }, Samples.client("none") { $0.limit(to: [:]) },
        ]
        let fixture = try await FlowFixture(clients: clients)
        let unknown = try await oauthError { _ = try await fixture.start(["audience": "https://none/"]) }
        #expect(unknown.code == .invalidTarget)
        #expect(unknown.description.text == "Service not found: https://none/")
        // RFC 8707 2.2: an identifier is compared as it is. One that differs in the slash is named to its clients alone.
        let slash = Samples.api.hasSuffix("/") ? String(Samples.api.dropLast()) : Samples.api + "/"
        for (client, hint) in [("agent", ". The API is registered as \(Samples.api)"), ("none", "")] {
            let near = try await oauthError { _ = try await fixture.start(["audience": slash], client: client) }
            #expect(near.code == .invalidTarget && near.description.text == "Service not found: \(slash)\(hint)")
        }
        let refused = try await oauthError { _ = try await fixture.start(["audience": Samples.api], client: "none") }
        #expect(refused.code == .invalidTarget)
        let answer = try await fixture.start(["audience": Samples.api, "scope": "openid pay:read pay:send"])
        #expect(
            try await fixture.stored(answer.authReqID).scope.description == "openid pay:read", "granted scopes alone")
    }

    @Test("An API whose consent policy asks for MFA in the transaction takes no backchannel request")
    func consentPolicy() async throws {
        let fixture = try await FlowFixture(apis: [Samples.resourceServer { $0.requiresTransactionalMFA = true }])
        let error = try await oauthError { _ = try await fixture.start(["audience": Samples.api]) }
        #expect(error.code == .invalidTarget)
    }

    @Test("Scopes the API does not define are dropped; RBAC drops those the user's roles do not permit")
    func scopes() async throws {
        let payer = Role(
            id: RoleID("payer"), name: "Payer", description: "",
            permissions: [
                Role.Permission(resourceServer: Samples.api, scope: "pay:send"),
                Role.Permission(resourceServer: "https://else/", scope: "pay:read"),
            ])
        let changes: [String: String?] = ["audience": Samples.api, "scope": "openid pay:read pay:send pay:all email"]
        let free = try await FlowFixture()
        #expect(
            try await free.stored(free.start(changes).authReqID).scope.description == "openid pay:read pay:send email")
        let api = try Samples.resourceServer { $0.enforcesPolicies = true }
        let none = try await FlowFixture(apis: [api], roles: [payer])
        #expect(try await none.stored(none.start(changes).authReqID).scope.description == "openid email")
        let some = try await FlowFixture(
            apis: [api], roles: [payer], ann: { $0.roles = [RoleID("payer"), RoleID("gone")] })
        #expect(try await some.stored(some.start(changes).authReqID).scope.description == "openid pay:send email")
    }

    @Test("offline_access passes if the API allows it")
    func offlineAccess() async throws {
        let changes: [String: String?] = ["audience": Samples.api, "scope": "openid offline_access"]
        let closed = try await FlowFixture()
        #expect(try await closed.stored(closed.start(changes).authReqID).scope.description == "openid")
        let open = try await FlowFixture(apis: [Samples.resourceServer { $0.allowsOfflineAccess = true }])
        #expect(try await open.stored(open.start(changes).authReqID).scope.description == "openid offline_access")
    }

    // MARK: authorization_details

    @Test("RFC 9396 5: details need an API that registered their type and must fit its schema")
    func details() async throws {
        let schema: JSONValue = [
            "type": "object", "required": ["amount"], "properties": ["amount": ["type": "number", "maximum": 1000]],
        ]
        let fixture = try await FlowFixture(apis: [Samples.resourceServer(schema: schema)])
        func refusal(_ details: String, audience: String? = Samples.api) async throws -> String {
            let error = try await oauthError {
                _ = try await fixture.start(["audience": audience, "authorization_details": details])
            }
            #expect(error.code == .invalidAuthorizationDetails)
            return error.description.text
        }
        #expect(try await refusal(#"[{"type":"payment","amount":1}]"#, audience: nil).contains("needs an audience"))
        let unknown = try await refusal(#"[{"type":"payment","amount":1},{"type":"gift"}]"#)
        #expect(unknown.contains("[1]") && unknown.contains("'gift'"))
        let missing = try await refusal(#"[{"type":"payment"}]"#)
        #expect(missing.hasPrefix("authorization_details[0]: ") && missing.contains("amount"))
        let large = try await refusal(#"[{"type":"payment","amount":1},{"type":"payment","amount":1001}]"#)
        #expect(large.hasPrefix("authorization_details[1]: ") && large.contains("1000"))
        _ = try await fixture.start([
            "audience": Samples.api, "authorization_details": #"[{"type":"payment","amount":1000}]"#,
        ])
    }

    // MARK: user

    @Test(
        "login_hint: any spelling of this tenant's issuer, in any JSON form",
        arguments: [
            #"{"format":"iss_sub","iss":"https://dev.example/","sub":"auth0|ann"}"#,
            #"{ "sub" : "auth0|ann", "iss": "https://dev.example", "format" :"iss_sub" }"#,
            #"{"format":"iss_sub","iss":"https://LOGIN.example:443/","sub":"auth0|ann"}"#,
        ])
    func loginHint(hint: String) async throws {
        let fixture = try await FlowFixture(tenant: Samples.tenant(hosts: ["dev.example", "login.example"]))
        #expect(try await !fixture.start(["login_hint": hint]).authReqID.isEmpty)
    }

    @Test("login_hint: another issuer is refused, an unknown or blocked user is unknown_user_id")
    func otherHints() async throws {
        let fixture = try await FlowFixture(ann: { $0.blocked = true })
        for issuer in ["https://other.example/", "http://dev.example/", "https://dev.example/x", "dev.example"] {
            let error = try await oauthError {
                _ = try await fixture.start([
                    "login_hint": LoginHint.issuerSubject(issuer: issuer, subject: "auth0|ann").json
                ])
            }
            #expect(error.code == .invalidRequest)
            #expect(error.description.text.contains("iss within login_hint"))
        }
        for subject in ["auth0|nobody", "auth0|ann"] {
            let error = try await oauthError {
                _ = try await fixture.start([
                    "login_hint": LoginHint.issuerSubject(issuer: "https://dev.example/", subject: subject).json
                ])
            }
            #expect(error.code == .unknownUserID)
            #expect(error.description.text == "User ID is malformed or unknown")
        }
    }

    @Test(
        "RFC 9493 3.2: a user is named by iss_sub, email, phone_number or opaque, or by a bare e-mail address",
        arguments: [
            #"{"format":"email","email":"Ann@Shop.example"}"#, "ann@shop.example", " ANN@shop.example ",
            #"{"format":"phone_number","phone_number":"+4930123456"}"#, #"{"format":"opaque","id":"auth0|ann"}"#,
        ])
    func subjectIdentifiers(hint: String) async throws {
        let fixture = try await FlowFixture(ann: {
            $0.email = "ann@shop.example"
            $0.emailVerified = true
            $0.phoneNumber = "+4930123456"
            $0.phoneVerified = true
        })
        #expect(try await fixture.stored(fixture.start(["login_hint": hint]).authReqID).user == UserID("auth0|ann"))
    }

    @Test("An address or number that is not verified, or that two users have verified, is unknown_user_id")
    func unverifiedHints() async throws {
        let hints = ["ann@shop.example", #"{"format":"phone_number","phone_number":"+4930123456"}"#]
        let fixture = try await FlowFixture(ann: {
            $0.email = "ann@shop.example"
            $0.phoneNumber = "+4930123456"
        })
        func refuse() async throws {
            for hint in hints {
                let error = try await oauthError { _ = try await fixture.start(["login_hint": hint]) }
                #expect(error.code == .unknownUserID, "\(hint)")
                #expect(error.description.text == "User ID is malformed or unknown")
            }
        }
        try await refuse()
        for id in ["auth0|ann", "github|ann"] {
            let user = Samples.user(id) {
                $0.email = "ann@shop.example"
                $0.emailVerified = true
                $0.phoneNumber = "+4930123456"
                $0.phoneVerified = true
            }
            try await fixture.configurationStore.change { [tenant = fixture.tenant.id] in
                try $0.put(user, passwordHash: nil, in: tenant)
            }
            if id == "auth0|ann" { for hint in hints { _ = try await fixture.start(["login_hint": hint]) } }
        }
        try await refuse()
    }

    @Test("A login_hint that is no e-mail address, number or id is refused with advice")
    func wrongHints() async throws {
        let fixture = try await FlowFixture()
        for (hint, text) in [
            ("a@b", "it holds no e-mail address"), ("@", "it holds no e-mail address"),
            (#"{"format":"email","email":"ann"}"#, "an e-mail address has an @"),
            (#"{"format":"email","email":"\#(String(repeating: "a", count: 251))@b.c"}"#, "at most 254 bytes"),
            (#"{"format":"phone_number","phone_number":"030 123"}"#, "E.164"),
            (#"{"format":"phone_number","phone_number":"+"}"#, "E.164"),
            (#"{"format":"opaque","id":""}"#, "must be a text that is not empty"),
            (#"{"format":"uri","uri":"acct:ann@shop.example"}"#, "one of iss_sub, email, phone_number and opaque"),
        ] {
            let error = try await oauthError { _ = try await fixture.start(["login_hint": hint]) }
            #expect(error.code == .invalidRequest)
            #expect(error.description.text.contains(text), "\(hint): \(error.description.text)")
        }
    }

    // MARK: the client

    @Test("A client needs the CIBA grant and must be first-party")
    func clientRules() async throws {
        let fixture = try await FlowFixture(clients: [
            Samples.client("bare") { $0.grantTypes = [] }, Samples.client("third") { $0.isFirstParty = false },
        ])
        for client in ["bare", "third"] {
            let error = try await oauthError { _ = try await fixture.start(client: client) }
            #expect(error.code == .unauthorizedClient)
        }
    }

    @Test("RFC 6749 2.3.1: a wrong secret and an unknown client get the same answer; any current secret works")
    func authentication() async throws {
        let fixture = try await FlowFixture(clients: [
            Samples.client { $0.secretHashes.append(Samples.hashing.sha256(Array("second".utf8))) },
            Samples.client("empty") { $0.secretHashes = [] },
        ])
        func authenticate(_ id: String, _ secret: String?) throws {
            var text = "client_id=\(id)"
            if let secret { text += "&client_secret=\(secret)" }
            let parameters = try Parameters(body: Array(text.utf8), mediaType: "application/x-www-form-urlencoded")
            _ = try fixture.authenticated(by: parameters)
        }
        try authenticate("agent", "second")
        let wrong = try #require(throws: OAuthError.self) { try authenticate("agent", "third") }
        let unknown = try #require(throws: OAuthError.self) { try authenticate("nobody", "second") }
        #expect(wrong.code == .invalidClient)
        #expect(wrong.description == unknown.description)
        #expect(throws: OAuthError.self) { try authenticate("agent", nil) }
        #expect(throws: OAuthError.self) { try authenticate("empty", "second") }
    }

    // MARK: limits

    @Test("The sixth request to a user within a minute is too_many_requests, with the time to retry")
    func rateLimit() async throws {
        let fixture = try await FlowFixture()
        for _ in 0..<5 {
            _ = try await fixture.start()
            fixture.clock.advance(by: .seconds(2))
        }
        let error = try await oauthError { _ = try await fixture.start() }
        #expect(error.code == .tooManyRequests)
        #expect(error.retryAfter == 50)
        #expect(error.rateLimit?.limit == 5)
        #expect(error.rateLimit?.remaining == 0)
        #expect(error.rateLimit?.reset == fixture.clock.now.seconds + 50)
        fixture.clock.advance(by: .milliseconds(49_999))
        #expect(try await oauthError { _ = try await fixture.start() }.retryAfter == 1)
        fixture.clock.advance(by: .milliseconds(1))
        _ = try await fixture.start()
    }

    @Test("Undecided requests of a user and of a tenant are limited")
    func pendingLimits() async throws {
        let user = try await FlowFixture(tenant: Samples.tenant { $0.settings.pendingRequestsPerUser = 1 })
        let first = try await user.start()
        #expect(try await oauthError { _ = try await user.start() }.code == .tooManyRequests)
        try await user.reject(first.authReqID)
        _ = try await user.start()
        let tenant = try await FlowFixture(tenant: Samples.tenant { $0.settings.pendingRequests = 1 })
        _ = try await tenant.start()
        #expect(try await oauthError { _ = try await tenant.start() }.code == .tooManyRequests)
    }
}

/// Runs `change` between the reading of the user and the start.
private struct ChangingStore: BackchannelStartStore {
    let wrapped: any BackchannelStartStore
    let change: @Sendable () async throws -> Void

    func approver(_ user: UserReference, tenant: TenantID) async throws -> Approver? {
        try await wrapped.approver(user, tenant: tenant)
    }

    func passkeys(of user: UserID, tenant: TenantID) async throws -> [OwnedPasskey] {
        try await wrapped.passkeys(of: user, tenant: tenant)
    }

    func earlierStart(_ key: [UInt8], tenant: TenantID, now: Timestamp) async throws -> EarlierStart? {
        try await wrapped.earlierStart(key, tenant: tenant, now: now)
    }

    func start(_ request: NewBackchannelRequest, limits: StartLimits) async throws -> StartOutcome {
        try await change()
        return try await wrapped.start(request, limits: limits)
    }
}
