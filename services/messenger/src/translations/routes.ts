import { translateTexts } from '@switchboard/contracts';
import type { ServiceApp } from '@switchboard/http';
import type { Translations } from './translations.ts';

interface TranslationsDeps {
  translations: Translations;
}

export function translationsRoutes(app: ServiceApp, { translations }: TranslationsDeps): void {
  app.implement(translateTexts, async (c, { change }) =>
    c.json({ texts: await translations.translate(change, c.var.project, c.req.valid('json')) }, 200),
  );
}
