import Primitives

/// A broken rule without its wording, since most findings are dropped, such as those of an `anyOf` with another branch
/// that fits.
indirect enum Problem {
    case notAllowed
    case wrongType(Set<ValueType>)
    case notOneOf([JSONValue])
    /// Literal of the limit.
    case beyond(String)
    case noMultiple(String)
    case wrongSize(Int)
    case noMatch(String)
    case wrongFormat(Format)
    case repeated(Int, Int)
    case wrongFits(Int, limit: Int)
    case missing(String)
    case missingBeside(String, String)
    case noneFits(of: Int, nearest: Finding)
    /// Numbers of two alternatives, from 1.
    case severalFit(Int, Int, of: Int)
    case excluded
    case tooDeep
    case exponentTooLong
}

struct Finding {
    let node: Int
    let keyword: Keyword
    let problem: Problem
}

extension JSONSchema.Violation {
    init(_ finding: Finding, in instance: Instance) {
        let path = instance.path(to: finding.node)
        self.init(
            pointer: path.map(\.pointer).joined(), keyword: finding.keyword.rawValue,
            english: Wording(finding, in: instance).english)
    }
}

extension Instance.Step {
    fileprivate var pointer: String {
        switch self {
        case .root: ""
        case .member(let name), .name(let name): "/" + JSONPointer.escaped(name)
        case .element(let index): "/\(index)"
        }
    }
}
