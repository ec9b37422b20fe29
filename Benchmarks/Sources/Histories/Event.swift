/// Something that a client or a phone sent, and the answer that it saw.
package struct Event: Sendable, Equatable {
    /// Participant in whose history it stands.
    package var actor: String
    /// Number of the flow: a request for approval with all that follows from it.
    package var flow: Int
    package var act: Act
    package var outcome: Outcome
    /// Nanoseconds of the monotonic clock when it was sent.
    package var sent: UInt64
    /// The same, when the answer was there, or was given up.
    package var ended: UInt64

    package init(actor: String, flow: Int, act: Act, outcome: Outcome, sent: UInt64, ended: UInt64) {
        (self.actor, self.flow, self.act, self.outcome) = (actor, flow, act, outcome)
        (self.sent, self.ended) = (sent, ended)
    }

    package enum Act: Sendable, Hashable {
        case start
        /// A phone reads the request, which the server knows by this name.
        case read(consent: String)
        case decide(allows: Bool)
        /// Asks for the tokens, at once or held until the decision.
        case redeem(isHeld: Bool)
        /// Exchanges the refresh token of this number. The first one of a flow has the number 0.
        case rotate(Int)
    }

    package enum Outcome: Sendable, Hashable {
        /// Acknowledged: it is so, and stays so.
        case done
        /// Nobody has decided yet.
        case pending
        /// The person rejected it.
        case denied
        /// An error of the protocol, such as `invalid_grant`.
        case refused(String)
        /// The server cannot now, and says that nothing was changed.
        case undone(String)
        /// No answer, or one that leaves open what was done.
        case unknown(String)
        /// An answer that no server may give.
        case broken(String)

        /// True if nobody but the server knows if it was done.
        package var isOpen: Bool {
            switch self {
            case .unknown, .broken: true
            case .done, .pending, .denied, .refused, .undone: false
            }
        }

        /// True if a server that works said it.
        package var isAnswer: Bool {
            switch self {
            case .done, .pending, .denied, .refused: true
            case .undone, .unknown, .broken: false
            }
        }
    }
}

/// A fault from its beginning until all nodes were ready again.
package struct Trouble: Sendable, Equatable {
    package var name: String
    package var began: UInt64
    package var recovered: UInt64

    package init(name: String, began: UInt64, recovered: UInt64) {
        (self.name, self.began, self.recovered) = (name, began, recovered)
    }
}

/// An entry of the audit log, as `countersign log list` shows it.
package struct AuditedEntry: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case started, allowed, rejected, redeemed, rotated
    }

    package var kind: Kind
    /// The request's name. For a rotation, the person's.
    package var subject: String

    package init(_ kind: Kind, _ subject: String) { (self.kind, self.subject) = (kind, subject) }
}
