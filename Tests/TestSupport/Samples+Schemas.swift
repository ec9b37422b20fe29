import Administration
package import Configuration
package import JSONSchema
package import Primitives
import RE2Patterns

extension Samples {
    /// A schema registry, which caches compiled schemas.
    package static var schemas: SchemaRegistry { SchemaRegistry(RE2SchemaFactory()) }
}

extension JSONSchema {
    /// Uses the server's pattern engine.
    package init(compiling schema: JSONValue) throws(Failure) {
        try self.init(compiling: schema, patterns: RE2PatternCompiler())
    }
}
