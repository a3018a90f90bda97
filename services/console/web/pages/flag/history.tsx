import type { FlagEntry, FlagVersion } from '@switchboard/management';
import { useState } from 'react';
import { useChange, useList } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { FormDialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { Empty, Failed, Loaded } from '../../components/state.tsx';
import { Time } from '../../components/values.tsx';
import { changeOrRequest } from '../flags/change-or-request.ts';
import { FlagDiff } from '../flags/diff.tsx';
import { MAX_REASON } from '../flags/switch.tsx';
import { useCohortNames } from '../flags/use-flags.ts';
import type { Definition } from '../flags/words.ts';
import { useNames } from '../threads/members.ts';
import styles from './flag.module.css';

interface HistoryProps {
  flag: FlagEntry;
  version: number | undefined;
}

/** The versions of a flag, newest first. Earlier ones can be restored. */
export function History({ flag, version: newest }: HistoryProps) {
  const { project, may } = usePlace();
  const [restored, setRestored] = useState<FlagVersion>();
  const nameOf = useCohortNames(project.id);
  const authorOf = useNames();
  const params = { projectId: project.id, key: flag.key };
  const key = ['listFlagVersions', project.id, flag.key];
  const { query, more } = useList(key, async (client, cursor, options) => {
    const { versions, nextCursor } = await client.call(
      'listFlagVersions',
      { params, query: cursor },
      options,
    );
    return { items: versions, nextCursor };
  });
  const restore = useChange(
    (
      client,
      { version: { version, flag: restoredFlag }, reason }: { version: FlagVersion; reason: string },
    ) => {
      const why = reason === '' ? {} : { reason };
      const { key: _, ...definition } = restoredFlag ?? flag;
      return changeOrRequest(client, project.id, {
        make: () =>
          client.call('restoreFlagVersion', {
            params,
            headers: newest === undefined ? {} : { 'If-Match': `"${newest}"` },
            body: { version, ...why },
          }),
        asked: { key: flag.key, flag: definition, ...why },
      });
    },
    { refresh: [key, ['listFlags', project.id]] },
  );
  return (
    <>
      {restore.error === null ? null : <Failed error={restore.error} />}
      <Loaded query={query}>
        {(versions) =>
          versions.length === 0 ? (
            <Empty text={t('The flag has not changed since its history began.')} />
          ) : (
            <>
              <ol className={styles['versions']}>
                {versions.map((one, at) => (
                  <li key={one.version}>
                    <div className={styles['when']}>
                      <span>
                        {t('Version {version}', { version: one.version })} · <Time at={one.at} /> ·{' '}
                        {authorOf(one.author)}
                      </span>
                      {may('flags.write') && at > 0 && one.flag !== null ? (
                        <Button kind="quiet" onClick={() => setRestored(one)}>
                          {t('Restore')}
                        </Button>
                      ) : null}
                    </div>
                    {one.emergency ? (
                      <p>
                        <Badge tone="warning">{t('Emergency')}</Badge> {t('Switched off without approval')}
                      </p>
                    ) : null}
                    {one.approvedBy === undefined ? null : (
                      <p>{t('Approved by {names}', { names: one.approvedBy.map(authorOf).join(', ') })}</p>
                    )}
                    {one.reason === null ? null : <p>{t('Reason: {reason}', { reason: one.reason })}</p>}
                    {one.flag === null ? (
                      <p>{t('Deleted')}</p>
                    ) : (
                      <FlagDiff before={before(one, versions[at + 1])} after={one.flag} nameOf={nameOf} />
                    )}
                  </li>
                ))}
              </ol>
              {more === undefined ? null : (
                <Button keys="m" kind="quiet" onClick={more}>
                  {t('Show earlier versions')}
                </Button>
              )}
            </>
          )
        }
      </Loaded>
      {restored === undefined ? null : (
        <Restore
          version={restored}
          current={flag}
          onClose={() => setRestored(undefined)}
          onRestore={(reason) => {
            restore.mutate({ version: restored, reason });
            setRestored(undefined);
          }}
        />
      )}
    </>
  );
}

/** Returns the state before a version. The last one of a page is followed by none, so its changes are taken back. */
function before({ flag, changes }: FlagVersion, previous: FlagVersion | undefined): Definition | undefined {
  if (previous !== undefined) return previous.flag ?? undefined;
  const isFirst = changes.some(({ property, before: old }) => property === 'enabled' && old === undefined);
  if (flag === null || isFirst) return undefined;
  return Object.assign({ ...flag }, ...changes.map(({ property, before: old }) => ({ [property]: old })));
}

interface RestoreProps {
  version: FlagVersion;
  current: FlagEntry;
  onClose: () => void;
  onRestore: (reason: string) => void;
}

function Restore({ version: { version, flag }, current, onClose, onRestore }: RestoreProps) {
  const { project } = usePlace();
  const [reason, setReason] = useState('');
  const nameOf = useCohortNames(project.id);
  return (
    <FormDialog
      title={t('Restore version {version}?', { version })}
      action={t('Restore version')}
      onClose={onClose}
      onSubmit={() => onRestore(reason)}
    >
      <FlagDiff before={current} after={flag ?? undefined} nameOf={nameOf} />
      <TextField
        label={t('Reason')}
        hint={t('Shown in the history of the flag.')}
        value={reason}
        maxLength={MAX_REASON}
        onChange={({ target }) => setReason(target.value)}
      />
    </FormDialog>
  );
}
