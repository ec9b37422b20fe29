import Foundation
@testable import Guardian
import GuardianWire
import HTTPModel
import Primitives
import Testing

/// A key that the app stores by itself.
private struct OwnKey: SigningKey {
    let key: P256PrivateKey
    var name: String? = "hsm-1"

    var algorithm: SigningAlgorithm { .es256 }
    func verificationKey() throws -> VerificationKey { try key.verificationKey() }
    func signature(for message: Data) throws -> Data { try key.signature(for: message) }
    var reference: SigningKeyReference {
        get throws { if let name { .named(name) } else { throw GuardianError(.keyNotStorable) } }
    }
}

@Suite("Device storage")
struct DeviceStoreTests {
    /// A folder that is removed after the test, and the path of a missing file in it.
    private func inFolder(_ body: (_ path: String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "devices-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder.appending(path: "deep/devices.json").path)
    }

    private func device(_ key: any SigningKey, _ id: String = "dev_1") -> EnrolledDevice {
        EnrolledDevice(
            id: id, userId: "auth0|1", deviceToken: "dt", notificationToken: "0A1B", signingKey: key,
            totp: OTPParameters(base32Secret: "JBSWY3DPEHPK3PXP"), name: "Ann's phone", issuer: "Example",
            domain: "id.example.org")
    }

    private func expectSame(_ left: EnrolledDevice, _ right: EnrolledDevice) throws {
        #expect(left.id == right.id && left.userId == right.userId && left.deviceToken == right.deviceToken)
        #expect(left.notificationToken == right.notificationToken && left.totp == right.totp)
        #expect(left.localIdentifier == right.localIdentifier && left.name == right.name)
        #expect(left.issuer == right.issuer && left.domain == right.domain)
        #expect(left.signingKey.algorithm == right.signingKey.algorithm)
        #expect(try left.signingKey.verificationKey() == right.signingKey.verificationKey())
    }

    @Test("A device survives encoding with all members and its key")
    func codable() throws {
        for key: any SigningKey in [try P256PrivateKey.new(), try DataRSAPrivateKey.new()] {
            let device = device(key)
            try expectSame(
                device, try JSONDecoder().decode(EnrolledDevice.self, from: try JSONEncoder().encode(device)))
        }
    }

    @Test("A keychain key is encoded only as its tag")
    func keychainReference() throws {
        let encoded = try JSONEncoder().encode(SigningKeyReference.keychain(tag: "org.example.key"))
        #expect(String(decoding: encoded, as: UTF8.self) == #"{"keychainTag":"org.example.key"}"#)
        #expect(
            try JSONDecoder().decode(SigningKeyReference.self, from: encoded) == .keychain(tag: "org.example.key"))
    }

    @Test("An enrolled device knows its domain")
    func domain() async throws {
        let key = try P256PrivateKey.new()
        let device = try await Guardian.enroll(
            forDomain: "h.example", usingTicket: "tk", notificationToken: nil, signingKey: key,
            verificationKey: try key.verificationKey(),
            configuration: Fixtures.configuration(ScriptedTransport([.answer(201, EnrollmentTests.answer)]))
        ).start()
        #expect(device.domain == "h.example")
    }

    @Test("A file store keeps devices in a file of mode 0600, replaces a device of the same id, and removes devices")
    func file() async throws {
        try await inFolder { path in
            let store = FileDeviceStore(path: path)
            #expect(try await store.devices().isEmpty)
            try await store.remove(id: "dev_9")
            var first = device(try P256PrivateKey.new(), "dev_1")
            let second = device(try DataRSAPrivateKey.new(), "dev_2")
            try await store.save(first)
            try await store.save(second)
            first.name = "Desk"
            first.notificationToken = "FF"
            try await store.save(first)
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            let kept = try await FileDeviceStore(path: path).devices()
            try #require(kept.map(\.id) == ["dev_1", "dev_2"])
            try expectSame(kept[0], first)
            try expectSame(kept[1], second)
            try await store.remove(id: "dev_1")
            #expect(try await store.devices().map(\.id) == ["dev_2"])
            let folder = URL(filePath: path).deletingLastPathComponent().path
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["devices.json"])
        }
    }

    @Test("Concurrent saves lose no device")
    func concurrent() async throws {
        try await inFolder { path in
            let devices = try (0..<16).map { device(try P256PrivateKey.new(), "dev_\($0)") }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for device in devices { group.addTask { try await FileDeviceStore(path: path).save(device) } }
                try await group.waitForAll()
            }
            #expect(Set(try await FileDeviceStore(path: path).devices().map(\.id)) == Set(devices.map(\.id)))
        }
    }

    @Test("A file that others can read, or a damaged one, is refused and not overwritten")
    func refused() async throws {
        try await inFolder { path in
            let store = FileDeviceStore(path: path)
            let device = device(try P256PrivateKey.new())
            try await store.save(device)
            try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
            var error = await #expect(throws: GuardianError.self) { try await store.devices() }
            #expect(error?.code == GuardianError.Code.failedDeviceStorage.rawValue)
            #expect(error?.localizedDescription.contains("chmod 600") == true)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            try Data(#"{"devices":[{"#.utf8).write(to: URL(filePath: path))
            for _ in 0..<2 {
                error = await #expect(throws: GuardianError.self) { try await store.save(device) }
                #expect(error?.code == GuardianError.Code.failedDeviceStorage.rawValue)
            }
            #expect(try String(contentsOfFile: path, encoding: .utf8) == #"{"devices":[{"#)
            await #expect(throws: GuardianError.self) {
                try await FileDeviceStore(path: "/proc/none/devices.json").checkWritable()
            }
        }
    }

    @Test("An app's own key is stored by name and loaded from the app; a key without a name is refused")
    func ownKey() async throws {
        try await inFolder { path in
            let key = OwnKey(key: try P256PrivateKey.new())
            let store = FileDeviceStore(path: path) { name in
                guard name == "hsm-1" else { throw GuardianError(.keyNotFound) }
                return key
            }
            try await store.save(device(key))
            try expectSame(try #require(try await store.devices().first), device(key))
            let text = try String(contentsOfFile: path, encoding: .utf8)
            #expect(text.contains(#""keyName" : "hsm-1""#))
            #expect(!text.contains(try key.key.data.base64EncodedString()))
            let error = await #expect(throws: GuardianError.self) {
                try await store.save(device(OwnKey(key: key.key, name: nil), "dev_2"))
            }
            #expect(error?.code == GuardianError.Code.keyNotStorable.rawValue)
            #expect(try await store.devices().count == 1)
        }
    }

    @Test("A device whose key is missing is listed by name and can be removed")
    func keyGone() async throws {
        try await inFolder { path in
            let store = FileDeviceStore(path: path)
            try await store.save(device(try P256PrivateKey.new(), "dev_1"))
            try await store.save(device(OwnKey(key: try P256PrivateKey.new()), "dev_2"))
            let error = await #expect(throws: GuardianError.self) { try await store.devices() }
            #expect(error?.code == GuardianError.Code.keyNotFound.rawValue)
            #expect(error?.info["device"]?.stringValue == "dev_2")
            try await store.remove(id: "dev_2")
            #expect(try await store.devices().map(\.id) == ["dev_1"])
        }
    }

    @Test("Printing a device reference shows no key")
    func printing() throws {
        let key = try P256PrivateKey.new()
        let reference = try key.reference
        var dumped = ""
        dump(reference, to: &dumped)
        for text in ["\(reference)", String(reflecting: reference), dumped] {
            #expect(!text.contains(try key.data.base64EncodedString()) && !text.contains("bytes"))
        }
    }
}

