import AuthorizationCore

/// Lets real time pass.
package struct SystemTimer: AuthorizationCore.Timer {
    package init() {}

    package func sleep(_ duration: Duration) async throws { try await Task.sleep(for: duration) }

    private static let start = ContinuousClock.now

    package var uptime: Duration { ContinuousClock.now - Self.start }
}
