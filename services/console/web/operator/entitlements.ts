import type { Plan } from '@switchboard/management';
import { t } from '../app/i18n.ts';

type Entitlements = Plan['entitlements'];

/** Returns entitlements as text to edit. */
export const textOf = (entitlements: Entitlements | undefined): string =>
  JSON.stringify(entitlements ?? {}, null, 2);

/** Returns the entitlements of a text, or the problem with it. */
export function parseEntitlements(given: string): { value: Entitlements } | { problem: string } {
  try {
    const value: unknown = JSON.parse(given.trim() || '{}');
    if (isObject(value)) return { value };
  } catch {
    // The text below says so.
  }
  return { problem: t('Not a JSON object, such as {example}.', { example: '{"articleSearch": true}' }) };
}

const isObject = (value: unknown): value is Entitlements =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The hint of a field with entitlements. */
export const entitlementsHint = () =>
  t(
    'JSON. The services read articleSearch, aiTranslations, aiTranslationBytesPerMonth, visitorAttachments, seats, projects, reports and refreshedReports.',
  );
