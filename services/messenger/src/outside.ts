import { type ObjectStore, openObjectStore } from '@switchboard/object-store';
import type { MessengerConfig } from './config.ts';
import { type HelpSiteProvider, helpSiteProvider } from './help-centre/provider.ts';
import { openAiCompatible, type TranslationProvider } from './translations/provider.ts';

/** Where files are kept; undefined when nothing of it is configured. */
export function openStorage(config: MessengerConfig): ObjectStore | undefined {
  const { S3_ENDPOINT: endpoint, S3_ACCESS_KEY: accessKey, S3_SECRET_KEY: secretKey } = config;
  const { S3_BUCKET: bucket, S3_REGION: region, OBJECTS_FOLDER: folder } = config;
  if (endpoint && accessKey && secretKey && bucket) {
    return openObjectStore({ endpoint, accessKey, secretKey, bucket, region });
  }
  return folder === undefined ? undefined : openObjectStore({ folder });
}

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
