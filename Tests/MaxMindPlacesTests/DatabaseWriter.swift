/// Writes a small database in MaxMind's format (version 2.0) with networks of IPv4.
struct DatabaseWriter {
    indirect enum Value {
        case string(String)
        case short(UInt16)
        case number(UInt32)
        case long(UInt64)
        case list([Value])
        case map([(String, Value)])

        static func names(_ names: [String: String]) -> Value {
            .map([("names", .map(names.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) }))])
        }

        var bytes: [UInt8] {
            switch self {
            case .string(let text): Self.head(type: 2, size: text.utf8.count) + Array(text.utf8)
            case .short(let number): Self.head(type: 5, size: 2) + Self.bigEndian(number)
            case .number(let number): Self.head(type: 6, size: 4) + Self.bigEndian(number)
            case .long(let number): Self.head(type: 9, size: 8) + Self.bigEndian(number)
            case .list(let values): Self.head(type: 11, size: values.count) + values.flatMap(\.bytes)
            case .map(let members):
                Self.head(type: 7, size: members.count) + members.flatMap { Value.string($0.0).bytes + $0.1.bytes }
            }
        }

        private static func bigEndian(_ number: some FixedWidthInteger) -> [UInt8] {
            withUnsafeBytes(of: number.bigEndian) { Array($0) }
        }

        private static func head(type: UInt8, size: Int) -> [UInt8] {
            let short = size < 29 ? UInt8(size) : 29
            let more = size < 29 ? [] : [UInt8(size - 29)]
            return type < 8 ? [type << 5 | short] + more : [short, type - 7] + more
        }
    }

    private enum Record { case none, node(Int), data(Int) }

    private var nodes: [(Record, Record)] = [(.none, .none)]
    private var data: [UInt8] = []

    /// `bits` is the length of the network's prefix.
    mutating func add(_ network: [UInt8], bits: Int, _ value: Value) {
        var node = 0
        for bit in 0..<bits {
            let isRight = network[bit / 8] >> (7 - UInt8(bit % 8)) & 1 == 1
            let isLast = bit == bits - 1
            let record = isRight ? nodes[node].1 : nodes[node].0
            var next = Record.data(data.count)
            if !isLast {
                if case .node = record {
                    next = record
                } else {
                    next = .node(nodes.count)
                    nodes.append((.none, .none))
                }
            }
            if isRight { nodes[node].1 = next } else { nodes[node].0 = next }
            if case .node(let index) = next { node = index }
        }
        data += value.bytes
    }

    var bytes: [UInt8] {
        func number(_ record: Record) -> [UInt8] {
            let value =
                switch record {
                case .none: nodes.count
                case .node(let index): index
                case .data(let offset): nodes.count + 16 + offset
                }
            return [UInt8(value >> 16 & 255), UInt8(value >> 8 & 255), UInt8(value & 255)]
        }
        let metadata = Value.map([
            ("node_count", .number(UInt32(nodes.count))), ("record_size", .short(24)), ("ip_version", .short(4)),
            ("database_type", .string("Test-City")), ("languages", .list([.string("en"), .string("de")])),
            ("binary_format_major_version", .short(2)), ("binary_format_minor_version", .short(0)),
            ("build_epoch", .long(1_700_000_000)), ("description", .map([("en", .string("A test"))])),
        ])
        return nodes.flatMap { number($0.0) + number($0.1) } + [UInt8](repeating: 0, count: 16) + data
            + [0xAB, 0xCD, 0xEF] + Array("MaxMind.com".utf8) + metadata.bytes
    }
}
