#if os(Linux)
    import Foundation
    import Glibc
    import Synchronization

    /// A process's output, which tests can await.
    package final class Transcript: Sendable {
        private struct State {
            var bytes: [UInt8] = []
            /// Number of bytes of the lines that were taken.
            var taken = 0
            var isOver = false
            /// Each resumes its waiter if the output suffices, and then returns true.
            var waiting: [@Sendable (inout State) -> Bool] = []

            var text: String { String(decoding: bytes, as: UTF8.self) }

            /// The next line without its end, which the last one may lack.
            mutating func takeLine() -> String? {
                let rest = bytes[taken...]
                let end = rest.firstIndex(of: UInt8(ascii: "\n"))
                guard end != nil || (isOver && !rest.isEmpty) else { return nil }
                taken = end.map { $0 + 1 } ?? bytes.count
                return String(decoding: rest[..<(end ?? bytes.count)], as: UTF8.self)
            }
        }

        private let state = Mutex(State())

        /// Reads a pipe to its end on a thread of its own, and closes it.
        init(reading descriptor: Int32) {
            Thread.detachNewThread { [self] in
                var buffer = [UInt8](repeating: 0, count: 16_384)
                while true {
                    let count = Glibc.read(descriptor, &buffer, buffer.count)
                    if count < 0, errno == EINTR { continue }
                    take(buffer[..<max(0, count)])
                    if count <= 0 { break }
                }
                close(descriptor)
            }
        }

        /// Zero bytes mean the end.
        private func take(_ bytes: ArraySlice<UInt8>) {
            state.withLock { state in
                state.bytes += bytes
                state.isOver = bytes.isEmpty
                let waiting = state.waiting
                state.waiting = []
                for answer in waiting where !answer(&state) { state.waiting.append(answer) }
            }
        }

        private func answer<Value: Sendable>(_ find: @escaping @Sendable (inout State) -> Value?) async -> Value {
            await withCheckedContinuation { continuation in
                state.withLock { state in
                    if let found = find(&state) { return continuation.resume(returning: found) }
                    state.waiting.append { state in
                        guard let found = find(&state) else { return false }
                        continuation.resume(returning: found)
                        return true
                    }
                }
            }
        }

        /// Returns true once `text` was written, or false if the process ended without it. Nil waits for the end.
        @discardableResult
        package func wait(for text: String?) async -> Bool {
            await answer { state in
                if let text, state.text.contains(text) { return true }
                return state.isOver ? text == nil : nil
            }
        }

        /// The next line, of those that were not taken so far, for which `isWanted` holds; nil when the process ended
        /// without.
        package func line(where isWanted: @escaping @Sendable (String) -> Bool) async -> String? {
            await answer { state -> String?? in
                while let line = state.takeLine() {
                    if isWanted(line) { return .some(line) }
                }
                return state.isOver ? .some(nil) : nil
            }
        }

        package var soFar: String { state.withLock(\.text) }

        /// The whole output, after the process ended.
        package func all() async -> String {
            await wait(for: nil)
            return soFar
        }
    }
#endif
