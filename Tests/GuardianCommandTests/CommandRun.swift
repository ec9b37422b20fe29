import Foundation
@testable import Guardian
@testable import GuardianCommand
import Localization
import PhoneScreen
import Synchronization
@testable import Terminal

/// A terminal of 100 columns that keeps what it is shown.
final class Screen: Sendable {
    private struct Shown {
        var standard = ""
        var diagnostics = ""
        var watchers: [AsyncStream<Void>.Continuation] = []
    }

    private let shown = Mutex(Shown())

    var standard: String { shown.withLock { $0.standard } }
    var diagnostics: String { shown.withLock { $0.diagnostics } }
    var bells: Int { diagnostics.count { $0 == "\u{7}" } }

    /// Returns when the screen shows it, or when the task is cancelled.
    func wait(until isShown: (Screen) -> Bool) async {
        let (changes, watcher) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        shown.withLock { $0.watchers.append(watcher) }
        guard !isShown(self) else { return }
        for await _ in changes where isShown(self) { return }
    }

    private func change(_ change: (inout Shown) -> Void) {
        shown.withLock { shown in
            change(&shown)
            for watcher in shown.watchers { watcher.yield() }
        }
    }

    /// `isLive` stands for a terminal that lines can be moved on.
    func output(isLive: Bool = false, answer: (@Sendable () async -> String?)? = nil) -> Output {
        Output(
            standard: TextStream(isTerminal: false, hasColours: false, width: { 100 }) { text in
                self.change { $0.standard += text }
            },
            diagnostics: TextStream(isTerminal: isLive, hasColours: false, width: { 100 }) { text in
                self.change { $0.diagnostics += text }
            },
            input: TextInput(isTerminal: answer != nil) { await answer?() })
    }
}

/// A folder that goes away with the test.
final class Home: Sendable {
    let store: String
    private let folder: URL

    init() {
        folder = FileManager.default.temporaryDirectory.appending(path: "guardian-\(UUID().uuidString)")
        store = folder.appending(path: "deep/devices.json").path
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Waits for nothing before it connects again.
    static func configuration(_ server: FakeServer) -> GuardianConfiguration {
        var configuration = GuardianConfiguration(transport: server)
        configuration.channelIdleTimeout = .seconds(3600)
        configuration.sleep = { if $0 == .seconds(3600) { try await Task.sleep(for: $0) } }
        return configuration
    }

    func run(
        _ arguments: [String], on server: FakeServer, locale: String = "C.UTF-8"
    ) async -> (status: Int32, screen: Screen) {
        let screen = Screen()
        let status = await guardianCommand { _ in Self.configuration(server) }
            .run(
                arguments: arguments, environment: ["GUARDIAN_STORE": store, "HOME": folder.path, "LANG": locale],
                output: screen.output())
        return (status, screen)
    }

    func enroll(on server: FakeServer) async -> Int32 {
        let uri = "otpauth://totp/Example:ann?enrollment_tx_id=ticket&base_url=https%3A%2F%2Fid.example.org"
        return await run(["enroll", uri, "--name", "Laptop"], on: server).status
    }

    func phone(
        on server: FakeServer, output: Output, json: Bool = false, language: Language = .english
    ) async throws -> Phone {
        let device = try await device()
        return Phone(
            device: device, domain: device.domain ?? "", configuration: Self.configuration(server), output: output,
            json: json, language: language)
    }

    func device() async throws -> EnrolledDevice {
        try await FileDeviceStore(path: store).device(id: nil, domain: nil)
    }
}
