import { useNavigate, useParams } from '@tanstack/react-router';
import { Mail, Maximize } from 'lucide-react';
import { useRef, useState } from 'react';
import { useCall, useChange, useList } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { Clauses } from '../../clauses/clauses.tsx';
import { clauseDrafts, clausesOf } from '../../clauses/draft.ts';
import { Button } from '../../components/button.tsx';
import { CopyAs } from '../../components/copy-as.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import { Bar, PageLayout } from '../../components/layout.tsx';
import { Empty, Failed, Loaded } from '../../components/state.tsx';
import { emptyRange, rangeDraft, rangeOf } from '../insights/draft.ts';
import { RangeFields } from '../insights/fields/range.tsx';
import { useColleagues } from '../threads/members.ts';
import { Board, type Dashboard, type Tile } from './board.tsx';
import styles from './dashboard.module.css';
import { DashboardLink } from './link.tsx';

export function Page() {
  const { dashboardId = '' } = useParams({ strict: false });
  const { project } = usePlace();
  const params = { projectId: project.id, dashboardId };
  const key = ['getDashboard', project.id, dashboardId];
  const dashboard = useCall(key, (client, options) => client.call('getDashboard', { params }, options));
  return (
    <Loaded query={dashboard}>
      {(stored) => <Opened key={`${stored.id} ${stored.version}`} stored={stored} />}
    </Loaded>
  );
}

/** A dashboard at one version. A saved change opens the next one. */
function Opened({ stored }: { stored: Dashboard }) {
  const { project, may, pathOf } = usePlace();
  const params = { projectId: project.id, dashboardId: stored.id };
  const navigate = useNavigate();
  const [draft, setDraft] = useState<Dashboard>();
  const [range, setRange] = useState(stored.range === null ? undefined : rangeDraft(stored.range));
  const [where, setWhere] = useState(clauseDrafts(stored.where));
  const [isDeleting, setIsDeleting] = useState(false);
  const stage = useRef<HTMLElement>(null);
  const save = useChange(
    (client, { name, description, tiles }: Dashboard) =>
      client.call('putDashboard', {
        params,
        headers: { 'If-Match': `"${stored.version}"` },
        body: {
          name,
          description,
          tiles,
          range: (range && rangeOf(range)) ?? null,
          where: clausesOf(where),
        },
      }),
    {
      refresh: [
        ['getDashboard', project.id, stored.id],
        ['getDashboardReports', project.id, stored.id],
        ['listDashboards', project.id],
      ],
    },
  );
  const remove = useChange((client, _: undefined) => client.call('deleteDashboard', { params }), {
    refresh: [['listDashboards', project.id]],
  });
  const shown = {
    ...(draft ?? stored),
    range: (range && rangeOf(range)) ?? null,
    where: clausesOf(where),
  };
  const failure = save.error ?? remove.error;
  const isEditing = draft !== undefined;
  const isNarrowed = stored.range !== null || stored.where.length > 0;
  const views = (
    <>
      <CopyAs
        call={{
          method: 'GET',
          path: `/v1/projects/${encodeURIComponent(project.id)}/dashboards/${encodeURIComponent(stored.id)}`,
        }}
        command={`switchboard get dashboard ${project.id} ${stored.id}`}
      />
      {may('subscriptions.write') && !isNarrowed ? (
        <Button
          keys="u"
          icon={Mail}
          onClick={() =>
            void navigate({ to: pathOf('/subscriptions'), search: { edit: 'new', dashboard: stored.id } })
          }
        >
          {t('Subscribe')}
        </Button>
      ) : null}
      <Button keys="f" icon={Maximize} onClick={() => void stage.current?.requestFullscreen()}>
        {t('Full screen')}
      </Button>
    </>
  );
  return (
    <PageLayout
      title={shown.name}
      actions={
        may('reports.write') ? (
          isEditing ? (
            <>
              <Button keys="d" kind="danger" onClick={() => setIsDeleting(true)}>
                {t('Delete dashboard')}
              </Button>
              <Button keys="b" onClick={() => setDraft(undefined)}>
                {t('Cancel')}
              </Button>
              <Button keys="c" kind="primary" disabled={save.isPending} onClick={() => save.mutate(draft)}>
                {t('Save dashboard')}
              </Button>
            </>
          ) : (
            <>
              {views}
              <Button keys="c" kind="primary" onClick={() => setDraft(stored)}>
                {t('Edit dashboard')}
              </Button>
            </>
          )
        ) : (
          views
        )
      }
    >
      {failure === null ? null : <Failed error={failure} />}
      {shown.description === null || isEditing ? null : <p>{shown.description}</p>}
      {isEditing ? null : <Owner sub={stored.ownerSub} />}
      <details className={styles['filters']} open={isEditing || where.length > 0 || range !== undefined}>
        <summary>{t('Range and filters of all tiles')}</summary>
        {range === undefined ? (
          <Button onClick={() => setRange(emptyRange())}>{t('Set one range for all tiles')}</Button>
        ) : (
          <>
            <RangeFields range={range} onChange={setRange} />
            <Button kind="quiet" onClick={() => setRange(undefined)}>
              {t("Use each report's own range")}
            </Button>
          </>
        )}
        <Clauses event="" clauses={where} onChange={setWhere} />
      </details>
      {draft === undefined ? null : <EditFields draft={draft} onChange={setDraft} />}
      {shown.tiles.length === 0 ? (
        <Empty text={t('This dashboard has no tile. Edit it to add saved reports and texts.')} />
      ) : (
        <section ref={stage} aria-label={shown.name} className={styles['stage']}>
          <h2 className={styles['full']}>{shown.name}</h2>
          <Board
            dashboard={shown}
            onArrange={draft && ((tiles: readonly Tile[]) => setDraft({ ...draft, tiles: [...tiles] }))}
          />
        </section>
      )}
      {isEditing ? null : <DashboardLink dashboard={stored} />}
      {isDeleting ? (
        <Confirm
          title={t('Delete this dashboard?')}
          action={t('Delete dashboard')}
          onClose={() => setIsDeleting(false)}
          onConfirm={() =>
            remove.mutate(undefined, { onSuccess: () => void navigate({ to: pathOf('/dashboards') }) })
          }
        >
          <p>{t('Its reports stay.')}</p>
        </Confirm>
      ) : null}
    </PageLayout>
  );
}

