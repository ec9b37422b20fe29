/// The release of this program.
package enum Release {
    /// Semantic Versioning. `CHANGELOG.md` lists the changes.
    package static let version = "0.2.0"
}
