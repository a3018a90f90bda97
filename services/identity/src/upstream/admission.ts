import { DEFAULT_ROLE, type Role } from '@switchboard/contracts';
import type { Db } from '@switchboard/database';
import type { Clock } from '@switchboard/runtime';
import type { Accounts } from '../accounts/accounts.ts';
import type { Memberships } from '../memberships/memberships.ts';
import { createGroupRoles, greatestRole } from '../scim/group-roles.ts';
import { createScimStore } from '../scim/store.ts';
import type { Domains } from './domains.ts';
import type { VouchedPerson } from './person.ts';
import type { UpstreamProvider } from './providers.ts';
import { createUpstreamStore } from './store.ts';

/** The account of a person that a provider vouches for, or the reason for which none opens. */
export type Admission =
  | { kind: 'admitted'; accountId: string }
  /** The provider did not verify an e-mail address. */
  | { kind: 'noVerifiedAddress' }
  /** The address is of a domain that the provider's company has not verified. */
  | { kind: 'foreignDomain' }
  /** The company manages its members by SCIM, and the person is not an active one. */
  | { kind: 'notProvisioned' };

export type Admit = (provider: UpstreamProvider, person: VouchedPerson) => Promise<Admission>;

const MAX_NAME = 100;

interface AdmitOptions {
  db: Db;
  accounts: Pick<Accounts, 'find' | 'create'>;
  domains: Pick<Domains, 'companyOfAddress'>;
  memberships: Memberships;
  clock: Clock;
}

/**
 * Finds the account of a person by the provider's subject, else by the verified address, and creates it if there is
 * none. A company's provider opens only accounts with an address of the company's verified domains, and makes their
 * people members with the greatest role of their groups.
 */
export function createAdmit({ db, accounts, domains, memberships, clock }: AdmitOptions): Admit {
  const store = createUpstreamStore(db);

  async function accountOf(
    { key, issuer, companyId }: UpstreamProvider,
    { subject, email, name }: VouchedPerson,
  ): Promise<Admission> {
    const vouchesFor = async (address: string) =>
      companyId === undefined || (await domains.companyOfAddress(address)) === companyId;
    if (email === undefined) return { kind: 'noVerifiedAddress' };
    // Checked at every sign-in, because a company may give up a domain, and a provider may change an address.
    if (!(await vouchesFor(email))) return { kind: 'foreignDomain' };
    const subjectOf = { provider: key, issuer, subject };
    const linked = await accounts.find((await store.accountOf(subjectOf)) ?? '');
    if (linked !== undefined) {
      // The person may have changed the address of the account to one of another domain.
      if (!(await vouchesFor(linked.email))) return { kind: 'foreignDomain' };
      return { kind: 'admitted', accountId: linked.id };
    }
    const account = await accounts.create({ email, name, password: '', permissions: [] });
    if (typeof account === 'string') return { kind: 'noVerifiedAddress' };
    await store.link({ ...subjectOf, accountId: account.id, createdAt: clock.now() });
    return { kind: 'admitted', accountId: account.id };
  }

  /** Returns the role of groups; undefined to keep the member's role. */
  async function roleOf(companyId: string, groups: readonly string[] | undefined): Promise<Role | undefined> {
    if (groups === undefined) return undefined;
    const roles = await createGroupRoles(createScimStore(db)).list(companyId);
    return roles.length === 0 ? undefined : (greatestRole(roles, groups) ?? DEFAULT_ROLE);
  }

  return async (provider, person) => {
    const admission = await accountOf(provider, person);
    const { companyId } = provider;
    if (admission.kind !== 'admitted' || companyId === undefined) return admission;
    const scim = createScimStore(db);
    const [user] = await scim.listUsers(companyId, { accountId: admission.accountId }, '');
    if (user !== undefined)
      return user.attributes['active'] === false ? { kind: 'notProvisioned' } : admission;
    // SCIM alone decides who is a member, so that a removed person does not come back.
    if ((await scim.listTokens(companyId)).length > 0) return { kind: 'notProvisioned' };
    const role = await roleOf(companyId, person.groups);
    await db.transaction((tx) =>
      memberships.set(tx, {
        companyId,
        sub: admission.accountId,
        name: [...person.name].slice(0, MAX_NAME).join(''),
        email: person.email ?? '',
        role,
      }),
    );
    return admission;
  };
}
