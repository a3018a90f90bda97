import { t } from '../../app/i18n.ts';
import { Badge } from '../../components/badge.tsx';
import { relative } from '../../components/values.tsx';

const SOON_MS = 7 * 86_400_000;

export const kindWord = (kind: 'personal' | 'service'): string =>
  kind === 'personal' ? t('Personal') : t('Service');

/** The day a token expires, marked from a week before. */
export function Until({ at }: { at: string }) {
  const left = Date.parse(at) - Date.now();
  if (left <= 0) return <Badge tone="danger">{t('Expired')}</Badge>;
  const day = relative(new Date(at), new Date());
  return left < SOON_MS ? <Badge tone="warning">{day}</Badge> : day;
}