/** Says who created a dashboard. */
function Owner({ sub }: { sub: string | null }) {
  const name = useColleagues().find((one) => one.sub === sub)?.name;
  return name === undefined ? null : <p className={styles['owner']}>{t('Created by {name}', { name })}</p>;
}

interface EditFieldsProps {
  draft: Dashboard;
  onChange: (draft: Dashboard) => void;
}

function EditFields({ draft, onChange }: EditFieldsProps) {
  const { project } = usePlace();
  const [text, setText] = useState('');
  const { query } = useList(['listReports', project.id], async (client, cursor, options) => {
    const params = { projectId: project.id };
    const { reports, nextCursor } = await client.call('listReports', { params, query: cursor }, options);
    return { items: reports, nextCursor };
  });
  const below = Math.max(0, ...draft.tiles.map(({ y, h }) => y + h));
  const add = (tile: { reportId: string } | { text: string }) =>
    onChange({ ...draft, tiles: [...draft.tiles, { x: 0, y: below, w: 6, h: 4, ...tile }] });
  return (
    <>
      <TextField
        label={t('Name')}
        value={draft.name}
        maxLength={200}
        onChange={({ target }) => onChange({ ...draft, name: target.value })}
      />
      <TextField
        label={t('Description')}
        value={draft.description ?? ''}
        maxLength={1000}
        onChange={({ target }) => onChange({ ...draft, description: target.value || null })}
      />
      <Bar>
        <SelectField
          label={t('Add a report')}
          value=""
          options={[
            { value: '', title: t('Choose a report') },
            ...(query.data ?? []).map(({ id, name }) => ({ value: id, title: name })),
          ]}
          onChange={({ target }) => target.value !== '' && add({ reportId: target.value })}
        />
        <TextField
          label={t('Add a text')}
          value={text}
          maxLength={2000}
          onChange={({ target }) => setText(target.value)}
        />
        <Button
          disabled={text.trim() === ''}
          onClick={() => {
            add({ text });
            setText('');
          }}
        >
          {t('Add text')}
        </Button>
      </Bar>
    </>
  );
}
