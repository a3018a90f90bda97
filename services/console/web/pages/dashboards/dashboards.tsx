import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useCall, useChange, useList } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { Button } from '../../components/button.tsx';
import { CopyAs } from '../../components/copy-as.tsx';
import { FormDialog } from '../../components/dialog.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import { PageLayout } from '../../components/layout.tsx';
import { Empty, Failed, Loaded } from '../../components/state.tsx';
import { Table } from '../../components/table.tsx';
import { Time } from '../../components/values.tsx';
import { idOf } from '../insights/id.ts';
import { runSaved } from '../report/run-saved.ts';
import { templates } from './templates.ts';

export function Page() {
  const { project, may, pathOf } = usePlace();
  const [isCreating, setIsCreating] = useState(false);
  const { query, more } = useList(['listDashboards', project.id], async (client, cursor, options) => {
    const params = { projectId: project.id };
    const { dashboards, nextCursor } = await client.call(
      'listDashboards',
      { params, query: cursor },
      options,
    );
    return { items: dashboards, nextCursor };
  });
  const create = may('reports.write') ? (
    <Button keys="c" kind="primary" onClick={() => setIsCreating(true)}>
      {t('Create dashboard')}
    </Button>
  ) : undefined;
  return (
    <PageLayout
      title={t('Dashboards')}
      actions={
        <>
          <CopyAs
            call={{ method: 'GET', path: `/v1/projects/${encodeURIComponent(project.id)}/dashboards` }}
            command={`switchboard get dashboards ${project.id}`}
          />
          {create}
        </>
      }
    >
      <Loaded query={query}>
        {(dashboards) =>
          dashboards.length === 0 ? (
            <Empty text={t('A dashboard shows saved reports side by side. Create one from a template.')}>
              {may('reports.write') ? (
                <Button keys="c" onClick={() => setIsCreating(true)}>
                  {t('Choose a template')}
                </Button>
              ) : null}
            </Empty>
          ) : (
            <Table
              label={t('Dashboards')}
              columns={[
                {
                  title: t('Name'),
                  cell: ({ id, name }) => (
                    <Link to={pathOf(`/dashboards/${encodeURIComponent(id)}`)}>{name}</Link>
                  ),
                },
                { title: t('Description'), cell: ({ description }) => description ?? '–', minor: true },
                { title: t('Tiles'), cell: ({ tiles }) => tiles.length, width: '80px', align: 'end' },
                { title: t('Changed'), cell: ({ updatedAt }) => <Time at={updatedAt} />, width: '120px' },
              ]}
              rows={dashboards}
              keyOf={({ id }) => id}
              more={more}
            />
          )
        }
      </Loaded>
      {isCreating ? <CreateDashboard onClose={() => setIsCreating(false)} /> : null}
    </PageLayout>
  );
}

function CreateDashboard({ onClose }: { onClose: () => void }) {
  const { project, pathOf } = usePlace();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState('blank');
  const names = useCall(['listEventNames', project.id], (client, options) =>
    client.call('listEventNames', { params: { projectId: project.id } }, options),
  );
  const frequent = [...(names.data?.eventNames ?? [])].sort((one, other) => other.count - one.count);
  const choices = templates(frequent.map((one) => one.name));
  const create = useChange(
    async (client, _: undefined) => {
      const dashboardId = idOf(name);
      const found = choices.find(({ id }) => id === chosen)?.tiles ?? [];
      const tiles = [];
      for (const { name: title, query, refresh = 'hourly', ...place } of found) {
        const params = { projectId: project.id, reportId: idOf(title) };
        await client.call('putReport', { params, body: { name: title, query, refresh } });
        await runSaved(client, params);
        tiles.push({ ...place, reportId: params.reportId });
      }
      const params = { projectId: project.id, dashboardId };
      await client.call('putDashboard', { params, body: { name, tiles } });
      return dashboardId;
    },
    {
      refresh: [
        ['listDashboards', project.id],
        ['listReports', project.id],
      ],
    },
  );
  return (
    <FormDialog
      title={t('Create dashboard')}
      action={t('Create dashboard')}
      disabled={create.isPending || name.trim() === ''}
      onSubmit={() =>
        create.mutate(undefined, {
          onSuccess: (id) => void navigate({ to: pathOf(`/dashboards/${encodeURIComponent(id)}`) }),
        })
      }
      onClose={onClose}
    >
      <TextField
        label={t('Name')}
        value={name}
        required
        maxLength={200}
        onChange={({ target }) => setName(target.value)}
      />
      <SelectField
        label={t('Template')}
        value={chosen}
        options={choices.map(({ id, title }) => ({ value: id, title }))}
        onChange={({ target }) => setChosen(target.value)}
      />
      {create.error === null ? null : <Failed error={create.error} />}
    </FormDialog>
  );
}
