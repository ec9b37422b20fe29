import Flows
import Primitives

/// The client's side of SMTP (RFC 5321) on one connection. A value without sockets: it takes what was seen on the wire,
/// and returns what comes next. No mail is begun, and no check succeeds, before the server took the login.
struct SMTPDialogue: Sendable {
    /// Beginning of TLS.
    enum Security: Sendable, Equatable {
        /// With the first byte (RFC 8314).
        case implicit
        /// By STARTTLS (RFC 3207). A server that does not offer it gets nothing.
        case required
        /// By STARTTLS if the server offers it.
        case ifOffered
    }

    struct Account: Sendable {
        let user: String
        let password: SecretBytes
    }

    enum Goal: Sendable, Equatable {
        case mail(from: MailAddress, to: MailAddress)
        /// Says `NOOP`.
        case check
    }

    /// Expected answer of the server.
    enum Step: Sendable, Equatable {
        case greeting
        /// The reply to `EHLO`, or to `HELO`.
        case extensions
        case startTLS
        case handshake
        case login
        /// Nothing: the connection is open for another goal.
        case ready
        case check
        case sender
        case recipient
        case data
        /// The reply to the whole mail.
        case acceptance
    }

    enum Action: Sendable, Equatable {
        /// Send a line. Its reply is the next event.
        case send(String)
        /// Begin TLS, and call `tlsBegan`.
        case beginTLS
        /// Send the mail with its end. The reply is the next event.
        case sendMail
        case done
        case failed(MailFailure, refusesLogin: Bool = false)
    }

    private(set) var step = Step.greeting
    /// True once the server replied 235 to the account's password (RFC 4954 clause 4).
    private(set) var isLoggedIn = false
    private var isSecure: Bool
    private var isExtended = true
    /// Parameters by keyword in upper case.
    private var offers: [String: [String]] = [:]
    /// Answers to the challenges of a login, in their order.
    private var answers: [String] = []
    private var goal: Goal
    private let name: String
    private let security: Security
    private let account: Account?

    /// A new connection. `name` is the domain in the greeting. A dialogue with TLS from the first byte begins when TLS has
    /// begun.
    init(name: String, security: Security, account: Account?, goal: Goal) {
        self.name = name
        self.security = security
        self.account = account
        self.goal = goal
        isSecure = security == .implicit
    }

    // MARK: events

    /// Begins another goal on a connection that reached one.
    mutating func begin(_ goal: Goal) -> Action {
        guard step == .ready else { return .failed(.failed("the connection is in use")) }
        self.goal = goal
        return work()
    }

    mutating func take(_ reply: MailServerReply) -> Action {
        switch (step, reply.code) {
        case (.greeting, 220): return greet()
        case (.extensions, 250):
            offers = isExtended ? Self.offers(reply.lines.dropFirst()) : [:]
            return prepare()
        // RFC 5321 clause 3.2: a server may not know EHLO. One that must offer something fails.
        case (.extensions, 500...504) where isExtended && account == nil && (isSecure || security == .ifOffered):
            isExtended = false
            return .send("HELO \(name)")
        case (.startTLS, 220):
            step = .handshake
            return .beginTLS
        case (.login, 334) where !answers.isEmpty: return .send(answers.removeFirst())
        case (.login, 235):
            isLoggedIn = true
            return work()
        case (.check, 200...299):
            step = .ready
            return .done
        case (.sender, 250):
            guard case .mail(_, let recipient) = goal else { break }
            return send("RCPT TO:<\(recipient)>", .recipient)
        // 251 and 252 take the recipient, too (RFC 5321 clause 4.2.3).
        case (.recipient, 250...252): return send("DATA", .data)
        case (.data, 354):
            step = .acceptance
            return .sendMail
        case (.acceptance, 200...299):
            step = .ready
            return .done
        default: break
        }
        return refused(reply)
    }

    /// The server tells anew what it offers, since what it said in the clear may be another's (RFC 3207 clause 4.2).
    mutating func tlsBegan() -> Action {
        isSecure = true
        offers = [:]
        return greet()
    }

    // MARK: steps

    private mutating func send(_ line: String, _ next: Step) -> Action {
        step = next
        return .send(line)
    }

    private mutating func greet() -> Action { send("EHLO \(name)", .extensions) }

