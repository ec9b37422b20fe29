#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Time limits of tests that wait for programs, or bound the time of long inputs.
package enum Patience {
    /// The factor for such limits: 1, or 10 under the thread sanitizer, which slows programs down.
    package static let factor = getenv("TSAN_OPTIONS") == nil ? 1 : 10
}
