/** Names of phones in a list. */

/**
 * Names told apart: phones of one name have the day on which they were added, and those of one day a number.
 * @template {{name: string, enrolled_at: string}} Phone
 * @param {Phone[]} phones in the order of their enrolment
 * @param {(moment: number) => string} day the words of a day
 * @returns {Map<Phone, string>}
 */
export function names(phones, day) {
  const dated = apart(phones, ({ name }) => name, ({ name, enrolled_at }) => `${name} (${day(Date.parse(enrolled_at))})`);
  const numbers = new Map();
  return apart(phones, (phone) => dated.get(phone) ?? "", (phone) => {
    const name = dated.get(phone) ?? "";
    const number = (numbers.get(folded(name)) ?? 0) + 1;
    numbers.set(folded(name), number);
    return `${name} #${number}`;
  });
}

/** Two spellings of a character look alike, and so do a large letter and a small one. @param {string} name */
const folded = (name) => name.normalize("NFKC").toLowerCase();

/** The first name of each, or the second for those whose first is another's, too. */
function apart(phones, first, second) {
  const isShared = (phone) => phones.some((other) => other !== phone && folded(first(other)) === folded(first(phone)));
  return new Map(phones.map((phone) => [phone, isShared(phone) ? second(phone) : first(phone)]));
}
