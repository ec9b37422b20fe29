import JOSE
import PlatformFoundation
public import Primitives

extension Tokens {
    /// All values in the format of a token response (RFC 6749 clause 5.1), with the date `expires_at` instead of
    /// `expires_in`. It contains secrets: use it for secure storage, and for programs that need the tokens.
    public var json: JSONValue {
        var object: JSONObject = [
            "access_token": .string(accessToken), "token_type": .string(tokenType),
            "scope": .string(scope.joined(separator: " ")),
        ]
        if let expiresAt { object["expires_at"] = .string(Timestamp(expiresAt).iso8601) }
        object["id_token"] = idToken.map { .string($0.encoded) }
        object["refresh_token"] = refreshToken.map(JSONValue.string)
        object["approval_receipt"] = approvalReceipt.map(JSONValue.string)
        if !authorizationDetails.isEmpty { object["authorization_details"] = .array(authorizationDetails) }
        return .object(object)
    }

    /// Reads the value of `json`. Nothing is verified again, so it must come from storage that nobody else can write.
    /// Nil means that the value has another format.
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
            authorizationDetails: json["authorization_details"]?.arrayValue ?? [],
            approvalReceipt: json["approval_receipt"]?.stringValue)
    }
}
