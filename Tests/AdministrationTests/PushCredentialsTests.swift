@testable import Administration
import Audit
import AuthorizationCore
import Configuration
import JOSE
import OpenSSLCrypto
import Primitives
import TestSupport
import Testing
import X509

@Suite("Credentials at push services")
struct PushCredentialsTests {
    private let keys = OpenSSLKeyFiles()

    private func pem(_ signer: OpenSSLSigner) throws -> String {
        "-----BEGIN PRIVATE KEY-----\n\(Base64.encode(try signer.exportPKCS8().bytes))\n-----END PRIVATE KEY-----\n"
    }

    private func problem(_ provider: PushProvider, _ document: JSONObject, _ secrets: JSONObject) -> DocumentProblem? {
        do throws(DocumentProblem) {
            try PushServices.check(
                provider, document, secrets, newSince: secrets, keys: keys, now: Samples.start)
            return nil
        } catch { return error }
    }

    // MARK: stored secrets

    @Test("Stored secrets that do not open are replaced by a whole document, and a change of a part must name them")
    func unreadable() async throws {
        let fixture = try await AdministrationFixture()
        try await fixture.apply(#"{"tenants": [{"id": "dev", "name": "Dev", "host": "dev.example"}]}"#)
        let dev = TenantID("dev")
        let context = AdministrativeContext(tenant: dev, actor: .account("jo"), now: Samples.start)
        let push = ManagePushProviders(store: fixture.store, sealer: Samples.sealer, keys: keys)
        let mail = ManageEmailProvider(store: fixture.store, sealer: Samples.sealer)
        let account: JSONObject = [
            "aws_access_key_id": "AKIDEXAMPLE", "aws_region": "eu-central-1",
            "sns_apns_platform_application_arn": "arn:aws:sns:eu-central-1:123456789012:app/APNS/phones",
        ]
        let server: JSONObject = [
            "name": "smtp", "default_from_address": "a@shop.example", "enabled": true,
            "credentials": ["smtp_host": "mail.shop.example", "smtp_user": "u"],
        ]
        func damage() async throws {
            try await fixture.store.change { transaction in
                for (kind, id, document) in [
                    (.pushProvider, "sns", account), (.emailProvider, "provider", server),
                ] as [(TenantDocument.Kind, String, JSONObject)] {
                    try transaction.put(
                        TenantDocument(kind, id: id, document: document, sealedSecrets: [1, 2, 3]), in: dev)
                }
            }
        }
        func secrets(_ kind: TenantDocument.Kind) async throws -> JSONObject? {
            try await fixture.part()?.documents.first { $0.kind == kind }?.secrets(of: dev, with: Samples.sealer)
        }
        var whole = account
        whole["aws_secret_access_key"] = "new"
        var wholeServer = server
        wholeServer["credentials"] = ["smtp_host": "mail.shop.example", "smtp_user": "u", "smtp_pass": "new"]

        try await damage()
        let part = await #expect(throws: AdministrationFailure.self) {
            try await push.set(.sns, ["aws_region": "eu-central-1"], replacesAll: false, for: context)
        }
        #expect(part == AdministrationFailure.invalid("aws_secret_access_key", Self.lost))
        let mailPart = await #expect(throws: AdministrationFailure.self) {
            try await mail.update(["enabled": false], for: context)
        }
        #expect(mailPart == AdministrationFailure.invalid("credentials.smtp_pass", Self.lost))
        _ = try await push.set(.sns, ["aws_secret_access_key": "new"], replacesAll: false, for: context)
        _ = try await mail.update(["credentials": ["smtp_pass": "new"]], for: context)
        #expect(try await secrets(.pushProvider) == ["aws_secret_access_key": "new"])
        #expect(try await secrets(.emailProvider) == ["smtp_pass": "new"])

