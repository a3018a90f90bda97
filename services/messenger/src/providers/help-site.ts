import { text } from '@switchboard/contracts';
import { z } from 'zod';
import type { MessengerConfig } from '../config.ts';
import { boundedText, ResponseTooLarge } from './bounded-text.ts';

export interface HelpSite {
  url: string;
  articles: number;
  languages: string[];
  capped: boolean;
}

/** The provider could not be read; the message tells a member of the company why. */
export class HelpSiteProviderError extends Error {}

/** The help site of a company; undefined if it has none. Throws HelpSiteProviderError. */
export type HelpSiteProvider = (companyId: string) => Promise<HelpSite | undefined>;

type HelpSiteConfig = Pick<MessengerConfig, 'HELP_SITE_URL' | 'HELP_SITE_TOKEN' | 'HELP_SITE_TIMEOUT_MS'>;

const MAX_RESPONSE_BYTES = 65_536;

const helpSiteSchema = z.object({
  url: z.url({ protocol: /^https?$/ }).max(2048),
  articles: z.int().nonnegative(),
  languages: z.array(text({ min: 1, max: 100 })).max(500),
  capped: z.boolean(),
});

/** The configured provider; without one, no company has a help site. */
export function createHelpSiteProvider(config: HelpSiteConfig): HelpSiteProvider {
  const { HELP_SITE_URL: url, HELP_SITE_TOKEN: token, HELP_SITE_TIMEOUT_MS: timeoutMs } = config;
  if (!url || !token) return async () => undefined;
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
        throw new HelpSiteProviderError(`The help-site provider returned status ${response.status}.`);
      }
      return helpSiteSchema.parse(JSON.parse(await boundedText(response, MAX_RESPONSE_BYTES)));
    } catch (error) {
      if (error instanceof HelpSiteProviderError) throw error;
      throw new HelpSiteProviderError(reasonOf(error, timeoutMs), { cause: error });
    }
  };
}

function reasonOf(error: unknown, timeoutMs: number): string {
  const name = error instanceof Error ? error.name : '';
  if (name === 'TimeoutError') return `The help-site provider did not answer within ${timeoutMs / 1000} s.`;
  if (error instanceof ResponseTooLarge) return `The help-site provider returned ${error.message}.`;
  if (error instanceof SyntaxError || error instanceof z.ZodError) {
    return 'The help-site provider returned an invalid help site.';
  }
  return 'The help-site provider could not be reached.';
}
