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
    }

    /// The reason as the server keeps it: its first scalars, or nil for a blank one. Characters have any number of
    /// scalars, so scalars are counted.
    package var keptReason: String? {
        guard let scalars = reason?.unicodeScalars.prefix(Self.reasonLimit),
            scalars.contains(where: { !$0.properties.isWhitespace })
        else { return nil }
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
        }
    }
}

/// The body of `POST api/resolve-transaction`.
package struct ResolveTransactionRequest: Sendable, Equatable {
    /// A JWT whose claims are a `ChallengeResponse`.
    package var challengeResponse: String

    package init(challengeResponse: String) { self.challengeResponse = challengeResponse }

    package init(parsing body: [UInt8]) throws(GuardianWireFailure) {
        challengeResponse = try Members(parsing: body).string("challenge_response")
    }

    package var json: [UInt8] {
        JSONWriter.object(capacity: 1024) { $0.member("challenge_response", challengeResponse) }
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
