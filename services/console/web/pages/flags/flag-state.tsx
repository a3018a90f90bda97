import { t } from '../../app/i18n.ts';
import { Badge } from '../../components/badge.tsx';

/** Whether a flag is on, in a word. */
export function FlagState({ enabled }: { enabled: boolean }) {
  return <Badge tone={enabled ? 'good' : 'plain'}>{enabled ? t('On') : t('Off')}</Badge>;
}
