/// Supported keywords of draft 2020-12, in the order in which they are checked: the value's type before its contents,
/// so that the first violation is the most useful one.
enum Keyword: String, CaseIterable, Sendable {
    // Core 8.
    case schema = "$schema", id = "$id", comment = "$comment", defs = "$defs", ref = "$ref"
    // Validation 6.1.
    case type, const, `enum`
    // Validation 6.2 to 6.5.
    case minimum, exclusiveMinimum, maximum, exclusiveMaximum, multipleOf
    case minLength, maxLength, pattern, format
    case minItems, maxItems, uniqueItems, minContains, maxContains
    case minProperties, maxProperties, required, dependentRequired
    // Core 10.3. `properties` includes its neighbours: one pass over an object's members checks all three.
    case propertyNames, properties, patternProperties, additionalProperties, prefixItems, items, contains
    // Core 10.2.
    case allOf, anyOf, oneOf, not, `if`, then, `else`, dependentSchemas
    // Validation 8 and 9: annotations, which assert nothing.
    case contentEncoding, contentMediaType, contentSchema
    case title, description, `default`, deprecated, readOnly, writeOnly, examples
    /// Annotations of our own, for people who read a value (`SchemaPresentation`): the member's place among its
    /// neighbours, `title` and `description` by language, the members that count most, and if several requests may be
    /// allowed at once although they move money.
    case order = "x-order", translations = "x-translations", headline = "x-headline", groupable = "x-groupable"

    /// Reason to refuse a keyword of another draft or an unsupported one. Nil means that the keyword is unknown.
    static func refusal(of name: String) -> String? {
        switch name {
        case "definitions": "is of an older draft; use $defs"
        case "dependencies": "is of an older draft; use dependentRequired or dependentSchemas"
        case "additionalItems": "is of an older draft; use prefixItems with items"
        case "$recursiveRef", "$recursiveAnchor": "is of an older draft; use $ref"
        case "$anchor", "$dynamicAnchor", "$dynamicRef": "is not supported; use $ref with a JSON Pointer"
        case "$vocabulary", "unevaluatedItems", "unevaluatedProperties": "is not supported"
        default: nil
        }
    }
}
