import type { EventImport } from '@switchboard/management';
import { useList } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { Badge } from '../../components/badge.tsx';
import { Code } from '../../components/code.tsx';
import { CopyAs } from '../../components/copy-as.tsx';
import { PageLayout } from '../../components/layout.tsx';
import { Empty, Loaded } from '../../components/state.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Count, Time } from '../../components/values.tsx';

const REFRESH_MS = 2_000;
/** A part takes seconds, also while the archive is busy. */
const RUNNING_MS = 120_000;

/** Lists the imports of events, and how far each is. */
export function Page() {
  const { project } = usePlace();
  const params = { projectId: project.id };
  const { query, more } = useList(
    ['listImports', project.id],
    async (client, cursor, options) => {
      const { imports, nextCursor } = await client.call('listImports', { params, query: cursor }, options);
      return { items: imports, nextCursor };
    },
    { refreshMs: REFRESH_MS },
  );
  const command = `switchboard import events posthog export.jsonl --project ${project.id}`;
  return (
    <PageLayout
      title={t('Imports')}
      actions={
        <CopyAs
          call={{ method: 'GET', path: `/v1/projects/${encodeURIComponent(project.id)}/imports` }}
          command={command}
        />
      }
    >
      <Loaded query={query}>
        {(imports) =>
          imports.length === 0 ? (
            <Empty
              text={t(
                'No events were imported yet. The command imports exports of Amplitude, Mixpanel, PostHog and Segment, and CSV files. With --dry-run it only counts.',
              )}
            >
              <Code text={`${command} --dry-run`} name={t('the command')} />
            </Empty>
          ) : (
            <Table
              label={t('Imports')}
              columns={columns()}
              rows={imports}
              keyOf={({ id }) => id}
              more={more}
            />
          )
        }
      </Loaded>
    </PageLayout>
  );
}

const columns = (): Column<EventImport>[] => [
  { title: t('File'), cell: ({ name }) => <span title={name}>{name}</span> },
  { title: t('Source'), cell: ({ source }) => source, width: '104px', minor: true },
  { title: t('State'), cell: (one) => <State imported={one} />, width: '152px' },
  {
    title: t('Events'),
    cell: ({ events }) => <Count value={events} />,
    width: '88px',
    align: 'end',
  },
  { title: t('Started'), cell: ({ startedAt }) => <Time at={startedAt} />, width: '112px', minor: true },
];

function State({ imported: { parts, totalParts, updatedAt } }: { imported: EventImport }) {
  if (totalParts !== null && parts >= totalParts) return <Badge tone="good">{t('Complete')}</Badge>;
  if (Date.now() - Date.parse(updatedAt) < RUNNING_MS) {
    return <Badge>{parts === 1 ? t('1 part so far') : t('{parts} parts so far', { parts })}</Badge>;
  }
  return (
    <span title={t('Run the same command again. It continues after the last part.')}>
      <Badge tone="warning">{t('Interrupted')}</Badge>
    </span>
  );
}
