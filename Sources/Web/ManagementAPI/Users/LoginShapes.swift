import Administration
import AuthorizationCore
import Configuration
import JSONSchema
import OAuthWire
import Primitives

/// Wire format of sessions, refresh tokens and grants.
enum LoginShapes {
    static let session = Shape.object([
        .required("id", .text(), "sid in ID tokens"), .required("user_id", .text()), .required("created_at", .date),
        .required("updated_at", .date), .required("authenticated_at", .date),
        .required("last_interacted_at", .date), .required("idle_expires_at", .date), .required("expires_at", .date),
        .required("clients", .list(.object([.required("client_id", .text())])), "Clients that got a code in it"),
        .required(
            "authentication",
            .object([
                .required("methods", .list(.object([.required("name", .text()), .required("timestamp", .date)])))
            ])),
        .required(
            "device",
            .object([
                Member("last_user_agent", .text(), "The browser of the last login in it"),
                Member("last_ip", .text(), "Its network address, of IPv6 the network of 64 bits"),
            ])),
    ])

    static let sessionExample: JSONValue = [
        "id": "kUW0TqQmJY1rF3V8wF0v0A", "user_id": "auth0|65f0c1d2e3a4b5c6d7e8f901",
        "created_at": "2026-01-31T12:00:00.000Z", "updated_at": "2026-01-31T12:00:00.000Z",
        "authenticated_at": "2026-01-31T12:00:00.000Z", "last_interacted_at": "2026-01-31T12:00:00.000Z",
        "idle_expires_at": "2026-02-03T12:00:00.000Z", "expires_at": "2026-02-07T12:00:00.000Z",
        "clients": [["client_id": "agent"]],
        "authentication": ["methods": [["name": "pwd", "timestamp": "2026-01-31T12:00:00.000Z"]]],
        "device": ["last_user_agent": "Mozilla/5.0", "last_ip": "203.0.113.7"],
    ]

    static func json(_ record: SessionRecord) -> JSONObject {
        let session = record.session
        let authentication = session.authentication
        var device: JSONObject = [:]
        device["last_user_agent"] = session.origin.userAgent.map { .string($0) }
        device["last_ip"] = session.origin.address.map { .string($0) }
        return [
            "id": .string(session.id.rawValue), "user_id": .string(authentication.user.rawValue),
            "created_at": .string(session.createdAt.iso8601), "updated_at": .string(session.lastUsedAt.iso8601),
            "authenticated_at": .string(authentication.at.iso8601),
            "last_interacted_at": .string(session.lastUsedAt.iso8601),
            "idle_expires_at": .string(session.idleExpiresAt.iso8601),
            "expires_at": .string(session.expiresAt.iso8601),
            "clients": .array(record.clients.map { ["client_id": .string($0.rawValue)] }),
            "authentication": [
                "methods": .array(
                    authentication.methods.map {
                        ["name": .string($0), "timestamp": .string(authentication.at.iso8601)]
                    })
            ],
            "device": .object(device),
        ]
    }

    struct Revocation {
        var session: SessionID?
        var preservesRefreshTokens = false
    }

    static let revokeAccess = Fields<Revocation> {
        Field("session_id", protects: .nothing, .id(), \.session, "Only refresh tokens of this session")
        Field("preserve_refresh_tokens", protects: .nothing, .flag, \.preservesRefreshTokens)
    }

    // MARK: refresh tokens

    static let metadata = FieldType<JSONObject>.checked(
        Shape([
            "type": ["object", "null"], "maxProperties": 25, "propertyNames": ["maxLength": 255],
            "additionalProperties": ["type": "string", "maxLength": 255],
        ]), \.objectValue)

    static let refreshToken = Shape.object([
        .required("id", .text()), .required("user_id", .text()), .required("client_id", .text()),
        .required("session_id", Shape.text().orNull, "Null if there was no browser, as with CIBA"),
        .required("created_at", .date), .required("expires_at", .date),
        .required("idle_expires_at", Shape.date.orNull), .required("rotating", .boolean),
        .required(
            "resource_servers",
            .list(.object([.required("audience", .text()), .required("scopes", .list(.text()))]))),
        Member("refresh_token_metadata", .anyObject),
        .required("last_exchanged_at", Shape.date.orNull),
    ])

    static let refreshTokenExample: JSONValue = [
        "id": "kUW0TqQmJY1rF3V8wF0v0A", "user_id": "auth0|65f0c1d2e3a4b5c6d7e8f901", "client_id": "agent",
        "session_id": nil, "created_at": "2026-01-31T12:00:00.000Z", "expires_at": "2026-03-02T12:00:00.000Z",
        "idle_expires_at": nil, "rotating": false,
        "resource_servers": [["audience": "https://api.example.com/", "scopes": ["openid", "offline_access"]]],
        "last_exchanged_at": nil,
    ]

    static let changeRefreshToken = Shape.object([
        Member.required("refresh_token_metadata", metadata.shape, "Replaces the metadata; null deletes it")
            .protecting(.nothing)
    ])

    static let revokeRefreshTokens = Fields<RefreshTokenFilter> {
        Field("ids", protects: .nothing, .ids(1...100), \.ids)
        Field("user_id", protects: .nothing, .id(), \.user)
        Field("client_id", protects: .nothing, .id(), \.client)
        Field("audience", protects: .nothing, .characters(1...600), \.audience)
    }

    static func json(_ record: RefreshTokenRecord, _ configuration: TenantConfiguration) -> JSONObject {
        let family = record.family
        let access = family.access
        var json: JSONObject = [
            "id": .string(access.id.rawValue), "user_id": .string(access.user.rawValue),
            "client_id": .string(access.client.rawValue),
            "session_id": access.session.map { .string($0.rawValue) } ?? .null,
            "created_at": .string(family.createdAt.iso8601), "expires_at": .string(family.expiresAt.iso8601),
            "idle_expires_at": family.idleExpiresAt.map { .string($0.iso8601) } ?? .null,
            "rotating": .bool(configuration.client(access.client)?.rotatesRefreshTokens ?? false),
            "resource_servers": [["audience": .string(access.audience), "scopes": JSONValue(access.scope.tokens)]],
            "last_exchanged_at": family.counter > 0 ? .string(family.rotatedAt.iso8601) : .null,
        ]
        if !record.metadata.isEmpty { json["refresh_token_metadata"] = .object(record.metadata) }
        return json
    }

    // MARK: grants

    static let grant = Shape.object([
        .required("id", .text()), .required("clientID", .text()), .required("user_id", .text()),
        .required("audience", .text()), .required("scope", .list(.text())), .required("created_at", .date),
        .required("updated_at", .date),
    ])

    static func json(_ grant: ConsentGrant) -> JSONObject {
        [
            "id": .string(grant.id), "clientID": .string(grant.client.rawValue),
            "user_id": .string(grant.user.rawValue), "audience": .string(grant.audience),
            "scope": JSONValue(grant.scope.tokens), "created_at": .string(grant.createdAt.iso8601),
            "updated_at": .string(grant.updatedAt.iso8601),
        ]
    }
}
