import type { FlagUsage, Result } from '@switchboard/management';
import { useCall } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { Chart, type ReportContent } from '../../components/chart.tsx';
import { Section } from '../../components/layout.tsx';
import { Empty, Loaded } from '../../components/state.tsx';
import { Table } from '../../components/table.tsx';
import { Count, percent, Time } from '../../components/values.tsx';
import styles from './flag-usage.module.css';
import { useFlagUsage } from './use-usage.ts';

type Points = Result<'getFlagUsage'>['points'];

const DAYS = 30;
const DAY_MS = 86_400_000;

/** How often a flag served each variation, and why it is stale. */
export function Usage({ flagKey }: { flagKey: string }) {
  const { project } = usePlace();
  const usage = useFlagUsage().get(flagKey);
  const query = useCall(['getFlagUsage', project.id, flagKey], (client, options) =>
    client.call(
      'getFlagUsage',
      { params: { projectId: project.id, key: flagKey }, query: { interval: 'day', days: DAYS } },
      options,
    ),
  );
  return (
    <>
      {usage?.stale == null ? null : <p className={styles['stale']}>{staleWords(usage)}</p>}
      <Section title={t('Evaluations by day')}>
        <Loaded query={query}>
          {({ points }) =>
            points.length === 0 ? (
              <Empty text={t('No evaluation in the last 30 days. Counts arrive within two minutes.')} />
            ) : (
              <Chart content={contentOf(points)} label={t('Evaluations by day')} height={220} />
            )
          }
        </Loaded>
      </Section>
      {usage === undefined || usage.variations.length === 0 ? null : (
        <Section title={t('Variations')}>
          <Table
            label={t('Variations')}
            rows={usage.variations}
            keyOf={({ variation }) => variation}
            columns={[
              { title: t('Variation'), cell: ({ variation }) => variation },
              {
                title: t('Last 7 days'),
                cell: ({ evaluations }) => <Count value={evaluations} />,
                width: '112px',
                align: 'end',
              },
              {
                title: t('Share'),
                cell: ({ evaluations }) =>
                  usage.evaluations === 0 ? '–' : percent(evaluations / usage.evaluations),
                width: '88px',
                align: 'end',
                minor: true,
              },
              {
                title: t('Last seen'),
                cell: ({ lastSeenAt }) => <Time at={lastSeenAt} />,
                width: '128px',
              },
            ]}
          />
        </Section>
      )}
    </>
  );
}

function staleWords({ stale }: FlagUsage): string {
  switch (stale?.reason) {
    case 'one_variation':
      return t('Stale: it served only {variation} for 14 days and did not change for 30.', {
        variation: stale.variation,
      });
    case 'not_evaluated':
      return t('Stale: it was not evaluated for 14 days and did not change for 30.');
    default:
      return t('Stale: it is older than its purpose allows.');
  }
}

/** Returns bars of the last days, in UTC, with a series for each variation. */
function contentOf(points: Points): ReportContent {
  const byDay = new Map(points.map(({ at, evaluations }) => [at.slice(0, 10), evaluations]));
  const buckets = Array.from({ length: DAYS }, (_, index) =>
    new Date(Date.now() - (DAYS - 1 - index) * DAY_MS).toISOString().slice(0, 10),
  );
  const names = [...new Set(points.flatMap(({ evaluations }) => Object.keys(evaluations)))].sort();
  const series = names.map((name) => ({
    name,
    values: buckets.map((day) => byDay.get(day)?.[name] ?? 0),
  }));
  return { kind: 'bar', buckets, interval: 'day', series };
}
