public import Primitives
public import SQL

extension SQLError: TransientError {
    public var isTransient: Bool {
        switch self {
        case .overloaded, .busy, .timedOut, .closed: true
        case .constraint, .corrupt, .diskFull, .readOnly, .mismatch, .other: false
        }
    }
}
