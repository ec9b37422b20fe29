import Primitives
package import SQL

extension SQLError: TransientError {
    package var isTransient: Bool {
        switch self {
        case .overloaded, .busy, .timedOut, .closed: true
        case .constraint, .corrupt, .diskFull, .readOnly, .mismatch, .other: false
        }
    }
}
