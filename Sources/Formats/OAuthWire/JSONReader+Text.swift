package import Primitives

extension JSONReader.Failure {
    /// Describes the fault of a JSON text from outside, which `subject` names.
    package func text(of subject: ErrorDescription) -> ErrorDescription {
        switch self {
        case .duplicateName(let name): "\(subject) repeats the member \(name); send it once"
        case .syntax(let offset, let problem): "\(subject) is not valid JSON at byte \(offset): \(problem)"
        case .tooDeep(let limit): "\(subject) is nested more than \(limit) levels deep"
        }
    }
}
