/// A mail server's reply (RFC 5321 clause 4.2).
package struct MailServerReply: Sendable, Equatable {
    /// Part of the exchange that a reply ends.
    package enum Step: Sendable {
        /// Everything before the recipient: the login, and the commands about the client and the sender.
        case beginning
        case recipient
        case content
    }

    package let code: Int
    /// Status of RFC 3463, such as `5.1.1`. Nil without one of the code's class, and for `5.0.0`, which says nothing.
    package let status: String?
    /// The lines' words, without their codes.
    package let lines: [String]

    package var words: String { lines.joined(separator: " ") }

    /// Nil unless each line begins with the same code of three digits.
    package init?(_ lines: [some StringProtocol]) {
        guard let first = lines.first, let code = Self.code(of: first), lines.allSatisfy({ Self.code(of: $0) == code })
        else { return nil }
        self.code = code
        self.lines = lines.map { String($0.dropFirst(4).drop(while: \.isWhitespace)) }
        let word = (self.lines.first ?? "").prefix { !$0.isWhitespace }
        let isOfClass = word.hasPrefix("\(code / 100).") && !word.hasSuffix(".0.0")
        status = isOfClass && Self.isStatus(word) ? String(word) : nil
    }

    private static func code(of line: some StringProtocol) -> Int? {
        let digits = line.utf8.prefix(3)
        guard digits.count == 3, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(line.prefix(3))
    }

    /// True for three numbers between dots.
    static func isStatus(_ word: some StringProtocol) -> Bool {
        let parts = word.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 3
            && parts.allSatisfy { part in
                (1...3).contains(part.utf8.count) && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
            }
    }

    /// Consequence of a refusal for the mail. Servers report faults of the sender, of the login and of the client at
    /// the recipient, too: those the operator can correct, so that they are tried again.
    package func failure(at step: Step, _ text: String) -> MailFailure {
        // Refusals for want of a login (RFC 4954 clause 6).
        guard (500...599).contains(code), ![530, 534, 535, 538].contains(code), step != .beginning else {
            return .failed(text)
        }
        guard let status else { return .refused(text) }
        if Self.judgesRecipient(status) { return .bounced(status: status, text) }
        let isOfSender = status == "5.1.7" || status == "5.1.8"
        return step == .recipient || isOfSender ? .failed(text) : .refused(text)
    }

    /// True for statuses of the recipient's address and mailbox (RFC 3463 clauses 3.2 and 3.3, RFC 7505).
    private static func judgesRecipient(_ status: String) -> Bool {
        ["5.1.1", "5.1.2", "5.1.3", "5.1.6", "5.1.10"].contains(status) || status.hasPrefix("5.2.")
    }
}
