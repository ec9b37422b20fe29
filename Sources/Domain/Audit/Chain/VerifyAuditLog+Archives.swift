import JOSE
import Primitives

extension VerifyAuditLog {
    /// Moves the walk to the store's first entries.
    func check(
        _ archives: [any AuditArchiveSource], _ state: AuditLogState, key: String?, _ walk: inout Walk
    ) throws -> Finding? {
        let base = state.archived
        if let base, !base.isSigned(verifier) || key.map({ $0 != base.thumbprint(hashing) }) ?? false {
            return .unsigned("the database")
        }
        var headed: [(source: any AuditArchiveSource, header: AuditArchive.Header)] = []
        for source in archives {
            guard let header = try source.header() else { return .torn(source.name) }
            headed.append((source, header))
        }
        headed.sort { $0.header.after.total < $1.header.after.total }
        var isBaseProven = base == nil
        for (source, header) in headed {
            let end = header.archived
            let hasKey =
                key.map { $0 == end.thumbprint(hashing) } ?? true
                && base.map { $0.publicKey.isSameKey(as: end.publicKey) } ?? true
            // A change of the master key may have replaced the key. The chains from the older archive to the end signed
            // by the present key prove the archive: see `isBaseProven`.
            let isBeforeBase = base.map { end.heads.total < $0.heads.total } ?? false
            guard end.isSigned(verifier), hasKey || isBeforeBase else { return .unsigned(source.name) }
            var finding: Finding?
            var total = walk.heads.total
            try source.entries { stored in
                guard let stored else {
                    finding = .torn(source.name)
                    return false
                }
                // Interrupted archiving is repeated without the entries archived already.
                if stored.place.number < walk.next(in: stored.place.lane) { return true }
                finding = step(stored, &walk)
                total += 1
                if total == base?.heads.total, walk.heads == base?.heads { isBaseProven = true }
                return finding == nil
            }
            if let finding { return finding }
            if !walk.heads.reaches(end.heads) { return .torn(source.name) }
            if let other = walk.heads.firstDifference(from: end.heads) { return .anotherChain(at: other.place) }
        }
        guard let base else {
            // The store still has all entries.
            walk.heads = AuditHeads()
            walk.entries = 0
            return nil
        }
        if !archives.isEmpty, !isBaseProven { return gap(before: base.heads, walk) }
        if archives.isEmpty {
            for expected in walk.expected.all {
                guard let end = base.heads[expected.place.lane] else { continue }
                if expected.place < end.place { return .archived(expected.place) }
                if expected.place == end.place, expected != end { return .anotherChain(at: expected.place) }
            }
        }
        walk.entries -= max(0, walk.heads.total - base.heads.total)
        walk.heads = base.heads
        return nil
    }

    /// Finding for archives that do not lead to the end of the archived entries.
    private func gap(before base: AuditHeads, _ walk: Walk) -> Finding? {
        for head in base.all where walk.next(in: head.place.lane) <= head.place.number {
            return .missing(AuditPlace(lane: head.place.lane, walk.next(in: head.place.lane))...head.place)
        }
        return base.all.first.map { .anotherChain(at: $0.place) }
    }
}

extension AuditHeads {
    /// True if no lane ends before its end in `other`.
    fileprivate func reaches(_ other: AuditHeads) -> Bool {
        other.all.allSatisfy { head in self[head.place.lane].map { $0.place >= head.place } ?? false }
    }
}
