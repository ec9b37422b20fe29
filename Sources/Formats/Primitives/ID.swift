/// An identifier whose type differs from those of other kinds.
package struct ID<Tag>: Hashable, Sendable, CustomStringConvertible, Comparable {
    package let rawValue: String

    package init(_ rawValue: String) { self.rawValue = rawValue }

    package var description: String { rawValue }

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
