public enum FlowsSeed {}
