/// What was not as it must be.
struct DemoFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    /// Throws unless both are equal, saying how they differ.
    static func check<Value: Equatable>(_ what: String, _ found: Value, is expected: Value) throws(DemoFailure) {
        guard found == expected else { throw DemoFailure("\(what): expected \(expected), found \(found)") }
    }
}
