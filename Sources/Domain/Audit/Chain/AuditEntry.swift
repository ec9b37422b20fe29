import AuthorizationCore
package import Primitives

/// An entry of the audit log by columns, as stored and hashed.
package struct AuditEntry: Sendable, Equatable {
    /// Orders the log of all tenants and lanes. Grows with each entry of a lane, possibly with gaps.
    package var sequence: Int64
    package var place: AuditPlace
    package var kind: String
    package var tenant: String
    package var at: Timestamp
    package var user: String?
    package var client: String?
    package var device: String?
    package var consent: String?
    package var remoteAddress: String?
    package var userAgent: String?
    package var correlationID: String?
    /// The form of `AuditEvent.Actor`.
    package var actor: String?
    package var objectKind: String?
    package var object: String?
    /// A JSON object.
    package var details: String

    package init(_ event: AuditEvent, sequence: Int64, place: AuditPlace) {
        self.init(
            sequence: sequence, place: place, kind: event.kind.rawValue, tenant: event.tenant.rawValue, at: event.at,
            details: JSONWriter.string(.object(event.details)))
        user = event.user?.rawValue
        client = event.client?.rawValue
        device = event.device?.rawValue
        consent = event.consent?.rawValue
        remoteAddress = event.remoteAddress
        userAgent = event.request?.userAgent
        correlationID = event.request?.correlationID
        actor = event.actor?.rawValue
        objectKind = event.object?.kind
        object = event.object?.id
    }

    package init(
        sequence: Int64, place: AuditPlace, kind: String, tenant: String, at: Timestamp, details: String
    ) {
        self.sequence = sequence
        self.place = place
        self.kind = kind
        self.tenant = tenant
        self.at = at
        self.details = details
    }
}

extension AuditEntry {
    /// Columns that may be missing, in the order in which they are stored and hashed.
    package static let optionalColumns: [(name: String, column: any WritableKeyPath<AuditEntry, String?> & Sendable)] =
        [
            ("user", \.user), ("client", \.client), ("device", \.device), ("consent", \.consent),
            ("remote_address", \.remoteAddress), ("user_agent", \.userAgent), ("correlation_id", \.correlationID),
            ("actor", \.actor), ("object_kind", \.objectKind), ("object", \.object),
        ]

    /// Hash before the first entry of a lane.
    package static let beginning = Digest256([UInt8](repeating: 0, count: Digest256.size))

    /// True if the number is the place, as in the only lane of an embedded store.
    package var isNumberedByPlace: Bool { place.lane == 0 && place.number == sequence }

    private static let context = Array("countersign-audit-1\n".utf8)
    private static let laneContext = Array("countersign-audit-2\n".utf8)

    /// SHA-256 over `countersign-audit-1` and a line feed, the previous entry's hash, and the columns in this order.
    /// Each column is its length in bytes in decimal, `:`, its UTF-8 and `,` (a netstring), numbers in decimal. A
    /// missing column is `-`. An entry whose number is not its place begins with `countersign-audit-2`, and has its lane
    /// and its place before its columns. No two entries have the same encoding.
    package func hash(after previous: Digest256, _ hashing: some Hashing) -> Digest256 {
        var encoded = ColumnEncoder()
        encoded.append(bytes: isNumberedByPlace ? Self.context : Self.laneContext)
        encoded.append(bytes: previous.bytes)
        if !isNumberedByPlace {
            encoded.append(place.lane)
            encoded.append(place.number)
        }
        encoded.append(sequence)
        encoded.append(kind)
        encoded.append(tenant)
        encoded.append(at.milliseconds)
        encoded.append(user)
        encoded.append(client)
        encoded.append(device)
        encoded.append(consent)
        encoded.append(remoteAddress)
        encoded.append(userAgent)
        encoded.append(correlationID)
        encoded.append(actor)
        encoded.append(objectKind)
        encoded.append(object)
        encoded.append(details)
        return Digest256(hashing.sha256(encoded.bytes))
    }
}

private struct ColumnEncoder {
    private(set) var bytes: [UInt8] = []

    init() { bytes.reserveCapacity(1024) }

    mutating func append(_ number: Int64) { append(String(number)) }

    mutating func append(_ text: String?) {
        guard var text else { return bytes.append(UInt8(ascii: "-")) }
        text.withUTF8 { text in
            append(length: text.count)
            bytes.append(UInt8(ascii: ":"))
            bytes.append(contentsOf: text)
        }
        bytes.append(UInt8(ascii: ","))
    }

    mutating func append(bytes more: [UInt8]) { bytes.append(contentsOf: more) }

    private mutating func append(length: Int) {
        if length > 9 { append(length: length / 10) }
        bytes.append(UInt8(ascii: "0") + UInt8(length % 10))
    }
}
