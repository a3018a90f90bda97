import { compileRuleset, evaluateAll, type Reason } from '@switchboard/flag-engine';
import type { InsightPerson } from '@switchboard/management';
import { useCall } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { Badge } from '../../components/badge.tsx';
import { Section } from '../../components/layout.tsx';
import { Empty, Loaded } from '../../components/state.tsx';
import { type Column, Table } from '../../components/table.tsx';

interface SeenFlag {
  key: string;
  value: string;
  isOn: boolean;
  why: string;
}

/** The flags as a person sees them, and why, by the rules of the evaluator. `narrow` leaves the reason to the title. */
export function PersonFlags({ person, narrow = false }: { person: InsightPerson; narrow?: boolean }) {
  const { project } = usePlace();
  const query = useCall(['listFlags', project.id], (client, options) =>
    client.call('listFlags', { params: { projectId: project.id } }, options),
  );
  const columns: Column<SeenFlag>[] = [
    { title: t('Flag'), cell: ({ key, why }) => <span title={why}>{key}</span> },
    {
      title: t('Value'),
      cell: ({ value, isOn }) => (
        <span title={value}>
          <Badge tone={isOn ? 'good' : 'plain'}>{value}</Badge>
        </span>
      ),
      width: narrow ? '45%' : '112px',
    },
    ...(narrow ? [] : [{ title: t('Why'), cell: ({ why }: SeenFlag) => <span title={why}>{why}</span> }]),
  ];
  return (
    <Section title={t('Flags')}>
      <Loaded query={query}>
        {({ flags }) => {
          const answer = evaluateAll(compileRuleset(flags), {
            distinctId: person.distinctId,
            traits: person.traits,
            groups: Object.fromEntries(person.groups.map(({ type, traits }) => [type, traits])),
            cohorts: new Set(person.cohorts),
          });
          const seen = flags.map(({ key }): SeenFlag => {
            const value = answer.flags[key];
            const reason = answer.reasons[key];
            return {
              key,
              value: typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null'),
              isOn: reason === 'MATCH',
              why: reason === undefined ? '–' : whyOf(reason),
            };
          });
          return seen.length === 0 ? (
            <Empty text={t('This project has no flag.')} />
          ) : (
            <Table label={t('Flags')} columns={columns} rows={seen} keyOf={({ key }) => key} />
          );
        }}
      </Loaded>
    </Section>
  );
}

function whyOf(reason: Reason): string {
  switch (reason) {
    case 'MATCH':
      return t('Matches');
    case 'DISABLED':
      return t('Flag is off');
    case 'PREREQUISITE_FAILED':
      return t('Prerequisite not met');
    case 'TARGETING_MISS':
      return t('Targeting not met');
    case 'ROLLOUT_MISS':
      return t('Outside the rollout');
    case 'ERROR':
      return t('Cannot be evaluated');
  }
}
