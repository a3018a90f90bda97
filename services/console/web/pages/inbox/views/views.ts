import type { Input, Result } from '@switchboard/management';
import { t } from '../../../app/i18n.ts';

type Filter = NonNullable<Input<'listConversations'>['query']>;
type Counts = Result<'countConversations'>;
type Settings = Result<'getSupportSettings'>;

export interface View {
  id: string;
  name: string;
  filter: Filter;
  /** Undefined where there is none, such as for resolved conversations. */
  count: number | undefined;
}

/** Returns the views that every project has, then the saved ones. */
export function viewsOf(settings: Settings | undefined, counts: Counts | undefined): View[] {
  const open = { status: 'open', snoozed: 'false' } as const;
  const saved = new Map(counts?.views.map(({ id, count }) => [id, count]));
  return [
    { id: 'open', name: t('Open'), filter: open, count: counts?.open },
    { id: 'mine', name: t('Mine'), filter: { ...open, assigned: 'me' }, count: counts?.mine },
    {
      id: 'unassigned',
      name: t('Unassigned'),
      filter: { ...open, assigned: 'none' },
      count: counts?.unassigned,
    },
    { id: 'waiting', name: t('Waiting longest'), filter: { sort: 'waiting' }, count: undefined },
    { id: 'mentions', name: t('Mentions'), filter: { mentioned: 'me' }, count: counts?.mentioned },
    {
      id: 'pending',
      name: t('Pending'),
      filter: { status: 'pending', snoozed: 'false' },
      count: counts?.pending,
    },
    { id: 'snoozed', name: t('Snoozed'), filter: { snoozed: 'true' }, count: counts?.snoozed },
    { id: 'resolved', name: t('Resolved'), filter: { status: 'resolved' }, count: undefined },
    ...(settings?.views ?? []).map(({ id, name, filter: { snoozed, ...filter } }) => ({
      id,
      name,
      filter: { ...filter, ...(snoozed !== undefined && ({ snoozed: snoozed ? 'true' : 'false' } as const)) },
      count: saved.get(id) ?? undefined,
    })),
  ];
}

/** Returns whether a conversation with these values still belongs to a view. */
export function isIn(
  { filter }: View,
  { status, snoozed, assigneeId }: { status: string; snoozed: boolean; assigneeId: string | null },
  sub: string,
): boolean {
  if (filter.status !== undefined && filter.status !== status) return false;
  if (filter.snoozed !== undefined && filter.snoozed !== String(snoozed)) return false;
  if (filter.assigned === 'me' && assigneeId !== sub) return false;
  return filter.assigned !== 'none' || assigneeId === null;
}
