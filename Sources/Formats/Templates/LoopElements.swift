/// Elements of a loop: a part of a list, of an object's members or of a row of numbers.
struct LoopElements {
    private enum Source {
        case list([TemplateValue])
        case object(TemplateObject)
        case numbers(Int)
    }

    private let source: Source
    private var start = 0
    private(set) var count: Int

    /// A text is its own element. Numbers and flags have none.
    init(_ value: TemplateValue) {
        switch value {
        case .list(let list): (source, count) = (.list(list.elements), list.elements.count)
        case .object(let object): (source, count) = (.object(object), object.names.count)
        case .range(let range): (source, count) = (.numbers(range.first), range.count)
        case .text(let text, _) where !text.isEmpty: (source, count) = (.list([value]), 1)
        default: (source, count) = (.list([]), 0)
        }
    }

    /// Leaves the elements from `first`, of which at most `limit`. A place before the first counts.
    mutating func keep(from first: Int, limit: Int?) {
        let end = limit.map { min(max(first + $0, 0), count) } ?? count
        start = min(max(first, 0), end)
        count = end - start
    }

    subscript(index: Int) -> TemplateValue {
        switch source {
        case .list(let elements): elements[start + index]
        case .object(let object): object.pair(object.names[start + index])
        case .numbers(let first): .count(first + start + index)
        }
    }
}
