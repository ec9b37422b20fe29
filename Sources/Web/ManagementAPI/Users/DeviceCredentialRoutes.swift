import APIDescription
import Administration
import AuthorizationCore
import Configuration
import HTTPModel
import JSONSchema
import Primitives

/// `/device-credentials`: refresh tokens and public keys of devices, without Guardian's phones.
struct DeviceCredentialRoutes: Sendable {
    private static let group = RouteGroup("Device credentials", scopes: "device_credentials")

    let credentials: ManageDeviceCredentials
    let logins: ManageLogins

    private static let types = ["public_key", "refresh_token", "rotating_refresh_token"]

    private static let credential = Shape.object([
        .required("id", .text()), .required("type", .choice(types)), .required("user_id", .text()),
        Member("client_id", .text()), Member("device_name", .text()), Member("device_id", .text()),
    ])

    private struct Key {
        var user = UserID("")
        var client: ClientID?
        var deviceID = ""
        var deviceName = ""
        var value = ""
    }

    private static let new = Fields<Key> {
        Field("type", protects: .nothing, .choice(["public_key"])).required
        Field("device_name", protects: .nothing, .characters(), \.deviceName).required
        Field("device_id", protects: .nothing, .characters(), \.deviceID).required
        Field(
            "value", protects: .covered(.identity), .characters(1...8192), \.value,
            "The key; this server verifies nothing with it"
        ).required
        Field("user_id", protects: .nothing, .id(), \.user, "Owner of the device").required
        Field("client_id", protects: .nothing, .id(), \.client)
    }

    var all: [ManagementRoute] {
        [
            ManagementRoute(
                .get, "/device-credentials", "list_device_credentials",
                "List refresh tokens and public keys of devices, at most \(ManageDeviceCredentials.limit)",
                in: Self.group,
                parameters: [
                    Operation.Parameter("user_id", in: .query, .text(1...255), "Id of the user"),
                    Operation.Parameter("client_id", in: .query, .text(1...255), "Id of the client"),
                    Operation.Parameter("type", in: .query, .choice(Self.types), "Default: all types"),
                ] + Paging.parameters.prefix(3) + Projection.parameters,
                answer: Operation.Answer(
                    200, "The credentials", Listing.shape("device_credentials", of: Self.credential)), list),
            ManagementRoute(
                .post, "/device-credentials", "create_device_credential", "Store a device's public key", in: Self.group,
                scopes: [["create:device_credentials"], ["create:current_user_device_credentials"]],
                body: Operation.Body(
                    Self.new.shape,
                    example: [
                        "type": "public_key", "device_name": "Kiosk", "device_id": "kiosk-7", "value": "MIIBIjAN…",
                        "user_id": "auth0|65f0c1d2e3a4b5c6d7e8f901",
                    ]),
                answer: Operation.Answer(
                    201, "Its id", .object([.required("id", .text())]), example: ["id": "dcr_sW4J0OcmNTTqGIrX"]),
                refusals: [(404, "There is no such user"), (409, "The user's device has a key already")], create),
            ManagementRoute(
                .delete, "/device-credentials/{id}", "delete_device_credential", "Remove a key, or end a refresh token",
                in: Self.group, answer: Operation.Answer(204, "The credential is deleted")
            ) { call -> Void in
                if try await !credentials.remove(call.id(), for: call.context) {
                    try await logins.revoke(RefreshTokenFilter(ids: [AuthorizationID(call.id())]), for: call.context)
                }
            },
        ]
    }

    @Sendable private func list(_ call: ManagementCall) async throws -> ManagementAnswer {
        let user = call.query["user_id"]?.stringValue.map { UserID($0) }
        let client = call.query["client_id"]?.stringValue.map { ClientID($0) }
        let (keys, tokens) = try await credentials.list(user: user, client: client, in: call.tenant, now: call.now)
        let type = call.query["type"]?.stringValue
        let all = (keys.map(Self.json) + tokens.map { Self.json($0, call.configuration) })
            .filter { type == nil || $0["type"]?.stringValue == type }
            .prefix(ManageDeviceCredentials.limit)
        return .list(
            Listing("device_credentials", of: Array(all), call.paging, key: { $0["id"]?.stringValue ?? "" }, { $0 }))
    }

    private static func json(_ key: DeviceCredential) -> JSONObject {
        var json: JSONObject = [
            "id": .string(key.id), "type": "public_key", "user_id": .string(key.user.rawValue),
            "device_name": .string(key.deviceName), "device_id": .string(key.deviceID),
        ]
        json["client_id"] = key.client.map { .string($0.rawValue) }
        return json
    }

    private static func json(_ token: RefreshTokenRecord, _ configuration: TenantConfiguration) -> JSONObject {
        let access = token.family.access
        let client = configuration.client(access.client)
        var json: JSONObject = [
            "id": .string(access.id.rawValue),
            "type": client?.rotatesRefreshTokens == true ? "rotating_refresh_token" : "refresh_token",
            "user_id": .string(access.user.rawValue), "client_id": .string(access.client.rawValue),
        ]
        json["device_name"] = client.map { .string($0.name) }
        json["device_id"] = access.session.map { .string($0.rawValue) }
        return json
    }

    @Sendable private func create(_ call: ManagementCall) async throws -> ManagementAnswer {
        let key = try call.read(Self.new, Key())
        let kept = try await credentials.create(
            user: key.user, client: key.client, deviceID: key.deviceID, deviceName: key.deviceName, value: key.value,
            for: call.context)
        return .value(["id": .string(kept.id)], status: 201)
    }
}
