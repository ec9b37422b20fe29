package import JOSE
package import Primitives

/// A decision with everything that proves it. Stored sealed, and part of a receipt.
package struct ApprovalEvidence: Sendable, Equatable {
    package enum Decision: String, Sendable, CaseIterable { case allowed, rejected }

    /// Cause of a rejection other than the person's plain no.
    package enum Cause: String, Sendable, CaseIterable {
        /// The person did not ask for the request.
        case reported
        /// The person picked another number than the asking screen displayed.
        case wrongNumber = "wrong_number"
    }

    /// Strength of the proof, from the strongest.
    package enum Level: String, Sendable, CaseIterable {
        /// The device signed the digest of the record that it showed, and its passkey did so after it verified its user.
        case userVerified = "user-verified"
        /// The device signed the digest of the record that it showed.
        case signedDigest = "signed-digest"
        /// The device signed a challenge, which the server derived from the record.
        case signedChallenge = "signed-challenge"
        /// The person decided in a browser, after a login. No key signed.
        case session
    }

    /// The device that decided, as it was then.
    package struct Device: Sendable, Equatable {
        /// The enrolment's id.
        package let id: String
        package let name: String
        /// The device's name for itself: `iss` of its answers.
        package let identifier: String
        package let publicKey: JWK
        package let enrolledAt: Timestamp

        package init(id: String, name: String, identifier: String, publicKey: JWK, enrolledAt: Timestamp) {
            self.id = id
            self.name = name
            self.identifier = identifier
            self.publicKey = publicKey
            self.enrolledAt = enrolledAt
        }
    }

    /// A device and the JWS that it signed, as it came.
    package struct Answer: Sendable, Equatable {
        package let device: Device
        package let token: String

        package init(device: Device, token: String) {
            self.device = device
            self.token = token
        }
    }

    /// The browser's session in which the person decided, as it was then.
    package struct Session: Sendable, Equatable {
        /// SHA-256 of the session's id in base64url. Equal for decisions in one session.
        package let digest: String
        /// Time of the login.
        package let authenticatedAt: Timestamp
        /// `amr` of the login (RFC 8176).
        package let methods: [String]
        /// `acr` of the login. Nil means none.
        package let contextClass: String?

        package init(digest: String, authenticatedAt: Timestamp, methods: [String], contextClass: String?) {
            self.digest = digest
            self.authenticatedAt = authenticatedAt
            self.methods = methods
            self.contextClass = contextClass
        }
    }

    package let record: RequestRecord
    package let decision: Decision
    /// The user's own words for a rejection. Nil means that the user gave none.
    package let reason: String?
    /// Nil for an approval and for a plain rejection. Stored, and not part of a receipt, whose signed answer tells it.
    package let cause: Cause?
    package let decidedAt: Timestamp
    package let level: Level
    /// Nil for a decision in a browser.
    package let answer: Answer?
    /// Nil for a decision of a device.
    package let session: Session?
    /// Nil for every level but `userVerified`.
    package let passkey: Passkey?

    package init(
        record: RequestRecord, decision: Decision, reason: String?, cause: Cause? = nil, decidedAt: Timestamp,
        level: Level, answer: Answer?, session: Session? = nil, passkey: Passkey? = nil
    ) {
        self.record = record
        self.decision = decision
        self.reason = reason
        self.cause = cause
        self.decidedAt = decidedAt
        self.level = level
        self.answer = answer
        self.session = session
        self.passkey = passkey
    }
}

extension ApprovalEvidence {
    /// Reads the stored form.
    package init(parsing text: String) throws(ApprovalFailure) {
        try self.init(try ApprovalMembers(parsing: Array(text.utf8), path: "evidence"), isStored: true)
    }

    init(_ members: ApprovalMembers, isStored: Bool = false) throws(ApprovalFailure) {
        record = try RequestRecord(parsing: try members.string("record"))
        decision = try members.choice("decision")
        reason = try members.optionalString("reason")
        cause = isStored && members.object["cause"] != nil ? try members.choice("cause") : nil
        decidedAt = try members.date("decided_at")
        level = try members.choice("evidence")
        if let device = try members.optionalMembers("device") {
            answer = Answer(device: try Device(device), token: try members.string("answer"))
        } else {
            guard members.object["answer"] == nil else { throw .missing(members.name("device")) }
            answer = nil
        }
        session = try members.optionalMembers("session").map { members throws(ApprovalFailure) in
            try Session(members)
        }
        passkey = try members.optionalMembers("passkey").map(Passkey.init)
    }

    /// The stored form.
    package var text: String {
        let bytes = JSONWriter.object(capacity: 2048) { writer in
            write(to: &writer)
            writer.member("cause", ifPresent: cause?.rawValue)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    func write(to writer: inout JSONWriter) {
        writer.member("record", record.text)
        writer.member("decision", decision.rawValue)
        writer.member("reason", ifPresent: reason)
        writer.member("decided_at", decidedAt.iso8601)
        writer.member("evidence", level.rawValue)
        if let answer {
            writer.member("device", object: answer.device.write)
            writer.member("answer", answer.token)
        }
        if let session { writer.member("session", object: session.write) }
        if let passkey { writer.member("passkey", object: passkey.write) }
    }
}

extension ApprovalEvidence.Session {
    init(_ members: ApprovalMembers) throws(ApprovalFailure) {
        guard let methods = try members.required("amr").stringsValue else {
            throw .invalid(members.name("amr"), expected: "an array of strings")
        }
        self.init(
            digest: try members.string("sid_sha256"), authenticatedAt: try members.date("auth_time"),
            methods: methods, contextClass: try members.optionalString("acr"))
    }

    func write(to writer: inout JSONWriter) {
        writer.member("sid_sha256", digest)
        writer.member("auth_time", authenticatedAt.iso8601)
        writer.member("amr", methods)
        writer.member("acr", ifPresent: contextClass)
    }
}

extension ApprovalEvidence.Device {
    init(_ members: ApprovalMembers) throws(ApprovalFailure) {
        self.init(
            id: try members.string("id"), name: try members.string("name"),
            identifier: try members.string("identifier"), publicKey: try members.publicKey("jwk"),
            enrolledAt: try members.date("enrolled_at"))
    }

    func write(to writer: inout JSONWriter) {
        writer.member("id", id)
        writer.member("name", name)
        writer.member("identifier", identifier)
        writer.member("jwk", publicKey.json)
        writer.member("enrolled_at", enrolledAt.iso8601)
    }
}
