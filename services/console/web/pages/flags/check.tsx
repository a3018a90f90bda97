import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useCall } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { usePageSearch } from '../../app/search.ts';
import { getSession } from '../../app/session.ts';
import { Button } from '../../components/button.tsx';
import { TextField } from '../../components/field.tsx';
import { Section } from '../../components/layout.tsx';
import { Loaded } from '../../components/state.tsx';
import { FlagState } from './flag-state.tsx';
import styles from './flags.module.css';
import { search } from './search.ts';
import { reasonWords } from './words.ts';

interface Evaluation {
  flags: Record<string, unknown>;
  variants: Record<string, string>;
  reasons: Record<string, string>;
  rules: Record<string, string>;
}

/** Asks what the flag serves to one person, and says why. */
export function FlagCheck({ flagKey }: { flagKey: string }) {
  const { project } = usePlace();
  const [{ person }, setSearch] = usePageSearch(search);
  const [entered, setEntered] = useState(person ?? '');
  const keys = useCall(['listProjectKeys', project.id], (client, options) =>
    client.call('listProjectKeys', { params: { projectId: project.id } }, options),
  );
  const session = useQuery({ queryKey: ['session'], queryFn: getSession });
  const projectKey = keys.data?.keys[0];
  const host = session.data?.hosts.api;
  const evaluation = useQuery({
    queryKey: ['evaluateFlags', project.id, person],
    enabled: person !== undefined && projectKey !== undefined && host !== undefined,
    queryFn: async ({ signal }): Promise<Evaluation> => {
      const query = new URLSearchParams({ distinct_id: person ?? '', reasons: 'true' });
      const response = await fetch(`${host}/v1/flags?${query}`, {
        headers: { Authorization: `Bearer ${projectKey}` },
        signal,
      });
      if (!response.ok) {
        throw new Error(t('The flags could not be evaluated: status {status}.', { status: response.status }));
      }
      return response.json();
    },
  });
  return (
    <Section title={t('Who gets this?')}>
      <form
        className={styles['ask']}
        onSubmit={(event) => {
          event.preventDefault();
          setSearch({ person: entered || undefined });
        }}
      >
        <TextField
          label={t('Distinct id of a person')}
          value={entered}
          maxLength={200}
          onChange={({ target }) => setEntered(target.value)}
        />
        <Button type="submit">{t('Check person')}</Button>
      </form>
      {keys.data !== undefined && projectKey === undefined ? (
        <p>{t('The project has no key to evaluate flags with. Create one in the settings.')}</p>
      ) : null}
      {person === undefined ? null : (
        <Loaded query={evaluation}>
          {({ flags, variants, reasons, rules }) => (
            <p role="status">
              <FlagState enabled={reasons[flagKey] === 'MATCH'} /> {variants[flagKey] ?? ''}{' '}
              {reasons[flagKey] === 'MATCH' && flags[flagKey] !== true ? JSON.stringify(flags[flagKey]) : ''}{' '}
              {reasonWords(reasons[flagKey] ?? '', rules[flagKey])}
            </p>
          )}
        </Loaded>
      )}
    </Section>
  );
}