    /// TLS and the login, as far as they are wanted.
    private mutating func prepare() -> Action {
        if !isSecure {
            if offers["STARTTLS"] != nil { return send("STARTTLS", .startTLS) }
            guard security == .ifOffered else { return .failed(.failed("the server offers no STARTTLS")) }
        }
        guard let account else { return work() }
        guard let mechanisms = offers["AUTH"] else { return .failed(.failed("the server offers no login")) }
        let password = account.password.bytes
        if mechanisms.contains("PLAIN") {
            // RFC 4616.
            answers = [Base64.encode([0] + Array(account.user.utf8) + [0] + password)]
            return send("AUTH PLAIN", .login)
        }
        guard mechanisms.contains("LOGIN") else {
            return .failed(.failed("the server offers no login by PLAIN or LOGIN"))
        }
        answers = [Base64.encode(Array(account.user.utf8)), Base64.encode(password)]
        return send("AUTH LOGIN", .login)
    }

    /// The one way to a mail, and to a check's success.
    private mutating func work() -> Action {
        guard account == nil || isLoggedIn else { return .failed(.failed("the server did not take the login")) }
        switch goal {
        case .mail(let sender, _): return send("MAIL FROM:<\(sender)>", .sender)
        case .check: return send("NOOP", .check)
        }
    }

    /// Keywords with their parameters (RFC 5321 clause 4.1.1.1), in any case. `AUTH=LOGIN PLAIN` is the form from before
    /// RFC 2554, which some servers still use beside or instead of the new one.
    private static func offers(_ lines: some Sequence<String>) -> [String: [String]] {
        var offers: [String: [String]] = [:]
        for line in lines {
            let words = line.uppercased().split { $0 == " " || $0 == "=" }.map(String.init)
            guard let keyword = words.first else { continue }
            offers[keyword, default: []] += words.dropFirst()
        }
        return offers
    }

    // MARK: refusals

    private func refused(_ reply: MailServerReply) -> Action {
        // Nobody can tell what becomes of a mail that is answered by neither acceptance nor refusal.
        if step == .acceptance, reply.code < 400 { return .failed(.unanswered("\(label): \(reply.code)")) }
        // Up to the login, a server's words may quote it.
        let words = mayQuoteLogin ? reply.status ?? "" : "\(MaskedWords(reply.words, hiding: recipient))"
        let text = "\(label): \(reply.code)\(words.isEmpty ? "" : " \(words)")"
        let part: MailServerReply.Step =
            switch step {
            case .recipient: .recipient
            case .data, .acceptance: .content
            default: .beginning
            }
        return .failed(reply.failure(at: part, text), refusesLogin: step == .login && reply.code >= 500)
    }

    private var recipient: MailAddress? { if case .mail(_, let recipient) = goal { recipient } else { nil } }

    private var mayQuoteLogin: Bool {
        guard account != nil else { return false }
        switch step {
        case .sender, .recipient, .data, .acceptance: return false
        case .greeting, .extensions, .startTLS, .handshake, .login, .ready, .check: return true
        }
    }

    private var label: String {
        switch step {
        case .greeting, .ready: "the server is not ready"
        case .extensions: "EHLO failed"
        case .startTLS, .handshake: "STARTTLS failed"
        case .login: "the server refused the login"
        case .check: "NOOP failed"
        case .sender: "MAIL failed"
        case .recipient: "RCPT failed"
        case .data: "DATA failed"
        case .acceptance: "the mail was refused"
        }
    }

    /// The awaited reply in words.
    var awaited: String {
        switch step {
        case .greeting, .ready: "greeting"
        case .extensions: "reply to EHLO"
        case .startTLS: "reply to STARTTLS"
        case .handshake: "TLS"
        case .login: "reply to the login"
        case .check: "reply to NOOP"
        case .sender: "reply to MAIL"
        case .recipient: "reply to RCPT"
        case .data: "reply to DATA"
        case .acceptance: "reply to the whole mail"
        }
    }

    // MARK: the mail

    /// The mail as it is sent: leading dots doubled, and with its end (RFC 5321 clause 4.5.2). `message` has lines that
    /// end in CRLF.
    static func transmitted(_ message: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(message.count + 64)
        var isStart = true
        for byte in message {
            if isStart, byte == UInt8(ascii: ".") { output.append(byte) }
            output.append(byte)
            isStart = byte == UInt8(ascii: "\n")
        }
        if !isStart { output += Array("\r\n".utf8) }
        return output + Array(".\r\n".utf8)
    }
}
