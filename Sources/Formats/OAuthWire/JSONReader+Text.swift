public import Primitives

extension JSONReader.Failure {
    /// What was wrong with a JSON text that came from outside, which `subject` calls by its name.
    public func text(of subject: LocalizedText) -> LocalizedText {
        let en = subject[.english]
        let fr = subject[.french]
        return switch self {
        case .duplicateName(let name):
            LocalizedText(
                en: "\(en) repeats the member \(Parameters.shown(name)); send it once",
                fr: "\(fr) répète le membre \(Parameters.shown(name)) ; envoyez-le une seule fois")
        case .syntax(let offset, let problem):
            LocalizedText(
                en: "\(en) is not valid JSON at byte \(offset): \(problem)",
                fr: "\(fr) n'est pas du JSON valide à l'octet \(offset)")
        case .tooDeep(let limit):
            LocalizedText(
                en: "\(en) is nested more than \(limit) levels deep",
                fr: "\(fr) a plus de \(limit) niveaux d'imbrication")
        }
    }
}
