/// The reason why a backup, an archive or a key exchange changed nothing, and the next step.
package struct InstallationRefusal: Error, CustomStringConvertible {
    package let description: String
    package let hint: String?

    init(_ description: String, hint: String? = nil) {
        self.description = description
        self.hint = hint
    }
}
