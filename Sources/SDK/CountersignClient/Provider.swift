import ApprovalWire
import JOSE
import OAuthWire
import PlatformFoundation
import Primitives

/// The authorization server as its published documents describe it.
final class Provider: Sendable {
    let environment: CountersignClient.Environment
    private let document: CachedDocument<ProviderMetadata>
    private let keys: CachedDocument<JWKSet>

    init(issuer: URL, environment: CountersignClient.Environment) throws(CountersignError) {
        let issuer = try Self.checked(issuer)
        let document = CachedDocument(environment) { () throws(CountersignError) in
            EndpointPath.openIDConfiguration.url(below: issuer.hasSuffix("/") ? issuer : issuer + "/")
        } read: { value throws(CountersignError) in
            try Self.metadata(value, of: issuer)
        }
        self.environment = environment
        self.document = document
        keys = CachedDocument(environment) { () throws(CountersignError) in
            try await document.value().jwksURI
        } read: { value throws(CountersignError) in
            guard let keys = try? JWKSet(value) else { throw .protocolViolation("the key document is not a JWK set") }
            return keys
        }
    }

    func metadata() async throws(CountersignError) -> ProviderMetadata { try await document.value() }

    /// Fetches the keys before a request for tokens that can be obtained only once.
    func fetchKeys() async throws(CountersignError) { _ = try await keys.value() }

    /// Verifies a token's signature with one of the provider's keys and returns its claims. If its `kid` is unknown,
    /// the keys are fetched again, because they may have been rotated. Another key is never tried.
    func verified(_ token: String, algorithms: Set<JWSAlgorithm>) async throws(CountersignError) -> VerifiedToken {
        let jws: JWS
        do throws(JWS.Failure) { jws = try JWS(parsing: token) } catch { throw .tokenInvalid(TokenProblem(error)) }
        guard algorithms.contains(jws.algorithm) else { throw .tokenInvalid(.algorithm(jws.algorithm.rawValue)) }
        let key = try await key(for: jws)
        let payload: [UInt8]
        do throws(JWS.Failure) {
            payload = try jws.verified(by: key, allowed: algorithms, using: environment.verifier)
        } catch {
            throw .tokenInvalid(TokenProblem(error))
        }
        guard let claims = Claims(payload: payload) else { throw .tokenInvalid(.malformed) }
        return VerifiedToken(claims: claims, type: jws.type, algorithm: jws.algorithm)
    }

    /// Verifies a receipt. If its `kid` is unknown, the keys are fetched again, as for tokens.
    func verified(receipt text: String) async throws(CountersignError) -> VerifiedReceipt {
        let issuer = try await metadata().issuer
        func verify(by keys: JWKSet) throws(ReceiptFailure) -> VerifiedReceipt {
            try ReceiptVerifier(
                keys: keys, issuer: issuer, verifier: environment.verifier, hashing: environment.hashing
            ).verify(text)
        }
        let failure: ReceiptFailure
        let known = try await keys.value()
        do { return try verify(by: known) } catch { failure = error }
        guard failure.rule == .key, let fresh = try await keys.refreshed() else { throw CountersignError(failure) }
        do { return try verify(by: fresh) } catch { throw CountersignError(error) }
    }

    private func key(for jws: JWS) async throws(CountersignError) -> JWK {
        if let key = try await keys.value().key(id: jws.keyID, for: jws.algorithm) { return key }
        if let key = try await keys.refreshed()?.key(id: jws.keyID, for: jws.algorithm) { return key }
        throw .tokenInvalid(.unknownKey)
    }

    // MARK: Discovery

    /// Checks an issuer: an `https` URL without query or fragment (OIDC Discovery 3), or `http` to this machine for
    /// development. An empty path equals `/` (RFC 3986 clause 6.2.3).
    private static func checked(_ url: URL) throws(CountersignError) -> String {
        guard isSecure(url) else {
            throw .invalidRequest(
                "the issuer must be an https URL; http is allowed only for localhost, 127.0.0.1 and ::1")
        }
        guard url.query() == nil, url.fragment() == nil, url.user() == nil else {
            throw .invalidRequest("the issuer must have no query, fragment or user")
        }
        return normalized(url.absoluteString)
    }

    /// True if requests to the URL do not cross a network unencrypted.
    private static func isSecure(_ url: URL) -> Bool {
        guard let host = url.host(), !host.isEmpty else { return false }
        return url.scheme == "https" || url.scheme == "http" && isLoopbackHost(host)
    }

    private static func normalized(_ issuer: String) -> String {
        guard let authority = issuer.firstRange(of: "://")?.upperBound, !issuer[authority...].contains("/") else {
            return issuer
        }
        return issuer + "/"
    }

    /// Checks that the document names the issuer it was fetched for (OIDC Discovery 4.3), and that every endpoint is at
    /// least as secure as the issuer.
    private static func metadata(_ value: JSONValue, of issuer: String) throws(CountersignError) -> ProviderMetadata {
        guard let metadata = ProviderMetadata(value) else {
            throw .protocolViolation("the discovery document lacks issuer, jwks_uri or token_endpoint")
        }
        guard normalized(metadata.issuer) == issuer else {
            throw .protocolViolation("the discovery document is for \(metadata.issuer), not for \(issuer)")
        }
        let endpoints = [
            metadata.jwksURI, metadata.tokenEndpoint, metadata.backchannelAuthenticationEndpoint,
            metadata.authorizationEndpoint, metadata.userinfoEndpoint, metadata.revocationEndpoint,
            metadata.endSessionEndpoint,
        ]
        for endpoint in endpoints.compactMap({ $0 }) {
            guard let url = URL(string: endpoint), isSecure(url),
                url.scheme == "https" || issuer.hasPrefix("http://")
            else { throw .protocolViolation("the discovery document names an endpoint that is not https") }
        }
        return metadata
    }
}

struct VerifiedToken {
    let claims: Claims
    let type: String?
    let algorithm: JWSAlgorithm
}

extension TokenProblem {
    init(_ failure: JWS.Failure) {
        self =
            switch failure {
            case .malformed, .tooLong, .critical: .malformed
            case .algorithm(let name): .algorithm(name)
            case .signature: .signature
            }
    }

    init(_ failure: VerificationPolicy.Failure) {
        self =
            switch failure {
            case .type(let type): .type(type)
            case .issuer: .issuer
            case .subject: .subject
            case .audience: .audience
            case .missing(let name): .missing(name)
            case .expired, .tooOld, .lifetime: .expired
            case .notYetValid, .issuedInTheFuture: .notYetValid
            case .malformed(let name): .missing(name)
            }
    }
}
