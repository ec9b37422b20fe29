export { approve, Guard, type Approved, type Call, type Rules, type Store } from "./approve.js";
export { Countersign, type Approval, type Asking, type Detail, type Pending } from "./client.js";
export type { Options } from "./configuration.js";
export { CannotAsk, Changed, CountersignError, NobodyAnswered, Rejected } from "./errors.js";
export { InvalidReceipt, verifyReceipt, type Receipt } from "./receipt.js";
