import Flows

/// An open connection to a mail server, with what was said on it.
final class SMTPConnection: @unchecked Sendable {
    fileprivate let pipe: SMTPPipe
    fileprivate var reader = SMTPReplyReader()
    fileprivate var dialogue: SMTPDialogue

    fileprivate init(_ pipe: SMTPPipe, _ dialogue: SMTPDialogue) {
        self.pipe = pipe
        self.dialogue = dialogue
    }

    /// Limit for the reply to QUIT.
    static let partingTime = Duration.seconds(3)

    /// Says QUIT, and waits a little for the reply (RFC 5321 clause 4.1.1.10). Blocks its thread.
    func end() {
        let (end, cancellation) = (ContinuousClock.now + Self.partingTime, SMTPCancellation())
        guard (try? pipe.send(Array("QUIT\r\n".utf8), within: Self.partingTime, cancellation)) != nil else { return }
        _ = try? pipe.receive(until: end, cancellation)
    }
}

/// One mail, or a check. Carries out what the dialogue says, within the limits of each step. Blocks its thread.
struct SMTPExchange {
    enum Task: Sendable {
        case send([UInt8], to: MailAddress)
        /// Logs in and says `NOOP`.
        case check
    }

    enum Outcome {
        case done(SMTPConnection)
        /// `connection` is one that still hears QUIT.
        case failed(MailFailure, refusesLogin: Bool = false, connection: SMTPConnection? = nil)
        /// The connection was kept from an earlier exchange and is gone. Nothing of the mail was sent.
        case stale

        var result: Result<Void, MailFailure> {
            switch self {
            case .done: .success(())
            case .failed(let failure, _, _): .failure(failure)
            case .stale: .failure(.failed("the connection is gone"))
            }
        }
    }

    /// Limit for the first reply on a kept connection. A router may have forgotten the connection.
    static let keptReply = Duration.seconds(20)

    private let task: Task
    private let configuration: SMTPTransport.Configuration
    private let cancellation: SMTPCancellation
    private let start = ContinuousClock.now

    init(_ task: Task, _ configuration: SMTPTransport.Configuration, until cancellation: SMTPCancellation) {
        self.task = task
        self.configuration = configuration
        self.cancellation = cancellation
    }

    private var goal: SMTPDialogue.Goal {
        switch task {
        case .send(_, let recipient): .mail(from: configuration.from, to: recipient)
        case .check: .check
        }
    }

    /// On a new connection.
    func run() -> Outcome {
        let connection: SMTPConnection
        do throws(SMTPPipe.Failure) {
            let pipe = try SMTPPipe(
                host: configuration.host, port: configuration.port, policy: configuration.policy,
                within: configuration.limits.connecting, until: cancellation)
            let isImplicit = configuration.security == .implicit
            if isImplicit { try pipe.beginTLS(trust: configuration.trust, within: configuration.limits.handshake) }
            connection = SMTPConnection(
                pipe,
                SMTPDialogue(
                    name: configuration.from.domain, security: configuration.security,
                    account: configuration.login, goal: goal))
        } catch {
            return .failed(.failed(error.text))
        }
        return run(on: connection, nil, isKept: false)
    }

    /// On a connection that an earlier exchange left.
    func run(onKept connection: SMTPConnection) -> Outcome {
        do throws(SMTPPipe.Failure) {
            // Words that nobody asked for are mostly a goodbye.
            guard try connection.pipe.receive(until: .now, cancellation) == nil, connection.reader.isEmpty else {
                return .stale
            }
        } catch {
            return .stale
        }
        return run(on: connection, connection.dialogue.begin(goal), isKept: true)
    }

    /// `action` nil begins with the server's greeting.
    private func run(on connection: SMTPConnection, _ action: SMTPDialogue.Action?, isKept: Bool) -> Outcome {
        var action = action
        var isWhole = false
        // True while nothing shows that a kept connection is alive.
        var isDoubtful = isKept
        do throws(SMTPPipe.Failure) {
            while true {
                switch action {
                case .done: return .done(connection)
                case .failed(let failure, let refusesLogin):
                    return .failed(failure, refusesLogin: refusesLogin, connection: connection)
                case .send(let line): try send(Array("\(line)\r\n".utf8), on: connection)
                case .sendMail:
                    if case .send(let message, _) = task {
                        try send(SMTPDialogue.transmitted(message), on: connection)
                    }
                    isWhole = true
                case .beginTLS:
                    try beginTLS(on: connection)
                    action = connection.dialogue.tlsBegan()
                    continue
                case nil: break
                }
                let reply = try reply(on: connection, isDoubtful: isDoubtful)
                // 421 ends a connection (RFC 5321 clause 3.8).
                if isDoubtful, reply.code == 421 { return .stale }
                isDoubtful = false
                action = connection.dialogue.take(reply)
            }
        } catch {
            if isDoubtful, !cancellation.isCancelled { return .stale }
            return .failed(isWhole ? .unanswered(error.text) : .failed(error.text))
        }
    }

    private func send(_ bytes: [UInt8], on connection: SMTPConnection) throws(SMTPPipe.Failure) {
        try refuseMore(connection)
        try connection.pipe.send(bytes, within: configuration.limits.block, whole: left, cancellation)
    }

    /// Words from before TLS, of the server or of another on the way, must not be taken for words within TLS.
    private func beginTLS(on connection: SMTPConnection) throws(SMTPPipe.Failure) {
        try refuseMore(connection)
        // On this machine nobody is between, and mail servers have a certificate of their own making.
        let trust = configuration.security == .ifOffered ? nil : configuration.trust
        try connection.pipe.beginTLS(trust: trust, within: min(configuration.limits.handshake, left))
    }

    /// A server speaks when it is asked, so that each reply belongs to its command.
    private func refuseMore(_ connection: SMTPConnection) throws(SMTPPipe.Failure) {
        guard connection.reader.isEmpty else { throw SMTPPipe.Failure(text: "the server said more than was asked") }
    }

    /// Time left for everything before the reply to the whole mail.
    private var left: Duration { max(configuration.limits.beforeAcceptance - (.now - start), .milliseconds(1)) }

    private func reply(
        on connection: SMTPConnection, isDoubtful: Bool
    ) throws(SMTPPipe.Failure) -> MailServerReply {
        let step = connection.dialogue.step
        var limit = configuration.limits.time(for: step)
        if isDoubtful { limit = min(limit, Self.keptReply) }
        let end = ContinuousClock.now + (step == .acceptance ? limit : min(limit, left))
        do {
            while true {
                if let reply = try connection.reader.next() { return reply }
                guard let bytes = try connection.pipe.receive(until: end, cancellation) else {
                    let passed = step != .acceptance && left < .milliseconds(2)
                    throw SMTPPipe.Failure(
                        text: passed
                            ? "no end within \(configuration.limits.beforeAcceptance)"
                            : "no \(connection.dialogue.awaited) within \(limit)")
                }
                connection.reader.append(bytes)
            }
        } catch let failure as SMTPPipe.Failure {
            throw failure
        } catch {
            throw SMTPPipe.Failure(text: "the \(connection.dialogue.awaited) cannot be read")
        }
    }
}
