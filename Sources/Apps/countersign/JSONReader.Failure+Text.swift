import Primitives

extension JSONReader.Failure {
    /// Completes "`FILE` …".
    var text: String {
        switch self {
        case .syntax(let offset, let problem): "is not valid JSON at byte \(offset + 1): \(problem)"
        case .tooDeep(let limit): "is nested more than \(limit) levels deep"
        case .duplicateName(let name): "has \"\(name)\" twice"
        }
    }
}
