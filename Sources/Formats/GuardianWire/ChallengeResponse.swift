package import JOSE
package import Primitives

/// Claims that a device signs with its enrolled key to allow or reject a transaction.
package struct ChallengeResponse: Sendable, Equatable {
    /// `exp` − `iat` of the SDKs' answers.
    package static let lifetime: Duration = .seconds(30)
    package static let method = "push"
    /// Unicode scalars of a reason that are kept.
    package static let reasonLimit = 256

    /// `iss`: the device's identifier as it enrolled (not the enrolment's id).
    package var deviceIdentifier: String
    /// `sub`: the challenge of the push.
    package var challenge: String
    /// `aud`: the URL that the answer is sent to, in the device's spelling.
    package var audience: String
    package var issuedAt: Timestamp
    package var expires: Timestamp
    package var accepted: Bool
    package var reason: String?
    /// Digest of the request's record as the device showed it. Nil for phones that know no records.
    package var requestDigest: String?
    /// The number that the person picked. Nil for a request without choices.
    package var matchingPick: MatchingNumber?
    /// True if the person rejects a request that they did not expect.
    package var isReported = false

    package init(
        deviceIdentifier: String, challenge: String, audience: String, issuedAt: Timestamp, accepted: Bool,
        reason: String? = nil, requestDigest: String? = nil
    ) {
        self.deviceIdentifier = deviceIdentifier
        self.challenge = challenge
        self.audience = audience
        self.issuedAt = issuedAt
        expires = issuedAt + Self.lifetime
        self.accepted = accepted
        self.reason = reason
        self.requestDigest = requestDigest
    }

    /// Reads the claims. The caller checks their signature, times and origin.
    package init(_ claims: Claims) throws(GuardianWireFailure) {
        let members = try Members(.object(claims.members), path: "challenge_response")
        deviceIdentifier = try members.string("iss")
        challenge = try members.string("sub")
        audience = try members.string("aud")
        issuedAt = try claims.required("iat", in: members)
        expires = try claims.required("exp", in: members)
        guard try members.string("auth0_guardian_method") == Self.method else {
            throw .invalid(members.name("auth0_guardian_method"), expected: Self.method)
        }
        guard let accepted = try members.required("auth0_guardian_accepted").boolValue else {
            throw .invalid(members.name("auth0_guardian_accepted"), expected: "a boolean")
        }
        self.accepted = accepted
        reason = try members.optionalString("auth0_guardian_reason")
        requestDigest = try members.optionalString("request_digest")
        if let text = try members.optionalString("matching_pick") {
            guard let pick = MatchingNumber(text) else {
                throw .invalid(members.name("matching_pick"), expected: "a number of two digits, as a string")
            }
            matchingPick = pick
        }
        if let value = members.value("reported") {
            guard let flag = value.boolValue, !(flag && accepted) else {
                throw .invalid(members.name("reported"), expected: "a boolean, and false in an answer that allows")
            }
            isReported = flag
        }
    }

    package var keptReason: String? { reason.flatMap(Self.kept) }

    /// A person's reason as the server keeps it: its first scalars, or nil for a blank one. Characters have any number of
    /// scalars, so scalars are counted.
    package static func kept(_ reason: String) -> String? {
        let scalars = reason.unicodeScalars.prefix(reasonLimit)
        guard scalars.contains(where: { !$0.properties.isWhitespace }) else { return nil }
        return String(String.UnicodeScalarView(scalars))
    }

    /// The JWT's payload.
    package var payload: [UInt8] {
        JSONWriter.object { writer in
            writer.member("iss", deviceIdentifier)
            writer.member("sub", challenge)
            writer.member("aud", audience)
            writer.member("iat", issuedAt.seconds)
            writer.member("exp", expires.seconds)
            writer.member("auth0_guardian_method", Self.method)
            writer.member("auth0_guardian_accepted", accepted)
            writer.member("auth0_guardian_reason", ifPresent: reason)
            writer.member("request_digest", ifPresent: requestDigest)
            writer.member("matching_pick", ifPresent: matchingPick?.description)
            if isReported { writer.member("reported", true) }
        }
    }
}

/// The body of `POST api/resolve-transaction`.
package struct ResolveTransactionRequest: Sendable, Equatable {
    /// A JWT whose claims are a `ChallengeResponse`.
    package var challengeResponse: String
    /// A passkey's proof that the person confirmed the answer. Nil without a passkey.
    package var passkey: PasskeyAssertion?

    package init(challengeResponse: String, passkey: PasskeyAssertion? = nil) {
        self.challengeResponse = challengeResponse
        self.passkey = passkey
    }

    package init(parsing body: [UInt8]) throws(GuardianWireFailure) {
        let members = try Members(parsing: body)
        challengeResponse = try members.string("challenge_response")
        passkey = try members.optionalMembers("passkey").map(PasskeyAssertion.init)
    }

    package var json: [UInt8] {
        JSONWriter.object(capacity: 1024) { writer in
            writer.member("challenge_response", challengeResponse)
            if let passkey { writer.member("passkey", object: passkey.write) }
        }
    }
}

extension Claims {
    /// A required NumericDate. May have a fraction, as Guardian.swift's do.
    func required(_ name: String, in members: Members) throws(GuardianWireFailure) -> Timestamp {
        _ = try members.required(name)
        guard let date = date(name) else { throw .invalid(members.name(name), expected: "a NumericDate") }
        return date
    }
}
