package import AuthorizationCore
import JOSE
package import Primitives
package import X509

/// Kind of a tenant's credentials at a push service: the id of its document.
package enum PushProvider: String, Sendable, CaseIterable {
    case apns, fcm, fcmv1, sns

    /// Secret members: stored sealed and never shown.
    package var secrets: Set<String> {
        switch self {
        case .apns: ["p12", "p8"]
        case .fcm: ["server_key"]
        case .fcmv1: ["server_credentials"]
        case .sns: ["aws_secret_access_key"]
        }
    }
}

extension PushServices {
    /// Id of the `guardian_setting` document that has the selection.
    package static let selectionID = "push-notification"

    /// Reads a tenant's documents. `problem` receives those that cannot be used, which count as absent.
    package init(_ documents: [OpenedDocument], keys: any KeyFileReader, problem: (String) -> Void) {
        self.init()
        for document in documents {
            switch document.kind {
            case .guardianSetting where document.id == Self.selectionID:
                selection = document.document["provider"]?.stringValue.flatMap(Selection.init(rawValue:)) ?? .guardian
            case .pushProvider:
                guard let provider = PushProvider(rawValue: document.id) else { continue }
                do throws(DocumentProblem) {
                    try take(provider, document.document, document.secrets, keys)
                } catch {
                    problem("the push provider \(provider.rawValue) cannot be used: \(error.path) \(error.message)")
                }
            default: break
            }
        }
    }

    /// Throws the problem by which a provider's settings are refused. Returns false for settings without a secret, which
    /// are incomplete, not wrong. A certificate that is not among the `old` secrets must not have expired.
    @discardableResult
    package static func check(
        _ provider: PushProvider, _ document: JSONObject, _ secrets: JSONObject, newSince old: JSONObject,
        keys: any KeyFileReader, now: Timestamp
    ) throws(DocumentProblem) -> Bool {
        var services = PushServices()
        try services.take(provider, document, secrets, keys)
        if case .certificate(let identity) = services.apple?.proof, secrets["p12"] != old["p12"],
            now.seconds > identity.certificate.notAfter.seconds
        {
            throw PushTexts.problem(
                "p12",
                "expired at \(identity.certificate.notAfter.iso8601); make a new certificate, or set a p8 key")
        }
        return services.apple != nil || services.google != nil || services.amazon != nil
    }

    private mutating func take(
        _ provider: PushProvider, _ document: JSONObject, _ secrets: JSONObject, _ keys: any KeyFileReader
    ) throws(DocumentProblem) {
        switch provider {
        case .apns: apple = try APNsCredentials(document, secrets, keys)
        case .fcmv1: google = try FCMCredentials(secrets, keys)
        case .sns: amazon = try SNSCredentials(document, secrets)
        // Google ended the interface in 2024.
        case .fcm: break
        }
    }
}

/// Texts of one document with their problems.
private struct PushTexts {
    let values: JSONObject

    subscript(_ name: String) -> String? { values[name]?.stringValue }

    func required(_ name: String, with other: String) throws(DocumentProblem) -> String {
        guard let text = self[name] else { throw Self.problem(name, "is required with \(other)") }
        return text
    }

    static func problem(_ name: String, _ message: String) -> DocumentProblem {
        DocumentProblem(path: name, message: message)
    }

    /// True for ASCII letters, digits and the characters in `others`.
    static func isWord(_ text: String, of range: ClosedRange<Int>, or others: String = "") -> Bool {
        range.contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) && byte < 0x80
                    || others.utf8.contains(byte)
            }
    }
}

