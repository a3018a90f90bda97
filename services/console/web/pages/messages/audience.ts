import type { Client } from '@switchboard/management';
import { useCall } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { type ClauseDraft, clausesOf } from '../../clauses/draft.ts';
import { useRested } from '../insights/rested.ts';

/** The people that a message can name. */
export const MAX_PEOPLE = 10_000;
/** The people that are counted while a message is written. */
const MAX_COUNTED = 1_000;

export interface Audience {
  kind: 'everyone' | 'cohort' | 'matching';
  cohort: string;
  clauses: ClauseDraft[];
}

interface Found {
  ids: string[];
  isAll: boolean;
}

/** Returns the filter of an audience. Undefined for everyone, and while it is incomplete. */
function filterOf({ kind, cohort, clauses }: Audience): { cohort: string } | { where: string } | undefined {
  if (kind === 'cohort') return cohort === '' ? undefined : { cohort };
  const where = clausesOf(clauses);
  return kind === 'everyone' || where.length === 0 ? undefined : { where: JSON.stringify(where) };
}

/** Whether a message can be sent to the audience. */
export const isComplete = (audience: Audience): boolean =>
  audience.kind === 'everyone' || filterOf(audience) !== undefined;

interface FindOptions {
  projectId: string;
  audience: Audience;
  most: number;
  signal?: AbortSignal;
}

async function find(client: Client, { projectId, audience, most, signal }: FindOptions): Promise<Found> {
  const query = filterOf(audience);
  const ids: string[] = [];
  if (query === undefined) return { ids, isAll: true };
  let cursor: string | null | undefined;
  while (cursor !== null && ids.length <= most) {
    const page = await client.call(
      'listPeople',
      { params: { projectId }, query: { ...query, ...(cursor !== undefined && { cursor }) } },
      signal === undefined ? {} : { signal },
    );
    ids.push(...page.people.map(({ distinctId }) => distinctId));
    cursor = page.nextCursor;
  }
  return { ids: ids.slice(0, most), isAll: cursor === null && ids.length <= most };
}

/** Reads the first people of an audience, to show its size. */
export function useSize(audience: Audience) {
  const { project } = usePlace();
  const rested = useRested(JSON.stringify(filterOf(audience) ?? null));
  return useCall(
    ['listPeople', 'audience', project.id, rested],
    (client, { signal }) => find(client, { projectId: project.id, audience, most: MAX_COUNTED, signal }),
    { enabled: rested !== 'null' },
  );
}

/** Returns the distinct ids to send to. Undefined is everyone. Throws if there are no people, or too many. */
export async function recipientsOf(
  client: Client,
  projectId: string,
  audience: Audience,
): Promise<string[] | undefined> {
  if (audience.kind === 'everyone') return undefined;
  const { ids, isAll } = await find(client, { projectId, audience, most: MAX_PEOPLE });
  if (ids.length === 0) throw new Error(t('The audience has no people. Change it, then send again.'));
  if (!isAll)
    throw new Error(
      t('The audience has more than {most} people. Narrow it, or send to everyone.', { most: MAX_PEOPLE }),
    );
  return ids;
}
