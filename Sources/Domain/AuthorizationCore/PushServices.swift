package import JOSE
package import Primitives
import Synchronization
package import X509

/// A tenant's push services, ready to send.
package struct PushServices: Sendable {
    /// Auth0's name of the service that takes messages to phones' own apps.
    package enum Selection: String, Sendable, CaseIterable {
        /// Auth0's own app. This server has none, so the tenant's own credentials are used if there are any.
        case guardian
        case sns
        case direct
    }

    package var selection: Selection
    package var apple: APNsCredentials?
    package var google: FCMCredentials?
    package var amazon: SNSCredentials?

    package init(selection: Selection = .guardian) { self.selection = selection }
}

/// Identity of parsed credentials, under which senders remember facts of them. A changed document gets another one.
package struct CredentialStamp: Sendable, Hashable {
    private static let made = Atomic<UInt64>(0)

    private let number: UInt64

    package init() { number = Self.made.add(1, ordering: .relaxed).newValue }
}

/// Credentials at Apple's push service.
package struct APNsCredentials: Sendable {
    package enum Proof: Sendable {
        /// A key of the developer team, which signs tokens.
        case key(any Signer, keyID: String, teamID: String)
        case certificate(CertifiedKey)

        package var isCertificate: Bool { if case .certificate = self { true } else { false } }
    }

    package let stamp = CredentialStamp()
    package let proof: Proof
    /// Topic of each message.
    package let bundleID: String
    /// True for apps that were built for development.
    package let isSandbox: Bool

    package init(proof: Proof, bundleID: String, isSandbox: Bool) {
        self.proof = proof
        self.bundleID = bundleID
        self.isSandbox = isSandbox
    }
}

/// A service account for Firebase Cloud Messaging.
package struct FCMCredentials: Sendable {
    /// Google's token endpoint, and the audience of assertions.
    package static let tokenURI = "https://oauth2.googleapis.com/token"

    package let stamp = CredentialStamp()
    package let projectID: String
    package let clientEmail: String
    package let signer: any Signer
    /// Id of the key, if the account's file has one.
    package let keyID: String?

    package init(projectID: String, clientEmail: String, signer: any Signer, keyID: String?) {
        self.projectID = projectID
        self.clientEmail = clientEmail
        self.signer = signer
        self.keyID = keyID
    }
}

/// Credentials at Amazon's notification service.
package struct SNSCredentials: Sendable {
    package let stamp = CredentialStamp()
    package let accessKeyID: String
    package let secretAccessKey: SecretBytes
    package let region: String
    /// Applications by which the service knows the phones' apps. Nil without one for that system.
    package let appleApplication: SNSApplication?
    package let googleApplication: SNSApplication?

    package init(
        accessKeyID: String, secretAccessKey: SecretBytes, region: String, appleApplication: SNSApplication?,
        googleApplication: SNSApplication?
    ) {
        self.accessKeyID = accessKeyID
        self.secretAccessKey = secretAccessKey
        self.region = region
        self.appleApplication = appleApplication
        self.googleApplication = googleApplication
    }
}

/// A platform application: `arn:PARTITION:sns:REGION:ACCOUNT:app/PLATFORM/NAME`.
package struct SNSApplication: Sendable, Hashable {
    package enum Platform: String, Sendable, CaseIterable {
        case apple = "APNS"
        case appleSandbox = "APNS_SANDBOX"
        case google = "GCM"
    }

    package let arn: String
    package let platform: Platform
    package let region: String

    /// Nil for text of another form.
    package init?(arn: String) {
        let parts = arn.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 6, parts[0] == "arn", parts[1].hasPrefix("aws"), parts[2] == "sns",
            parts[4].utf8.count == 12, parts[4].utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        let path = parts[5].split(separator: "/", omittingEmptySubsequences: false)
        guard path.count == 3, path[0] == "app", let platform = Platform(rawValue: String(path[1])),
            (1...256).contains(path[2].utf8.count),
            arn.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C })
        else { return nil }
        self.arn = arn
        self.platform = platform
        region = String(parts[3])
    }
}
