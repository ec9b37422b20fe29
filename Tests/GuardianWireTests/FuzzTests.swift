import GuardianWire
import JOSE
import Primitives
import TestSupport
import TestTools
import Testing

@Suite("Mutated input")
struct FuzzTests {
    @Test("Enrolment URIs survive writing and reading")
    func enrollmentURI() throws {
        let totp = try TOTPParameters(secret: "JBSWY3DPEHPK3PXP")
        var fuzzer = MutationFuzzer(
            corpus: [
                EnrollmentURI(
                    transactionID: "f3QwL0", baseURL: "https://h.example", issuer: "My Tenant", account: "a+b@x",
                    totp: totp
                ).text,
                "otpauth://totp/My%20Tenant%3Aann?enrollment_tx_id=x&counter=1&id=dev_1",
            ],
            tokens: ["otpauth://", "totp", "enrollment_tx_id=", "%3A", ":", "/", "?", "&", "=", "#", "%", "digits="])
        fuzzer.check("enrolment URI") { input in
            guard let text = String(validating: input, as: UTF8.self), let uri = try? EnrollmentURI(parsing: text)
            else {
                return true
            }
            return try EnrollmentURI(parsing: uri.text) == uri
        }
    }

    @Test("Push payloads")
    func payload() {
        var fuzzer = MutationFuzzer(
            corpus: [NotificationPayloadTests.apns],
            tokens: ["\"mfa\":", "\"s\":", "\"l\":", "null", "1e999", "\"lat\":", "-", "2026-11-20T10:00:00.000+0000"])
        fuzzer.check("push payload") { input in
            guard let payload = try? NotificationPayload(apnsParsing: input) else { return true }
            return try NotificationPayload(apnsParsing: payload.apns) == payload
        }
    }

    @Test("Consent records")
    func consent() {
        var fuzzer = MutationFuzzer(
            corpus: [
                String(decoding: ConsentRecordTests.record.json, as: UTF8.self), ConsentRecordTests.withNumbers,
            ],
            tokens: [
                "\"client\":{\"client_id\":\"c\"}", "\"scope_descriptions\":{\"a\":\"b\"}", "null", "1e11", "\"inf\"",
            ])
        fuzzer.check("consent record") { input in
            guard let record = try? ConsentRecord(parsing: input) else { return true }
            return try ConsentRecord(parsing: record.json) == record
        }
    }

    @Test("Event streams split anywhere give the same events")
    func eventStream() {
        let stream = DeviceEventTests.events.flatMap(\.serverSentEvent.bytes) + ServerSentEvent.keepAlive
        var fuzzer = MutationFuzzer(
            corpus: [String(decoding: stream, as: UTF8.self)],
            tokens: ["data:", "id:", "event:", "retry:", "\n\n", "\r", "\r\n", ":"])
        fuzzer.check("event stream") { input in
            var whole = ServerSentEventParser()
            var pieces = ServerSentEventParser()
            let expected = try whole.parse(input)
            let middle = input.count / 2
            let read = try pieces.parse(input[..<middle]) + pieces.parse(input[middle...])
            for event in expected { _ = try? DeviceEvent(event) }
            return read == expected && pieces.lastEventID == whole.lastEventID
        }
    }

    @Test("Bodies and fields: no input makes a parser trap")
    func bodies() {
        var fuzzer = MutationFuzzer(
            corpus: [
                #"{"identifier":"i","name":"n","push_credentials":{"service":"APNS","token":"t"},"public_key":{"kty":"RSA","n":"AQAB","e":"AQAB"}}"#,
                #"{"id":"d","url":"u","issuer":"i","user_id":"u","token":"t","totp":{"secret":"JBSW","algorithm":"sha1","digits":6,"period":30}}"#,
                #"{"iss":"i","sub":"c","aud":"a","iat":1.5,"exp":2e9,"auth0_guardian_method":"push","auth0_guardian_accepted":true}"#,
                #"{"statusCode":"404","error":"e","message":"m","errorCode":"c"}"#, #"Ticket id="abc""#,
                "https://h.example:8443/x/appliance-mfa?a#b", "eyJuYW1lIjoiR3VhcmRpYW4uc3dpZnQifQ==",
            ], tokens: ["\"id\"", "\"totp\":", "null", "1e400", "-1", "[", "]", "://", ":", "@", "=="])
        fuzzer.check("bodies") { input in
            _ = try? EnrollmentRequest(parsing: input)
            _ = try? EnrollmentResponse(parsing: input)
            _ = try? DeviceAccountUpdate(parsing: input)
            _ = try? ResolveTransactionRequest(parsing: input)
            _ = try? GuardianErrorBody(parsing: input, status: 400)
            if let claims = Claims(payload: input) {
                _ = try? ChallengeResponse(claims)
                _ = try? DeviceToken(claims)
                _ = try? DPoPProof(claims)
            }
            let text = String(decoding: input, as: UTF8.self)
            _ = EnrollmentTicketAuthorization(parsing: text)
            // A normal form is its own normal form.
            if let normal = normalizedURL(text), normalizedURL(normal) != normal { return false }
            guard let base = ApplianceBase(text) else { return true }
            return ApplianceBase(base.url) == base || base.url.contains("guardian.")
        }
    }
}
