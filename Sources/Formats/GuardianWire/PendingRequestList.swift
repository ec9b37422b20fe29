import Primitives

/// Answer of `GET api/device-accounts/{id}/pending`: the undecided requests, for a device without an open channel.
package struct PendingRequestList: Sendable, Equatable {
    package struct Element: Sendable, Equatable {
        /// Id of the request's events on the device channel.
        package let sequence: Int64
        package let notification: NotificationPayload
        /// Text of the request's record, if the phone asked for it.
        package let record: String?
    }

    /// Oldest first.
    package let requests: [Element]

    /// Takes the notifications of `events`.
    package init(_ events: [DeviceEvent]) {
        requests = events.compactMap { event in
            guard case .notification(let payload) = event.content else { return nil }
            return Element(sequence: event.id, notification: payload, record: event.record)
        }
    }

    package init(parsing body: [UInt8]) throws(GuardianWireFailure) {
        let list = try Members(parsing: body)
        guard let elements = try list.required("requests").arrayValue else {
            throw .invalid("requests", expected: "a list")
        }
        var requests: [Element] = []
        for element in elements {
            let members = try Members(element, path: "requests")
            requests.append(
                Element(
                    sequence: Int64(try members.whole("sequence")),
                    notification: try NotificationPayload(apns: element), record: try members.optionalString("record")))
        }
        self.requests = requests
    }

    package var json: [UInt8] {
        JSONWriter.object(capacity: 1024) { writer in
            writer.name("requests")
            writer.array { writer in
                for element in requests {
                    writer.object { writer in
                        element.notification.writeAPNs(to: &writer)
                        writer.member("sequence", element.sequence)
                        writer.member("record", ifPresent: element.record)
                    }
                }
            }
        }
    }
}
