import { createHelpCentre } from '../help-centre/help-centre.ts';
import { helpCentreRoutes } from '../help-centre/routes.ts';
import { createHelpCentreStore } from '../help-centre/store.ts';
import { createHelpSiteProvider } from '../providers/help-site.ts';
import { AI_TIMEOUT_MS, createTranslationProvider } from '../providers/translation.ts';
import { translationsRoutes } from '../translations/routes.ts';
import { createTranslationsStore } from '../translations/store.ts';
import { createTranslations } from '../translations/translations.ts';
import { usageRoutes } from '../usage/routes.ts';
import { createUsageStore } from '../usage/store.ts';
import type { Shared } from './shared.ts';

/** Opens the articles of the help centre, which are read from the help site. */
export function openHelpCentre(shared: Shared, helpSiteTimeoutMs: number | undefined): void {
  const { app, db, limits, ofProject } = shared;
  const helpCentre = createHelpCentre({
    ...shared,
    store: createHelpCentreStore(db),
    provider: createHelpSiteProvider(shared, helpSiteTimeoutMs),
    limit: limits.perMinute('help-centre', limits.helpCentreRefreshesPerCompany),
  });
  helpCentreRoutes(app, { helpCentre, ofProject });
}

/** Opens the translation of texts in the console, and the usage of the messenger. */
export function openTranslations(shared: Shared, timeoutMs = AI_TIMEOUT_MS): void {
  const { app, config, db, metrics } = shared;
  const translations = createTranslations({
    ...shared,
    store: createTranslationsStore(db),
    provider: createTranslationProvider(config, metrics, timeoutMs),
    timeoutMs,
  });
  translationsRoutes(app, { translations });
  usageRoutes(app, {
    ...shared,
    store: createUsageStore(db),
    translations,
    conversationDays: config.CONVERSATIONS_RETENTION_DAYS,
    messageDays: config.MESSAGES_RETENTION_DAYS,
  });
}
