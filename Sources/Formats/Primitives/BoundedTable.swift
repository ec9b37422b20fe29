/// A cache in memory, for values that can be made or learned again. A new key in a full table evicts another one.
package struct BoundedTable<Key: Hashable, Value> {
    private let limit: Int
    private var values: [Key: Value] = [:]

    /// `limit` is the maximum number of values, at least 1.
    package init(limit: Int) { self.limit = limit }

    package subscript(key: Key) -> Value? {
        get { values[key] }
        set {
            if newValue != nil, values.count >= limit, values[key] == nil { values.remove(at: values.startIndex) }
            values[key] = newValue
        }
    }

    package mutating func removeAll(where isRemoved: (Key) -> Bool) { values = values.filter { !isRemoved($0.key) } }
}

extension BoundedTable: Sendable where Key: Sendable, Value: Sendable {}
