import Foundation
import JOSE
public import Primitives

extension Tokens {
    /// All there is, as a token response spells it (RFC 6749 clause 5.1) with `expires_at`, a date, instead of
    /// `expires_in`. It holds the secrets: for secure storage, and for programs that ask for the tokens.
    public var json: JSONValue {
        var object: JSONObject = [
            "access_token": .string(accessToken), "token_type": .string(tokenType),
            "scope": .string(scope.joined(separator: " ")),
        ]
        if let expiresAt { object["expires_at"] = .string(Timestamp(expiresAt).iso8601) }
        object["id_token"] = idToken.map { .string($0.encoded) }
        object["refresh_token"] = refreshToken.map(JSONValue.string)
        if !authorizationDetails.isEmpty { object["authorization_details"] = .array(authorizationDetails) }
        return .object(object)
    }

    /// Takes back what `json` gave. Nothing is verified again: it must come from where nobody else can write.
    /// Nil for anything else.
    public init?(json: JSONValue) {
        guard let accessToken = json["access_token"]?.stringValue, let tokenType = json["token_type"]?.stringValue,
            let scope = json["scope"]?.stringValue
        else { return nil }
        var idToken: IDToken?
        if let encoded = json["id_token"]?.stringValue {
            guard let claims = (try? JWS(parsing: encoded))?.unverifiedClaims.map(Claims.init),
                let subject = claims.subject
            else { return nil }
            idToken = IDToken(encoded: encoded, claims: claims, subject: subject)
        }
        var expiresAt: Date?
        if let text = json["expires_at"]?.stringValue {
            guard let time = Timestamp(iso8601: text) else { return nil }
            expiresAt = time.date
        }
        self.init(
            accessToken: accessToken, idToken: idToken, refreshToken: json["refresh_token"]?.stringValue,
            scope: scope.split(separator: " ").map(String.init), expiresAt: expiresAt, tokenType: tokenType,
            authorizationDetails: json["authorization_details"]?.arrayValue ?? [])
    }
}
