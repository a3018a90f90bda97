import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useCall, useChange } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { Section } from '../../components/layout.tsx';
import { Failed } from '../../components/state.tsx';
import styles from './project.module.css';

/** Deletes the project, after its name was typed. */
export function DeleteProject() {
  const { project, may } = usePlace();
  const navigate = useNavigate();
  const [asks, setAsks] = useState(false);
  const projects = useCall(['listOwnProjects'], (client, options) =>
    client.call('listOwnProjects', {}, options),
  );
  const other = projects.data?.projects.find(
    ({ id, companyId }) => id !== project.id && companyId === project.companyId,
  );
  /** Another project of the company shows how far the erasure is. */
  const leave = () =>
    other === undefined || !may('people.erase')
      ? void navigate({ to: '/' })
      : void navigate({
          to: `/projects/${encodeURIComponent(other.id)}/settings/erasures`,
          search: { project: project.id },
        });
  const remove = useChange(
    (client, _: undefined) => client.call('deleteProject', { params: { projectId: project.id } }),
    { refresh: [['listOwnProjects']] },
  );
  return (
    <Section title={t('Delete project')}>
      <p className={styles['text']}>
        {t(
          'Erases events, people, recordings, conversations, flags, reports and dashboards in every service. The keys stop working at once, and the id is never used again.',
        )}
      </p>
      {remove.error === null ? null : <Failed error={remove.error} />}
      <div>
        <Button keys="d" kind="danger" disabled={remove.isPending} onClick={() => setAsks(true)}>
          {t('Delete project')}
        </Button>
      </div>
      {asks ? (
        <Confirm
          title={t('Delete {name}?', { name: project.name })}
          action={t('Delete project')}
          typed={project.name}
          onClose={() => setAsks(false)}
          onConfirm={() => {
            remove.mutate(undefined, { onSuccess: leave });
            setAsks(false);
          }}
        >
          <p>{t('All of its data is erased. This cannot be undone.')}</p>
        </Confirm>
      ) : null}
    </Section>
  );
}
