package import AuthorizationCore
import Configuration
package import Primitives

extension UserRecord {
    /// The user as Auth0's Management API shows them. Omits empty members.
    package var apiDocument: JSONObject {
        var json = user.document
        json["roles"] = nil
        json["permissions"] = nil
        if user.email == nil { json["email_verified"] = nil }
        if user.phoneNumber == nil { json["phone_verified"] = nil }
        json["identities"] = .array(identities.map { .object($0.apiDocument) })
        if !metadata.user.isEmpty { json["user_metadata"] = .object(metadata.user) }
        if !metadata.app.isEmpty { json["app_metadata"] = .object(metadata.app) }
        json["created_at"] = .string(user.createdAt.iso8601)
        json["updated_at"] = .string(user.updatedAt.iso8601)
        json["last_login"] = activity.lastLogin.map { .string($0.iso8601) }
        json["last_ip"] = activity.lastIP.map(JSONValue.string)
        json["logins_count"] = .number(JSONNumber(activity.loginsCount))
        json["last_password_reset"] = activity.lastPasswordReset.map { .string($0.iso8601) }
        json["email_bounced_at"] = user.emailBounce.map { .string($0.at.iso8601) }
        json["email_bounce"] = user.emailBounce.map { .string($0.status) }
        return json
    }
}

extension UserIdentity {
    package var apiDocument: JSONObject {
        [
            "connection": .string(connection), "user_id": .string(userID), "provider": .string(provider),
            "isSocial": .bool(provider != "auth0"),
        ]
    }
}
