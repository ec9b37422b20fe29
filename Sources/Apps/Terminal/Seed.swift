public enum TerminalSeed {}
