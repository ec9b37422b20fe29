package import Primitives

extension JSONReader.Failure {
    /// What was wrong with a JSON text that came from outside, which `subject` calls by its name.
    package func text(of subject: ErrorDescription) -> ErrorDescription {
        switch self {
        case .duplicateName(let name):
            "\(subject) repeats the member \(name); send it once"
        case .syntax(let offset, let problem):
            "\(subject) is not valid JSON at byte \(offset): \(problem)"
        case .tooDeep(let limit):
            "\(subject) is nested more than \(limit) levels deep"
        }
    }
}
