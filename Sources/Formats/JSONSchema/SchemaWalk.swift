import Primitives

/// Schemas that apply to one value, found in the text of a schema.
struct SchemaWalk {
    /// A schema with its JSON Pointer.
    struct Place {
        let schema: JSONValue
        let pointer: String

        func value(_ keyword: Keyword) -> JSONValue? { schema[keyword.rawValue] }

        /// A subschema. `name` is a member's, for keywords that have one.
        func below(_ keyword: Keyword, _ name: String? = nil) -> Place? {
            let own = value(keyword)
            guard let name else { return own.map { below($0, [keyword.rawValue]) } }
            return own?[name].map { below($0, [keyword.rawValue, name]) }
        }

        func below(_ schema: JSONValue, _ steps: [String]) -> Place {
            Place(schema: schema, pointer: pointer + steps.map { "/" + JSONPointer.escaped($0) }.joined())
        }

        /// Types that the schema allows.
        var types: Set<ValueType> {
            guard let type = value(.type) else { return Set(ValueType.allCases) }
            let named = Set((type.stringValue.map { [$0] } ?? type.stringsValue ?? []).compactMap(ValueType.init))
            return named.contains(.number) ? named.union([.integer]) : named
        }

        var required: [String] { value(.required)?.stringsValue ?? [] }
    }

    /// The whole schema, which references point into.
    let root: JSONValue

    var start: Place { Place(schema: root, pointer: "") }

    /// The places and those that they add for the same value, by `$ref` and `allOf`. `choosing` adds the first alternative
    /// of `anyOf` and `oneOf`. Takes a step each, and stops at zero.
    func applying(_ places: [Place], choosing: Bool = false, _ steps: inout Int) -> [Place] {
        var found: [Place] = []
        var waiting = places
        while let place = waiting.popLast(), steps > 0 {
            steps -= 1
            found.append(place)
            if let target = place.value(.ref)?.stringValue.flatMap(target(of:)) { waiting.append(target) }
            for (index, branch) in (place.value(.allOf)?.arrayValue ?? []).enumerated() {
                waiting.append(place.below(branch, [Keyword.allOf.rawValue, "\(index)"]))
            }
            for keyword in [Keyword.anyOf, .oneOf] where choosing {
                if let first = place.value(keyword)?.arrayValue?.first {
                    waiting.append(place.below(first, [keyword.rawValue, "0"]))
                }
            }
        }
        return found
    }

    private func target(of reference: String) -> Place? {
        guard let steps = JSONPointer.steps(fragment: reference) else { return nil }
        var value = root
        for step in steps {
            guard let next = value[step] ?? Int(step).flatMap({ value[$0] }) else { return nil }
            value = next
        }
        return start.below(value, steps)
    }
}

extension [SchemaWalk.Place] {
    /// Value of a keyword in the first schema that has it.
    func first(_ keyword: Keyword) -> JSONValue? { lazy.compactMap { $0.value(keyword) }.first }

    /// Types that all of the schemas allow.
    var types: Set<ValueType> { reduce(Set(ValueType.allCases)) { $0.intersection($1.types) } }
}
