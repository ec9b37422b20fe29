import Testing

@Suite("docs/nodes.md: what a node remembers")
struct RememberedStateTests {
    /// Folders whose types may live from one request to the next.
    private static let folders = [
        "Sources/Domain", "Sources/Web", "Sources/Adapters/Delivery", "Sources/Adapters/Persistence",
        "Sources/Formats/Tracing",
    ]

    private static let kinds = ["Mutex", "Atomic<", "= RateLimit<"]

    /// Files that keep something, by their names without the ending.
    private static func remembering() throws -> Set<String> {
        var names: Set<String> = []
        for folder in folders {
            for path in try Repository.files(in: folder, ending: ".swift") {
                let keeps = try Repository.text(path).split(separator: "\n").contains { line in
                    let words = line.split(separator: " ")
                    return words.contains("let") && kinds.contains { line.contains($0) }
                }
                if keeps, let name = path.split(separator: "/").last?.dropLast(".swift".count) {
                    names.insert(String(name))
                }
            }
        }
        return names
    }

    @Test("The table has a row for every type that keeps state in memory, and for no other")
    func table() throws {
        let lines = try Repository.text("docs/nodes.md").split(separator: "\n")
        let table = lines.drop { !$0.hasPrefix("| memory |") }.dropFirst(2).prefix { $0.hasPrefix("| ") }
        // Operators read words first, and the names of the code last.
        for row in table { #expect(!row.hasPrefix("| `"), "\(row)") }
        let named = Set(table.flatMap { row in quoted(row.split(separator: "|").last { $0 != " " } ?? "") })
        let remembering = try Self.remembering()
        #expect(remembering.subtracting(named).sorted() == [])
        #expect(named.subtracting(remembering).sorted() == [])
    }
}
