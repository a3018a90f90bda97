import { type FlagEntry, isNotFound } from '@switchboard/management';
import { useState } from 'react';
import { useCall, useChange } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { usePageSearch } from '../../app/search.ts';
import { Button } from '../../components/button.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import { Empty, Failed, Loaded } from '../../components/state.tsx';
import { changeOrRequest } from '../flags/change-or-request.ts';
import { changesOf, FlagDiff } from '../flags/diff.tsx';
import { MAX_REASON } from '../flags/switch.tsx';
import { useCohortNames, useOtherProjects } from '../flags/use-flags.ts';
import styles from './flag.module.css';
import { search } from './search.ts';

type Other = ReturnType<typeof useOtherProjects>[number];

/** How the flag differs from those of the other projects of the company, and its promotion. */
export function Projects({ flag }: { flag: FlagEntry }) {
  const others = useOtherProjects();
  const [{ compare }, setSearch] = usePageSearch(search);
  const other = others.find(({ id }) => id === compare) ?? others[0];
  if (other === undefined)
    return (
      <Empty
        text={t(
          'The company has no other project of this region that you can see. Create one to promote flags to it.',
        )}
      />
    );
  return (
    <div className={styles['narrow']}>
      <SelectField
        label={t('Project')}
        value={other.id}
        options={others.map(({ id, name }) => ({ value: id, title: name }))}
        onChange={({ target }) => setSearch({ compare: target.value })}
      />
      <Promotion key={other.id} flag={flag} to={other} />
    </div>
  );
}

function Promotion({ flag, to }: { flag: FlagEntry; to: Other }) {
  const { project, may } = usePlace();
  const [reason, setReason] = useState('');
  const nameHere = useCohortNames(project.id);
  const nameThere = useCohortNames(to.id);
  const query = useCall(['listFlags', to.id, flag.key], async (client, options) => {
    const params = { projectId: to.id, key: flag.key };
    const found = await client.call('getFlag', { params }, options).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
    const { versions } = await client.call('listFlagVersions', { params, query: { limit: 1 } }, options);
    return { found, version: versions[0]?.version };
  });
  const promote = useChange(
    (client, { version, why }: { version: number | undefined; why: string }) => {
      const more = {
        ...(why !== '' && { reason: why }),
        ...(version !== undefined && { ifVersion: version }),
      };
      return changeOrRequest(client, to.id, {
        make: () =>
          client.call('promoteFlag', {
            params: { projectId: project.id, key: flag.key },
            body: { to: to.id, ...more },
          }),
        asked: { key: flag.key, from: project.id, ...more },
      });
    },
    { refresh: [['listFlags', to.id]] },
  );
  return (
    <Loaded query={query}>
      {({ found, version }) => {
        const here = { flag, nameOf: nameHere };
        const isSame = changesOf({ flag: found, nameOf: nameThere }, here).length === 0;
        return (
          <>
            {isSame ? (
              <p role="status">{t('The flag is the same in {project}.', { project: to.name })}</p>
            ) : (
              <>
                <p>
                  {found === undefined
                    ? t('{project} does not have the flag. A promotion creates it.', { project: to.name })
                    : t('A promotion changes the flag of {project}:', { project: to.name })}
                </p>
                <FlagDiff before={found} after={flag} nameOf={nameHere} nameBefore={nameThere} />
              </>
            )}
            {promote.error === null ? null : <Failed error={promote.error} />}
            {isSame ? null : may('flags.write') ? (
              <form
                className={styles['fields']}
                aria-label={t('Promote')}
                onSubmit={(event) => {
                  event.preventDefault();
                  promote.mutate({ version: found === undefined ? undefined : version, why: reason });
                  setReason('');
                }}
              >
                <TextField
                  label={t('Reason')}
                  hint={t('Shown in the history of the flag.')}
                  value={reason}
                  maxLength={MAX_REASON}
                  onChange={({ target }) => setReason(target.value)}
                />
                <div>
                  <Button type="submit" kind="primary" disabled={promote.isPending}>
                    {t('Promote flag to {project}', { project: to.name })}
                  </Button>
                </div>
              </form>
            ) : (
              <p>{t('Editors can promote this flag.')}</p>
            )}
          </>
        );
      }}
    </Loaded>
  );
}
