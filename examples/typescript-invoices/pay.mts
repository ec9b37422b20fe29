// Pays the invoices of a file, each after a person approved it. Start it again after a crash: it goes on.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { approve, Countersign, CountersignError, type Store } from "countersign";

interface Invoice { number: string; payee: string; amount: number; currency: string }

/** Pending requests in files that only this account reads, because each fetches its approval. */
const store: Store = {
  get: key => existsSync(`pending/${key}`) ? readFileSync(`pending/${key}`, "utf8") : undefined,
  set: (key, pending) => writeFileSync(`pending/${key}`, pending, { mode: 0o600 }),
  delete: key => rmSync(`pending/${key}`, { force: true }),
};
for (const folder of ["pending", "receipts", "paid"]) mkdirSync(folder, { recursive: true });

const client = new Countersign({
  onAsked: ({ approval_uri }) => console.log(`asked at ${approval_uri}`),
  keep: ({ id, receipt, jwks }) => writeFileSync(`receipts/${id}.json`, JSON.stringify({ receipt, jwks })),
});

const pay = approve("payment", {
  client,
  headline: ({ amount, currency }: Invoice) => `${amount} ${currency}`,
  to: ({ payee }: Invoice) => payee,
})(async function pay({ number, payee, amount, currency }: Invoice) {
  // Your bank's API stands here, with the invoice's number as its idempotency key.
  writeFileSync(`paid/${number}`, "", { flag: "wx" });
  return `paid ${amount} ${currency} to ${payee}`;
});

async function settle(invoice: Invoice): Promise<string> {
  const key = invoice.number;
  try {
    return await pay(invoice, { key, store });
  } catch (error) {
    if (!(error instanceof CountersignError)) throw error;
    return `${key}: ${error.message}`;
  }
}

const invoices: Invoice[] = JSON.parse(readFileSync("invoices.json", "utf8"));
const open = invoices.filter(({ number }) => !existsSync(`paid/${number}`));
for (const line of await Promise.all(open.map(settle))) console.log(line);
