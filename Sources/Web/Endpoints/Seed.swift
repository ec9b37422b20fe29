public enum EndpointsSeed {}
