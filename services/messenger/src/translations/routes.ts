import { translateTexts } from '@switchboard/contracts';
import type { ServiceApp } from '@switchboard/service-kit';
import type { Translations } from './translations.ts';

export function routeTranslations(app: ServiceApp, translations: Translations): void {
  app.implement(translateTexts, async (c) =>
    c.json({ texts: await translations.translate(c.get('project'), c.req.valid('json')) }, 200),
  );
}
