/// Which Countersign this is.
public enum Release {
    /// By Semantic Versioning; `CHANGELOG.md` tells what changed.
    public static let version = "0.1.0"
}
