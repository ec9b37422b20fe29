/// A step of the demo that did not go as expected.
struct DemoFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    /// Throws an error with both values unless they are equal.
    static func check<Value: Equatable>(_ what: String, _ found: Value, is expected: Value) throws(DemoFailure) {
        guard found == expected else { throw DemoFailure("\(what): expected \(expected), found \(found)") }
    }
}
