import CCurl
import HTTPModel
import Primitives

/// Requests of a loop, used only on its thread: running transfers, found by receiver or, for libcurl's messages, by
/// handle, and requests that wait until another one has led (`LeadingRequest`).
struct Transfers {
    private struct Running {
        let transfer: Transfer
        /// Nil if connections are not shared.
        let server: String?
    }

    private struct Waiting {
        var request: ClientRequest
        let receiver: any Receiver
        let server: String
        /// End of the request's own time, which passes while it waits.
        let deadline: ContinuousClock.Instant?
    }

    private let multi: UnsafeMutableRawPointer
    private let configuration: CurlTransport.Configuration
    private let foundSilence: () -> Void
    private var byReceiver: [ObjectIdentifier: Running] = [:]
    private var byHandle: [UnsafeMutableRawPointer: Transfer] = [:]
    private var waiting: [ObjectIdentifier: Waiting] = [:]
    private var servers: [String: LeadingRequest<ObjectIdentifier>] = [:]

    /// `foundSilence` is called if a request times out on a connection that was established and is shared.
    init(
        multi: UnsafeMutableRawPointer, configuration: CurlTransport.Configuration, foundSilence: @escaping () -> Void
    ) {
        self.multi = multi
        self.configuration = configuration
        self.foundSilence = foundSilence
    }

    mutating func start(_ request: ClientRequest, _ receiver: any Receiver) {
        guard !receiver.isFinished else { return }
        guard configuration.sharesConnections else { return begin(request, receiver, server: nil) }
        let (id, server) = (ObjectIdentifier(receiver), Self.server(of: request.url))
        waiting[id] = Waiting(
            request: request, receiver: receiver, server: server,
            deadline: request.timeout.map { ContinuousClock.now + $0 })
        servers[server, default: LeadingRequest()].add(id)
    }

    func resume(_ id: ObjectIdentifier) {
        guard let transfer = byReceiver[id]?.transfer else { return }
        curl_easy_pause(transfer.handle, CURLPAUSE_CONT)
    }

    mutating func remove(_ id: ObjectIdentifier) {
        if let running = byReceiver.removeValue(forKey: id) {
            byHandle[running.transfer.handle] = nil
            curl_multi_remove_handle(multi, running.transfer.handle)
            if let server = running.server { forget(id, of: server) }
        } else if let server = waiting.removeValue(forKey: id)?.server {
            forget(id, of: server)
        }
    }

    mutating func removeAll() {
        let receivers = byReceiver.values.map(\.transfer.receiver) + waiting.values.map(\.receiver)
        for receiver in receivers {
            remove(ObjectIdentifier(receiver))
            receiver.finished(.cancelled)
        }
    }

    mutating func perform() {
        endWaiting()
        startNext()
        var running: CInt = 0
        curl_multi_perform(multi, &running)
        askLeaders()
        endFinished()
        startNext()
    }

    /// Milliseconds until the time of a waiting request is over, at most `limit`.
    func pause(atMost limit: CInt) -> CInt {
        guard let first = waiting.values.lazy.compactMap(\.deadline).min() else { return limit }
        // Whole milliseconds are rounded down.
        return CInt(min(max(0, ContinuousClock.now.duration(to: first).milliseconds), Int64(limit) - 1)) + 1
    }

    // MARK: Starts

    private mutating func begin(_ request: ClientRequest, _ receiver: any Receiver, server: String?) {
        let id = ObjectIdentifier(receiver)
        do throws(HTTPClientError) {
            let transfer = try Transfer(request, receiver, configuration)
            guard curl_multi_add_handle(multi, transfer.handle) == CURLM_OK else {
                throw .other("libcurl refused the request")
            }
            byReceiver[id] = Running(transfer: transfer, server: server)
            byHandle[transfer.handle] = transfer
        } catch {
            if let server { forget(id, of: server) }
            receiver.finished(error)
        }
    }

    private mutating func begin(_ ids: [ObjectIdentifier]) {
        for id in ids {
            guard var next = waiting.removeValue(forKey: id) else { continue }
            if let deadline = next.deadline { next.request.timeout = ContinuousClock.now.duration(to: deadline) }
            begin(next.request, next.receiver, server: next.server)
        }
    }

    /// Starts leaders. One that cannot start at all is followed by the next.
    private mutating func startNext() {
        guard !waiting.isEmpty else { return }
        for server in Array(servers.keys) {
            while let ids = servers[server]?.next(), !ids.isEmpty { begin(ids) }
        }
    }

    /// Starts the requests for which a leader has opened the way.
    private mutating func askLeaders() {
        for (server, requests) in servers {
            guard let leader = requests.leader, let transfer = byReceiver[leader]?.transfer else { continue }
            if let status = transfer.status {
                let ids = servers[server]?.leaderWasAnswered(
                    isSuccess: !configuration.leadsUntilSuccess || Self.acceptsCredentials(status),
                    sharesConnection: transfer.isMultiplexed)
                begin(ids ?? [])
            } else if transfer.wasSent, !transfer.hasConnected {
                begin(servers[server]?.leaderReusedConnection() ?? [])
            }
        }
    }

    /// A server judges the message, as with 400, 404 and 410, only after the credentials.
    private static func acceptsCredentials(_ status: Int) -> Bool {
        (200..<500).contains(status) && ![401, 403, 429].contains(status)
    }

    /// Scheme, host and port of a URL.
    private static func server(of url: String) -> String {
        guard let start = url.firstRange(of: "://")?.upperBound else { return "" }
        return String(url[..<(url[start...].firstIndex { "/?#".contains($0) } ?? url.endIndex)])
    }

    // MARK: Ends

    private mutating func endFinished() {
        var left: CInt = 0
        while let message = curl_multi_info_read(multi, &left) {
            // The message belongs to libcurl and is freed with the handle, so it is read first.
            guard message.pointee.msg == CURLMSG_DONE, let handle = message.pointee.easy_handle else { continue }
            let code = message.pointee.data.result
            guard let transfer = byHandle[handle] else { continue }
            let id = ObjectIdentifier(transfer.receiver)
            if code != CURLE_OK, let server = byReceiver[id]?.server {
                let isShared = servers[server]?.sharesConnection != false
                if isShared, code == CURLE_OPERATION_TIMEDOUT, transfer.wasSent { foundSilence() }
                servers[server]?.failed(id)
            }
            remove(id)
            transfer.receiver.finished(transfer.failure(code))
        }
    }

    private mutating func endWaiting() {
        guard !waiting.isEmpty else { return }
        let now = ContinuousClock.now
        for (id, request) in waiting {
            guard let deadline = request.deadline, deadline <= now else { continue }
            remove(id)
            request.receiver.finished(.timedOut)
        }
    }

    private mutating func forget(_ id: ObjectIdentifier, of server: String) {
        servers[server]?.removed(id)
        if servers[server]?.isUnused == true { servers[server] = nil }
    }
}
