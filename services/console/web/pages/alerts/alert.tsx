import { useState } from 'react';
import { useCall, useChange } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { usePageSearch } from '../../app/search.ts';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { Bar, Facts, Section } from '../../components/layout.tsx';
import { Empty, Failed, Loaded, Partial } from '../../components/state.tsx';
import { Table } from '../../components/table.tsx';
import { short, Time } from '../../components/values.tsx';
import { Preview } from './preview.tsx';
import { search } from './search.ts';
import { type Alert, AlertState, isSnoozed, ruleWord } from './words.tsx';

const DAY_MS = 86_400_000;
const REFRESH_MS = 10_000;

/** An alert with its incidents and the last 90 days. Those who may change it snooze, edit and delete it. */
export function AlertDetail({ alert }: { alert: Alert }) {
  const { project, may } = usePlace();
  const [, setSearch] = usePageSearch(search);
  const [isDeleting, setIsDeleting] = useState(false);
  const params = { projectId: project.id, alertId: alert.id };
  const list = ['listAlerts', project.id];
  const snooze = useChange(
    (client, until: string | null) => client.call('snoozeAlert', { params, body: { until } }),
    { refresh: [list] },
  );
  const remove = useChange((client, _: undefined) => client.call('deleteAlert', { params }), {
    refresh: [list],
  });
  const failure = snooze.error ?? remove.error;
  const { name, query, rule, series, step, fireAfter, recoverAfter } = alert;
  const definition = { name, query, rule, series, step, fireAfter, recoverAfter };
  return (
    <>
      {failure === null ? null : <Failed error={failure} />}
      {alert.error === null ? null : <Partial text={alert.error} />}
      <Facts
        facts={[
          [t('State'), <AlertState key="state" alert={alert} />],
          [t('Fires when'), ruleWord(rule)],
          [t('Last value'), alert.value === null ? '–' : `${short(alert.value)} (${alert.evaluatedBucket})`],
          ...(isSnoozed(alert) && alert.snoozedUntil !== null
            ? [[t('Snoozed until'), <Time key="snoozed" at={alert.snoozedUntil} />] as const]
            : []),
        ]}
      />
      {may('alerts.write') ? (
        <Bar>
          <Button keys="e" onClick={() => setSearch({ edit: 'open' })}>
            {t('Edit alert')}
          </Button>
          {isSnoozed(alert) ? (
            <Button keys="h" onClick={() => snooze.mutate(null)}>
              {t('End snooze')}
            </Button>
          ) : (
            <Button keys="h" onClick={() => snooze.mutate(new Date(Date.now() + DAY_MS).toISOString())}>
              {t('Snooze for a day')}
            </Button>
          )}
          <Button keys="d" kind="danger" onClick={() => setIsDeleting(true)}>
            {t('Delete alert')}
          </Button>
        </Bar>
      ) : null}
      <Section title={t('Last 90 days')}>
        <Preview definition={definition} />
      </Section>
      <Section title={t('Incidents')}>
        <Incidents alertId={alert.id} />
      </Section>
      {isDeleting ? (
        <Confirm
          title={t('Delete this alert?')}
          action={t('Delete alert')}
          onClose={() => setIsDeleting(false)}
          onConfirm={() => {
            remove.mutate(undefined, { onSuccess: () => setSearch({ open: undefined }) });
            setIsDeleting(false);
          }}
        >
          <p>{t('Its incidents are deleted.')}</p>
        </Confirm>
      ) : null}
    </>
  );
}

function Incidents({ alertId }: { alertId: string }) {
  const { project } = usePlace();
  const alert = useCall(
    ['getAlert', project.id, alertId],
    (client, options) => client.call('getAlert', { params: { projectId: project.id, alertId } }, options),
    { refreshMs: REFRESH_MS },
  );
  return (
    <Loaded query={alert}>
      {({ incidents }) =>
        incidents.length === 0 ? (
          <Empty text={t('No incident yet.')} />
        ) : (
          <Table
            label={t('Incidents')}
            columns={[
              { title: t('Began'), cell: ({ startedAt }) => <Time at={startedAt} />, width: '104px' },
              {
                title: t('Ended'),
                cell: ({ endedAt }) => (endedAt === null ? t('lasts') : <Time at={endedAt} />),
                width: '104px',
              },
              {
                title: t('Value'),
                cell: ({ value }) => (value === null ? '–' : short(value)),
                width: '88px',
                align: 'end',
              },
              { title: t('Sent'), cell: ({ sent }) => (sent ? t('Yes') : t('No, snoozed')), minor: true },
            ]}
            rows={incidents}
            keyOf={({ id }) => id}
          />
        )
      }
    </Loaded>
  );
}
