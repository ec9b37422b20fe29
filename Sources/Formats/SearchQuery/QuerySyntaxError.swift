/// A syntax error and its position.
package struct QuerySyntaxError: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Reason: Error, Hashable {
        case tooLong(limit: Int)
        case tooDeep(limit: Int)
        case tooManyTerms(limit: Int)
        case unbalancedParenthesis
        case unterminatedPhrase
        case unterminatedRange
        /// Not `[a TO b]`.
        case malformedRange
        case danglingEscape
        case missingTerm
        /// The operator.
        case missingOperand(String)
        case unexpected(String)
        /// Fuzzy and proximity search, boosts.
        case unsupported(String)
        case unknownField(String, suggestion: String?)
        case rangeWithoutField
        case notATime(field: String)
        case notANumber(field: String)
        case notAFlag(field: String)
    }

    /// In code points.
    package let position: Int
    package let reason: Reason

    package init(_ reason: Reason, at position: Int) {
        self.reason = reason
        self.position = position
    }

    /// `unbalanced parenthesis at 17`.
    package var description: String { "\(reason) at \(position)" }
}

extension QuerySyntaxError.Reason: CustomStringConvertible {
    package var description: String {
        switch self {
        case .tooLong(let limit): "more than \(limit) bytes"
        case .tooDeep(let limit): "nesting more than \(limit) levels deep"
        case .tooManyTerms(let limit): "more than \(limit) terms"
        case .unbalancedParenthesis: "unbalanced parenthesis"
        case .unterminatedPhrase: "phrase without closing quote"
        case .unterminatedRange: "range without closing bracket"
        case .malformedRange: "range that is not [a TO b]"
        case .danglingEscape: "escape of nothing"
        case .missingTerm: "missing term"
        case .missingOperand(let name): "missing operand of \(name)"
        case .unexpected(let text): "unexpected \(text)"
        case .unsupported(let text): "unsupported operator \(text); escape it as \\\(text) where it is meant literally"
        case .unknownField(let name, let suggestion):
            "unknown field \(name)" + (suggestion.map { " (did you mean \($0)?)" } ?? "")
        case .rangeWithoutField: "range without a field"
        case .notATime(let field): "\(field) needs a date or a time"
        case .notANumber(let field): "\(field) needs a number"
        case .notAFlag(let field): "\(field) needs true or false"
        }
    }
}
