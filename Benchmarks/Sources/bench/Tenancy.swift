import Workbench
import JOSE
import Primitives

/// Document for `countersign apply`: one tenant whose limits admit the load of a whole fleet from one machine.
struct Tenancy {
    static let id = "bench"
    static let audience = "https://pay.example/"
    static let clientID = "agent"
    /// Asks by mail.
    static let mailingClientID = "mailing-agent"
    static let secret = "zR3nVq8wXk5tYb2mLc7pHd4sJf6gNa9e"

    static func user(_ kind: String, _ number: Int) -> String { "auth0|\(kind)\(number)" }

    /// `key` is the key of `SigningAgent`.
    static func document(host: String, users: [String], key: JWK) -> String {
        let users = users.map {
            #"{"user_id": "\#($0)", "email": "\#($0.dropFirst(6))@example.org", "email_verified": true}"#
        }
        return """
            {"tenants": [{
              "id": "\(id)", "name": "Bench", "host": "\(host)",
              "settings": {
                "requests_per_minute_per_user": 1000000, "pending_requests_per_user": 1000000,
                "logins_per_minute_per_address": 1000000, "actions_per_minute": 1000000, "poll_interval": 1
              },
              "apis": [{
                "identifier": "\(audience)", "name": "Pay", "signing_alg": "ES256", "allow_offline_access": true
              }],
              "users": [\(users.joined(separator: ",\n"))],
              "clients": [{
                "client_id": "\(clientID)", "name": "Agent", "client_secret": "\(secret)",
                "grant_types": ["\(Agent.grantType)"], "jwt_configuration": {"alg": "ES256"}, "allow_long_push": true
              }, {
                "client_id": "\(mailingClientID)", "name": "Mailing agent", "client_secret": "\(secret)",
                "grant_types": ["\(Agent.grantType)"], "async_approval_notification_channels": ["email"]
              }, {
                "client_id": "\(SigningAgent.clientID)", "name": "Signing agent",
                "token_endpoint_auth_method": "private_key_jwt", "jwks": \(JSONWriter.string(JWKSet(keys: [key]).json)),
                "grant_types": ["\(Agent.grantType)"], "jwt_configuration": {"alg": "ES256"}, "allow_long_push": true
              }, {
                "client_id": "\(App.clientID)", "name": "App", "token_endpoint_auth_method": "none",
                "grant_types": ["authorization_code", "refresh_token"], "callbacks": ["\(App.callback)"],
                "jwt_configuration": {"alg": "ES256"}
              }]
            }]}
            """
    }
}
