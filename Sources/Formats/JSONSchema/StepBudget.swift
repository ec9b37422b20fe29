/// Steps that may still be taken: a bound on work that depends on nothing but the schema and the value.
///
/// A step is about what one instruction of a pattern costs for one byte of text, under 10 nanoseconds.
package struct StepBudget: Sendable {
    /// The work would take more steps than are left.
    package struct Exhausted: Error, Sendable, Equatable {}

    /// For schemas and values that are this program's own.
    package static let unlimited = StepBudget(.max)

    package private(set) var left: Int

    package init(_ steps: Int) { left = steps }

    /// To be called before the work is done.
    mutating func spend(_ steps: Int) throws(Exhausted) {
        guard steps <= left else {
            left = 0
            throw Exhausted()
        }
        left -= steps
    }

    /// The same for so many steps for each of `count`.
    mutating func spend(_ steps: Int, times count: Int) throws(Exhausted) {
        let (product, overflows) = steps.multipliedReportingOverflow(by: count)
        try spend(overflows ? .max : product)
    }
}
