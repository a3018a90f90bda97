import type { Input } from '@switchboard/management';
import { useCall } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { clausesOf } from '../../clauses/draft.ts';
import { Facts } from '../../components/layout.tsx';
import { Failed } from '../../components/state.tsx';
import { Time } from '../../components/values.tsx';
import { useRested } from '../insights/rested.ts';
import { type Cohort, type CohortDraft, definitionOf, idsOf } from './draft.ts';
import { useMatching } from './matching.ts';

const people = (count: number) => t('{count, plural, one {# person} other {# people}}', { count });

/** How many people match the clauses, how many are listed, and how many fulfil the conditions. */
export function Preview({ draft, saved }: { draft: CohortDraft; saved: Cohort | undefined }) {
  const where = useRested(JSON.stringify(clausesOf(draft.match)));
  const { did = [], combine = 'all' } = definitionOf(draft);
  const conditions = useRested(JSON.stringify({ did, combine }));
  const hasClauses = where !== '[]';
  const matching = useMatching(where);
  const fulfilling = useFulfilling(conditions);
  const list = saved?.list;
  return (
    <div role="status" aria-label={t('Size')}>
      {matching.error === null ? null : <Failed error={matching.error} />}
      {fulfilling.error === null ? null : <Failed error={fulfilling.error} />}
      <Facts
        facts={[
          ...(hasClauses ? [[t('Match the traits'), matching.words] as const] : []),
          ...(draft.ids.trim() === '' ? [] : [[t('Listed'), people(idsOf(draft.ids).length)] as const]),
          ...(did.length === 0 ? [] : [[t('Fulfil the conditions'), fulfilling.words] as const]),
          ...(list?.computedAt == null
            ? []
            : [
                [
                  t('Last computed'),
                  <span key="did">
                    {people(list.size)} · <Time at={list.computedAt} />
                    {list.failure === undefined ? null : ` · ${list.failure}`}
                  </span>,
                ] as const,
              ]),
        ]}
      />
    </div>
  );
}

/** Counts the people who fulfil conditions, which are JSON. */
function useFulfilling(conditions: string) {
  const { project } = usePlace();
  const body: Input<'countPeople'>['body'] = JSON.parse(conditions);
  const { data, error } = useCall(
    ['countPeople', project.id, conditions],
    (client, options) => client.call('countPeople', { params: { projectId: project.id }, body }, options),
    { enabled: body.did.length > 0 },
  );
  return { error, words: data === undefined ? '…' : people(data.size) };
}
