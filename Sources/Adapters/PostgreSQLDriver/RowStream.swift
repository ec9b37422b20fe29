import CPostgreSQL
import SQL

/// Rows of one statement as they come, so that a long result takes little memory. A statement within a visit has the rest
/// kept aside.
final class RowStream {
    private let wire: Wire
    private var kept: [OpaquePointer] = []
    private var isRead = false

    init(_ wire: Wire) {
        self.wire = wire
        PQsetSingleRowMode(wire.handle)
    }

    deinit { for result in kept { PQclear(result) } }

    /// The next part, which the caller clears. Nil at the end, which is also the end of the exchange.
    func next() throws(SQLError) -> OpaquePointer? {
        if !kept.isEmpty { return kept.removeFirst() }
        return try read()
    }

    /// Reads everything that is left.
    func keep() throws(SQLError) { while let result = try read() { kept.append(result) } }

    private func read() throws(SQLError) -> OpaquePointer? {
        guard !isRead else { return nil }
        do {
            if let result = try wire.next() { return result }
            isRead = true
            try wire.readSync()
            return nil
        } catch {
            isRead = true
            throw error
        }
    }
}
