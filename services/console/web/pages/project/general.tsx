import type { Project } from '@switchboard/management';
import { useState } from 'react';
import { useChange } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { showToast } from '../../app/toasts.ts';
import { Button } from '../../components/button.tsx';
import { CheckField, TextArea, TextField } from '../../components/field.tsx';
import { Section } from '../../components/layout.tsx';
import { Failed } from '../../components/state.tsx';
import styles from './project.module.css';
import { WIRES } from './wires.ts';

type Wire = keyof typeof WIRES;
const wireNames: readonly Wire[] = ['segment', 'unleash', 'posthog'];

/** Changes the name, the default language, the origins and the accepted SDKs of the project. */
export function General({ project }: { project: Project }) {
  const {
    id,
    allowedOrigins: stored = [],
    wires: storedWires = [],
    flagApprovals = 0,
    ...definition
  } = project;
  const [name, setName] = useState(project.name);
  const [language, setLanguage] = useState(project.defaultLanguage);
  const [origins, setOrigins] = useState(stored.join('\n'));
  const [wires, setWires] = useState<readonly Wire[]>(storedWires);
  const [approvals, setApprovals] = useState(String(flagApprovals));
  const params = { projectId: id };
  const refresh = [['getProject', id], ['listOwnProjects'], ['listWireUsage', id]];
  const restore = useChange(
    (client, body: Omit<Project, 'id'>) => client.call('putProject', { params, body }),
    { refresh },
  );
  const save = useChange(
    async (client, body: Omit<Project, 'id'>) => {
      await client.call('putProject', { params, body });
      const { id: _, ...before } = project;
      showToast({ text: t('{name} is saved.', { name }), undo: () => restore.mutate(before) });
    },
    { refresh },
  );
  const submit = () => {
    const given = origins.split(/\s+/).filter((one) => one !== '');
    save.mutate({
      ...definition,
      name,
      defaultLanguage: language,
      ...(given.length === 0 ? {} : { allowedOrigins: given }),
      ...(wires.length === 0 ? {} : { wires: [...wires] }),
      ...(Number(approvals) === 0 ? {} : { flagApprovals: Number(approvals) }),
    });
  };
  const isChanged =
    name !== project.name ||
    language !== project.defaultLanguage ||
    origins !== stored.join('\n') ||
    Number(approvals) !== flagApprovals ||
    wires.length !== storedWires.length ||
    wires.some((one) => !storedWires.includes(one));
  return (
    <Section title={t('General')}>
      <form
        className={styles['form']}
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <TextField
          label={t('Name')}
          value={name}
          required
          maxLength={200}
          onChange={({ target }) => setName(target.value)}
        />
        <TextField
          label={t('Default language')}
          hint={t('A language tag such as en or pt-BR.')}
          value={language}
          required
          maxLength={35}
          onChange={({ target }) => setLanguage(target.value)}
        />
        <TextArea
          label={t('Origins')}
          hint={t(
            'The pages that may use the keys, one a line, such as https://www.example.com. Empty: any page.',
          )}
          value={origins}
          onChange={({ target }) => setOrigins(target.value)}
        />
        <TextField
          label={t('Approvals of flag changes')}
          hint={t(
            'How many other people must approve a change of a flag. 0: none. Turning one off needs none.',
          )}
          type="number"
          min={0}
          max={10}
          step={1}
          required
          value={approvals}
          onChange={({ target }) => setApprovals(target.value)}
        />
        <fieldset className={styles['wires']}>
          <legend>{t('Accepts SDKs of other products')}</legend>
          {wireNames.map((wire) => (
            <CheckField
              key={wire}
              label={WIRES[wire]}
              checked={wires.includes(wire)}
              onChange={({ target }) =>
                setWires([...wires.filter((one) => one !== wire), ...(target.checked ? [wire] : [])])
              }
            />
          ))}
        </fieldset>
        {save.error === null ? null : <Failed error={save.error} />}
        {restore.error === null ? null : <Failed error={restore.error} />}
        <Button kind="primary" type="submit" disabled={!isChanged || save.isPending}>
          {t('Save project')}
        </Button>
      </form>
    </Section>
  );
}
