import { useCall } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { usePageSearch } from '../../app/search.ts';
import { Chart, type ReportContent } from '../../components/chart.tsx';
import { CopyAs } from '../../components/copy-as.tsx';
import { DateFilter } from '../../components/field.tsx';
import { Bar, PageLayout, Section } from '../../components/layout.tsx';
import { ReportTable } from '../../components/report-table.tsx';
import { Loaded } from '../../components/state.tsx';
import { search } from './search.ts';

const DAY_MS = 86_400_000;
const SHOWN_DAYS = 30;

/** A local day of the browser, such as 2026-03-01. */
const dayOf = (at: number) => new Intl.DateTimeFormat('sv').format(new Date(at));

/** The volume, the response times and the ratings of conversations. */
export function Page() {
  const { project } = usePlace();
  const [{ from: chosenFrom, to: chosenTo }, setSearch] = usePageSearch(search);
  const to = chosenTo ?? dayOf(Date.now());
  const from = chosenFrom ?? dayOf(Date.now() - (SHOWN_DAYS - 1) * DAY_MS);
  const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const report = useCall(['getConversationReport', project.id, from, to], (client, options) =>
    client.call(
      'getConversationReport',
      { params: { projectId: project.id }, query: { from, to, timezone } },
      options,
    ),
  );
  const query = new URLSearchParams({ from, to, timezone });
  return (
    <PageLayout
      title={t('Inbox report')}
      actions={
        <CopyAs
          call={{
            method: 'GET',
            path: `/v1/projects/${encodeURIComponent(project.id)}/conversation-report?${query}`,
          }}
        />
      }
    >
      <Bar>
        <DateFilter label={t('From')} value={from} onChange={(day) => setSearch({ from: day })} />
        <DateFilter label={t('To')} value={to} onChange={(day) => setSearch({ to: day })} />
      </Bar>
      <Loaded query={report}>
        {({ volume, times, satisfaction }) => (
          <>
            <Part title={t('Volume')} content={named(volume, [t('Opened'), t('Resolved'), t('Rated')])} />
            <Part
              title={t('Median minutes to the first reply and to the resolution')}
              note={t('Office hours are not subtracted.')}
              content={named(times, [t('First reply'), t('Resolution')])}
            />
            <Part
              title={t('Satisfaction, from 1 to 5')}
              content={named(satisfaction, [t('Average rating')])}
            />
          </>
        )}
      </Loaded>
    </PageLayout>
  );
}

function Part({ title, note, content }: { title: string; note?: string; content: ReportContent }) {
  return (
    <Section title={title}>
      {note === undefined ? null : <p>{note}</p>}
      <Chart content={content} label={title} />
      <details>
        <summary>{t('Table')}</summary>
        <ReportTable content={content} name={title} hasPeople={() => false} />
      </details>
    </Section>
  );
}

/** Returns the content with series in the language of the page. */
function named(content: ReportContent, names: readonly string[]): ReportContent {
  if (content.kind !== 'line' && content.kind !== 'bar') return content;
  return {
    ...content,
    series: content.series.map((one, at) => ({ ...one, name: names[at] ?? one.name })),
  };
}