extension APNsCredentials {
    /// Nil without a secret.
    fileprivate init?(
        _ document: JSONObject, _ secrets: JSONObject, _ keys: any KeyFileReader
    ) throws(DocumentProblem) {
        let fields = PushTexts(values: document)
        if let bundleID = fields["bundle_id"], !PushTexts.isWord(bundleID, of: 1...155, or: "-.") {
            throw PushTexts.problem(
                "bundle_id", "must be the app's bundle id: letters, digits, hyphens and full stops, as com.example.app")
        }
        for name in ["key_id", "team_id"] {
            if let id = fields[name], !PushTexts.isWord(id, of: 10...10) {
                throw PushTexts.problem(name, "must have 10 letters and digits, as Apple's developer site shows it")
            }
        }
        let (p8, p12) = (secrets["p8"]?.stringValue, secrets["p12"]?.stringValue)
        guard let name = p8 != nil ? "p8" : p12 != nil ? "p12" : nil else { return nil }
        if p8 != nil, p12 != nil {
            throw PushTexts.problem("p12", "cannot be set beside p8; set the one that is not used to null")
        }
        let proof: Proof =
            if let p8 {
                try .key(
                    Self.signer(p8, keys), keyID: fields.required("key_id", with: name),
                    teamID: fields.required("team_id", with: name))
            } else {
                .certificate(try Self.identity(p12 ?? "", keys))
            }
        self.init(
            proof: proof, bundleID: try fields.required("bundle_id", with: name),
            isSandbox: document["sandbox"]?.boolValue ?? false)
    }

    private static func signer(_ text: String, _ keys: any KeyFileReader) throws(DocumentProblem) -> any Signer {
        do { return try keys.signer(pem: SecretBytes(utf8: text), algorithm: .es256) } catch {
            throw PushTexts.problem(
                "p8", "must be the whole text of Apple's file AuthKey_KEYID.p8: a P-256 key in PEM without a passphrase"
            )
        }
    }

    private static func identity(_ text: String, _ keys: any KeyFileReader) throws(DocumentProblem) -> CertifiedKey {
        let malformed = PushTexts.problem(
            "p12", "must be a PKCS #12 file as openssl pkcs12 -export writes it, in a document its text in Base64")
        guard let file = Base64.decode(lines: text), PKCS12File.isOne(file) else { throw malformed }
        do throws(KeyFileFailure) { return try keys.identity(pkcs12: file) } catch {
            switch error {
            case .malformed: throw malformed
            case .hasPassword:
                throw PushTexts.problem("p12", "is protected by a password; export it again with an empty one")
            case .tooSlow:
                throw PushTexts.problem("p12", "has too many iterations of its key derivation; export it again")
            case .unsupported, .otherKey:
                throw PushTexts.problem(
                    "p12", "has a cipher or a key that this server does not read; write it again with openssl pkcs12")
            case .keyType:
                throw PushTexts.problem(
                    "p12",
                    "has a key that is neither RSA nor EC with P-256, P-384 or P-521 by name; make a new certificate "
                        + "with such a key")
            case .keySize:
                throw PushTexts.problem(
                    "p12",
                    "has an RSA key that is not of 2048 to 8192 bits, or an exponent of more than 32 bits; make a new "
                        + "certificate with a key of 2048 bits")
            case .certificates:
                throw PushTexts.problem(
                    "p12",
                    "has more than 8 certificates, one of more than 8 KB, or one with a key that this server does not "
                        + "read; export the key and its own certificate alone")
            case .incomplete:
                throw PushTexts.problem("p12", "must have one private key and its certificate; export both together")
            }
        }
    }
}

