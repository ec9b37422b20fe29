package import Primitives

extension Certificate {
    /// True in the last 21 days of validity, or in the last third of a lifetime that is shorter than 63 days.
    package func isRenewalLate(at moment: Timestamp) -> Bool {
        notAfter - moment < min(.seconds(21 * 86_400), (notAfter - notBefore) / 3)
    }
}
