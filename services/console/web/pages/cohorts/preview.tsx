import { t } from '../../app/i18n.ts';
import { clausesOf } from '../../clauses/draft.ts';
import { Facts } from '../../components/layout.tsx';
import { Failed } from '../../components/state.tsx';
import { Time } from '../../components/values.tsx';
import { useRested } from '../insights/rested.ts';
import { type Cohort, type CohortDraft, idsOf } from './draft.ts';
import { useMatching } from './matching.ts';

/** How many people match the clauses, how many are listed, and how many fulfilled the conditions when last computed. */
export function Preview({ draft, saved }: { draft: CohortDraft; saved: Cohort | undefined }) {
  const where = useRested(JSON.stringify(clausesOf(draft.match)));
  const hasClauses = where !== '[]';
  const matching = useMatching(where);
  const list = saved?.list;
  return (
    <div role="status" aria-label={t('Size')}>
      {matching.error === null ? null : <Failed error={matching.error} />}
      <Facts
        facts={[
          ...(hasClauses ? [[t('Match the traits'), matching.words] as const] : []),
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
