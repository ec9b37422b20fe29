import Flows

/// Reads the server's replies of one exchange, line by line.
struct SMTPReplies {
    /// The last refusal (4yz, 5yz), unless the server accepted something after it. Replies to QUIT do not count.
    private(set) var refusal: MailServerReply?
    private(set) var refusedAt: ContinuousClock.Instant?
    /// True if the server offers no login, though the exchange has an account for it.
    private(set) var lacksLogin = false
    private var lines: [String] = []
    private var offersLogin = false
    /// Replies that begin a protocol: the server's greeting, and the consent to TLS.
    private var beginnings = 0
    private let account: Bool
    private let beginningsBeforeLogin: Int

    /// `startsTLS` is true if TLS begins by a command, after which the server tells anew what it offers.
    init(account: Bool, startsTLS: Bool) {
        self.account = account
        beginningsBeforeLogin = startsTLS ? 2 : 1
    }

    /// Maximum bytes of a line and lines of a reply that are kept.
    private static let (lineLimit, linesLimit) = (512, 32)

    mutating func take(_ bytes: UnsafeRawBufferPointer) {
        let line = String(decoding: bytes.prefix(Self.lineLimit), as: UTF8.self)
        if lines.count < Self.linesLimit { lines.append(String(line.prefix { !$0.isNewline })) }
        offersLogin = offersLogin || Self.offersLogin(line)
        guard line.utf8.dropFirst(3).first != UInt8(ascii: "-") else { return }
        let reply = MailServerReply(lines)
        lines = []
        if let reply { take(reply) }
    }

    private mutating func take(_ reply: MailServerReply) {
        switch reply.code {
        case 400...: (refusal, refusedAt) = (reply, .now)
        case 221: break
        default:
            (refusal, refusedAt) = (nil, nil)
            if reply.code == 220 {
                beginnings += 1
                offersLogin = false
            } else if reply.code == 250, beginnings == beginningsBeforeLogin {
                // The reply to EHLO. Later replies with this code are to other commands.
                lacksLogin = account && !offersLogin
                beginnings += 1
            }
        }
    }

    /// Earlier refusals tell nothing of the mail.
    mutating func mailIsSent() { (refusal, refusedAt) = (nil, nil) }

    /// True for the line of the extension `AUTH` (RFC 4954 clause 3), also in its old form.
    private static func offersLogin(_ line: String) -> Bool {
        let word = line.dropFirst(4).prefix { !$0.isWhitespace && $0 != "=" }
        return word.uppercased() == "AUTH"
    }
}
