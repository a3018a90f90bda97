/** Returns the company with the provider that the account must use; undefined if it may use any factor. */
export type RequiredProvider = (account: { id: string; email: string }) => Promise<string | undefined>;

/** The method of a sign-in with another provider. RFC 8176 has none. */
export const federated = (companyId: string | undefined): string =>
  companyId === undefined ? 'fed' : `fed:${companyId}`;

/** Returns the company with a required provider that did not vouch for the person; undefined if there is none. */
export async function missingProvider(
  required: RequiredProvider,
  account: { id: string; email: string },
  methods: readonly string[],
): Promise<string | undefined> {
  const companyId = await required(account);
  return companyId === undefined || methods.includes(federated(companyId)) ? undefined : companyId;
}
