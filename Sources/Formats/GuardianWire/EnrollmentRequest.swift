package import JOSE
import Primitives

/// Address of a device at its push service.
package struct PushCredentials: Sendable, Hashable {
    package enum Service: String, Sendable, Hashable, CaseIterable {
        case apns = "APNS"
        /// Firebase Cloud Messaging, by its former name.
        case gcm = "GCM"
        /// A browser's push service (RFC 8030). The token is a `WebPushSubscription`.
        case webPush = "WEBPUSH"
    }

    package var service: Service
    package var token: String

    package init(service: Service, token: String) {
        self.service = service
        self.token = token
    }

    init(_ members: Members) throws(GuardianWireFailure) {
        guard let service = Service(rawValue: try members.string("service")) else {
            let names = Service.allCases.map(\.rawValue).joined(separator: ", ")
            throw .invalid(members.name("service"), expected: "one of \(names)")
        }
        self.init(service: service, token: try members.string("token"))
        if service == .webPush { _ = try WebPushSubscription(token: token) }
    }

    func write(to writer: inout JSONWriter) {
        writer.member("service", service.rawValue)
        writer.member("token", token)
    }
}

/// The body of `POST api/enroll`.
package struct EnrollmentRequest: Sendable, Equatable {
    /// The device's identifier: identifierForVendor on iOS, ANDROID_ID on Android.
    package var identifier: String
    /// The user's name for the device.
    package var name: String
    /// Nil if the device has no push service and listens to the device channel.
    package var pushCredentials: PushCredentials?
    package var publicKey: JWK
    package var capabilities: Set<DeviceCapability>

    package init(
        identifier: String, name: String, pushCredentials: PushCredentials?, publicKey: JWK,
        capabilities: Set<DeviceCapability> = []
    ) {
        self.identifier = identifier
        self.name = name
        self.pushCredentials = pushCredentials
        self.publicKey = publicKey
        self.capabilities = capabilities
    }

    package init(parsing body: [UInt8]) throws(GuardianWireFailure) {
        let members = try Members(parsing: body)
        identifier = try members.string("identifier")
        name = try members.string("name")
        pushCredentials = try PushCredentials(optional: members)
        let key = try members.required("public_key")
        guard var publicKey = try? JWK(key), publicKey.allows(.rs256) || publicKey.allows(.es256) else {
            throw .invalid("public_key", expected: "a public RSA key of 2048 bits or more, or a P-256 key")
        }
        // The key is stored for long, and does not need its certificate.
        publicKey.certificate = nil
        self.publicKey = publicKey
        capabilities = try members.capabilities() ?? []
    }

    package var json: [UInt8] {
        JSONWriter.object { writer in
            writer.member("identifier", identifier)
            writer.member("name", name)
            if let pushCredentials { writer.member("push_credentials", object: pushCredentials.write) }
            writer.member("public_key", publicKey.json)
            if !capabilities.isEmpty { DeviceCapability.write(capabilities, to: &writer) }
        }
    }
}

extension PushCredentials {
    /// Reads the member `push_credentials`, which may be absent, null, or without a token (Android without Play
    /// services sends the service alone).
    init?(optional members: Members) throws(GuardianWireFailure) {
        guard let inner = try members.optionalMembers("push_credentials"), inner.value("token") != nil else {
            return nil
        }
        try self.init(inner)
    }
}
