package import Primitives

/// A condition for a small list of documents, in the syntax of user searches.
package struct DocumentQuery: Sendable {
    private indirect enum Condition: Sendable {
        case everything
        /// A text at one of the paths.
        case text([[String]], TextMatch)
        case all([Condition])
        case any([Condition])
        case not(Condition)
    }

    private let condition: Condition

    /// `fields` are the documents' fields. A term without a field searches `texts`. A dot separates nested members;
    /// lists match by their elements. Case is ignored.
    package init(parsing text: String, fields: Set<String>, texts: [String]) throws(QuerySyntaxError) {
        condition = try QuerySyntax(parsing: text).resolved(
            everything: .everything, all: Condition.all, any: Condition.any, not: Condition.not
        ) { term throws(QuerySyntaxError) in
            let match = (term.value?.match ?? .present).folded
            guard let name = term.field else {
                if case .range = term.value { throw QuerySyntaxError(.rangeWithoutField, at: term.position) }
                return .text(texts.map { [$0] }, match)
            }
            let path = name.text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            guard let root = path.first, fields.contains(root), !path.contains("") else {
                let suggestion = Spelling.nearest(to: name.text, in: fields.sorted())
                throw QuerySyntaxError(.unknownField(name.text, suggestion: suggestion), at: name.position)
            }
            return .text([path], match)
        }
    }

    package func matches(_ document: JSONObject) -> Bool { Self.holds(condition, .object(document)) }

    private static func holds(_ condition: Condition, _ document: JSONValue) -> Bool {
        switch condition {
        case .everything: true
        case .text(let paths, let match): paths.contains { has(document, $0[...], match) }
        case .all(let parts): parts.allSatisfy { holds($0, document) }
        case .any(let parts): parts.contains { holds($0, document) }
        case .not(let part): !holds(part, document)
        }
    }

    private static func has(_ value: JSONValue, _ path: ArraySlice<String>, _ match: TextMatch) -> Bool {
        switch value {
        case .null: return false
        case .array(let elements): return elements.contains { has($0, path, match) }
        case .object(let members):
            guard let name = path.first else { return match == .present }
            return members[name].map { has($0, path.dropFirst(), match) } ?? false
        case .string(let text): return path.isEmpty && match.matches(text.lowercased())
        case .number(let number): return path.isEmpty && match.matches(number.literal.lowercased())
        case .bool(let flag): return path.isEmpty && match.matches(flag ? "true" : "false")
        }
    }
}
