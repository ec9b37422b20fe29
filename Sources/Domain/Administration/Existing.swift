import AuthorizationCore
import Configuration

extension Optional {
    /// The value. Throws `AdministrationFailure.unknown` without one.
    func orUnknown(_ kind: ObjectKind) throws(AdministrationFailure) -> Wrapped {
        guard let self else { throw .unknown(kind) }
        return self
    }
}
