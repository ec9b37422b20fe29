/// Which Countersign this is.
package enum Release {
    /// By Semantic Versioning; `CHANGELOG.md` tells what changed.
    package static let version = "0.1.0"
}
