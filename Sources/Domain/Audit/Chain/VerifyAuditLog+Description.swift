extension VerifyAuditLog.Finding: CustomStringConvertible {
    package var description: String {
        switch self {
        case .missing(let range):
            range.lowerBound == range.upperBound
                ? "entry \(range.lowerBound) is missing"
                : "the entries \(range.lowerBound) to \(range.upperBound) are missing"
        case .altered(let place): "entry \(place) was altered or replaced"
        case .unreadable(let place): "entry \(place) cannot be read"
        case .inserted(let place): "entry \(place) was inserted"
        case .ended(let place): "the log ends after entry \(place), before the expected head"
        case .cutOff(let place, let number):
            "the log ends after entry \(place), although tree head \(number) covers later ones: its end was removed"
        case .anotherChain(let place): "entry \(place) does not have the expected head: the chain was rewritten"
        case .treeHead(let number): "tree head \(number) is missing, was altered, or contradicts the one before"
        case .gone: "there is no audit log: its table was dropped or replaced"
        case .emptied(1): "the log is empty, although a tenant exists: its entries were removed"
        case .emptied(let tenants): "the log is empty, although \(tenants) tenants exist: their entries were removed"
        case .unsigned(let place): "the end of the log in \(place) is not signed by the key of this installation"
        case .torn(let file): "\(file) is not a complete archive of the log"
        case .archived(let place): "entry \(place) is in an archive"
        case .archivedTreeHead(let number): "tree head \(number) covers archived entries alone, and left with them"
        case .unguarded(let names):
            "the database no longer protects the log from changes: missing or altered "
                + (names.count == 1 ? "trigger " : "triggers ") + names.joined(separator: ", ")
        }
    }
}
