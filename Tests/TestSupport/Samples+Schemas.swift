import Administration
package import Configuration
package import JSONSchema
package import Primitives
import RE2Patterns

extension Samples {
    /// One for a server or an operation, as they keep what they compiled.
    package static var schemas: SchemaRegistry { SchemaRegistry(RE2SchemaFactory()) }
}

extension JSONSchema {
    /// With the patterns of the server.
    package init(compiling schema: JSONValue) throws(Failure) {
        try self.init(compiling: schema, patterns: RE2PatternCompiler())
    }
}
