import { useCall } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';

/** The people that are counted at most. Pages have 100. */
const MOST = 1_000;
const EXAMPLES = 3;

/** Counts the people who match clauses, which are JSON. `words` has the number and a few of them. */
export function useMatching(where: string, isWanted = true) {
  const { project, may } = usePlace();
  const query = useCall(
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
    { enabled: isWanted && where !== '[]' && may('people.read') },
  );
  const { found = [], isAll = true } = query.data ?? {};
  const count = found.length;
  const size = isAll
    ? t('{count, plural, one {# person} other {# people}}', { count })
    : t('at least {count} people', { count });
  return {
    error: query.error,
    isFetching: query.isFetching,
    words: query.data === undefined ? '…' : [size, ...found.slice(0, EXAMPLES)].join(' · '),
  };
}
