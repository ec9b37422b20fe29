public enum DeliverySeed {}
