extension VerifyAuditLog.Finding: CustomStringConvertible {
    package var description: String {
        switch self {
        case .missing(let range):
            range.count == 1
                ? "entry \(range.lowerBound) is missing"
                : "the entries \(range.lowerBound) to \(range.upperBound) are missing"
        case .altered(let sequence): "entry \(sequence) was altered or replaced"
        case .unreadable(let sequence): "entry \(sequence) cannot be read"
        case .inserted(let sequence): "entry \(sequence) was inserted"
        case .ended(let sequence): "the log ends after entry \(sequence), before the expected head"
        case .anotherChain(let sequence): "entry \(sequence) does not have the expected head: the chain was rewritten"
        case .gone: "there is no audit log: its table was dropped or replaced"
        case .emptied(1): "the log is empty, although a tenant exists: its entries were removed"
        case .emptied(let tenants): "the log is empty, although \(tenants) tenants exist: their entries were removed"
        case .unsigned(let place): "the end of the archive in \(place) is not signed by the key of this installation"
        case .torn(let file): "\(file) is not a complete archive of the log"
        case .archived(let sequence): "entry \(sequence) is in an archive"
        case .unguarded(let names):
            "the database no longer protects the log from changes: missing or altered "
                + (names.count == 1 ? "trigger " : "triggers ") + names.joined(separator: ", ")
        }
    }
}
