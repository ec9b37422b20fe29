import Primitives

extension VerifyAuditLog {
    /// Verifies the chain of tree heads: numbers, hashes, the last one's signature, and that no lane ever became shorter.
    func checkTreeHeads(
        _ base: ArchivedHead?, expecting expected: AuditTreeHead.ID?, key: String?, _ walk: inout Walk
    ) async throws -> Finding? {
        var last = base?.treeHead
        walk.firstTreeHead = last?.number ?? 0
        // Archived tree heads have left the last one's hash alone.
        if let expected, expected.number == last?.number, expected != last { return .treeHead(expected.number) }
        if let expected, expected.number < last?.number ?? 0 { return .archivedTreeHead(expected.number) }
        while true {
            try Task.checkCancellation()
            // Below every valid number, to find tree heads inserted in front.
            let after = walk.treeHead?.id.number ?? .min
            let found = try await store.treeHeads(after: after, limit: Self.batch)
            for stored in found {
                let next = (last?.number ?? 0) + 1
                guard stored.number == next, let treeHead = AuditTreeHead(stored.statement, hashing),
                    treeHead.id.number == next, treeHead.previous == last,
                    walk.treeHead.map({ treeHead.heads.continues($0.heads) }) ?? true
                else { return .treeHead(min(stored.number, next)) }
                if expected?.number == next, expected != treeHead.id { return .treeHead(next) }
                walk.treeHead = treeHead
                last = treeHead.id
            }
            guard found.count == Self.batch else { break }
        }
        if let treeHead = walk.treeHead, !treeHead.isSigned(verifier) { return .treeHead(treeHead.id.number) }
        if let expected, expected.number > last?.number ?? 0 { return .treeHead((last?.number ?? 0) + 1) }
        if let treeHead = walk.treeHead, let key, key != treeHead.thumbprint(hashing) {
            return .unsigned("tree head \(treeHead.id.number)")
        }
        return nil
    }

    /// Heads of one lane in the tree heads, read some at a time in the order of the lane's places.
    struct TreeMarks {
        struct Mark {
            let head: AuditHead
            let treeHead: Int64
        }

        let lane: Int64
        /// Number of the last tree head that was verified.
        let until: Int64
        /// Number of the last one read.
        var from: Int64
        private var marks: ArraySlice<Mark> = []

        init(lane: Int64, until: Int64, from: Int64) {
            self.lane = lane
            self.until = until
            self.from = from
        }

        /// The first mark that was not reached.
        var next: Mark? { marks.first }

        /// Compares the marks up to the last intact entry.
        mutating func check(_ head: AuditHead?, _ verification: VerifyAuditLog) async throws -> Finding? {
            while true {
                if marks.isEmpty, from < until { try await read(verification) }
                guard let mark = marks.first, mark.head.place.number <= head?.place.number ?? 0 else { return nil }
                if mark.head.place == head?.place, mark.head != head { return .anotherChain(at: mark.head.place) }
                marks.removeFirst()
            }
        }

        private mutating func read(_ verification: VerifyAuditLog) async throws {
            while marks.isEmpty, from < until {
                let found = try await verification.store.treeHeads(
                    after: from, limit: min(VerifyAuditLog.batch, Int(until - from)))
                guard let last = found.last else { return from = until }
                from = last.number
                marks =
                    found.compactMap { stored in
                        AuditTreeHead(stored.statement, verification.hashing)?.heads[lane].map {
                            Mark(head: $0, treeHead: stored.number)
                        }
                    }[...]
            }
        }
    }
}

extension AuditHeads {
    /// True if no lane of `earlier` is gone, shorter, or at the same place with another hash.
    package func continues(_ earlier: AuditHeads) -> Bool {
        earlier.all.allSatisfy { head in
            self[head.place.lane].map { $0.place > head.place || $0 == head } ?? false
        }
    }
}
