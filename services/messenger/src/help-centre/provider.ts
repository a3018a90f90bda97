import { text } from '@switchboard/contracts';
import { z } from 'zod';
import { boundedText, TooLong } from '../bounded-text.ts';

export interface HelpSite {
  url: string;
  articles: number;
  languages: string[];
  capped: boolean;
}

/** The provider could not be read; the message says why, for a person of the company. */
export class ProviderFailed extends Error {}

interface ProviderOptions {
  url: string;
  token: string;
  timeoutMs: number;
}

export type HelpSiteProvider = (companyId: string) => Promise<HelpSite | undefined>;

const MOST_BYTES = 65_536;

const answerSchema = z.object({
  url: z.url({ protocol: /^https?$/ }).max(2048),
  articles: z.int().nonnegative(),
  languages: z.array(text({ min: 1, max: 100 })).max(500),
  capped: z.boolean(),
});

/** Asks the provider which site belongs to a company; undefined: none. Throws ProviderFailed. */
export function helpSiteProvider({ url, token, timeoutMs }: ProviderOptions): HelpSiteProvider {
  return async (companyId) => {
    try {
      const response = await fetch(`${url}/companies/${encodeURIComponent(companyId)}/site`, {
        headers: { Authorization: `Bearer ${token}`, Accept: 'application/json' },
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      });
      if (response.status !== 200) {
        await response.body?.cancel();
        if (response.status === 404) return undefined;
        throw new ProviderFailed(`The help-site provider answered with status ${response.status}.`);
      }
      return answerSchema.parse(JSON.parse(await boundedText(response, MOST_BYTES)));
    } catch (error) {
      throw error instanceof ProviderFailed
        ? error
        : new ProviderFailed(reasonOf(error, timeoutMs), { cause: error });
    }
  };
}

function reasonOf(error: unknown, timeoutMs: number): string {
  const name = error instanceof Error ? error.name : '';
  if (name === 'TimeoutError') return `The help-site provider did not answer within ${timeoutMs / 1000} s.`;
  if (error instanceof TooLong) return `The help-site provider answered with ${error.message}.`;
  if (error instanceof SyntaxError || error instanceof z.ZodError) {
    return 'The help-site provider answered with something that is no help site.';
  }
  return 'The help-site provider could not be reached.';
}