@Suite("Error texts")
struct ErrorTextTests {
    private func expectSentences(_ error: any LocalizedError, _ comment: String) {
        let text = error.localizedDescription
        #expect(text.hasSuffix(".") && text.first?.isUppercase == true, "\(comment): \(text)")
        #expect(!text.contains("couldn’t be completed") && !text.contains("could not be completed"), "\(comment)")
        #expect(text.hasPrefix(error.failureReason ?? "?") && text.hasSuffix(error.recoverySuggestion ?? "?"))
        #expect(!text.contains("..") && !text.contains("  "), "\(comment): \(text)")
    }

    @Test("Every error says what happened and what to do next")
    func own() {
        for code in GuardianError.Code.allCases { expectSentences(GuardianError(code), "\(code)") }
        for code in NetworkError.Code.allCases { expectSentences(NetworkError(code: code), "\(code)") }
    }

    @Test("A server's refusal shows the server's text and what to do next")
    func servers() async throws {
        for code: GuardianErrorBody.Code in [
            .invalidToken, .invalidBody, .enrollmentTransactionNotFound, .enrollmentNotFound, .loginTransactionNotFound,
            .transactionExpired, .invalidChallenge, .invalidDPoPAssertion, .consentNotFound, .methodNotFound,
            .tooManyRequests,
        ] {
            let body = GuardianErrorBody(statusCode: 404, error: "E", message: "the server's words", errorCode: code)
            let request = try ErrorTests().request(.answer(404, String(decoding: body.json, as: UTF8.self)))
            let error = try #require(await #expect(throws: GuardianError.self) { try await request.start() })
            expectSentences(error, code.rawValue)
            #expect(error.localizedDescription.hasPrefix("The server's words. "))
        }
    }

    @Test("An untrusted certificate is reported with the way to name the CA")
    func untrusted() async throws {
        let request = try ErrorTests().request(.fail(.untrusted("the certificate is not trusted. Name the CA.")))
        let error = try #require(await #expect(throws: NetworkError.self) { try await request.start() })
        #expect(error.localizedDescription == "The certificate is not trusted. Name the CA.")
    }

    @Test("Requests name the SDK's release")
    func version() async throws {
        let transport = ScriptedTransport([.answer(204, "")])
        _ = try await Guardian.api(forDomain: "h.example", configuration: Fixtures.configuration(transport))
            .device(forEnrollmentId: "dev_1", userId: "u", signingKey: try P256PrivateKey.new()).delete().start()
        let field = try #require(transport.requests.first?.fields["Auth0-Client"].flatMap { Base64URL.decode($0) })
        #expect(try JSONReader.parse(field)["version"] == .string(Release.version))
    }

    @Test("Plain HTTP is refused for other machines", arguments: ["http://h.example", "http://10.0.0.1:8080"])
    func plain(domain: String) async throws {
        let transport = ScriptedTransport([])
        let configuration = Fixtures.configuration(transport)
        let device = Fixtures.device(try P256PrivateKey.new())
        let notification = Notification(Fixtures.payload)
        let answer = Guardian.authentication(forDomain: domain, device: device, configuration: configuration)
            .allow(notification: notification)
        let consent = Guardian.consent(forDomain: domain, device: device, configuration: configuration)
            .fetch(consentId: "cns_1", notificationToken: "t")
        for error in [
            await #expect(throws: GuardianError.self) { try await answer.start() },
            await #expect(throws: GuardianError.self) { try await consent.start() },
            await #expect(throws: GuardianError.self) {
                for try await _ in Guardian.notifications(
                    forDomain: domain, device: device, configuration: configuration)
                {}
            },
        ] {
            #expect(error?.code == GuardianError.Code.invalidDomain.rawValue)
            #expect(error?.localizedDescription.contains("localhost") == true)
        }
        #expect(transport.requests.isEmpty)
    }
}
