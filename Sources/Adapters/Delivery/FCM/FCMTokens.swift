import AuthorizationCore
import HTTPModel
import JOSE
import Primitives

/// Access tokens of service accounts, by assertion (RFC 7523 clause 2.1). Each is used until shortly before its end,
/// and requested once at a time.
actor FCMTokens {
    /// Remaining life at which a token is replaced.
    static let margin = Duration.seconds(300)

    enum Failure: Error {
        case unreachable(HTTPClientError)
        case busy(reason: String, retryAfter: Duration?)
        case refused(reason: String, detail: String?)
    }

    private struct Token {
        let text: String
        let issuedAt: Timestamp
        let expiresAt: Timestamp
    }

    private let http: any OutgoingHTTPClient
    private let address: String
    private var tokens = BoundedTable<CredentialStamp, Token>(limit: 1000)
    private var flights: [CredentialStamp: Task<Result<Token, Failure>, Never>] = [:]

    init(http: any OutgoingHTTPClient, address: String) {
        self.http = http
        self.address = address
    }

    /// `isFresh` is true if Google issued the token for this call, perhaps with others.
    func token(
        _ credentials: FCMCredentials, now: Timestamp
    ) async throws(Failure) -> (text: String, isFresh: Bool) {
        let stamp = credentials.stamp
        // Before `issuedAt`, the clock was set back.
        if let known = tokens[stamp], known.issuedAt <= now, now < known.expiresAt - Self.margin {
            return (known.text, false)
        }
        let flight =
            flights[stamp]
            ?? Task { [http, address] in await Self.request(credentials, from: address, by: http, now: now) }
        flights[stamp] = flight
        let result = await flight.value
        if flights[stamp] == flight {
            flights[stamp] = nil
            if case .success(let token) = result { tokens[stamp] = token }
        }
        return (try result.get().text, true)
    }

    /// Forgets the token, unless a later one replaced it.
    func forget(_ text: String, of stamp: CredentialStamp) {
        if tokens[stamp]?.text == text { tokens[stamp] = nil }
    }

    private static func request(
        _ credentials: FCMCredentials, from address: String, by http: any OutgoingHTTPClient, now: Timestamp
    ) async -> Result<Token, Failure> {
        guard let assertion = assertion(of: credentials, now: now) else {
            return .failure(.refused(reason: "the private key cannot sign", detail: nil))
        }
        let form = FormFields([
            ("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"), ("assertion", assertion),
        ])
        do throws(HTTPClientError) {
            let answer = try await http.send(
                ClientRequest(
                    method: .post, url: address, fields: ["Content-Type": "application/x-www-form-urlencoded"],
                    body: Array(form.encoded.utf8), timeout: MobilePushServices.timeout))
            return result(of: answer, now: now)
        } catch {
            return .failure(.unreachable(error))
        }
    }

    /// Nil if the key cannot sign.
    private static func assertion(of credentials: FCMCredentials, now: Timestamp) -> String? {
        let claims = JSONWriter.object { writer in
            writer.member("iss", credentials.clientEmail)
            writer.member("scope", "https://www.googleapis.com/auth/firebase.messaging")
            writer.member("aud", FCMCredentials.tokenURI)
            writer.member("iat", now.seconds)
            writer.member("exp", now.seconds + 3600)
        }
        let extra: JSONObject = credentials.keyID.map { ["kid": .string($0)] } ?? [:]
        return try? JWS.sign(claims, extra: extra, with: credentials.signer)
    }

    private static func result(of answer: ClientResponse, now: Timestamp) -> Result<Token, Failure> {
        let body = (try? JSONReader.parse(answer.body, depthLimit: 4))?.objectValue
        if answer.status == 200, let text = body?["access_token"]?.stringValue, isToken(text),
            let life = body?["expires_in"]?.intValue, (1...86_400).contains(life)
        {
            return .success(Token(text: text, issuedAt: now, expiresAt: now + .seconds(life)))
        }
        let text = "Google's token endpoint answered \(answer.status)"
        guard [400, 401, 403].contains(answer.status), let code = body?["error"]?.stringValue else {
            return .failure(.busy(reason: text, retryAfter: answer.retryAfter(now: now)))
        }
        let known = ["invalid_grant", "invalid_client", "unauthorized_client", "invalid_scope", "invalid_request"]
        let cause =
            code == "invalid_grant"
            ? ": the key was deleted or the account disabled, or this server's clock is wrong" : ""
        return .failure(
            .refused(
                reason: text + (known.contains(code) ? " \(code)" : "") + cause,
                detail: body?["error_description"]?.stringValue.map { String($0.prefix(200)) }))
    }

    /// The syntax of bearer tokens (RFC 6750 clause 2.1): the text becomes a part of a header field.
    private static func isToken(_ text: String) -> Bool {
        (1...8192).contains(text.utf8.count) && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }
}
