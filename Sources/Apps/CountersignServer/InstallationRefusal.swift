/// The reason for which a copy, an archive or a key exchange changed nothing, and the next step.
public struct InstallationRefusal: Error, CustomStringConvertible {
    public let description: String
    public let hint: String?

    init(_ description: String, hint: String? = nil) {
        self.description = description
        self.hint = hint
    }
}
