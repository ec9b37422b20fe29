import Foundation
import Guardian
import Localization
import PhoneScreen
import Synchronization
import Terminal

extension Watch {
    /// Nil when the request was withdrawn or ran out of time before there was an answer.
    func ask<Value: Sendable>(_ choice: Choice<Value>, about request: OpenRequest) async -> Value? {
        let (output, expiry) = (phone.output, request.consent?.expiresAt)
        let status = status(until: expiry)
        let task = Task { await output.choose(choice, status: status) }
        let id = request.notification.requestID
        let isOver = state.withLock { state in
            state.asking = (id, { task.cancel() })
            return state.withdrawn.contains(id)
        }
        if isOver { task.cancel() }
        let remaining = expiry.map { $0.timeIntervalSince(now()) }
        let timer = Task {
            guard let remaining else { return }
            // Rounded up, so that the request has expired when the question ends.
            try? await Task.sleep(for: .milliseconds(Int64((max(0, min(remaining, 1e9)) * 1000).rounded(.up))))
            if !Task.isCancelled { task.cancel() }
        }
        defer {
            timer.cancel()
            state.withLock { $0.asking = nil }
        }
        return await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// How much time is left, and how many more requests wait.
    private func status(until expiry: Date?) -> LiveLine {
        LiveLine(
            { [self] in
                let seconds = expiry.map { max(0, Int64($0.timeIntervalSince(now()).rounded(.down))) }
                let more = state.withLock { $0.behind.count }
                return Text(phone.texts.status(seconds.map { spellDuration(.seconds($0)) }, more), .yellow)
            }, pause: second)
    }
}

/// A request with numbers cannot be allowed without the person.
func needsNumber(_ numbers: [MatchingNumber], _ request: Guardian.Notification) -> CommandFailure {
    let list = numbers.map(\.description).joined(separator: ", ")
    return CommandFailure(
        "\(request.label) needs the number that the application shows, one of \(list)",
        hint: "guardian allow \(request.label) --number \(numbers.first?.description ?? "NN")")
}
