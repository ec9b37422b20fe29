import GuardianWire
import JOSE
import Primitives
import Testing

@Suite("Enrolment messages")
struct EnrollmentTests {
    @Test("An enrolment URI of Auth0's form is read")
    func recorded() throws {
        let uri = try EnrollmentURI(
            parsing: "otpauth://totp/My%20Tenant:ann%40example.org?enrollment_tx_id=f3QwL0-_x"
                + "&base_url=https%3A%2F%2Ftenant.eu.auth0.com.guardian.us.auth0.com")
        #expect(uri.transactionID == "f3QwL0-_x")
        #expect(uri.issuer == "My Tenant")
        #expect(uri.account == "ann@example.org")
        #expect(uri.baseURL == "https://tenant.eu.auth0.com.guardian.us.auth0.com")
        #expect(uri.totp == nil)
    }

    @Test("RFC 3986 3.5: a link to the approver has ticket and account in its fragment, which no server sees")
    func approverLink() {
        let approver = "https://id.example/approver"
        let named = EnrollmentURI(transactionID: "f3QwL0-_x", account: "ann&co@example.org #1")
        #expect(
            named.link(toApprover: approver) == "\(approver)#enroll=f3QwL0-_x&account=ann%26co%40example.org%20%231")
        #expect(EnrollmentURI(transactionID: "f3QwL0-_x").link(toApprover: approver) == "\(approver)#enroll=f3QwL0-_x")
    }

    @Test("An enrolment URI survives writing and reading")
    func roundTrip() throws {
        let totp = try TOTPParameters(secret: "JBSWY3DPEHPK3PXP", algorithm: .sha256, digits: 8, period: 60)
        let uri = EnrollmentURI(
            transactionID: "tx", baseURL: "https://h.example", issuer: "Zoë: & Söhne", account: "a+b@example.org",
            totp: totp)
        let read = try EnrollmentURI(parsing: uri.text)
        #expect(read == uri)
        #expect(read.totp == totp)
        #expect(uri.text.hasPrefix("otpauth://totp/Zo%C3%AB%3A%20%26%20S%C3%B6hne:a%2Bb%40example.org?secret=JBSW"))
        #expect(uri.text.contains("&issuer=Zo%C3%AB%3A%20%26%20S%C3%B6hne&"))
    }

    @Test("Without a secret, the label alone names the issuer, as in Auth0's URIs")
    func labelled() throws {
        let text =
            "otpauth://totp/My%20Tenant:ann%40example.org?enrollment_tx_id=f3QwL0-_x"
            + "&base_url=https%3A%2F%2Ftenant.example"
        #expect(try EnrollmentURI(parsing: text).text == text)
        #expect(try EnrollmentURI(parsing: "otpauth://totp/:a?enrollment_tx_id=x&issuer=").issuer == nil)
    }

    @Test(
        "A URI that is no enrolment is refused with the reason",
        arguments: [
            ("https://h.example", EnrollmentURI.Failure.notAnOTPAuthURI),
            ("OTPAUTH://totp/x?enrollment_tx_id=1", .notAnOTPAuthURI),
            ("otpauth://hotp/x?enrollment_tx_id=1", .type),
            ("otpauth://totp/x", .missingTransactionID),
            ("otpauth://totp/x?enrollment_tx_id=", .missingTransactionID),
            ("otpauth://totp/x?enrollment_tx_id=1&enrollment_tx_id=2", .malformed),
            ("otpauth://totp/x?enrollment_tx_id=%zz", .malformed),
            ("otpauth://totp/x?enrollment_tx_id=1&digits=six", .invalid(parameter: "digits")),
        ])
    func refused(text: String, failure: EnrollmentURI.Failure) {
        #expect(throws: failure) { try EnrollmentURI(parsing: text) }
    }

    @Test("Ticket authorisation: the scheme's case does not matter, the quotes do")
    func ticket() throws {
        #expect(EnrollmentTicketAuthorization(parsing: "ticket id=\"abc\"")?.ticket == "abc")
        #expect(EnrollmentTicketAuthorization(ticket: "abc")?.fieldValue == "Ticket id=\"abc\"")
        for value in [
            "Ticket", "Ticket id=abc", "Ticket id=\"\"", "Ticket id=\"a\"b\"", "Bearer id=\"a\"", "Ticket id=\"",
        ] {
            #expect(EnrollmentTicketAuthorization(parsing: value) == nil, "\(value)")
        }
    }

    static let modulus = [UInt8](repeating: 0xC3, count: 256)

    @Test("Guardian.swift's enrolment: the modulus begins with a zero byte, which is dropped")
    func leadingZero() throws {
        let n = Base64URL.encode([0] + Self.modulus)
        let body =
            #"{"identifier":"6F0C","name":"Ann's iPhone","push_credentials":{"service":"APNS","token":"0A1B"},"public_key":{"kty":"RSA","use":"sig","alg":"RS256","n":"\#(n)","e":"AQAB"}}"#
        let request = try EnrollmentRequest(parsing: Array(body.utf8))
        #expect(request.publicKey.material == .rsa(n: Self.modulus, e: [1, 0, 1]))
        #expect(request.pushCredentials == PushCredentials(service: .apns, token: "0A1B"))
        #expect(try EnrollmentRequest(parsing: request.json) == request)
    }

    @Test("Push credentials may be absent, null or without a token")
    func noPushCredentials() throws {
        let key =
            #""public_key":{"kty":"EC","crv":"P-256","x":"\#(Base64URL.encode([UInt8](repeating: 1, count: 32)))","y":"\#(Base64URL.encode([UInt8](repeating: 2, count: 32)))"}"#
        for credentials in ["", #""push_credentials":null,"#, #""push_credentials":{"service":"GCM"},"#] {
            let request = try EnrollmentRequest(
                parsing: Array(#"{"identifier":"i","name":"n",\#(credentials)\#(key)}"#.utf8))
            #expect(request.pushCredentials == nil)
        }
    }

    @Test(
        "An unreadable enrolment is refused with the member's name",
        arguments: [
            ("", GuardianWireFailure.notJSON),
            ("[]", .invalid("the body", expected: "an object")),
            (#"{"name":"n"}"#, .missing("identifier")),
            (#"{"identifier":7}"#, .invalid("identifier", expected: "a string that is not empty")),
            (
                #"{"identifier":"i","name":"n","push_credentials":{"service":"FCM","token":"t"}}"#,
                .invalid("push_credentials.service", expected: "one of APNS, GCM, WEBPUSH")
            ),
            (#"{"identifier":"i","name":"n"}"#, .missing("public_key")),
            (
                #"{"identifier":"i","name":"n","public_key":{"kty":"RSA","n":"AQAB","e":"AQAB"}}"#,
                .invalid("public_key", expected: "a public RSA key of 2048 bits or more, or a P-256 key")
            ),
        ])
    func refusedRequest(body: String, failure: GuardianWireFailure) {
        #expect(throws: failure) { try EnrollmentRequest(parsing: Array(body.utf8)) }
    }

    @Test("A key of a curve or algorithm that devices do not use is refused")
    func foreignKeys() {
        let x = Base64URL.encode([UInt8](repeating: 1, count: 32))
        let n = Base64URL.encode(Self.modulus)
        for key in [
            #"{"kty":"OKP","crv":"Ed25519","x":"\#(x)"}"#, #"{"kty":"RSA","alg":"PS256","n":"\#(n)","e":"AQAB"}"#,
        ] {
            let body = #"{"identifier":"i","name":"n","public_key":\#(key)}"#
            #expect(throws: GuardianWireFailure.self) { try EnrollmentRequest(parsing: Array(body.utf8)) }
        }
    }

    @Test("Known capabilities are read from enrolments and updates; absent ones are absent, unknown ones ignored")
    func capabilities() throws {
        let n = Base64URL.encode(Self.modulus)
        func enrolled(_ member: String) throws -> EnrollmentRequest {
            let key = #""public_key":{"kty":"RSA","n":"\#(n)","e":"AQAB"}"#
            return try EnrollmentRequest(parsing: Array(#"{"identifier":"i","name":"n",\#(member)\#(key)}"#.utf8))
        }
        func updated(_ member: String) throws -> DeviceAccountUpdate {
            try DeviceAccountUpdate(parsing: Array("{\(member)}".utf8))
        }
        let known = #""capabilities":["teleports","signed-digest",""]"#
        #expect(try enrolled(known + ",").capabilities == [.signedDigest])
        #expect(try enrolled("").capabilities == [])
        #expect(try updated(known).capabilities == [.signedDigest])
        #expect(try updated("").capabilities == nil)
        #expect(try updated(#""capabilities":null"#).capabilities == nil)
        #expect(try updated(#""capabilities":[]"#).capabilities == [])
        let request = try enrolled(known + ",")
        #expect(try EnrollmentRequest(parsing: request.json) == request)
        for capabilities in [[DeviceCapability.signedDigest], []] as [Set<DeviceCapability>] {
            let update = DeviceAccountUpdate(capabilities: capabilities)
            #expect(try DeviceAccountUpdate(parsing: update.json) == update)
        }
        #expect(!String(decoding: try enrolled("").json, as: UTF8.self).contains("capabilities"))
    }

    @Test("At most 16 capabilities of at most 64 bytes")
    func capabilityLimits() throws {
        func update(_ capabilities: [String]) throws -> DeviceAccountUpdate {
            try DeviceAccountUpdate(
                parsing: JSONWriter.bytes(.object(["capabilities": JSONValue(capabilities)])))
        }
        let longest = String(repeating: "x", count: 64)
        #expect(try update([String](repeating: longest, count: 16)).capabilities == [])
        let failure = GuardianWireFailure.invalid(
            "capabilities", expected: "a list of at most 16 strings of at most 64 bytes")
        #expect(throws: failure) { try update([longest + "x"]) }
        #expect(throws: failure) { try update([String](repeating: "x", count: 17)) }
        for wrong in [#""signed-digest""#, "[1]", "{}"] {
            #expect(throws: GuardianWireFailure.invalid("capabilities", expected: "a list of strings")) {
                try DeviceAccountUpdate(parsing: Array(#"{"capabilities":\#(wrong)}"#.utf8))
            }
        }
    }

    @Test("The answer has all five strings, and a complete totp or none")
    func response() throws {
        var response = EnrollmentResponse(id: "dev_1", url: "https://h", issuer: "T", userID: "auth0|1", token: "t")
        #expect(
            String(decoding: response.json, as: UTF8.self)
                == #"{"id":"dev_1","url":"https://h","issuer":"T","user_id":"auth0|1","token":"t"}"#)
        response.totp = try TOTPParameters(secret: "JBSWY3DPEHPK3PXP")
        #expect(
            String(decoding: response.json, as: UTF8.self).hasSuffix(
                #""totp":{"secret":"JBSWY3DPEHPK3PXP","algorithm":"sha1","digits":6,"period":30}}"#))
        #expect(try EnrollmentResponse(parsing: response.json) == response)
    }

    @Test("Account update: absent members stay absent")
    func update() throws {
        #expect(try DeviceAccountUpdate(parsing: Array("{}".utf8)) == DeviceAccountUpdate())
        let update = DeviceAccountUpdate(name: "New", push: .register(PushCredentials(service: .gcm, token: "t")))
        #expect(
            String(decoding: update.json, as: UTF8.self)
                == #"{"name":"New","push_credentials":{"service":"GCM","token":"t"}}"#)
        #expect(try DeviceAccountUpdate(parsing: update.json) == update)
        #expect(throws: GuardianWireFailure.self) { try DeviceAccountUpdate(parsing: Array(#"{"name":""}"#.utf8)) }
        let end = DeviceAccountUpdate(push: .end)
        #expect(String(decoding: end.json, as: UTF8.self) == #"{"push_credentials":null}"#)
        #expect(try DeviceAccountUpdate(parsing: end.json) == end)
    }

    @Test(
        "Account update: push credentials are complete if present",
        arguments: [
            (#"{"service":"GCM"}"#, GuardianWireFailure.missing("push_credentials.token")),
            (#"{"service":"GCM","token":null}"#, .missing("push_credentials.token")),
            (#"{"token":"t"}"#, .missing("push_credentials.service")),
            ("{}", .missing("push_credentials.service")),
        ])
    func halfAnUpdate(credentials: String, failure: GuardianWireFailure) {
        let body = #"{"push_credentials":\#(credentials)}"#
        #expect(throws: failure) { try DeviceAccountUpdate(parsing: Array(body.utf8)) }
    }
}
