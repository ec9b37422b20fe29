import CCurl
import HTTPModel
import Synchronization
import Threads

/// The thread that owns libcurl's multi handle. Other threads leave commands and wake it.
final class TransferLoop: Sendable {
    private enum Command {
        case start(ClientRequest, any Receiver)
        case remove(ObjectIdentifier)
        case resume(ObjectIdentifier)
    }

    private struct Mailbox {
        var commands: [Command] = []
        var isClosed = false
    }

    /// Maximum number of idle connections kept for reuse.
    private static let idleConnections = 256
    /// Maximum number of connections to one server that requests share. A second one serves while the first one ends,
    /// and further requests wait for a stream (RFC 9113 clause 5.1.2).
    private static let sharedConnections = 2
    /// Maximum wait in milliseconds. libcurl shortens it for its own timers.
    private static let longestWait: CInt = 60_000

    private let configuration: CurlTransport.Configuration
    /// Used only by the loop's thread, except by `curl_multi_wakeup`, which any thread may call while it holds the
    /// mailbox's lock and the mailbox is open.
    private nonisolated(unsafe) let multi: UnsafeMutableRawPointer
    private let mailbox = Mutex(Mailbox())
    private let isSilent = Atomic(false)

    init(_ configuration: CurlTransport.Configuration) throws(HTTPClientError) {
        guard CurlLibrary.isReady, let multi = curl_multi_init() else {
            throw .other("libcurl could not start")
        }
        _ = countersign_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, Self.idleConnections)
        if configuration.sharesConnections {
            _ = countersign_curl_multi_set_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, Self.sharedConnections)
        }
        self.configuration = configuration
        self.multi = multi
        do {
            try SystemThread.detach { [self] in run() }
        } catch {
            curl_multi_cleanup(multi)
            throw .other("no thread could be started for libcurl")
        }
    }

    func start(_ request: ClientRequest, _ receiver: any Receiver) {
        if !post(.start(request, receiver)) { receiver.finished(.cancelled) }
    }

    func remove(_ receiver: any Receiver) { post(.remove(ObjectIdentifier(receiver))) }
    func resume(_ receiver: any Receiver) { post(.resume(ObjectIdentifier(receiver))) }

    /// True after a request timed out on a shared connection that was established.
    var hasSilentConnection: Bool { isSilent.load(ordering: .acquiring) }

    /// Cancels all transfers and ends the thread, without a wait for it: callers may be on the cooperative pool.
    func close() {
        mailbox.withLock { mailbox in
            guard !mailbox.isClosed else { return }
            mailbox.isClosed = true
            curl_multi_wakeup(multi)
        }
    }

    @discardableResult
    private func post(_ command: Command) -> Bool {
        mailbox.withLock { mailbox in
            guard !mailbox.isClosed else { return false }
            mailbox.commands.append(command)
            curl_multi_wakeup(multi)
            return true
        }
    }

    // MARK: On the loop's thread

    private func run() {
        var transfers = Transfers(multi: multi, configuration: configuration) { [self] in
            isSilent.store(true, ordering: .releasing)
        }
        while true {
            let (commands, isClosed) = mailbox.withLock { mailbox in
                defer { mailbox.commands = [] }
                return (mailbox.commands, mailbox.isClosed)
            }
            for command in commands {
                switch command {
                case .start(let request, let receiver): transfers.start(request, receiver)
                case .remove(let id): transfers.remove(id)
                case .resume(let id): transfers.resume(id)
                }
            }
            if isClosed { break }
            transfers.perform()
            curl_multi_poll(multi, nil, 0, transfers.pause(atMost: Self.longestWait), nil)
        }
        transfers.removeAll()
        curl_multi_cleanup(multi)
    }
}
