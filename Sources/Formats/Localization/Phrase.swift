/// A text with places that its reader fills, a page with elements.
package struct Phrase: Sendable, Equatable, ExpressibleByStringInterpolation {
    package enum Part: Sendable, Equatable {
        case text(String)
        case place(Place)
    }

    package let parts: [Part]

    package init(stringLiteral text: String) { parts = [.text(text)] }
    package init(stringInterpolation: StringInterpolation) { parts = stringInterpolation.parts }

    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var parts: [Part] = []

        package init(literalCapacity: Int, interpolationCount: Int) {}

        package mutating func appendLiteral(_ text: String) { if !text.isEmpty { parts.append(.text(text)) } }
        package mutating func appendInterpolation(_ place: Place) { parts.append(.place(place)) }
    }
}

/// A place of a ``Phrase``, by the position of the argument that fills it.
package struct Place: Sendable, Equatable {
    package let index: Int

    package init(_ index: Int) { self.index = index }
}
