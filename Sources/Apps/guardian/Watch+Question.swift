import Foundation
import Guardian
import Localization
import PhoneScreen
import Synchronization
import Terminal

extension Watch {
    /// Nil when all of the requests were withdrawn or ran out of time before there was an answer.
    func ask<Value: Sendable>(_ choice: Choice<Value>, about requests: [OpenRequest]) async -> Value? {
        let expiries = requests.map { $0.consent?.expiresAt }
        let expiry = expiries.contains(nil) ? nil : expiries.compactMap(\.self).max()
        let ids = Set(requests.map(\.notification.requestID))
        let status = status(until: expiry, without: ids)
        let task = Task { [output = phone.output] in await output.choose(choice, status: status) }
        let isOver = state.withLock { state in
            let waiting = ids.subtracting(state.withdrawn)
            state.asking = (waiting, { task.cancel() })
            return waiting.isEmpty
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

    /// How much time is left, and how many more requests wait besides those asked about.
    private func status(until expiry: Date?, without ids: Set<String>) -> LiveLine {
        LiveLine(
            { [self] in
                let seconds = expiry.map { max(0, Int64($0.timeIntervalSince(now()).rounded(.down))) }
                let more = state.withLock { state in state.behind.count { !ids.contains($0.requestID) } }
                return Text(phone.texts.status(seconds.map { spellDuration(.seconds($0)) }, more), .yellow)
            }, pause: second)
    }
}

extension Phone {
    /// A request with numbers cannot be allowed without the person. The advice names no number, because a wrong one
    /// rejects the request for good.
    func needsNumber(_ numbers: [MatchingNumber], _ request: Guardian.Notification) -> CommandFailure {
        let list = numbers.isEmpty ? "" : " (\(numbers.map(\.description).joined(separator: ", ")))"
        return CommandFailure(
            "\(request.label)\(list): \(texts.numberRequired)", hint: "guardian allow \(request.label) --number NN")
    }
}

extension Consent {
    /// True if the person decides no other request with it.
    var isDecidedAlone: Bool { asksNumber || login != nil }
}
