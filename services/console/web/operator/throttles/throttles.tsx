import type { Throttle } from '@switchboard/management';
import { useState } from 'react';
import { useChange, useList } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { CopyAs } from '../../components/copy-as.tsx';
import { FormDialog } from '../../components/dialog.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import { PageLayout } from '../../components/layout.tsx';
import { Empty, Failed, Loaded } from '../../components/state.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Count, Time } from '../../components/values.tsx';

const KEY = ['listThrottles'];
const NEW = { projectId: '', eventsPerSecond: 100 };
type Fields = typeof NEW;

/** The projects that are throttled. */
export function Page() {
  const [edited, setEdited] = useState<Fields>();
  const { query, more } = useList(KEY, async (client, cursor, options) => {
    const { throttles, nextCursor } = await client.call('listThrottles', { query: cursor }, options);
    return { items: throttles, nextCursor };
  });
  const remove = useChange(
    (client, projectId: string) => client.call('deleteThrottle', { params: { projectId } }),
    { refresh: [KEY] },
  );
  const columns: Column<Throttle>[] = [
    { title: t('Project'), cell: ({ projectId }) => projectId },
    { title: t('Accepts'), cell: (throttle) => <Rate throttle={throttle} />, width: '176px' },
    { title: t('Since'), cell: ({ createdAt }) => <Time at={createdAt} />, width: '112px', minor: true },
    {
      title: t('Actions'),
      cell: ({ projectId }) => (
        <Button disabled={remove.isPending} onClick={() => remove.mutate(projectId)}>
          {t('End throttle')}
        </Button>
      ),
      width: '136px',
      align: 'end',
    },
  ];
  return (
    <PageLayout
      title={t('Throttles')}
      actions={
        <>
          <CopyAs command="switchboard projects throttled" />
          <Button keys="c" kind="primary" onClick={() => setEdited(NEW)}>
            {t('Throttle project')}
          </Button>
        </>
      }
    >
      {remove.error === null ? null : <Failed error={remove.error} />}
      <Loaded query={query}>
        {(throttles) =>
          throttles.length === 0 ? (
            <Empty
              text={t('No project is throttled. Throttle one that sends more than the deployment can take.')}
            />
          ) : (
            <Table
              label={t('Throttles')}
              columns={columns}
              rows={throttles}
              keyOf={({ projectId }) => projectId}
              onOpen={({ projectId, eventsPerSecond }) => setEdited({ projectId, eventsPerSecond })}
              more={more}
            />
          )
        }
      </Loaded>
      {edited === undefined ? null : <Edit throttle={edited} onClose={() => setEdited(undefined)} />}
    </PageLayout>
  );
}

function Rate({ throttle: { eventsPerSecond } }: { throttle: Throttle }) {
  if (eventsPerSecond === 0) return <Badge tone="danger">{t('Nothing: events are dropped')}</Badge>;
  return (
    <>
      <Count value={eventsPerSecond} /> {t('a second')}
    </>
  );
}

function Edit({ throttle, onClose }: { throttle: Fields; onClose: () => void }) {
  const [projectId, setProjectId] = useState(throttle.projectId);
  const [drops, setDrops] = useState(throttle.eventsPerSecond === 0);
  const [rate, setRate] = useState(String(throttle.eventsPerSecond || NEW.eventsPerSecond));
  const save = useChange(
    (client, { projectId: id, ...body }: Fields) =>
      client.call('putThrottle', { params: { projectId: id }, body }),
    { refresh: [KEY] },
  );
  return (
    <FormDialog
      title={t('Throttle project')}
      action={drops ? t('Drop events') : t('Throttle project')}
      kind={drops ? 'danger' : 'primary'}
      disabled={save.isPending}
      onClose={onClose}
      onSubmit={() =>
        save.mutate({ projectId, eventsPerSecond: drops ? 0 : Number(rate) }, { onSuccess: onClose })
      }
    >
      {save.error === null ? null : <Failed error={save.error} />}
      <TextField
        label={t('Project id')}
        value={projectId}
        required
        readOnly={throttle.projectId !== ''}
        maxLength={200}
        onChange={({ target }) => setProjectId(target.value)}
      />
      <SelectField
        label={t('Above the rate')}
        value={drops ? 'drop' : 'later'}
        options={[
          { value: 'later', title: t('Answer 429, so that SDKs send again later') },
          { value: 'drop', title: t('Accept and drop everything: the data is lost') },
        ]}
        onChange={({ target }) => setDrops(target.value === 'drop')}
      />
      {drops ? null : (
        <TextField
          label={t('Events a second, in each region')}
          type="number"
          min={1}
          max={1_000_000}
          step={1}
          required
          value={rate}
          onChange={({ target }) => setRate(target.value)}
        />
      )}
    </FormDialog>
  );
}
