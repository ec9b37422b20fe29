package import Primitives

/// Proof that no object with certain members matches a schema, so that the schema would refuse everything.
///
/// Nothing is proved if an example matches. Else these are proofs, in the schema, its `$ref` and `allOf` and below required
/// members: a schema `false`; types that exclude each other, or an object; `additionalProperties` false without a name in
/// `properties` that is required, if there are no `patternProperties`; and a value of a fixed member, or every value of
/// `const` or a short `enum`, that another keyword excludes. Patterns and formats, alternatives and conditions prove nothing.
package enum SchemaContradiction {
    /// Maximum schemas that are read for an example and for a proof.
    static let stepLimit = 5_000
    /// Maximum steps of validating the example.
    private static let validationLimit = 200_000
    /// Maximum values of an `enum` that are tried.
    private static let valueLimit = 100

    /// The keyword that excludes every object with `members`. Nil if an example matches or nothing is proved.
    package static func find(
        in schema: JSONValue, _ compiled: JSONSchema, objectsWith members: JSONObject
    ) -> JSONSchema.Failure? {
        var example = SchemaExample(of: schema)
        var budget = StepBudget(validationLimit)
        if let object = example.object(with: members), (try? compiled.validate(object, within: &budget)) == .some(nil) {
            return nil
        }
        var proof = Proof(walk: SchemaWalk(root: schema))
        return proof.contradiction(at: [proof.walk.start], asObjectWith: members, depth: 0)
    }

    private struct Proof {
        let walk: SchemaWalk
        private var steps = SchemaContradiction.stepLimit

        init(walk: SchemaWalk) { self.walk = walk }

        /// `members` are those of every value, which must be an object then.
        mutating func contradiction(
            at places: [SchemaWalk.Place], asObjectWith members: JSONObject? = nil, depth: Int
        ) -> JSONSchema.Failure? {
            let applying = walk.applying(places, &steps)
            guard steps > 0, depth <= Instance.depthLimit else { return nil }
            if let never = applying.first(where: { $0.schema == false }) {
                return failure(never, nil, "is false, and the member is required")
            }
            let types = applying.types
            if members != nil, !types.contains(.object) {
                return failure(applying.first { !$0.types.contains(.object) }, .type, "must allow an object")
            }
            if types.isEmpty {
                return failure(applying.first { $0.value(.type) != nil }, .type, "excludes the types of another schema")
            }
            if let failure = constants(applying) { return failure }
            return types == [.object] || members != nil ? self.members(applying, members ?? [:], depth) : nil
        }

        /// Finds no value of the first `const` or `enum` that the other schemas accept.
        private mutating func constants(_ applying: [SchemaWalk.Place]) -> JSONSchema.Failure? {
            guard let place = applying.first(where: { $0.value(.const) != nil || $0.value(.enum) != nil }) else {
                return nil
            }
            let values = place.value(.const).map { [$0] } ?? place.value(.enum)?.arrayValue ?? []
            guard values.count <= SchemaContradiction.valueLimit else { return nil }
            let keywords = applying.map { scalars(of: $0) }
            for value in values {
                steps -= keywords.count
                if steps <= 0 || keywords.allSatisfy({ $0.exclusion(of: value) == nil }) { return nil }
            }
            return failure(place, place.value(.const) == nil ? .enum : .const, "has no value that its schemas accept")
        }

        private mutating func members(
            _ applying: [SchemaWalk.Place], _ fixed: JSONObject, _ depth: Int
        ) -> JSONSchema.Failure? {
            var required = fixed.members.map(\.name)
            var known = Set(required)
            for place in applying {
                let names = place.required
                steps -= names.count
                guard steps > 0 else { return nil }
                for name in names where known.insert(name).inserted { required.append(name) }
            }
            for place in applying
            where place.value(.additionalProperties) == false && place.value(.patternProperties) == nil {
                steps -= required.count
                guard steps > 0 else { return nil }
                if let name = required.first(where: { place.below(.properties, $0) == nil }) {
                    return failure(
                        place, .additionalProperties,
                        "is false, and properties has no \"\(name)\", which "
                            + (fixed[name] == nil ? "is required" : "every such object has") + "; declare it")
                }
            }
            for name in required {
                steps -= applying.count
                guard steps > 0 else { return nil }
                let places = applying.compactMap { $0.below(.properties, name) }
                guard let value = fixed[name] else {
                    if let failure = contradiction(at: places, depth: depth + 1) { return failure }
                    continue
                }
                for place in walk.applying(places, &steps) {
                    let keywords = scalars(of: place)
                    guard steps > 0 else { return nil }
                    guard let keyword = keywords.exclusion(of: value) else { continue }
                    return failure(
                        place, keyword, "excludes \(JSONWriter.string(value)), the value of every such object")
                }
            }
            return nil
        }

        private static let scalarKeywords: [Keyword] = [
            .type, .const, .enum, .minimum, .exclusiveMinimum, .maximum, .exclusiveMaximum, .multipleOf, .minLength,
            .maxLength,
        ]

        /// A schema's own keywords for scalars.
        private struct Scalars {
            let isNever: Bool
            let compiled: JSONSchema?

            /// The keyword that excludes the value.
            func exclusion(of value: JSONValue) -> Keyword? {
                if isNever { return .properties }
                return compiled?.validate(value).flatMap { Keyword(rawValue: $0.keyword) }
            }
        }

        /// Takes as many steps as the schema has values. Excludes nothing once there are none left.
        private mutating func scalars(of place: SchemaWalk.Place) -> Scalars {
            steps -= (place.value(.enum)?.valueCount ?? 0) + (place.value(.const)?.valueCount ?? 0)
            guard steps > 0 else { return Scalars(isNever: false, compiled: nil) }
            var own = JSONObject()
            for keyword in Self.scalarKeywords { own[keyword.rawValue] = place.value(keyword) }
            return Scalars(
                isNever: place.schema == false,
                compiled: try? JSONSchema(compiling: .object(own), patterns: UncompiledPatterns()))
        }

        private func failure(
            _ place: SchemaWalk.Place?, _ keyword: Keyword?, _ reason: String
        ) -> JSONSchema.Failure {
            JSONSchema.Failure(pointer: place?.pointer ?? "", keyword: keyword?.rawValue, reason: reason)
        }
    }
}
