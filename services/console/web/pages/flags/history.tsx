import type { FlagVersion } from '@switchboard/management';
import { useState } from 'react';
import { useChange, useList } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { Section } from '../../components/layout.tsx';
import { Empty, Failed, Loaded } from '../../components/state.tsx';
import { Time } from '../../components/values.tsx';
import styles from './flags.module.css';

/** The versions of a flag, newest first. Earlier ones can be restored. */
export function FlagHistory({ flagKey }: { flagKey: string }) {
  const { project, may } = usePlace();
  const [restored, setRestored] = useState<number>();
  const params = { projectId: project.id, key: flagKey };
  const key = ['listFlagVersions', project.id, flagKey];
  const { query, more } = useList(key, async (client, cursor, options) => {
    const { versions, nextCursor } = await client.call(
      'listFlagVersions',
      { params, query: cursor },
      options,
    );
    return { items: versions, nextCursor };
  });
  const newest = query.data?.[0]?.version;
  const restore = useChange(
    (client, version: number) =>
      client.call('restoreFlagVersion', {
        params,
        headers: { 'If-Match': `"${newest}"` },
        body: { version },
      }),
    { refresh: [key, ['listFlags', project.id]] },
  );
  return (
    <Section title={t('History')}>
      {restore.error === null ? null : <Failed error={restore.error} />}
      <Loaded query={query}>
        {(versions) =>
          versions.length === 0 ? (
            <Empty text={t('The flag has not changed since its history began.')} />
          ) : (
            <>
              <ol className={styles['history']}>
                {versions.map((one) => (
                  <Version
                    key={one.version}
                    version={one}
                    restore={
                      may('flags.write') && one.version !== newest && one.flag !== null
                        ? () => setRestored(one.version)
                        : undefined
                    }
                  />
                ))}
              </ol>
              {more === undefined ? null : (
                <Button kind="quiet" onClick={more}>
                  {t('Show earlier versions')}
                </Button>
              )}
            </>
          )
        }
      </Loaded>
      {restored === undefined ? null : (
        <Confirm
          title={t('Restore version {version}?', { version: restored })}
          action={t('Restore version')}
          onClose={() => setRestored(undefined)}
          onConfirm={() => {
            restore.mutate(restored);
            setRestored(undefined);
          }}
        >
          <p>{t('This creates a new version, which everyone gets within seconds.')}</p>
        </Confirm>
      )}
    </Section>
  );
}

function Version({ version, restore }: { version: FlagVersion; restore: (() => void) | undefined }) {
  return (
    <li>
      <div className={styles['when']}>
        <span>
          {t('Version {version}', { version: version.version })}, <Time at={version.at} />
        </span>
        {restore === undefined ? null : (
          <Button kind="quiet" onClick={restore}>
            {t('Restore')}
          </Button>
        )}
      </div>
      <div>{changeWords(version)}</div>
      {version.reason === null ? null : <div>{t('Reason: {reason}', { reason: version.reason })}</div>}
    </li>
  );
}

function changeWords({ flag, changes }: FlagVersion): string {
  if (flag === null) return t('deleted');
  return changes
    .map(({ property, before, after }) =>
      before === undefined
        ? `${property}: ${JSON.stringify(after)}`
        : `${property}: ${JSON.stringify(before)} → ${after === undefined ? t('not set') : JSON.stringify(after)}`,
    )
    .join('; ');
}
