import Primitives

/// A path of a problem in a file of `apply`, as `tenants[0].clients[3].callbacks[1]`.
struct MemberPath {
    enum Step: Hashable {
        case name(String)
        case index(Int)

        var name: String? { if case .name(let name) = self { name } else { nil } }
    }

    /// An object of the tenant's entry.
    struct Place: Hashable {
        let list: String
        /// Number in a list, or else -1.
        let index: Int
        /// Name in an object, or else empty.
        let name: String

        func precedes(_ other: Place) -> Bool { (index, list, name) < (other.index, other.list, other.name) }
    }

    private let steps: [Step]

    init?(_ text: String) {
        var steps: [Step] = []
        for part in text.split(separator: ".") {
            let pieces = part.split(separator: "[")
            guard let name = pieces.first else { return nil }
            steps.append(.name(String(name)))
            for piece in pieces.dropFirst() {
                guard piece.hasSuffix("]"), let index = Int(piece.dropLast()) else { return nil }
                steps.append(.index(index))
            }
        }
        guard steps.count > 2, steps[0] == .name("tenants") else { return nil }
        self.steps = Array(steps.dropFirst(2))
    }

    /// Nil for a member of the tenant itself, such as its host.
    var place: Place? {
        guard let list = steps.first?.name else { return nil }
        switch list {
        case "settings": return Place(list: list, index: -1, name: "")
        case "email_provider": return Place(list: list, index: -1, name: "")
        case "email_templates": return steps.dropFirst().first?.name.map { Place(list: list, index: -1, name: $0) }
        default:
            guard case .index(let index)? = steps.dropFirst().first else { return nil }
            return Place(list: list, index: index, name: "")
        }
    }

    /// Steps below the place.
    var rest: [Step] {
        switch steps.first?.name {
        case "settings", "email_provider": Array(steps.dropFirst())
        default: Array(steps.dropFirst(2))
        }
    }

    static func precedes(_ left: [Step], _ right: [Step]) -> Bool {
        for (one, other) in zip(left, right) where one != other {
            switch (one, other) {
            case (.index(let one), .index(let other)): return one < other
            case (.name(let one), .name(let other)): return one < other
            case (.index, .name): return true
            case (.name, .index): return false
            }
        }
        return left.count < right.count
    }

    /// The value without the part at the path, and that part. Nil if there is none.
    static func removing(_ steps: ArraySlice<Step>, from value: JSONValue) -> (JSONValue, JSONValue)? {
        guard let step = steps.first else { return nil }
        let rest = steps.dropFirst()
        switch (step, value) {
        case (.name(let name), .object(var object)):
            guard let inner = object[name] else { return nil }
            if rest.isEmpty {
                object[name] = nil
                return (.object(object), inner)
            }
            guard let (smaller, dropped) = removing(rest, from: inner) else { return nil }
            object[name] = smaller
            return (.object(object), dropped)
        case (.index(let index), .array(var elements)):
            guard elements.indices.contains(index) else { return nil }
            if rest.isEmpty {
                let dropped = elements.remove(at: index)
                return (.array(elements), dropped)
            }
            guard let (smaller, dropped) = removing(rest, from: elements[index]) else { return nil }
            elements[index] = smaller
            return (.array(elements), dropped)
        default: return nil
        }
    }
}
