import SQL

/// Statements of one connection that the server has parsed.
struct PreparedStatements {
    /// Cached statements that are not a `StaticStatement`.
    private static let textLimit = 128

    /// Hardly any statement has a second: one whose first values were null where later ones are of another type than the
    /// server chose.
    private var byNumber: [[PreparedStatement]] = []
    private var byText: [String: PreparedStatement] = [:]
    private var made = 0
    private var uses = 0

    /// A prepared statement that takes the values. Nil if it must be prepared first.
    mutating func find(_ statement: Statement) -> PreparedStatement? {
        uses += 1
        switch statement.text {
        case .template(let template):
            guard template.number < byNumber.count else { return nil }
            return byNumber[template.number].first { $0.takes(statement.values) }
        case .built(let text):
            guard let found = byText[text], found.takes(statement.values) else { return nil }
            found.lastUse = uses
            return found
        }
    }

    /// Adds a statement that is being prepared.
    /// - Returns: the statement, and the name of one to forget in its place.
    mutating func add(_ statement: Statement) -> (PreparedStatement, forgotten: String?) {
        made += 1
        let prepared = PreparedStatement("s\(made)", for: statement.values)
        prepared.lastUse = uses
        switch statement.text {
        case .template(let template):
            while byNumber.count <= template.number { byNumber.append([]) }
            byNumber[template.number].append(prepared)
            return (prepared, nil)
        case .built(let text):
            if let replaced = byText.updateValue(prepared, forKey: text) { return (prepared, replaced.name) }
            guard byText.count > Self.textLimit,
                let oldest = byText.min(by: { $0.value.lastUse < $1.value.lastUse })
            else { return (prepared, nil) }
            byText[oldest.key] = nil
            return (prepared, oldest.value.name)
        }
    }

    /// Forgets a statement that the server could not parse.
    mutating func remove(_ prepared: PreparedStatement) {
        for index in byNumber.indices { byNumber[index].removeAll { $0 === prepared } }
        for (text, known) in byText where known === prepared { byText[text] = nil }
    }
}
