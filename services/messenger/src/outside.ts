import type { MessengerConfig } from './config.ts';
import { type HelpSiteProvider, helpSiteProvider } from './help-centre/provider.ts';
import { openAiCompatible, type TranslationProvider } from './translations/provider.ts';

/** Who knows help sites; where none is configured nobody has one. */
export function helpSite(config: MessengerConfig): HelpSiteProvider {
  const { HELP_SITE_URL: url, HELP_SITE_TOKEN: token, HELP_SITE_TIMEOUT_MS: timeoutMs } = config;
  return url && token ? helpSiteProvider({ url, token, timeoutMs }) : async () => undefined;
}

/** Who translates; undefined when nobody is configured. */
export function translationProvider(config: MessengerConfig): TranslationProvider | undefined {
  const { AI_BASE_URL: baseUrl, AI_API_KEY: apiKey, AI_MODEL: model } = config;
  return baseUrl && apiKey && model ? openAiCompatible({ baseUrl, apiKey, model }) : undefined;
}
