import GuardianWire
import Primitives
import Testing

@Suite("Consent records")
struct ConsentRecordTests {
    static let record = ConsentRecord(
        id: "cns_1",
        requestedDetails: .init(
            audience: "https://pay.example/", scope: ["openid", "pay:send"], bindingMessage: "TX-4711",
            authorizationDetails: [["type": "payment", "amount": ["value": 12, "currency": "EUR"]]],
            authorizationDetailsID: "ad_1"),
        createdAt: Timestamp(seconds: 1_795_168_800), expiresAt: Timestamp(seconds: 1_795_169_100))

    /// The record in Auth0's documented form.
    static let withNumbers =
        #"{"id":"cns_1","requested_details":{"audience":"https://pay.example/","scope":["openid","pay:send"],"binding_message":"TX-4711","authorization_details":[{"type":"payment","amount":{"value":12,"currency":"EUR"}}],"authorization_details_id":"ad_1"},"created_at":1795168800,"expires_at":1795169100}"#

    @Test("Dates are written as ISO 8601 strings with milliseconds, and read as numbers too")
    func dates() throws {
        #expect(try ConsentRecord(parsing: Array(Self.withNumbers.utf8)) == Self.record)
        let text = String(decoding: Self.record.json, as: UTF8.self)
        #expect(
            text
                == Self.withNumbers
                .replacing("1795168800", with: #""2026-11-20T10:00:00.000Z""#)
                .replacing("1795169100", with: #""2026-11-20T10:05:00.000Z""#))
        #expect(try ConsentRecord(parsing: Array(text.utf8)) == Self.record)
        let decimal = text.replacing("2026-11-20T10:05:00.000Z", with: "1795169100")
        #expect(try ConsentRecord(parsing: Array(decimal.utf8)).expiresAt == Self.record.expiresAt)
    }

    @Test("Scope descriptions and the client are optional")
    func additions() throws {
        var record = Self.record
        record.client = .init(clientID: "c1", name: "Agent")
        record.requestedDetails.scopeDescriptions = ["pay:send": "Send money"]
        #expect(try ConsentRecord(parsing: record.json) == record)
    }

    @Test(
        "An unreadable record is refused with the member's name",
        arguments: [
            (#"{"id":"c"}"#, GuardianWireFailure.missing("requested_details")),
            (
                #"{"id":"c","requested_details":{"audience":"a","scope":"openid"}}"#,
                .invalid("requested_details.scope", expected: "an array of strings")
            ),
            (
                #"{"id":"c","requested_details":{"audience":"a","authorization_details":[1]}}"#,
                .invalid("requested_details.authorization_details", expected: "an array of objects")
            ),
            (
                #"{"id":"c","requested_details":{"audience":"a"},"created_at":"soon"}"#,
                .invalid("created_at", expected: "seconds since 1970 or a date-time of RFC 3339")
            ),
        ])
    func refused(body: String, failure: GuardianWireFailure) {
        #expect(throws: failure) { try ConsentRecord(parsing: Array(body.utf8)) }
    }
}
