import APIDescription
import Administration
import AuthorizationCore
import Configuration
import Localization
import Primitives

/// Wire format of users.
enum UserShapes {
    /// Members of both creation and update.
    private static let profile = [
        Member("email", .text(3...254), "Kept in lower case"),
        Member("email_verified", .boolean), Member("username", .text(1...128), "Kept in lower case"),
        Member("name", .text(1...150)), Member("given_name", .text(1...150)), Member("family_name", .text(1...150)),
        Member("nickname", .text(1...255)), Member("picture", .text(1...2048), "An address"),
        Member("phone_number", .text(pattern: "^\\+[0-9]{1,15}$"), "E.164"), Member("phone_verified", .boolean),
        Member("locale", .choice(Language.allCases.map(\.rawValue)), "The language of mails and pages"),
        Member("blocked", .boolean, "May not log in, and no request reaches them"),
        Member("user_metadata", .anyObject, "Preferences"), Member("app_metadata", .anyObject, "Entitlements"),
    ]

    private static let password = Member("password", .text(1...256), "By the tenant's rules")
    private static let verifyEmail = Member(
        "verify_email", .boolean, "Has a link mailed that proves the address; not unless told")

    static let create = Shape.object(
        [
            .required("connection", .text(1...128), "Its name; users with a password belong to the database"),
            Member("user_id", .text(1...255), "With or without what stands before the |; made where it is missing"),
            password.needing(["create:users"]), verifyEmail,
        ] + profile.map { $0.name.hasSuffix("_metadata") ? $0 : $0.clearable })

    /// The scope `update:users_app_metadata` permits only `app_metadata`.
    static let update = Shape.object(
        ([
            Member("connection", .text(1...128), "The user's own; nothing else changes it"),
            Member("client_id", .text(1...128), "Taken, and of no effect"), password,
            verifyEmail, Member("verify_phone_number", .boolean, "True is refused: no messages go to phone numbers"),
        ] + profile.map(\.clearable)).map { member in
            member.name == "app_metadata"
                ? member.needing(["update:users"], ["update:users_app_metadata"]) : member.needing(["update:users"])
        })

    static let createExample: JSONValue = [
        "connection": .string(LoginConnection.defaultDatabaseName), "email": "ann@example.com",
        "password": "wide river under snow", "app_metadata": ["plan": "gold"],
    ]

    static let identity = Shape.object([
        .required("connection", .text()), .required("user_id", .text()), .required("provider", .text()),
        .required("isSocial", .boolean),
    ])

    static let user = Shape.object([
        Member("user_id", .text()), Member("email", .text()), Member("email_verified", .boolean),
        Member("username", .text()), Member("name", .text()), Member("given_name", .text()),
        Member("family_name", .text()), Member("nickname", .text()), Member("picture", .text()),
        Member("phone_number", .text()), Member("phone_verified", .boolean), Member("locale", .text()),
        Member("blocked", .boolean), Member("identities", .list(identity)), Member("user_metadata", .anyObject),
        Member("app_metadata", .anyObject), Member("created_at", .date), Member("updated_at", .date),
        Member("last_login", .date), Member("last_ip", .text()), Member("logins_count", .integer()),
        Member("last_password_reset", .date),
    ])

    static let example: JSONValue = [
        "user_id": "auth0|65f0c1d2e3a4b5c6d7e8f901", "email": "ann@example.com", "email_verified": true,
        "name": "ann@example.com", "nickname": "ann", "blocked": false, "logins_count": 0,
        "app_metadata": ["plan": "gold"], "created_at": "2026-01-31T12:00:00.000Z",
        "updated_at": "2026-01-31T12:00:00.000Z",
        "identities": [
            [
                "connection": .string(LoginConnection.defaultDatabaseName), "user_id": "65f0c1d2e3a4b5c6d7e8f901",
                "provider": "auth0", "isSocial": false,
            ]
        ],
    ]

    /// Omits empty members.
    static func json(_ record: UserRecord) -> JSONObject {
        let user = record.user
        var json = user.document
        json["roles"] = nil
        json["permissions"] = nil
        if user.email == nil { json["email_verified"] = nil }
        if user.phoneNumber == nil { json["phone_verified"] = nil }
        json["identities"] = .array(record.identities.map { .object(Self.json($0)) })
        if !record.metadata.user.isEmpty { json["user_metadata"] = .object(record.metadata.user) }
        if !record.metadata.app.isEmpty { json["app_metadata"] = .object(record.metadata.app) }
        json["created_at"] = .string(user.createdAt.iso8601)
        json["updated_at"] = .string(user.updatedAt.iso8601)
        let activity = record.activity
        json["last_login"] = activity.lastLogin.map { .string($0.iso8601) }
        json["last_ip"] = activity.lastIP.map(JSONValue.string)
        json["logins_count"] = .number(JSONNumber(activity.loginsCount))
        json["last_password_reset"] = activity.lastPasswordReset.map { .string($0.iso8601) }
        return json
    }

    static func json(_ identity: UserIdentity) -> JSONObject {
        [
            "connection": .string(identity.connection), "user_id": .string(identity.userID),
            "provider": .string(identity.provider), "isSocial": .bool(identity.provider != "auth0"),
        ]
    }

    // MARK: roles and permissions

    /// `scopes` are the operation's scopes.
    static func roles(needing scopes: [[String]]) -> Shape {
        let list = Shape.list(.text(1...255), 1...ManageRoles.assignmentLimit)
        return .object([Member.required("roles", list).needing(scopes)])
    }

    static let rolesExample: JSONValue = ["roles": ["rol_sW4J0OcmNTTqGIrX"]]

    private static let source = Shape.object([
        .required("source_id", .text(), "The role's id; empty for DIRECT"),
        .required("source_name", .text(), "The role's name; empty for DIRECT"),
        .required("source_type", .choice(["DIRECT", "ROLE"])),
    ])

    static let heldPermission = Shape.object(
        [
            .required("resource_server_identifier", .text()), .required("permission_name", .text()),
            Member("resource_server_name", .text()), Member("description", .text()),
            .required("sources", .list(source)),
        ])

    static func json(_ held: HeldPermission, _ configuration: TenantConfiguration) -> JSONObject {
        func source(_ type: String, _ id: String, _ name: String) -> JSONValue {
            ["source_id": .string(id), "source_name": .string(name), "source_type": .string(type)]
        }
        var json = RoleShapes.json(held.permission, configuration)
        json["sources"] = .array(
            (held.isDirect ? [source("DIRECT", "", "")] : [])
                + held.roles.map { source("ROLE", $0.id.rawValue, $0.name) })
        return json
    }
}
