extension BidirectionalCollection where SubSequence: BidirectionalCollection, SubSequence.SubSequence == SubSequence {
    /// Everything between the blank elements at the ends.
    package func trimmed(_ isBlank: (Element) -> Bool) -> SubSequence {
        var rest = drop(while: isBlank)
        while let last = rest.last, isBlank(last) { rest.removeLast() }
        return rest
    }
}
