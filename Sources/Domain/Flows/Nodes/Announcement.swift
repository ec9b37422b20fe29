package import AuthorizationCore
package import GuardianWire
import Primitives

/// Something that a node tells the others, once it is committed. Losing one does no harm: whoever needed it finds it in the
/// store (``OtherNodes``).
package enum Announcement: Sendable, Equatable {
    /// A request has ended, or was decided.
    case ended(AuthReqIDHash)
    /// An event for the streams that a device has open at any node.
    case event(DeviceID, DeviceEvent)
    /// The streams of a device end.
    case streamsEnd(DeviceID)

    /// One line of JSON.
    package var text: String {
        String(
            decoding: JSONWriter.object { writer in
                switch self {
                case .ended(let hash): writer.member("ended", Base64URL.encode(hash.bytes))
                case .event(let device, let event):
                    writer.member("device", device.rawValue)
                    writer.member("event", String(decoding: event.serverSentEvent.bytes, as: UTF8.self))
                case .streamsEnd(let device): writer.member("device", device.rawValue)
                }
            }, as: UTF8.self)
    }

    /// Nil for a text of a later version, or of another program.
    package init?(parsing text: String) {
        guard let object = (try? JSONReader.parse(text))?.objectValue else { return nil }
        if let hash = object["ended"]?.stringValue.flatMap(Base64URL.decode), hash.count == Digest256.size {
            self = .ended(AuthReqIDHash(stored: hash))
            return
        }
        guard let device = object["device"]?.stringValue.map(DeviceID.init) else { return nil }
        guard let event = object["event"] else {
            self = .streamsEnd(device)
            return
        }
        var parser = ServerSentEventParser()
        guard let text = event.stringValue, let sent = (try? parser.parse(Array(text.utf8)))?.first,
            let event = try? DeviceEvent(sent)
        else { return nil }
        self = .event(device, event)
    }
}
