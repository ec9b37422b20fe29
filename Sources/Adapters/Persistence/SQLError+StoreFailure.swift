public import Flows
public import SQL

extension SQLError: StoreFailure {
    public var isPassing: Bool {
        switch self {
        case .overloaded, .busy, .closed: true
        case .constraint, .corrupt, .diskFull, .mismatch, .other: false
        }
    }
}
