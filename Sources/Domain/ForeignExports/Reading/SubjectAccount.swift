/// The account of one object of an export: members that came, and those that have a line in the report.
final class SubjectAccount {
    let subject: MoveReport.Subject
    let ledger: MoveLedger
    private var members: [String] = []
    private var seen: Set<String> = []
    private var described: Set<String> = []
    private var absences: Set<String> = []

    init(_ subject: MoveReport.Subject, _ ledger: MoveLedger) {
        self.subject = subject
        self.ledger = ledger
    }

    func read(_ member: String) { if seen.insert(member).inserted { members.append(member) } }

    func differs(_ member: String, was: String, here: String, _ follows: String) {
        described.insert(member)
        ledger.differs(subject, member, was: was, here: here, follows)
    }

    func absent(_ member: String, _ instead: String, isIdle: Bool = false) {
        described.insert(member)
        // Elements of a list share a line, and the first words about a member are the most exact.
        guard absences.insert(isIdle ? "\(member) idle" : member).inserted else { return }
        ledger.absent(subject, member, instead, isIdle: isIdle)
    }

    /// The object has this name here.
    func came(as here: String) { ledger.came(subject, as: here, members.filter { !described.contains($0) }) }

    /// The object as a whole has no counterpart.
    func stays(_ instead: String, isIdle: Bool = false) {
        ledger.withdraw(subject)
        ledger.absent(subject, "", instead, isIdle: isIdle)
    }
}
