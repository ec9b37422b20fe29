/// The reason why a data folder was not opened, or why work on it changed nothing, and the next step.
package struct InstallationRefusal: Error, CustomStringConvertible {
    package let description: String
    package let hint: String?

    init(_ description: String, hint: String? = nil) {
        self.description = description
        self.hint = hint
    }
}
