import type { RateLimit } from '@switchboard/http';

/** Limits the rate of changes to a company's directory entries. For use with `implement`. */
export interface WriteRate {
  /** Throws RateLimited when the company of the request exceeds its limit. */
  authorize(c: { env: { companyId?: string } }): Promise<void>;
  /** Does the same as `authorize` when only the body names the company. */
  consume(companyId: string): Promise<void>;
}

export function createWriteRate(limit: RateLimit): WriteRate {
  return {
    async authorize({ env: { companyId } }) {
      if (companyId !== undefined) await limit.consume(companyId);
    },
    consume: (companyId) => limit.consume(companyId),
  };
}
