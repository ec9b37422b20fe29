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
    /// Maximum wait in milliseconds. libcurl shortens it for its own timers.
    private static let longestWait: CInt = 60_000

    private let configuration: CurlTransport.Configuration
    /// Used only by the loop's thread, except by `curl_multi_wakeup`, which any thread may call while it holds the
    /// mailbox's lock and the mailbox is open.
    private nonisolated(unsafe) let multi: UnsafeMutableRawPointer
    private let mailbox = Mutex(Mailbox())
    private let thread = Mutex<SystemThread?>(nil)

    init(_ configuration: CurlTransport.Configuration) throws(HTTPClientError) {
        guard Self.libraryIsReady, let multi = curl_multi_init() else { throw .other("libcurl could not start") }
        _ = countersign_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, Self.idleConnections)
        self.configuration = configuration
        self.multi = multi
        do {
            let started = try SystemThread { [self] in run() }
            thread.withLock { $0 = started }
        } catch {
            curl_multi_cleanup(multi)
            throw .other("no thread could be started for libcurl")
        }
    }

    private static let libraryIsReady = countersign_curl_global_init() == CURLE_OK

    func start(_ request: ClientRequest, _ receiver: any Receiver) {
        if !post(.start(request, receiver)) { receiver.finished(.cancelled) }
    }

    func remove(_ receiver: any Receiver) { post(.remove(ObjectIdentifier(receiver))) }
    func resume(_ receiver: any Receiver) { post(.resume(ObjectIdentifier(receiver))) }

    /// Cancels all transfers and waits for the thread's end.
    func close() {
        mailbox.withLock { mailbox in
            guard !mailbox.isClosed else { return }
            mailbox.isClosed = true
            curl_multi_wakeup(multi)
        }
        thread.withLock { thread in
            defer { thread = nil }
            return thread
        }?.join()
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
        var transfers = Transfers(multi: multi, configuration: configuration)
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
            curl_multi_poll(multi, nil, 0, Self.longestWait, nil)
        }
        transfers.removeAll()
        curl_multi_cleanup(multi)
    }
}

/// Running transfers, found by receiver or, for libcurl's messages, by handle.
private struct Transfers {
    let multi: UnsafeMutableRawPointer
    let configuration: CurlTransport.Configuration
    private var byReceiver: [ObjectIdentifier: Transfer] = [:]
    private var byHandle: [UnsafeMutableRawPointer: Transfer] = [:]

    init(multi: UnsafeMutableRawPointer, configuration: CurlTransport.Configuration) {
        self.multi = multi
        self.configuration = configuration
    }

    mutating func start(_ request: ClientRequest, _ receiver: any Receiver) {
        guard !receiver.isFinished else { return }
        do throws(HTTPClientError) {
            let transfer = try Transfer(request, receiver, configuration)
            guard curl_multi_add_handle(multi, transfer.handle) == CURLM_OK else {
                throw .other("libcurl refused the request")
            }
            byReceiver[ObjectIdentifier(receiver)] = transfer
            byHandle[transfer.handle] = transfer
        } catch {
            receiver.finished(error)
        }
    }

    func resume(_ id: ObjectIdentifier) {
        guard let transfer = byReceiver[id] else { return }
        curl_easy_pause(transfer.handle, CURLPAUSE_CONT)
    }

    mutating func remove(_ id: ObjectIdentifier) {
        guard let transfer = byReceiver.removeValue(forKey: id) else { return }
        byHandle[transfer.handle] = nil
        curl_multi_remove_handle(multi, transfer.handle)
    }

    mutating func removeAll() {
        for (id, transfer) in byReceiver {
            remove(id)
            transfer.receiver.finished(.cancelled)
        }
    }

    mutating func perform() {
        var running: CInt = 0
        curl_multi_perform(multi, &running)
        var left: CInt = 0
        while let message = curl_multi_info_read(multi, &left) {
            // The message belongs to libcurl and is freed with the handle, so it is read first.
            guard message.pointee.msg == CURLMSG_DONE, let handle = message.pointee.easy_handle else { continue }
            let code = message.pointee.data.result
            guard let transfer = byHandle[handle] else { continue }
            remove(ObjectIdentifier(transfer.receiver))
            transfer.receiver.finished(transfer.failure(code))
        }
    }
}
