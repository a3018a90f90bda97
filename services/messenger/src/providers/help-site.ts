import { text } from '@switchboard/contracts';
import { createSender, type Logger, type Metrics, measureCalls, SendFailed } from '@switchboard/runtime';
import { z } from 'zod';
import type { MessengerConfig } from '../config.ts';

export interface HelpSite {
  url: string;
  articles: number;
  languages: string[];
  capped: boolean;
}

/** Thrown if the provider could not be read. The message tells a member of the company why. */
export class HelpSiteProviderError extends Error {}

/** Returns the help site of a company, or undefined if it has none. Throws HelpSiteProviderError. */
export type HelpSiteProvider = (companyId: string) => Promise<HelpSite | undefined>;

const MAX_RESPONSE_BYTES = 65_536;
/** A member waits for the refresh in the console. */
const TIMEOUT_MS = 10_000;

const helpSiteSchema = z.object({
  url: z.url({ protocol: /^https?$/ }).max(2048),
  articles: z.int().nonnegative(),
  languages: z.array(text({ min: 1, max: 100 })).max(500),
  capped: z.boolean(),
});

interface HelpSiteContext {
  config: MessengerConfig;
  logger: Logger;
  metrics: Metrics;
}

/** Creates the configured provider. Without one, no company has a help site. */
export function createHelpSiteProvider(
  { config, logger, metrics }: HelpSiteContext,
  timeoutMs = TIMEOUT_MS,
): HelpSiteProvider {
  const { HELP_SITE_URL: url, HELP_SITE_TOKEN: token } = config;
  if (!url || !token) return async () => undefined;
  const measure = measureCalls({ metrics, dependency: 'help site' });
  const send = createSender({ config, timeoutMs, maxBytes: MAX_RESPONSE_BYTES, measure });
  return async (companyId) => {
    try {
      const response = await send(`${url}/companies/${encodeURIComponent(companyId)}/site`, {
        headers: { Authorization: `Bearer ${token}`, Accept: 'application/json' },
      });
      if (response.status !== 200) {
        if (response.status === 404) return undefined;
        throw new HelpSiteProviderError(`The help-site provider returned status ${response.status}.`);
      }
      return helpSiteSchema.parse(JSON.parse(await response.text()));
    } catch (error) {
      if (error instanceof HelpSiteProviderError) throw error;
      if (error instanceof SendFailed) logger.warn({ error }, 'read help site failed');
      throw new HelpSiteProviderError(reasonOf(error, timeoutMs), { cause: error });
    }
  };
}

function reasonOf(error: unknown, timeoutMs: number): string {
  if (error instanceof SyntaxError || error instanceof z.ZodError) {
    return 'The help-site provider returned an invalid help site.';
  }
  const kind = error instanceof SendFailed ? error.kind : undefined;
  if (kind === 'late') return `The help-site provider did not answer within ${timeoutMs / 1000} s.`;
  if (kind === 'large') return `The help-site provider returned more than ${MAX_RESPONSE_BYTES} bytes.`;
  return 'The help-site provider could not be reached.';
}