extension FCMCredentials {
    /// Nil without a secret.
    fileprivate init?(_ secrets: JSONObject, _ keys: any KeyFileReader) throws(DocumentProblem) {
        let name = "server_credentials"
        guard let text = secrets[name]?.stringValue else { return nil }
        func problem(_ text: String) -> DocumentProblem { PushTexts.problem(name, text) }
        guard let account = (try? JSONReader.parse(Array(text.utf8.withoutByteOrderMark), depthLimit: 8))?.objectValue
        else {
            throw problem("must be the JSON of a service account")
        }
        func member(_ member: String) throws(DocumentProblem) -> String {
            guard let value = account[member]?.stringValue, !value.isEmpty, value.utf8.count <= 8192 else {
                throw problem("must be the JSON of a service account, with \(member)")
            }
            return value
        }
        if let type = account["type"], type != "service_account" {
            throw problem("must be the JSON of a service account, whose type is service_account")
        }
        let projectID = try member("project_id")
        guard PushTexts.isWord(projectID, of: 1...100, or: "-:.") else {
            throw problem("has a project_id with other characters than letters, digits and hyphens")
        }
        let email = try member("client_email")
        guard email.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), email.contains("@") else {
            throw problem("has a client_email that is no e-mail address")
        }
        // A tenant must not make this server send a signed assertion elsewhere.
        let tokenURI = account["token_uri"]?.stringValue ?? FCMCredentials.tokenURI
        guard FCMCredentials.tokenURIs.contains(tokenURI) else {
            throw problem("has another token_uri than \(FCMCredentials.tokenURI)")
        }
        let pem = try member("private_key")
        let signer: any Signer
        do throws(KeyFileFailure) {
            signer = try keys.signer(pem: SecretBytes(utf8: pem), algorithm: .rs256)
        } catch {
            guard error == .keySize else {
                throw problem("has a private_key that is no RSA key of 2048 to 8192 bits in PEM without a passphrase")
            }
            throw problem(
                "has a private_key that is not of 2048 to 8192 bits, or has an exponent of more than 32 bits; make a "
                    + "new key of the service account")
        }
        let keyID = account["private_key_id"]?.stringValue.flatMap { PushTexts.isWord($0, of: 1...100) ? $0 : nil }
        self.init(projectID: projectID, clientEmail: email, signer: signer, keyID: keyID)
    }

    /// The second one is in older files.
    private static let tokenURIs: Set<String> = [tokenURI, "https://accounts.google.com/o/oauth2/token"]
}

extension SNSCredentials {
    /// Nil if it is incomplete.
    fileprivate init?(_ document: JSONObject, _ secrets: JSONObject) throws(DocumentProblem) {
        let fields = PushTexts(values: document)
        if let region = fields["aws_region"], !Self.isRegion(region) {
            throw PushTexts.problem("aws_region", "must be a region, as eu-central-1")
        }
        if let id = fields["aws_access_key_id"], !PushTexts.isWord(id, of: 1...128) {
            throw PushTexts.problem("aws_access_key_id", "must have 1 to 128 letters and digits")
        }
        let secret = secrets["aws_secret_access_key"]?.stringValue
        if let secret, !secret.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) {
            throw PushTexts.problem("aws_secret_access_key", "must not have blanks or characters outside ASCII")
        }
        func application(
            _ name: String, _ platforms: [SNSApplication.Platform]
        ) throws(DocumentProblem) -> SNSApplication? {
            guard let text = fields[name] else { return nil }
            guard let application = SNSApplication(arn: text), platforms.contains(application.platform) else {
                let names = platforms.map(\.rawValue).joined(separator: " or ")
                throw PushTexts.problem(
                    name, "must be arn:aws:sns:REGION:ACCOUNT:app/PLATFORM/NAME with the platform \(names)")
            }
            guard fields["aws_region"] ?? application.region == application.region else {
                throw PushTexts.problem(name, "is in another region than aws_region")
            }
            return application
        }
        let apple = try application("sns_apns_platform_application_arn", [.apple, .appleSandbox])
        let google = try application("sns_gcm_platform_application_arn", [.google])
        guard let id = fields["aws_access_key_id"], let region = fields["aws_region"], let secret,
            apple != nil || google != nil
        else { return nil }
        self.init(
            accessKeyID: id, secretAccessKey: SecretBytes(utf8: secret), region: region, appleApplication: apple,
            googleApplication: google)
    }

    /// The region becomes a part of the address to which requests go.
    private static func isRegion(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        return (3...5).contains(parts.count) && text.utf8.count <= 32
            && parts.dropLast().allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { (0x61...0x7A).contains($0) } }
            && parts.last.map { (1...2).contains($0.utf8.count) && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
                == true
    }
}
