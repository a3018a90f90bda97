import type { CreateRateLimit } from '@switchboard/http';
import { hashToken } from '@switchboard/runtime';

/** Limits of attempts. Those per address allow for an office behind one address. */
export interface Limits {
  /**
   * Counts a guess of a password. A known device has its own attempts, so that others cannot use them up.
   * Throws RateLimited.
   */
  guessPassword(address: string, account: string, device: string | undefined): Promise<void>;
  /** Counts a guess of a code, which is short and asked for after the password. Throws RateLimited. */
  guessCode(address: string, accountId: string): Promise<void>;
  /** Counts an e-mail to an address. Throws RateLimited. */
  mail(address: string, account: string): Promise<void>;
  /** Counts a request that guesses nothing of one account, such as a link. Throws RateLimited. */
  visit(address: string): Promise<void>;
  /** Counts a request that stores something before anyone signs in: an authorization or a device code. Throws RateLimited. */
  begin(address: string): Promise<void>;
  /** Counts a SCIM request: of a company, or of an address with a token that opens none. Throws RateLimited. */
  scim(address: string, companyId: string | undefined): Promise<void>;
}

const QUARTER_SECONDS = 900;
const HOUR_SECONDS = 3_600;

/** Returns the network of an address: the first three bytes of IPv4, the first 48 bits of IPv6. */
export const networkOf = (address: string) => address.split(/[.:]/).slice(0, 3).join('.');

export function createLimits(createRateLimit: CreateRateLimit, multiplier: number): Limits {
  const limit = (name: string, points: number, durationSeconds: number) => ({
    name,
    points: points * multiplier,
    durationSeconds,
  });
  const sources = [
    limit('sign-ins of an address', 60, QUARTER_SECONDS),
    limit('sign-ins of a network', 300, QUARTER_SECONDS),
  ] as const;
  const passwords = createRateLimit(
    ...sources,
    limit('sign-ins of a network to an account', 15, QUARTER_SECONDS),
    limit('sign-ins to an account', 100, HOUR_SECONDS),
  );
  const passwordsOfDevice = createRateLimit(
    ...sources,
    limit('sign-ins of a device to an account', 15, QUARTER_SECONDS),
  );
  const codes = createRateLimit(...sources, limit('codes of an account', 15, QUARTER_SECONDS));
  const mails = createRateLimit(
    limit('e-mails for an address', 20, HOUR_SECONDS),
    limit('e-mails for a network', 100, HOUR_SECONDS),
    limit('e-mails to an account', 5, HOUR_SECONDS),
  );
  const visits = createRateLimit(
    limit('links of an address', 120, QUARTER_SECONDS),
    limit('links of a network', 600, QUARTER_SECONDS),
  );
  const begun = createRateLimit(
    limit('authorizations of an address', 600, QUARTER_SECONDS),
    limit('authorizations of a network', 3_000, QUARTER_SECONDS),
  );
  const scim = createRateLimit(limit('SCIM requests of a company', 1_500, 60));
  return {
    // Hashes, because a client chooses the length of the account.
    async guessPassword(address, account, device) {
      const network = networkOf(address);
      const name = hashToken(account);
      await (device === undefined
        ? passwords.consume(address, network, `${network} ${name}`, name)
        : passwordsOfDevice.consume(address, network, `${device} ${name}`));
    },
    guessCode: (address, accountId) => codes.consume(address, networkOf(address), accountId),
    mail: (address, account) => mails.consume(address, networkOf(address), hashToken(account)),
    scim: (address, companyId) =>
      companyId === undefined ? visits.consume(address, networkOf(address)) : scim.consume(companyId),
    begin: (address) => begun.consume(address, networkOf(address)),
    visit: (address) => visits.consume(address, networkOf(address)),
  };
}
