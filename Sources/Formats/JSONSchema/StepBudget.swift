/// Remaining steps. They bound work by the schema and the value alone.
///
/// A step is about what one instruction of a pattern costs for one byte of text, under 10 nanoseconds.
package struct StepBudget: Sendable {
    /// Thrown if the work needs more steps than remain.
    package struct Exhausted: Error, Sendable, Equatable {}

    /// Budget for schemas and values of this program's own.
    package static let unlimited = StepBudget(.max)

    package private(set) var left: Int

    package init(_ steps: Int) { left = steps }

    /// Spends steps. Must be called before the work.
    mutating func spend(_ steps: Int) throws(Exhausted) {
        guard steps <= left else {
            left = 0
            throw Exhausted()
        }
        left -= steps
    }

    /// Spends `steps` for each of `count` items. Must be called before the work.
    mutating func spend(_ steps: Int, times count: Int) throws(Exhausted) {
        let (product, overflows) = steps.multipliedReportingOverflow(by: count)
        try spend(overflows ? .max : product)
    }
}
