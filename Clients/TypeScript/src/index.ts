export { verifyReceipt, InvalidReceipt, type Receipt } from "./receipt.js";
