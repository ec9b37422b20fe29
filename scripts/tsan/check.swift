// Accesses that the thread sanitizer must not report (`guarded`) and must report (`racy`).
import Glibc
import Synchronization

@main
enum Check {
    static let guarded = Mutex(0)
    nonisolated(unsafe) static var unguarded = 0

    static func main() {
        var threads = [pthread_t](repeating: 0, count: 4)
        for index in threads.indices {
            pthread_create(
                &threads[index], nil,
                { _ in
                    let isGuarded = CommandLine.arguments.last == "guarded"
                    for _ in 0..<20_000 {
                        if isGuarded { Check.guarded.withLock { $0 += 1 } } else { Check.unguarded += 1 }
                    }
                    return nil
                }, nil)
        }
        for thread in threads { pthread_join(thread, nil) }
    }
}
