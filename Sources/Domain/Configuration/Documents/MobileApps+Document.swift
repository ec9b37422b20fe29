import AuthorizationCore
import JSONSchema
package import Primitives

extension MobileApps {
    /// Reads the apps. An empty object means none, as at Auth0.
    package init?(_ fields: DocumentFields) {
        self.init(
            apple: fields.members("ios").flatMap(AppleApp.init),
            android: fields.members("android").flatMap(AndroidApp.init))
        fields.finish()
    }

    package var document: JSONObject {
        var document = JSONObject()
        document["ios"] = apple.map { ["team_id": .string($0.teamID), "app_bundle_identifier": .string($0.bundleID)] }
        document["android"] = android.map {
            ["app_package_name": .string($0.packageName), "sha256_cert_fingerprints": JSONValue($0.fingerprints)]
        }
        return document
    }
}

extension DocumentFields {
    /// Nil for an object without members.
    fileprivate func members(_ name: String) -> DocumentFields? {
        value(name)?.objectValue?.isEmpty == true ? nil : object(name)
    }

    /// A text if `isValid`.
    fileprivate func required(_ name: String, _ rule: String, _ isValid: (String) -> Bool) -> String? {
        guard let text = requiredString(name) else { return nil }
        guard isValid(text) else {
            problem(name, rule)
            return nil
        }
        return text
    }
}

extension MobileApps.AppleApp {
    fileprivate init?(_ fields: DocumentFields) {
        defer { fields.finish() }
        let team = fields.required("team_id", "must be the 10 capital letters and digits of a team at Apple") { text in
            text.utf8.count == 10 && text.utf8.allSatisfy { Self.isCapital($0) || MobileApps.isDigit($0) }
        }
        let bundle = fields.required(
            "app_bundle_identifier", "must be 1 to 155 letters, digits, hyphens and full stops"
        ) { text in
            text.utf8.count <= 155
                && text.utf8.allSatisfy {
                    MobileApps.isLetter($0) || MobileApps.isDigit($0) || $0 == UInt8(ascii: "-")
                        || $0 == UInt8(ascii: ".")
                }
        }
        guard let team, let bundle else { return nil }
        self.init(teamID: team, bundleID: bundle)
    }

    private static func isCapital(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) }
}

extension MobileApps.AndroidApp {
    /// Maximum fingerprints per package.
    private static let fingerprintLimit = 20

    fileprivate init?(_ fields: DocumentFields) {
        defer { fields.finish() }
        let name = fields.required(
            "app_package_name", "must be two or more names of letters, digits and _ with full stops between them",
            Self.isPackage)
        var texts: [(place: String, text: String)] = (fields.strings("sha256_cert_fingerprints") ?? []).enumerated().map
        {
            ("sha256_cert_fingerprints[\($0)]", $1)
        }
        // Form of earlier versions of Auth0's API, for one certificate.
        if let text = fields.string("keystore_hash") { texts.append(("keystore_hash", text)) }
        var fingerprints: [String] = []
        for (place, text) in texts {
            if let fingerprint = Self.fingerprint(text) {
                if !fingerprints.contains(fingerprint) { fingerprints.append(fingerprint) }
            } else {
                fields.problem(place, "must be the SHA-256 fingerprint of a certificate: 64 hexadecimal digits")
            }
        }
        if texts.isEmpty { fields.problem("sha256_cert_fingerprints", "is required") }
        if fingerprints.count > Self.fingerprintLimit {
            fields.problem("sha256_cert_fingerprints", "may hold \(Self.fingerprintLimit) fingerprints")
        }
        guard let name else { return nil }
        self.init(packageName: name, fingerprints: fingerprints)
    }

    /// Android compares texts: upper-case digits, and a colon after each pair.
    private static func fingerprint(_ text: String) -> String? {
        let digits = text.utf8.filter { $0 != UInt8(ascii: ":") }
        guard let bytes = Hex.decode(String(decoding: digits, as: UTF8.self)), bytes.count == 32 else { return nil }
        return bytes.map { Hex.encode([$0]).uppercased() }.joined(separator: ":")
    }

    private static func isPackage(_ text: String) -> Bool {
        let names = text.split(separator: ".", omittingEmptySubsequences: false)
        return text.utf8.count <= 223 && names.count >= 2
            && names.allSatisfy { name in
                name.utf8.first.map(MobileApps.isLetter) == true
                    && name.utf8.allSatisfy {
                        MobileApps.isLetter($0) || MobileApps.isDigit($0) || $0 == UInt8(ascii: "_")
                    }
            }
    }
}

extension MobileApps {
    fileprivate static func isLetter(_ byte: UInt8) -> Bool {
        (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }

    fileprivate static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}

extension FieldType where Value == MobileApps {
    static var apps: FieldType {
        func member(_ name: String, _ shape: Shape, _ text: String? = nil) -> Member {
            Member(name, shape, text).clearable.protecting(.identity)
        }
        let apple = Shape.object(
            [member("team_id", .text(10...10)), member("app_bundle_identifier", .text(1...155))], isOpen: true)
        let android = Shape.object(
            [
                member("app_package_name", .text(3...223)),
                member(
                    "sha256_cert_fingerprints", .list(.text(64...95), 1...20),
                    "SHA-256 fingerprints of the app's certificates, with or without colons"),
                member(
                    "keystore_hash", .text(64...95), "One fingerprint, as in earlier versions of Auth0's API"),
            ], isOpen: true)
        return FieldType(
            .object([member("ios", apple), member("android", android)], isOpen: true),
            "object with `ios` and `android`",
            rows: [
                FieldRow(".ios", "`team_id` (10 capital letters and digits) and `app_bundle_identifier` of an app"),
                FieldRow(
                    ".android",
                    "`app_package_name` and `sha256_cert_fingerprints`, a list of 1 to 20 SHA-256 fingerprints in "
                        + "hexadecimal, with or without colons; `keystore_hash` is accepted as one of them"),
            ]
        ) {
            $0.object($1).flatMap(MobileApps.init)
        } write: {
            .object($0.document)
        }
    }
}
