import type { Result } from '@switchboard/management';
import { daysOfBuckets } from '@switchboard/report-content/buckets';
import { useCall } from '../../app/api.ts';
import { usePlace } from '../../app/project.ts';
import type { ChartMark, ReportContent } from '../../components/chart.tsx';

export type Annotation = Result<'listAnnotations'>['annotations'][number];

/** The days of a chart over time. Undefined for any other content. */
const daysOf = (content: ReportContent) =>
  'buckets' in content ? daysOfBuckets(content.buckets) : undefined;

/** Reads the annotations of the project and of the report on the days of a chart, with their marks on it. */
export function useAnnotations(content: ReportContent, reportId: string | undefined) {
  const { project, may } = usePlace();
  const days = daysOf(content);
  const [from, to] = [days?.[0]?.from, days?.at(-1)?.to];
  const range = from === undefined || to === undefined ? undefined : { from, to };
  const { data } = useCall(
    ['listAnnotations', project.id, reportId, range],
    (client, options) =>
      client.call(
        'listAnnotations',
        {
          params: { projectId: project.id },
          query: { ...(range ?? { from: '', to: '' }), ...(reportId !== undefined && { reportId }) },
        },
        options,
      ),
    { enabled: range !== undefined && may('annotations.read') },
  );
  const annotations = range === undefined ? [] : (data?.annotations ?? []);
  const marks = annotations.flatMap(({ startsOn, endsOn, text }, index): ChartMark[] => {
    const on = (days ?? []).map((day) => startsOn <= day.to && endsOn >= day.from);
    const first = on.indexOf(true);
    return first < 0 ? [] : [{ number: index + 1, first, last: on.lastIndexOf(true), title: text }];
  });
  return { annotations, marks, dayAt: (at: number) => days?.[at]?.from, hasAxis: range !== undefined };
}
