import Foundation
import GuardianWire
import HTTPModel

/// Changes or ends one enrolment.
public struct DeviceAPI: Sendable {
    let server: Server
    let id: String
    let token: @Sendable (ApplianceBase) throws -> String

    /// Deletes the enrolment. If it was the user's only one, requests can no longer reach them.
    public func delete() -> Request<NoContent> { request(.delete, json: nil) { _ in NoContent() } }

    /// Changes the given values. Nil leaves a value unchanged.
    ///
    /// - Parameters:
    ///   - identifier: This device's new identifier, which must sign later answers.
    ///   - name: The name that the user sees among their devices.
    ///   - notificationToken: The APNs token in hexadecimal.
    public func update(
        localIdentifier identifier: String? = nil, name: String? = nil, notificationToken: String? = nil
    ) -> Request<UpdatedDevice> {
        let update = DeviceAccountUpdate(
            identifier: identifier, name: name,
            push: notificationToken.map { .register(PushCredentials(service: .apns, token: $0)) },
            // A phone that enrolled with an earlier SDK gets the abilities of this one.
            capabilities: server.configuration.capabilities)
        return request(.patch, json: update.json) { response in
            UpdatedDevice(try DeviceAccountUpdate(parsing: try response.json()))
        }
    }

    /// The receipt of a request that the user allowed or rejected on any of their devices: a signed text that proves
    /// the decision, to be kept or passed on as it is.
    ///
    /// - Parameter requestId: ``Consent/consentId`` of the request.
    public func receipt(ofRequest requestId: String) -> Request<String> {
        Request(.get, server.described { $0.receipt(requestId, for: id) }, on: server) { [server, id, token] in
            let base = try server.base()
            return server.request(.get, base.receipt(requestId, for: id), authorization: "Bearer \(try token(base))")
        } decode: { response in
            String(decoding: response.body, as: UTF8.self)
        }
    }

    private func request<Payload>(
        _ method: HTTPMethod, json: [UInt8]?, decode: @escaping @Sendable (ClientResponse) throws -> Payload
    ) -> Request<Payload> {
        Request(method, server.described { $0.deviceAccount(id) }, on: server) { [server, id, token] in
            let base = try server.base()
            return server.request(
                method, base.deviceAccount(id), authorization: "Bearer \(try token(base))", json: json)
        } decode: {
            try decode($0)
        }
    }
}

/// An enrolment after a change. The server may omit unchanged values.
public struct UpdatedDevice: Sendable, Hashable {
    public let identifier: String?
    public let name: String?
    public let notificationToken: String?

    init(_ update: DeviceAccountUpdate) {
        identifier = update.identifier
        name = update.name
        notificationToken = update.pushCredentials?.token
    }
}