        try await damage()
        _ = try await push.set(.sns, whole, replacesAll: true, for: context)
        _ = try await mail.replace(wholeServer, for: context)
        #expect(try await secrets(.pushProvider) == ["aws_secret_access_key": "new"])
        #expect(try await secrets(.emailProvider) == ["smtp_pass": "new"])
    }

    private static let lost = "is required, because the stored secret cannot be opened any more"

    // MARK: key files

    @Test("RFC 7292: a file without a password is opened, also with the ciphers of Keychain Access")
    func opened() throws {
        for text in [KeyFiles.current, KeyFiles.keychain] {
            let identity = try keys.identity(pkcs12: try #require(Base64.decode(text)))
            #expect(identity.certificate.subject == DistinguishedName("CN=Apple Push Services: com.example"))
            #expect(String(decoding: identity.chainPEM, as: UTF8.self).hasPrefix("-----BEGIN CERTIFICATE-----"))
            let signer = try keys.signer(pem: identity.privateKeyPEM, algorithm: .es256)
            #expect(signer.publicKey.material == identity.certificate.publicKey?.material)
        }
    }

    @Test("RFC 7292: a password, missing parts and broken files are told apart, and no file costs much time")
    func unopened() throws {
        for (text, failure) in [
            (KeyFiles.withPassword, .hasPassword), (KeyFiles.certificateOnly, .incomplete), (KeyFiles.slow, .tooSlow),
            (KeyFiles.slowInside, .tooSlow), (KeyFiles.slowTogether, .tooSlow),
        ] as [(String, KeyFileFailure)] {
            let file = try #require(Base64.decode(text))
            #expect(throws: failure) { try keys.identity(pkcs12: file) }
        }
        let file = try #require(Base64.decode(KeyFiles.current))
        // RFC 9579: a MAC with iterations of its own. Both names have 9 bytes.
        let digest: [UInt8] = [0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01]
        let place = try #require(file.ranges(of: digest).last)
        var other = file
        other.replaceSubrange(place, with: [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x05, 0x0E])
        #expect(throws: KeyFileFailure.unsupported) { try keys.identity(pkcs12: other) }
        for length in [0, 1, 40, file.count / 2, file.count - 1] {
            #expect(throws: KeyFileFailure.self) { try keys.identity(pkcs12: Array(file.prefix(length))) }
        }
        let random = SeededRandom(seed: 7)
        for _ in 0..<500 {
            let bytes = random.bytes(3)
            var changed = file
            changed[(Int(bytes[0]) << 8 | Int(bytes[1])) % file.count] = bytes[2]
            _ = try? keys.identity(pkcs12: changed)
        }
    }

    // MARK: documents

    @Test("APNs takes a certificate or a P-256 key with its ids, and says which member is wrong")
    func apple() throws {
        let key = try pem(OpenSSLSigner.generate(algorithm: .es256))
        let other = try pem(OpenSSLSigner.generate(algorithm: .rs256))
        let app: JSONObject = ["bundle_id": "com.example.app"]
        let ids: JSONObject = ["bundle_id": "com.example.app", "key_id": "ABC123DEFG", "team_id": "DEF123GHIJ"]
        #expect(problem(.apns, ids, ["p8": .string(key)]) == nil)
        #expect(problem(.apns, app, ["p12": .string(KeyFiles.current)]) == nil)
        #expect(problem(.apns, app, [:]) == nil, "incomplete settings are stored")
        // RFC 2045 6.8: programs write Base64 in lines of 64 or 76 characters.
        for (size, end) in [(64, "\n"), (76, "\r\n"), (64, "")] {
            let characters = Array(KeyFiles.current)
            let lines = stride(from: 0, to: characters.count, by: size).map { start in
                String(characters[start..<min(start + size, characters.count)]) + end
            }
            #expect(problem(.apns, app, ["p12": .string(lines.joined())]) == nil)
        }
        #expect(problem(.apns, app, ["p12": .string("!" + KeyFiles.current)])?.path == "p12")
        for (document, secrets, path) in [
            (app, ["p8": .string(key)], "key_id"), (ids, ["p8": .string(other)], "p8"), (ids, ["p8": "no key"], "p8"),
            (ids, ["p8": .string(key), "p12": .string(KeyFiles.current)], "p12"),
            (app, ["p12": .string(KeyFiles.withPassword)], "p12"),
            ([:], ["p12": .string(KeyFiles.current)], "bundle_id"),
            (["bundle_id": "com.example/../x"], [:], "bundle_id"),
            (["bundle_id": "a", "key_id": "short"], [:], "key_id"),
            (["team_id": "\r\nx: y zz"], [:], "team_id"),
        ] as [(JSONObject, JSONObject, String)] {
            #expect(problem(.apns, document, secrets)?.path == path, "\(document)")
        }
    }

    @Test("RFC 7523: a service account signs for Google's own token endpoint alone")
    func google() throws {
        let key = try pem(OpenSSLSigner.generate(algorithm: .rs256))
        func account(_ change: (inout JSONObject) -> Void = { _ in }) -> JSONObject {
            var account: JSONObject = [
                "type": "service_account", "project_id": "example-1", "private_key": .string(key),
                "client_email": "push@example-1.iam.gserviceaccount.com", "private_key_id": "0af1",
                "token_uri": "https://oauth2.googleapis.com/token",
            ]
            change(&account)
            return ["server_credentials": .string(JSONWriter.string(.object(account)))]
        }
        #expect(problem(.fcmv1, [:], account()) == nil)
        #expect(problem(.fcmv1, [:], account { $0["token_uri"] = nil }) == nil)
        // RFC 8259 8.1: a byte order mark before the text may be ignored.
        let text = try #require(account()["server_credentials"]?.stringValue)
        #expect(problem(.fcmv1, [:], ["server_credentials": .string("\u{FEFF}" + text)]) == nil)
        for change in [
            { $0["token_uri"] = "https://evil.example/token" }, { $0["project_id"] = "../x" },
            { $0["private_key"] = "k" }, { $0["client_email"] = nil }, { $0["type"] = "authorized_user" },
        ] as [(inout JSONObject) -> Void] {
            #expect(problem(.fcmv1, [:], account(change))?.path == "server_credentials")
        }
    }

    @Test("A key of another kind or size is refused with the way to mend it")
    func keyLimits() {
        // RSA of 12 bits, in PKCS #8 and in a PKCS #12 file without encryption, and such a file with a DSA key.
        let info = "MDMCAQAwDQYJKoZIhvcNAQEBBQAEHzAdAgEAAgIMoQIBEQICCsECAT0CATUCATUCATECASY="
        let rsa = [
            "MG8CAQMwagYJKoZIhvcNAQcBoF0EWzBZMFcGCSqGSIb3DQEHAaBKBEgwRjBEBgsqhkiG9w0BDAoBAaA1MDMCAQAwDQYJKoZIhvcN",
            "AQEBBQAEHzAdAgEAAgIMoQIBEQICCsECAT0CATUCATUCATECASY=",
        ].joined()
        let dsa = [
            "MFoCAQMwVQYJKoZIhvcNAQcBoEgERjBEMEIGCSqGSIb3DQEHAaA1BDMwMTAvBgsqhkiG9w0BDAoBAaAgMB4CAQAwFAYHKoZIzjgE",
            "ATAJAgEXAgELAgEEBAMCAQc=",
        ].joined()
        let app: JSONObject = ["bundle_id": "com.example.app"]
        let pem = "-----BEGIN PRIVATE KEY-----\n\(info)\n-----END PRIVATE KEY-----\n"
        let account: JSONObject = [
            "type": "service_account", "project_id": "example-1", "private_key": .string(pem),
            "client_email": "push@example-1.iam.gserviceaccount.com",
        ]
        for (found, text) in [
            (problem(.apns, app, ["p12": .string(dsa)]), "neither RSA nor EC"),
            (problem(.apns, app, ["p12": .string(rsa)]), "2048 to 8192 bits"),
            (
                problem(.fcmv1, [:], ["server_credentials": .string(JSONWriter.string(.object(account)))]),
                "2048 to 8192 bits, or has an exponent"
            ),
        ] {
            #expect(found?.message.contains(text) == true, "\(text)")
        }
    }

    @Test("SNS takes a region, which names a host, and applications of that region and platform")
    func amazon() {
        let arn = "arn:aws:sns:eu-central-1:123456789012:app/APNS_SANDBOX/phones"
        let whole: JSONObject = [
            "aws_access_key_id": "AKIDEXAMPLE", "aws_region": "eu-central-1",
            "sns_apns_platform_application_arn": .string(arn),
        ]
        #expect(problem(.sns, whole, ["aws_secret_access_key": "s"]) == nil)
        for (name, value) in [
            ("aws_region", "evil.example/"), ("aws_region", "eu"), ("aws_region", "eu-west-1"),
            ("sns_apns_platform_application_arn", "arn:aws:sns:eu-central-1:123456789012:app/GCM/phones"),
            ("sns_apns_platform_application_arn", "no"), ("aws_access_key_id", "a/b"),
        ] {
            var document = whole
            document[name] = .string(value)
            #expect(problem(.sns, document, ["aws_secret_access_key": "s"]) != nil, "\(name) \(value)")
        }
    }
}
