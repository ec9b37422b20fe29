import ApprovalWire
import CountersignClient
import Foundation
import HTTPModel
import JOSE
import OpenSSLCrypto
import Primitives
import Testing

@Suite("Receipts of approvals")
struct ApprovalReceiptTests {
    private static func vectors() throws -> JSONValue {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "docs/receipts/vectors.json")
        return try JSONReader.parse(Array(try Data(contentsOf: file)))
    }

    private static func verified(_ vector: JSONValue, keys: JSONValue) throws -> ApprovalReceipt {
        try ApprovalReceipt(
            verifying: try #require(vector["receipt"]?.stringValue), keys: Data(JSONWriter.bytes(keys)),
            issuer: try #require(vector["issuer"]?.stringValue.flatMap(URL.init(string:))))
    }

    @Test("docs/receipts/vectors.json: each receipt is valid, or refused by its rule")
    func vectors() throws {
        let document = try Self.vectors()
        let keys = try #require(document["jwks"])
        let vectors = try #require(document["vectors"]?.arrayValue)
        #expect(vectors.count > 100)
        for vector in vectors {
            var rule: String?
            do { _ = try Self.verified(vector, keys: keys) } catch CountersignError.receiptInvalid(let broken, _) {
                rule = broken
            }
            #expect(rule == vector["rule"]?.stringValue, "\(vector["name"]?.stringValue ?? "")")
        }
    }

    @Test("A receipt of a decision in a browser has the login of its session, and no device")
    func session() throws {
        let document = try Self.vectors()
        let vector = try #require(document["vectors"]?.arrayValue?.first { $0["name"] == "valid-session" })
        let receipt = try Self.verified(vector, keys: try #require(document["jwks"]))
        #expect(receipt.level == .session && receipt.device == nil)
        #expect(receipt.session?.methods == ["pwd", "otp", "mfa"])
        #expect(receipt.session?.authenticatedAt == Date(timeIntervalSince1970: 1_795_168_200))
        #expect(receipt.proven.contains { $0.contains("by pwd, otp, mfa") })
    }

    @Test("A verified receipt has the request, the answer and the device")
    func members() throws {
        let document = try Self.vectors()
        let vectors = try #require(document["vectors"]?.arrayValue)
        func receipt(_ name: JSONValue) throws -> ApprovalReceipt {
            try Self.verified(
                try #require(vectors.first { $0["name"] == name }), keys: try #require(document["jwks"]))
        }
        let numbers = try receipt("valid-numbers-as-spelt")
        #expect(numbers.id == "cns_4Bf0Yk2mT9qLw7Xa" && numbers.tenant == "shop")
        #expect(numbers.issuer == "https://id.shop.example/" && numbers.user == "auth0|65f0c1e2")
        #expect(numbers.client.name == "Ordering agent" && numbers.audience.id == "https://api.shop.example/")
        #expect(numbers.scopes.map(\.description) == [nil, "Pay orders"])
        #expect(numbers.bindingMessage == "Order 4711")
        let details = numbers.authorizationDetails.map(JSONWriter.string)
        #expect(
            details == [#"{"type":"payment","amount":1.10,"limit":1e2,"reference":12345678901234567890,"zero":-0.0}"#])
        #expect(numbers.record.contains(details[0]))
        #expect(Base64URL.encode(OpenSSLHashing().sha256(Array(numbers.record.utf8))) == numbers.digest)
        #expect(numbers.decision == .allowed && numbers.reason == nil && numbers.level == .signedDigest)
        #expect(numbers.decidedAt == Date(timeIntervalSince1970: 1_795_168_842.25))
        #expect(numbers.device?.name == "Hanna's phone" && numbers.device?.publicKey.keyType == .ec)
        #expect(numbers.device?.answer.split(separator: ".").count == 3)
        #expect(numbers.auditPlaces.entry.hasPrefix("4711:"))
        #expect(!numbers.proven.isEmpty && !numbers.notProven.isEmpty)

        let rejected = try receipt("valid-rejected-with-reason")
        #expect(rejected.decision == .rejected && rejected.reason == "I did not order anything")
        let session = try receipt("valid-session")
        #expect(session.level == .session && session.device == nil)
    }

    @Test("Keys that are no JWK set are a mistake of the caller, not a fault of the receipt")
    func wrongKeys() throws {
        let issuer = try #require(URL(string: ClientFixture.issuer))
        #expect(throws: CountersignError.invalidRequest("the keys are no JWK set")) {
            try ApprovalReceipt(verifying: "", keys: Data("{}".utf8), issuer: issuer)
        }
    }

    // MARK: With tokens, and by id

    private func receipt(
        _ fixture: ClientFixture, client: String = "agent", user: String = ClientFixture.user,
        decision: ApprovalEvidence.Decision = .allowed, by key: OpenSSLSigner? = nil
    ) throws -> String {
        let now = fixture.clock.now
        let record = RequestRecord(
            id: "cns_1/2", issuer: ClientFixture.issuer, tenant: "shop", client: .init(id: client, name: "Agent"),
            user: user, audience: .init(id: "https://pay.example/", name: "Pay"), scope: [],
            bindingMessage: "Order 4711", authorizationDetails: [], createdAt: now, expiresAt: now + .seconds(300),
            salt: "xSE1cm6SC3gzqoJX6xkQeA")
        let place = "1:" + String(repeating: "0a", count: 32)
        let claims = ReceiptClaims(
            issuedAt: now,
            evidence: ApprovalEvidence(
                record: record, decision: decision, reason: nil, decidedAt: now, level: .session, answer: nil,
                session: .init(digest: "sid", authenticatedAt: now, methods: ["pwd"], contextClass: nil)),
            digest: record.digest(OpenSSLHashing()), audit: .init(entry: place, head: place))
        return try JWS.sign(claims.payload, type: ReceiptClaims.type, with: key ?? fixture.key)
    }

    /// Tokens of a request that was started with or without asking for a receipt.
    private func tokens(_ fixture: ClientFixture, _ receipt: String?) async throws -> Tokens {
        fixture.transport.answer(
            "/bc-authorize", 200, ["auth_req_id": "req-1", "expires_in": 300, "interval": 5])
        var request = BackchannelRequest(user: ClientFixture.user, bindingMessage: "Order 4711")
        request.approvalReceipt = receipt != nil
        let client = try fixture.client()
        let pending = try await client.start(request)
        fixture.transport.answer(
            "/oauth/token", 200, try fixture.tokenResponse(["approval_receipt": receipt.map(JSONValue.string) ?? .null])
        )
        return try await client.tokens(for: pending)
    }

    @Test("approval_receipt=true is sent if the request asks for it, and the receipt with the tokens is verified")
    func withTokens() async throws {
        let fixture = try ClientFixture()
        let text = try receipt(fixture)
        let tokens = try await tokens(fixture, text)
        #expect(fixture.transport.sent("/bc-authorize").last?.form["approval_receipt"] == "true")
        #expect(tokens.approvalReceipt == text)
        let receipt = try #require(try await fixture.client().approvalReceipt(in: tokens))
        #expect(receipt.encoded == text && receipt.id == "cns_1/2" && receipt.decision == .allowed)
        #expect(Tokens(json: tokens.json)?.approvalReceipt == text)
    }

    @Test("Without approval_receipt there is none")
    func withoutReceipt() async throws {
        let fixture = try ClientFixture()
        let tokens = try await tokens(fixture, nil)
        #expect(fixture.transport.sent("/bc-authorize").last?.form["approval_receipt"] == nil)
        #expect(try await fixture.client().approvalReceipt(in: tokens) == nil)
        #expect(tokens.json["approval_receipt"] == nil)
    }

    @Test("A valid receipt that is not about these tokens is refused")
    func foreign() async throws {
        let fixture = try ClientFixture()
        let key = try OpenSSLSigner.generate(algorithm: .es256, keyID: "key-1")
        for (text, expected) in [
            (try receipt(fixture, client: "another"), "client"), (try receipt(fixture, user: "auth0|other"), "subject"),
            (try receipt(fixture, decision: .rejected), "decision"), (try receipt(fixture, by: key), "signature"),
        ] {
            let tokens = try await tokens(fixture, text)
            let error = await failure { try await fixture.client().approvalReceipt(in: tokens)?.id }
            guard case .receiptInvalid(let rule, _)? = error else {
                Issue.record("\(expected): \(error.debugDescription)")
                continue
            }
            #expect(rule == expected)
        }
    }

    @Test("Keys are fetched again for an unknown kid, because they may have been rotated")
    func rotation() async throws {
        let fixture = try ClientFixture()
        let next = try OpenSSLSigner.generate(algorithm: .es256, keyID: "key-2")
        let tokens = try await tokens(fixture, try receipt(fixture, by: next))
        let client = try fixture.client()
        _ = try await client.verify(idToken: try fixture.sign(fixture.idTokenClaims))
        fixture.transport.publish([fixture.key.publicKey, next.publicKey])
        #expect(try await client.approvalReceipt(in: tokens)?.user == ClientFixture.user)
    }

    @Test("A receipt is fetched by its id with the approval's access token")
    func fetched() async throws {
        let fixture = try ClientFixture()
        let text = try receipt(fixture)
        let client = try fixture.client()
        for path in ["/approvals/cns_1%2F2/receipt", "/approvals/cns_3/receipt"] {
            fixture.transport.answer(path) { _ in
                ClientResponse(
                    status: 200, fields: ["Content-Type": ReceiptClaims.mediaType], body: Array(text.utf8))
            }
        }
        #expect(try await client.approvalReceipt(id: "cns_1/2", accessToken: "access-1").encoded == text)
        let sent = try #require(fixture.transport.sent("/approvals/cns_1%2F2/receipt").last)
        #expect(sent.fields["Authorization"] == "Bearer access-1")
        let other = await failure { try await client.approvalReceipt(id: "cns_3", accessToken: "access-1").id }
        #expect(other == .receiptInvalid(rule: "id", "it is about another approval"))
    }

    @Test("An access token of another approval gets the server's refusal")
    func refused() async throws {
        let fixture = try ClientFixture()
        fixture.transport.answer(
            "/approvals/cns_3/receipt", 401, ["error": "invalid_token", "error_description": "The token has expired"])
        let client = try fixture.client()
        let error = await failure { try await client.approvalReceipt(id: "cns_3", accessToken: "old").id }
        #expect(error == .clientRejected("The token has expired"))
    }
}
