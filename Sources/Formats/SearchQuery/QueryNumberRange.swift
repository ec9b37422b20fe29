/// Nil is open: any present value.
package struct QueryNumberRange: Sendable, Hashable {
    package let lower: QueryBound<Double>?
    package let upper: QueryBound<Double>?

    package init(lower: QueryBound<Double>?, upper: QueryBound<Double>?) {
        self.lower = lower
        self.upper = upper
    }
}
