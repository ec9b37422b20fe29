package import Primitives

/// Answer of `GET api/device-accounts/{id}/devices`: the person's phones.
package struct DeviceList: Sendable, Equatable {
    package struct Element: Sendable, Equatable {
        package let id: String
        package let name: String
        package let enrolledAt: Timestamp
        /// Nil for a phone that only listens to the device channel.
        package let push: PushCredentials.Service?
        package let hasPasskey: Bool
        /// True if the phone said that its key is gone.
        package let isLost: Bool
        /// True for the phone that asks.
        package let isCurrent: Bool

        package init(
            id: String, name: String, enrolledAt: Timestamp, push: PushCredentials.Service?, hasPasskey: Bool,
            isLost: Bool, isCurrent: Bool
        ) {
            self.id = id
            self.name = name
            self.enrolledAt = enrolledAt
            self.push = push
            self.hasPasskey = hasPasskey
            self.isLost = isLost
            self.isCurrent = isCurrent
        }
    }

    package let devices: [Element]
    /// Name of the account, as its owner knows it.
    package let account: String

    package init(_ devices: [Element], account: String) {
        self.devices = devices
        self.account = account
    }

    package var json: [UInt8] {
        JSONWriter.object { writer in
            writer.member("account", account)
            writer.name("devices")
            writer.array { writer in
                for device in devices { writer.object { device.write(to: &$0) } }
            }
        }
    }
}

extension DeviceList.Element {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("id", id)
        writer.member("name", name)
        writer.member("enrolled_at", enrolledAt.iso8601)
        writer.member("push", push.map { .string($0.rawValue) } ?? JSONValue.null)
        writer.member("passkey", hasPasskey)
        writer.member("key_lost", isLost)
        writer.member("current", isCurrent)
    }
}
