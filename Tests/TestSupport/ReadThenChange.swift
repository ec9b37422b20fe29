import SQL

/// Finds changes that rest on a plain read: under READ COMMITTED, another change may come between a query and the statement
/// that changes what it read.
///
/// A body that has read a table and then changes it must have a lock, or have held the rows (``RowHold``), or its statement
/// must carry the rule. Those that do are listed here, each with its rule.
struct ReadThenChange {
    /// Mark of a query that holds its rows, in the words of ``ServerLikeDatabase``.
    static let mark = "/* held */"

    private static let carryingTheirRule: [(change: String, rule: String)] = [
        ("INSERT INTO audit_log", "nobody else has the lane, and a unique index takes one entry of each place"),
        ("INSERT INTO audit_tree_head", "the number is the key, of which one of two insertions finds none"),
        ("UPDATE delivery SET", "the request is held before its entries are read, and the statement names the state"),
        ("INSERT INTO delivery", "an entry is added, whatever others there are; its request is held"),
        (
            "INSERT INTO audit_archive_lane",
            "the one row of audit_archive is held, and the entry is compared by its hash"
        ),
        ("UPDATE user SET email_verified = 1", "the statement names the address that the ticket confirms"),
        ("DELETE FROM email_ticket WHERE hash", "of two deletions of a ticket, one finds it"),
    ]

    private var read: Set<String> = []
    private var isLocked = false

    mutating func lock() { isLocked = true }

    /// The table whose rows nobody holds, if `text` changes one.
    mutating func note(_ text: String) -> String? {
        guard !isLocked else { return nil }
        let words = text.split { $0.isWhitespace || $0 == "(" || $0 == ")" || $0 == "," }.map {
            String($0.filter { $0 != "\"" })
        }
        guard let first = words.first, ["SELECT", "WITH"].contains(first) else {
            let table = Self.table(after: ["UPDATE", "INTO", "FROM"], in: words.prefix(4)).first
            guard let table, read.contains(table),
                !Self.carryingTheirRule.contains(where: { words.joined(separator: " ").hasPrefix($0.change) })
            else { return nil }
            return table
        }
        if !text.contains(Self.mark) { read.formUnion(Self.table(after: ["FROM", "JOIN"], in: words[...])) }
        return nil
    }

    private static func table(after keywords: Set<String>, in words: ArraySlice<String>) -> [String] {
        zip(words, words.dropFirst()).filter { keywords.contains($0.0) }.map(\.1)
    }
}
