/// An end of a range.
package struct QueryBound<Value: Sendable & Hashable>: Sendable, Hashable {
    package let value: Value
    package let isInclusive: Bool

    package init(_ value: Value, isInclusive: Bool = true) {
        self.value = value
        self.isInclusive = isInclusive
    }
}
