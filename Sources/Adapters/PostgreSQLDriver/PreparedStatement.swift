import CPostgreSQL
import SQL

/// A statement that the server has parsed for one connection.
final class PreparedStatement {
    let name: String
    /// Types of the parameters: by the values of the first run, or else (0) as the server chose.
    private(set) var types: [Oid]
    /// Last use, counted in statements of its connection.
    var lastUse = 0

    init(_ name: String, for values: [SQLValue]) {
        self.name = name
        types = values.map(\.type)
    }

    /// Takes the types from a description of the statement.
    func learn(_ description: OpaquePointer) {
        for index in types.indices { types[index] = PQparamtype(description, Int32(index)) }
    }

    /// True if the server reads these values as what they are. A null fits every type.
    func takes(_ values: [SQLValue]) -> Bool {
        values.count == types.count && zip(values, types).allSatisfy { $0 == .null || $0.type == $1 }
    }
}

extension SQLValue {
    /// Type of a parameter. 0 lets the server choose.
    var type: Oid {
        switch self {
        case .null: 0
        case .integer: 20
        case .real: 701
        case .text: 25
        case .blob: 17
        }
    }
}

/// Values of parameters in PostgreSQL's binary format, one behind the other.
struct ParameterBytes {
    private(set) var bytes: [UInt8] = []
    /// End of each value. A null ends before its start.
    private var ends: [Int] = []

    /// Replaces the values.
    /// - Throws: ``SQLError/mismatch(_:)`` for a text with a NUL, which PostgreSQL cannot store.
    mutating func encode(_ values: [SQLValue]) throws(SQLError) {
        clear()
        for value in values {
            switch value {
            case .null:
                ends.append(-1)
                continue
            case .integer(let number): withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
            case .real(let number): withUnsafeBytes(of: number.bitPattern.bigEndian) { bytes.append(contentsOf: $0) }
            case .text(let text):
                guard !text.utf8.contains(0) else { throw .mismatch("a text has a NUL") }
                bytes.append(contentsOf: text.utf8)
            case .blob(let blob): bytes.append(contentsOf: blob)
            }
            ends.append(bytes.count)
        }
    }

    /// Forgets the values, which may be secrets.
    mutating func clear() {
        bytes.removeAll(keepingCapacity: bytes.capacity < 1 << 16)
        ends.removeAll(keepingCapacity: true)
    }

    /// Calls `send` with what `PQsendQueryPrepared` takes.
    func withPointers(
        _ send: (UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<Int32>, UnsafePointer<Int32>) -> Int32
    ) -> Int32 {
        bytes.withUnsafeBytes { buffer in
            // An empty value is not null, so that it needs an address.
            withUnsafeBytes(of: UInt64(0)) { nothing in
                let base = (buffer.baseAddress ?? nothing.baseAddress)?.assumingMemoryBound(to: CChar.self)
                var start = 0
                var addresses: [UnsafePointer<CChar>?] = []
                var lengths: [Int32] = []
                for end in ends {
                    addresses.append(end < 0 ? nil : base.map { $0 + start })
                    lengths.append(end < 0 ? 0 : Int32(end - start))
                    if end >= 0 { start = end }
                }
                return send(addresses, lengths, [Int32](repeating: 1, count: ends.count))
            }
        }
    }
}
