extension TemplateRenderer {
    mutating func holds(_ condition: Condition) throws(TemplateFailure) -> Bool {
        switch condition {
        case .truth(let expression):
            try spend(1, at: 0)
            return try value(expression, at: 0).isTrue
        case .not(let inner): return !(try holds(inner))
        case .both(let one, let other):
            guard try holds(one) else { return false }
            return try holds(other)
        case .either(let one, let other):
            guard !(try holds(one)) else { return true }
            return try holds(other)
        case .comparison(let left, let comparison, let right):
            return try compare(try value(left, at: 0), comparison, try value(right, at: 0))
        }
    }

    mutating func compare(
        _ left: TemplateValue, _ comparison: Condition.Comparison, _ right: TemplateValue
    ) throws(TemplateFailure) -> Bool {
        try spend(1, at: 0)
        try spend(on: left, at: 0)
        try spend(on: right, at: 0)
        switch comparison {
        case .equal: return TemplateValue.areEqual(left, right)
        case .unequal, .alsoUnequal: return !TemplateValue.areEqual(left, right)
        case .contains: return left.contains(right)
        case .less, .notGreater:
            return try placed(at: place) { () throws(TemplateFilter.Fault) in
                try TemplateValue.isLess(left, right, orEqual: comparison == .notGreater)
            }
        case .greater, .notLess:
            return try placed(at: place) { () throws(TemplateFilter.Fault) in
                try TemplateValue.isLess(right, left, orEqual: comparison == .notLess)
            }
        }
    }
}
