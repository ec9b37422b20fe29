package import Primitives

/// Place of an entry in the audit log: a lane, which is a chain of its own, and a number within it, 1 for the first.
/// Written as `NUMBER` in lane 0 and as `LANE.NUMBER` in others.
package struct AuditPlace: Sendable, Hashable, Comparable, CustomStringConvertible {
    package let lane: Int64
    package let number: Int64

    package init(lane: Int64, _ number: Int64) {
        self.lane = lane
        self.number = number
    }

    package var description: String { lane == 0 ? String(number) : "\(lane).\(number)" }

    package static func < (left: AuditPlace, right: AuditPlace) -> Bool {
        (left.lane, left.number) < (right.lane, right.number)
    }
}

/// The last entry of a lane at some moment. Noted elsewhere, it proves later that no earlier entry of the lane changed.
/// Written as `PLACE:HASH`, the hash in hexadecimal digits.
package struct AuditHead: Sendable, Equatable, LosslessStringConvertible {
    package let place: AuditPlace
    package let hash: Digest256

    package init(place: AuditPlace, hash: Digest256) {
        self.place = place
        self.hash = hash
    }

    package init?(_ description: String) {
        let parts = description.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let hash = Hex.decode(String(parts[1])), hash.count == Digest256.size else {
            return nil
        }
        let place = parts[0].split(separator: ".", omittingEmptySubsequences: false)
        let lane = place.count == 2 ? Int64(place[0]) : 0
        guard place.count <= 2, let lane, let number = place.last.flatMap({ Int64($0) }), number > 0,
            place.count == 1 || lane > 0 && String(lane) == place[0]
        else { return nil }
        self.init(place: AuditPlace(lane: lane, number), hash: Digest256(hash))
    }

    package var description: String { "\(place):\(Hex.encode(hash.bytes))" }
}

/// The last entries of all lanes at some moment. Written as heads with commas between them, in the order of their lanes.
package struct AuditHeads: Sendable, Equatable, LosslessStringConvertible {
    /// In the order of lanes, at most one of each.
    package private(set) var all: [AuditHead] = []

    /// The beginning of the log.
    package init() {}

    /// Keeps the last of several heads of a lane.
    package init(_ heads: some Sequence<AuditHead>) { for head in heads { self[head.place.lane] = head } }

    /// Nil means that the lane is at its beginning.
    package subscript(lane: Int64) -> AuditHead? {
        get { all.first { $0.place.lane == lane } }
        set {
            let index = all.firstIndex { $0.place.lane >= lane } ?? all.count
            let isThere = index < all.count && all[index].place.lane == lane
            if isThere, let newValue {
                all[index] = newValue
            } else if isThere {
                all.remove(at: index)
            } else if let newValue {
                all.insert(newValue, at: index)
            }
        }
    }

    /// Number of the entries up to these.
    package var total: Int64 {
        all.reduce(0) { sum, head in
            let (next, overflows) = sum.addingReportingOverflow(head.place.number)
            return overflows ? .max : next
        }
    }

    /// The first head of these that `other` has at the same place with another hash.
    package func firstDifference(from other: AuditHeads) -> AuditHead? {
        all.first { head in other[head.place.lane].map { $0.place == head.place && $0 != head } ?? false }
    }

    private static let beginning = AuditHead(place: AuditPlace(lane: 0, 0), hash: AuditEntry.beginning).description

    package var description: String {
        all.isEmpty ? Self.beginning : all.map(\.description).joined(separator: ",")
    }

    package init?(_ description: String) {
        self.init()
        if description == Self.beginning { return }
        let parts = description.split(separator: ",", omittingEmptySubsequences: false)
        let heads = parts.compactMap { AuditHead(String($0)) }
        for head in heads { self[head.place.lane] = head }
        guard heads.count == parts.count, all.count == heads.count else { return nil }
    }
}
