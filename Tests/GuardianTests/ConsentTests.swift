import Foundation
@testable import Guardian
import GuardianWire
import HTTPModel
import JOSE
import Primitives
import Testing

@Suite("Consent records")
struct ConsentTests {
    @Test("RFC 9449 4.2: the proof names method, URL and token, and carries the key")
    func proof() async throws {
        let key = try P256PrivateKey.new()
        let transport = ScriptedTransport([.answer(200, Self.record(#"1795168800,"expires_at":1795169100"#))])
        let consent = try await consent(forDomain: "id.example.org", configuration: Fixtures.configuration(transport))
            .fetch(consentId: "cns_1", transactionToken: "tx-token", signingKey: key).start()
        #expect(consent.createdAt == Date(Fixtures.now))

        let sent = try #require(transport.requests.first)
        #expect(sent.method == .get)
        #expect(sent.fields["Authorization"] == "MFA-DPoP tx-token")
        let (header, claims) = try Fixtures.verified(try #require(sent.fields["MFA-DPoP"]), by: key)
        #expect(header["typ"] == "dpop+jwt")
        #expect(try DPoPProof.key(in: header).isSameKey(as: try key.verificationKey().key))
        let proof = try DPoPProof(claims)
        #expect(proof.url == "https://id.example.org/rich-consents/cns_1")
        #expect(proof.method == "GET")
        #expect(proof.issuedAt == Fixtures.now)
        #expect(proof.accessTokenHash == DPoPProof.hash(of: "tx-token", hashing: platformHashing))
        #expect(UUID(uuidString: proof.identifier) != nil)
    }

    static func record(_ dates: String) -> String {
        #"{"id":"cns_1","requested_details":{"audience":"a","binding_message":"m","authorization_details":[{"type":"payment","amount":12.50,"z":1,"a":2},{"type":"other"}]},"created_at":\#(dates)}"#
    }

    @Test(
        "Dates are read as numbers and as ISO strings",
        arguments: [
            #"1795168800,"expires_at":1795169100"#,
            #""2026-11-20T10:00:00.000Z","expires_at":"2026-11-20T10:05:00.000Z""#,
        ])
    func dates(text: String) async throws {
        let transport = ScriptedTransport([.answer(200, Self.record(text))])
        let consent = try await consent(
            forDomain: "h.example", device: Fixtures.device(try P256PrivateKey.new()),
            configuration: Fixtures.configuration(transport)
        ).fetch(consentId: "cns_1", notificationToken: "t").start()
        #expect(consent.createdAt == Date(Fixtures.now))
        #expect(consent.expiresAt.timeIntervalSince(consent.createdAt) == 300)
        #expect(consent.requestedDetails.scope == [])

        let detail = consent.requestedDetails.authorizationDetails[0]
        #expect(detail.members?.map(\.name) == ["type", "amount", "z", "a"])
        #expect(detail["amount"]?.numberText == "12.50")
        #expect(detail["amount"]?.decimalValue == Decimal(string: "12.5"))
        #expect(consent.requestedDetails.filterAuthorizationDetailsByType(Payment.self).map(\.amount) == [12.5])
    }

    struct Payment: AuthorizationDetailsType {
        static let type = "payment"
        let amount: Decimal
    }

    @Test("A typed filter omits entries that do not decode")
    func mismatch() throws {
        struct Other: AuthorizationDetailsType {
            static let type = "other"
            let missing: String
        }
        let record = try ConsentRecord(parsing: Array(Self.record(#"1,"expires_at":2"#).utf8))
        let details = ConsentRequestedDetails(record.requestedDetails)
        #expect(details.filterAuthorizationDetailsByType(Other.self).isEmpty)
        #expect(details.authorizationDetails.count == 2)
    }

    @Test("JSON values survive a round trip through Codable")
    func codable() throws {
        let text = #"{"a":[1,2.5,-3,"x",true,null,{"b":{}}]}"#
        let json = try Json(parsing: Data(text.utf8))
        #expect(try JSONDecoder().decode(Json.self, from: Data(text.utf8)) == json)
        #expect(try JSONDecoder().decode(Json.self, from: try JSONEncoder().encode(json)) == json)
        #expect(json["a"]?[1]?.doubleValue == 2.5)
        #expect(json["a"]?[5]?.isNull == true)
        #expect(json["a"]?[9] == nil)
    }
}
