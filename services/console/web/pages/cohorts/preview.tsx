import { useCall } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { clausesOf } from '../../clauses/draft.ts';
import { Facts } from '../../components/layout.tsx';
import { Failed } from '../../components/state.tsx';
import { Time } from '../../components/values.tsx';
import { useRested } from '../insights/rested.ts';
import { type Cohort, type CohortDraft, idsOf } from './draft.ts';

/** The people that are counted at most. Pages have 100. */
const MOST = 1_000;

/** How many people match the clauses, how many are listed, and how many fulfilled the conditions when last computed. */
export function Preview({ draft, saved }: { draft: CohortDraft; saved: Cohort | undefined }) {
  const { project, may } = usePlace();
  const where = useRested(JSON.stringify(clausesOf(draft.match)));
  const hasClauses = where !== '[]';
  const matching = useCall(
    ['listPeople', 'preview', project.id, where],
    async (client, options) => {
      const found: string[] = [];
      let cursor: string | null | undefined;
      while (cursor !== null && found.length < MOST) {
        const query = { where, ...(cursor !== undefined && { cursor }) };
        const page = await client.call('listPeople', { params: { projectId: project.id }, query }, options);
        found.push(...page.people.map(({ distinctId }) => distinctId));
        cursor = page.nextCursor;
      }
      return { found, isAll: cursor === null };
    },
    { enabled: hasClauses && may('people.read') },
  );
  const list = saved?.list;
  const count = matching.data?.found.length ?? 0;
  const examples = (matching.data?.found ?? []).slice(0, 3);
  return (
    <div role="status" aria-label={t('Size')}>
      {matching.error === null ? null : <Failed error={matching.error} />}
      <Facts
        facts={[
          ...(hasClauses
            ? [
                [
                  t('Match the traits'),
                  matching.data === undefined
                    ? '…'
                    : matching.data.isAll
                      ? [t('{count, plural, one {# person} other {# people}}', { count }), ...examples].join(
                          ' · ',
                        )
                      : [t('at least {count} people', { count }), ...examples].join(' · '),
                ] as const,
              ]
            : []),
          ...(draft.ids.trim() === ''
            ? []
            : [
                [
                  t('Listed'),
                  t('{count, plural, one {# person} other {# people}}', { count: idsOf(draft.ids).length }),
                ] as const,
              ]),
          ...(draft.did.length === 0
            ? []
            : [
                [
                  t('Did what the conditions say'),
                  list?.computedAt == null ? (
                    t('Counted within seconds of saving.')
                  ) : (
                    <span key="did">
                      {t('{count, plural, one {# person} other {# people}}', { count: list.size })} ·{' '}
                      <Time at={list.computedAt} />
                      {list.failure === undefined ? null : ` · ${list.failure}`}
                    </span>
                  ),
                ] as const,
              ]),
        ]}
      />
    </div>
  );
}
