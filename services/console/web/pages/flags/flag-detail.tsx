import type { FlagEntry, FlagVersion } from '@switchboard/management';
import { useList } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { Badge } from '../../components/badge.tsx';
import { Id } from '../../components/code.tsx';
import { CopyAs } from '../../components/copy-as.tsx';
import { Facts, Section } from '../../components/layout.tsx';
import { Empty, Loaded } from '../../components/state.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Time } from '../../components/values.tsx';

/** A flag: its state, rules and variations, and its history. */
export function FlagDetail({ flag }: { flag: FlagEntry }) {
  const { project } = usePlace();
  const { key, enabled, rolloutPercentage, description, intent, targeting = [], variations = [] } = flag;
  const path = `/v1/projects/${encodeURIComponent(project.id)}/flags/${encodeURIComponent(key)}`;
  return (
    <>
      <Facts
        facts={[
          [t('Key'), <Id key="key" value={key} name={t('key')} />],
          [
            t('State'),
            <Badge key="state" tone={enabled ? 'good' : 'plain'}>
              {enabled ? t('On') : t('Off')}
            </Badge>,
          ],
          [t('Rollout'), t('{percent}% of the people that the rules select', { percent: rolloutPercentage })],
          [t('Intent'), intent ?? '–'],
          [t('Description'), description ?? '–'],
          [
            t('Call'),
            <CopyAs
              key="call"
              call={{ method: 'GET', path }}
              command={`switchboard get flag ${project.id} ${key}`}
            />,
          ],
        ]}
      />
      <Section title={t('Rules')}>
        {targeting.length === 0 ? (
          <p>{t('The flag applies to everyone.')}</p>
        ) : (
          <ul>
            {targeting.map((clause) => (
              <li key={JSON.stringify(clause)}>
                <code>{clause.attribute}</code> {operators()[clause.op]}{' '}
                {clause.value === undefined ? null : <code>{JSON.stringify(clause.value)}</code>}
              </li>
            ))}
          </ul>
        )}
      </Section>
      {variations.length === 0 ? null : (
        <Section title={t('Variations')}>
          <Table
            label={t('Variations')}
            columns={variationColumns()}
            rows={variations}
            keyOf={(one) => one.key}
          />
        </Section>
      )}
      <History flagKey={key} />
    </>
  );
}

/** The operators in words. */
const operators = (): Record<NonNullable<FlagEntry['targeting']>[number]['op'], string> => ({
  eq: t('is'),
  neq: t('is not'),
  in: t('is one of'),
  not_in: t('is none of'),
  contains: t('contains'),
  gt: t('is greater than'),
  gte: t('is at least'),
  lt: t('is less than'),
  lte: t('is at most'),
  is_set: t('is set'),
  is_not_set: t('is not set'),
  in_cohort: t('is in cohort'),
  not_in_cohort: t('is not in cohort'),
});

const variationColumns = (): Column<NonNullable<FlagEntry['variations']>[number]>[] => [
  { title: t('Variation'), cell: ({ key }) => key },
  { title: t('Value'), cell: ({ value }) => <code>{JSON.stringify(value)}</code> },
  { title: t('Weight'), cell: ({ weight }) => weight, width: '80px', align: 'end' },
];

function History({ flagKey }: { flagKey: string }) {
  const { project } = usePlace();
  const { query, more } = useList(
    ['listFlagVersions', project.id, flagKey],
    async (client, cursor, options) => {
      const { versions, nextCursor } = await client.call(
        'listFlagVersions',
        { params: { projectId: project.id, key: flagKey }, query: cursor },
        options,
      );
      return { items: versions, nextCursor };
    },
  );
  return (
    <Section title={t('History')}>
      <Loaded query={query}>
        {(versions) =>
          versions.length === 0 ? (
            <Empty text={t('The flag has not changed since it was created.')} />
          ) : (
            <Table
              label={t('History')}
              columns={versionColumns()}
              rows={versions}
              keyOf={({ version }) => String(version)}
              more={more}
            />
          )
        }
      </Loaded>
    </Section>
  );
}

const versionColumns = (): Column<FlagVersion>[] => [
  { title: t('Version'), cell: ({ version }) => version, width: '80px', align: 'end' },
  { title: t('Changed'), cell: ({ changes }) => changes.map(({ property }) => property).join(', ') || '–' },
  { title: t('By'), cell: ({ author }) => author ?? t('unknown') },
  { title: t('Time'), cell: ({ at }) => <Time at={at} />, width: '104px' },
];
