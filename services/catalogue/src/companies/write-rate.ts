import type { RateLimit } from '@switchboard/service-kit';

/** For `implement`: bounds the changes of a company's entries in the directory. */
export interface WriteRate {
  /** Throws RateLimited past the limit of the company that the request is about. */
  authorize(c: { env: { companyId?: string } }): Promise<void>;
  /** As authorize, where only the body names the company. */
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
