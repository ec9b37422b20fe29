import Primitives

/// Event of the device channel (`GET api/notifications`).
package struct DeviceEvent: Sendable, Equatable {
    package enum Content: Sendable, Equatable {
        /// A request to decide, exactly as APNs would carry it.
        case notification(NotificationPayload)
        /// The request with this consent id needs no answer any more: another device answered it, or it expired.
        case withdrawal(transactionLinkingID: String)
        /// Consent ids of all undecided requests. Any other request ended, perhaps while the device was away.
        case pending(transactionLinkingIDs: [String])
    }

    package enum Failure: Error, Sendable, Equatable {
        /// The `id` is missing or no whole number.
        case id
        case data(GuardianWireFailure)
    }

    /// Increases with each event. `Last-Event-ID` resumes after it.
    package var id: Int64
    package var content: Content
    /// Text of the request's record, with the notification of a request that waited while a phone was away. Only phones
    /// that ask for it get it, and a push has none.
    package var record: String?

    package init(id: Int64, content: Content, record: String? = nil) {
        self.id = id
        self.content = content
        self.record = record
    }

    /// Nil for an unknown type of event, which a later server may send.
    package init?(_ event: ServerSentEvent) throws(Failure) {
        guard ["notification", "withdrawal", "pending"].contains(event.type) else { return nil }
        guard let id = event.id.flatMap({ Int64($0) }) else { throw .id }
        self.id = id
        let data = Array(event.data.utf8)
        do throws(GuardianWireFailure) {
            switch event.type {
            case "notification":
                content = .notification(try NotificationPayload(apnsParsing: data))
                record = try Members(parsing: data).optionalString("record")
            case "withdrawal": content = .withdrawal(transactionLinkingID: try Members(parsing: data).string("txlnkid"))
            default: content = .pending(transactionLinkingIDs: try Members(parsing: data).strings("txlnkid"))
            }
        } catch { throw .data(error) }
    }

    package var serverSentEvent: ServerSentEvent {
        switch content {
        case .notification(let payload):
            ServerSentEvent(
                id: String(id), type: "notification",
                data: String(
                    decoding: JSONWriter.object(capacity: 512) { writer in
                        payload.writeAPNs(to: &writer)
                        writer.member("record", ifPresent: record)
                    }, as: UTF8.self))
        case .withdrawal(let linkingID):
            ServerSentEvent(
                id: String(id), type: "withdrawal", data: JSONWriter.string(["txlnkid": .string(linkingID)]))
        case .pending(let linkingIDs):
            ServerSentEvent(
                id: String(id), type: "pending",
                data: JSONWriter.string(["txlnkid": .array(linkingIDs.map { .string($0) })]))
        }
    }
}
