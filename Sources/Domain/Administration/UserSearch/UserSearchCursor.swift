import Primitives

/// Position of the last returned user. Stays valid when users, even this one, are deleted.
package struct UserSearchCursor: Sendable, Hashable {
    /// Sort key of the user.
    package enum Key: Sendable, Hashable {
        case absent
        case text(String)
        case integer(Int64)
    }

    /// The cursor's order. Nil means order of creation.
    package let sort: UserSort?
    package let key: Key
    /// Increases with every new user.
    package let sequence: Int64

    package init(sort: UserSort?, key: Key, sequence: Int64) {
        self.sort = sort
        self.key = key
        self.sequence = sequence
    }

    /// Text form for clients, without a meaning to them.
    package var opaque: String {
        let value: JSONValue =
            switch key {
            case .absent: .null
            case .text(let text): .string(text)
            case .integer(let number): JSONValue(number)
            }
        let sort = sort.map { JSONValue.string($0.description) } ?? .null
        return Base64URL.encode(JSONWriter.bytes([sort, value, JSONValue(sequence)]))
    }

    /// Nil if no server issued it.
    package init?(opaque: String) {
        guard let bytes = Base64URL.decode(opaque), let value = try? JSONReader.parse(bytes, depthLimit: 2),
            let parts = value.arrayValue, parts.count == 3, let sequence = parts[2].intValue
        else { return nil }
        switch parts[0] {
        case .null: sort = nil
        case .string(let text):
            guard let read = try? UserSort(parsing: text) else { return nil }
            sort = read
        default: return nil
        }
        switch parts[1] {
        case .null: key = .absent
        case .string(let text) where !text.utf8.contains(0): key = .text(text)
        case let number:
            guard let integer = number.intValue else { return nil }
            key = .integer(Int64(integer))
        }
        self.sequence = Int64(sequence)
        guard isConsistent else { return nil }
    }

    /// True if the key fits the order's field.
    private var isConsistent: Bool {
        switch (sort?.field, key) {
        case (nil, .absent), (.text, .absent), (.text, .text), (.time, .absent), (.time, .integer), (.number, .integer),
            (.flag, .integer):
            true
        default: false
        }
    }
}
