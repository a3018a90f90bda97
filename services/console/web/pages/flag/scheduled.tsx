import type { FlagEntry, ScheduledChange } from '@switchboard/management';
import { useCall, useChange } from '../../app/api.ts';
import { locale, t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Section } from '../../components/layout.tsx';
import { Failed } from '../../components/state.tsx';
import { Time } from '../../components/values.tsx';
import { FlagDiff } from '../flags/diff.tsx';
import { useCohortNames } from '../flags/use-flags.ts';
import styles from './flag.module.css';

/** The scheduled changes of a flag, and those that failed. Nothing without one. */
export function Scheduled({ flag }: { flag: FlagEntry }) {
  const { project, may } = usePlace();
  const nameOf = useCohortNames(project.id);
  const { data, error } = useCall(['listScheduledChanges', project.id, flag.key], (client, options) =>
    client.call(
      'listScheduledChanges',
      { params: { projectId: project.id }, query: { key: flag.key } },
      options,
    ),
  );
  const cancel = useChange(
    (client, { id }: ScheduledChange) =>
      client.call('cancelScheduledChange', { params: { projectId: project.id, changeId: id } }),
    { refresh: [['listScheduledChanges', project.id]] },
  );
  if (error !== null) return <Failed error={error} />;
  if (data === undefined || data.changes.length === 0) return null;
  return (
    <Section title={t('Scheduled changes')}>
      {cancel.error === null ? null : <Failed error={cancel.error} />}
      <ol className={styles['versions']}>
        {data.changes.map((change) => (
          <li key={change.id}>
            <div className={styles['when']}>
              <span>
                {exactly(change.at)}{' '}
                {change.failure === null ? null : <Badge tone="danger">{t('Failed')}</Badge>}
              </span>
              {may('flags.write') ? (
                <Button kind="quiet" onClick={() => cancel.mutate(change)}>
                  {change.failure === null ? t('Cancel change') : t('Remove')}
                </Button>
              ) : null}
            </div>
            {change.reason === undefined ? null : <p>{t('Reason: {reason}', { reason: change.reason })}</p>}
            {change.failure === null ? null : (
              <p>
                {change.failure.message} · <Time at={change.failure.failedAt} />
              </p>
            )}
            <FlagDiff
              before={flag}
              after={change.flag ?? Object.assign({ ...flag }, change.patch)}
              nameOf={nameOf}
            />
          </li>
        ))}
      </ol>
    </Section>
  );
}

const exactly = (at: string) =>
  new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(at));
