import type { InsightPerson } from '@switchboard/management';
import { t } from '../../app/i18n.ts';
import { Confirm } from '../../components/dialog.tsx';
import { Facts } from '../../components/layout.tsx';
import { Partial } from '../../components/state.tsx';
import { duration } from '../../components/values.tsx';
import { useTraces } from './time-line.tsx';

interface EraseProps {
  person: InsightPerson;
  onErase: (distinctIds: string[]) => void;
  onClose: () => void;
}

/** Confirms the erasure of a person, with what goes. */
export function ErasePerson({ person, onErase, onClose }: EraseProps) {
  const { distinctId, traits, groups, cohorts, events, nextCursor } = person;
  const { conversations, recordings } = useTraces(distinctId);
  const ids = person.ids.map((one) => one.distinctId);
  const replays = recordings.data?.replays;
  const length = (replays ?? []).reduce(
    (sum, one) => sum + Date.parse(one.lastAt) - Date.parse(one.firstAt),
    0,
  );
  const counted = (count: number | undefined, hasMore: boolean) =>
    count === undefined ? t('all') : hasMore ? t('{count} and more', { count }) : String(count);
  const names = (list: readonly string[]) => (list.length === 0 ? t('None') : list.join(', '));
  return (
    <Confirm
      title={t('Erase this person?')}
      action={t('Erase person')}
      typed={distinctId}
      onClose={onClose}
      onConfirm={() => onErase(ids)}
    >
      <p>{t('The following goes, in every service and in the archive. This cannot be undone.')}</p>
      <Facts
        facts={[
          [t('Ids'), names(ids)],
          [t('Events'), counted(events.length, nextCursor !== null)],
          [t('Traits'), names(Object.keys(traits))],
          [t('Groups'), names(groups.map(({ type, id }) => `${type} ${id}`))],
          [t('Cohorts'), names(cohorts)],
          [
            t('Recordings'),
            `${counted(replays?.length, recordings.data?.nextCursor != null)} · ${duration(length)}`,
          ],
          [
            t('Conversations'),
            counted(conversations.data?.conversations.length, conversations.data?.nextCursor != null),
          ],
        ]}
      />
      {conversations.data === undefined || replays === undefined ? (
        <Partial text={t('Some counts cannot be read. Their data goes too.')} />
      ) : null}
    </Confirm>
  );
}
