import { RotateCw } from 'lucide-react';
import { useState } from 'react';
import { useCall, useChange } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { onUse } from '../../app/on-use.tsx';
import { usePlace } from '../../app/project.ts';
import { Button } from '../../components/button.tsx';
import { Facts, Section } from '../../components/layout.tsx';
import { Failed, Loaded, Partial } from '../../components/state.tsx';
import { Time } from '../../components/values.tsx';

const RunHistory = onUse(async () => (await import('./run-history.tsx')).RunHistory);

const REFRESH_MS = 10_000;

/** When a report ran for its public link and dashboards, and why it failed since. */
export function Runs({ reportId, hasQuery }: { reportId: string; hasQuery: boolean }) {
  const { project, may } = usePlace();
  const [isOpen, setIsOpen] = useState(false);
  const params = { projectId: project.id, reportId };
  const key = ['getReportRunState', project.id, reportId];
  const state = useCall(key, (client, options) => client.call('getReportRunState', { params }, options), {
    refreshMs: REFRESH_MS,
  });
  const run = useChange((client, _: undefined) => client.call('runReport', { params }), { refresh: [key] });
  return (
    <Section title={t('Runs')}>
      <Loaded query={state}>
        {({ ranAt, failure }) => (
          <>
            <Facts
              facts={[
                [t('Last run'), ranAt === null ? t('It has not run yet.') : <Time key="at" at={ranAt} />],
              ]}
            />
            {failure === null ? null : (
              <Partial text={t('The last run failed: {reason}', { reason: failure.message })} />
            )}
          </>
        )}
      </Loaded>
      {run.error === null ? null : <Failed error={run.error} />}
      {hasQuery && may('reports.write') ? (
        <div>
          <Button keys="r" icon={RotateCw} disabled={run.isPending} onClick={() => run.mutate(undefined)}>
            {t('Run report')}
          </Button>
          {run.isSuccess ? <span role="status"> {t('The run is queued.')}</span> : null}
        </div>
      ) : null}
      <details open={isOpen} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
        <summary>{t('History of runs')}</summary>
        {isOpen ? <RunHistory reportId={reportId} /> : null}
      </details>
    </Section>
  );
}
