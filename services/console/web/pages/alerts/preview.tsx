import { useCall } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { Chart, type ReportContent } from '../../components/chart.tsx';
import { Empty, Loaded } from '../../components/state.tsx';
import type { Definition, Preview as Found } from './words.tsx';

/** The most buckets that a chart draws. */
const MAX_BUCKETS = 400;

/** Draws the values of the last 90 days with the incidents that an alert would have had. */
export function Preview({ definition }: { definition: Definition }) {
  const { project } = usePlace();
  const preview = useCall(['previewAlert', project.id, definition], (client, options) =>
    client.call('previewAlert', { params: { projectId: project.id }, body: definition }, options),
  );
  return (
    <Loaded query={preview}>
      {(found) =>
        found.points.length === 0 ? (
          <Empty text={t('No period is complete yet.')} />
        ) : (
          <>
            <Chart
              content={contentOf(found, definition)}
              label={definition.name}
              height={200}
              marks={marksOf(found)}
            />
            <p>
              {t(
                '{count, plural, =0 {It would not have fired.} one {It would have fired once.} other {It would have fired # times.}}',
                { count: found.incidents.length },
              )}
            </p>
          </>
        )
      }
    </Loaded>
  );
}

const drawn = ({ points }: Found) => points.slice(-MAX_BUCKETS);

function contentOf(found: Found, { rule }: Definition): ReportContent {
  const points = drawn(found);
  const expected = points.some((point) => point.expected !== null)
    ? [
        {
          name: rule.kind === 'threshold' ? t('Limit') : t('Compared with'),
          values: points.map((point) => point.expected),
        },
      ]
    : [];
  return {
    kind: 'line',
    buckets: points.map(({ bucket }) => bucket),
    series: [{ name: t('Value'), values: points.map(({ value }) => value) }, ...expected],
  };
}

function marksOf(found: Found) {
  const buckets = drawn(found).map(({ bucket }) => bucket);
  return found.incidents.flatMap(({ startedBucket, endedBucket }, index) => {
    const last = endedBucket === null ? buckets.length - 1 : buckets.indexOf(endedBucket) - 1;
    if (last < 0) return [];
    const first = Math.max(0, buckets.indexOf(startedBucket));
    return [{ number: index + 1, first, last, title: `${startedBucket} – ${endedBucket ?? ''}` }];
  });
}
