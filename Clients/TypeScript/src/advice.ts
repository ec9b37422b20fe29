/** Advice for refusals of the server. */

const ADVICE: { [code: string]: string } = {
  invalid_grant: "this request yielded its approval before, or the server does not know it; start a new request",
  transaction_failed: "no phone and no mailbox of the person could be notified; the person has to enrol a phone",
  unknown_user_id: "check `user` (COUNTERSIGN_USER), and that its address is verified",
  invalid_target: "register the API of `audience` (COUNTERSIGN_AUDIENCE) with its types of details, and let the client use it",
  invalid_authorization_details:
    "compare with the type's schema; a value that is too large is shown by its digest if `asDigest` names it",
  invalid_client: "check COUNTERSIGN_CLIENT_ID with COUNTERSIGN_CLIENT_SECRET or COUNTERSIGN_CLIENT_KEY",
  unauthorized_client: "give the client the grant urn:openid:params:grant-type:ciba and is_first_party",
  too_many_requests: "wait before asking this person again",
};

export function advice(code: string, description: string): string {
  // The server has no code of its own for a person without a phone.
  const known = description.startsWith("No eligible notification channels") ? "transaction_failed" : code;
  const more = Object.hasOwn(ADVICE, known) ? ADVICE[known] : undefined;
  return `${code}${description ? `, ${description}` : ""}${more === undefined ? "" : ` (${more})`}`;
}
