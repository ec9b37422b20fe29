/// Times that a mail server gets, one for each step of an exchange (RFC 5321 clause 4.5.3.2). A step that takes longer
/// ends the exchange.
package struct SMTPLimits: Sendable, Equatable {
    /// To resolve the server's name and to connect.
    package var connecting: Duration
    /// For the TLS handshake, after which the name in the certificate is known.
    package var handshake: Duration
    /// For the greeting, and for each reply up to that to the recipient (clauses 4.5.3.2.1 to 4.5.3.2.3).
    package var reply: Duration
    /// For the reply to `DATA` (clause 4.5.3.2.4).
    package var dataReply: Duration
    /// For each block of the mail (clause 4.5.3.2.5).
    package var block: Duration
    /// For the reply to the whole mail, which servers may first look through (clause 4.5.3.2.6).
    package var acceptance: Duration
    /// For everything before that last reply together.
    package var beforeAcceptance: Duration

    /// The operator's server: the times that the clause recommends, and ten minutes for all but the last reply.
    package static let operators = SMTPLimits(
        connecting: .seconds(10), handshake: .seconds(30), reply: .seconds(300), dataReply: .seconds(120),
        block: .seconds(180), acceptance: .seconds(600), beforeAcceptance: .seconds(600))

    /// A tenant's server. Its own mails wait behind one.
    package static let tenants = SMTPLimits(
        connecting: .seconds(5), handshake: .seconds(30), reply: .seconds(60), dataReply: .seconds(60),
        block: .seconds(60), acceptance: .seconds(300), beforeAcceptance: .seconds(120))

    /// Time that an exchange takes at most.
    package var whole: Duration { beforeAcceptance + acceptance }

    /// For an operator who waits for the answer: no step takes longer, nor all together.
    package func within(_ limit: Duration) -> SMTPLimits {
        SMTPLimits(
            connecting: min(connecting, limit), handshake: min(handshake, limit), reply: min(reply, limit),
            dataReply: min(dataReply, limit), block: min(block, limit), acceptance: min(acceptance, limit),
            beforeAcceptance: min(beforeAcceptance, limit))
    }

    func time(for step: SMTPDialogue.Step) -> Duration {
        switch step {
        case .greeting, .extensions, .startTLS, .login, .ready, .check, .sender, .recipient: reply
        case .handshake: handshake
        case .data: dataReply
        case .acceptance: acceptance
        }
    }
}
