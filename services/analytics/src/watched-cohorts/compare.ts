import { BadRequest, Unavailable } from '@switchboard/http';
import { z } from 'zod';
import type { ListedMembers } from '../cohort-lists/listed-members.ts';
import { sizesOf } from '../cohort-lists/plan.ts';
import type { CohortKey } from '../cohort-members/store.ts';
import type { Dialect } from '../engine/dialect.ts';
import type { Engine, Facts } from '../engine/engine.ts';
import { COMMA, integer, join, type Sql, sql, text, whole } from '../engine/sql.ts';
import { peopleOfCohorts } from '../people/people.ts';
import type { CohortOnFile, PeopleStore } from '../people/store.ts';
import type { QueryQueue } from '../query-queue/query-queue.ts';
import { type Source, selectEvents } from '../selection/events.ts';
import type { Differences } from '../watched-people/store.ts';

/** The members of a cohort, and how they differ from the stored ones while the facts exist. */
export interface Comparison {
  members: number;
  differences: AsyncIterable<Differences>;
}

/** Receives the result for each cohort, or the error that its comparison threw. */
type Receive = (id: string, result: Comparison | { error: unknown }) => Promise<void>;

/** Compares the members of cohorts of a project with the stored ones. Throws Unavailable and BadRequest. */
export type Compare = (
  projectId: string,
  ids: readonly string[],
  receive: Receive,
  signal: AbortSignal,
) => Promise<void>;

interface CompareOptions {
  queue: Pick<QueryQueue, 'find' | 'run'>;
  engine: Pick<Engine, 'createFacts' | 'dialect' | 'query'>;
  store: Pick<PeopleStore, 'cohorts'>;
  listed: ListedMembers;
  /** Returns a page of the ids of a project that sent an event or an identify call, in order. */
  knownIds(projectId: string, after: string, limit: number): Promise<string[]>;
  /** Returns a page of the stored members of a cohort, in order. */
  storedPeople(cohort: CohortKey, after: string, limit: number): Promise<string[]>;
  /** Default: a million. */
  maxMembers?: number;
}

const MAX_MEMBERS = 1_000_000;
const PAGE_SIZE = 20_000;
/** Differences of more people are read in sixteenths. */
const READ_AT_ONCE = 50_000;
const NARROWING = { parameter: 'match', by: 'fewer conditions', filter: 'did' };
const HEX = [...'0123456789abcdef'];
/** The `k` of ids before they are named by their person. */
const IDS = -1;

/** The `k` of the people of a cohort: its members now, the stored ids, and the persons of these. */
const factsOf = (index: number) => ({ now: 3 * index, stored: 3 * index + 1, persons: 3 * index + 2 });
type Numbers = ReturnType<typeof factsOf>;

const sizeRows = z.array(z.object({ k: z.number(), size: z.number() }));
const differenceRows = z.array(
  z.object({ p: z.string(), now: z.number(), stored: z.number(), person: z.number() }),
);

/** Creates a function that computes the members of cohorts as insights do, from one query. */
export function createCompare(options: CompareOptions): Compare {
  const { queue, engine, store, listed, knownIds, storedPeople, maxMembers = MAX_MEMBERS } = options;

  async function addPages(
    facts: Facts,
    k: number,
    pageAfter: (after: string) => Promise<string[]>,
    signal: AbortSignal,
  ): Promise<void> {
    for (let after: string | undefined = ''; after !== undefined; ) {
      signal.throwIfAborted();
      const page: string[] = await pageAfter(after);
      if (page.length > 0) await facts.addPeople(k, page, signal);
      after = page.length < PAGE_SIZE ? undefined : page.at(-1);
    }
  }

  /** Adds the members of cohorts, and the persons of the stored ids, by the same knowledge of who is one person. */
  async function addMembers(
    projectId: string,
    found: readonly CohortOnFile[],
    facts: Facts,
    signal: AbortSignal,
  ): Promise<void> {
    const { cohorts, lists, wanted } = peopleOfCohorts(found);
    // Longer than a question may take, because the traits of many people are read at once, and no one waits.
    const bounds = { signal, narrowing: NARROWING };
    const sources = await queue.find({ projectId, names: [], people: wanted, readsPersons: true }, bounds);
    await queue.run(
      projectId,
      sources,
      (source) =>
        listed.read(projectId, { cohorts, lists }, signal, async (known) => {
          const own = { ...source, hasBots: true, cohorts: new Map(known) };
          for (const [id, { did, ...cohort }] of known)
            own.cohorts.set(id, {
              ...cohort,
              did: did && { ...did, members: personsOf(did.members, source.personIds) },
            });
          await facts.add(membersOf(own, [...cohorts.keys()], facts.relation), signal);
          for (const index of found.keys()) {
            const { stored, persons } = factsOf(index);
            const ids = sql`select p from ${facts.relation} as facts where k = ${integer(stored)}`;
            const people = personsOf(ids, source.personIds);
            await facts.add(sql`select ${integer(persons)} as k, p from (${people}) as people`, signal);
          }
        }),
      bounds,
    );
  }

  async function* differencesOf(
    numbers: Numbers,
    count: number,
    facts: Facts,
    signal: AbortSignal,
  ): AsyncGenerator<Differences> {
    for (const within of count > READ_AT_ONCE ? HEX : [undefined]) {
      const query = differencesIn(engine.dialect, numbers, within, facts.relation);
      const rows = differenceRows.parse(await engine.query(query, signal));
      const idsOf = (is: (row: (typeof rows)[number]) => boolean) => rows.filter(is).map(({ p }) => p);
      yield {
        added: idsOf(({ now, stored }) => now > stored),
        removed: idsOf(({ now, stored }) => now < stored),
        entered: idsOf(({ now, person }) => now > person),
        left: idsOf(({ now, person }) => now < person),
      };
    }
  }

  return async (projectId, ids, receive, signal) => {
    const known = await store.cohorts(projectId, ids);
    const found: CohortOnFile[] = [];
    for (const id of ids) {
      const cohort = known.find((one) => one.id === id);
      const error = faultOf(cohort);
      if (cohort === undefined || error !== undefined) await receive(id, { error });
      else found.push(cohort);
    }
    if (found.length === 0) return;
    const facts = await engine.createFacts(signal);
    try {
      await addPages(facts, IDS, (after) => knownIds(projectId, after, PAGE_SIZE), signal);
      for (const [index, { id, distinctIds }] of found.entries()) {
        if (distinctIds.length > 0) await facts.addPeople(IDS, distinctIds, signal);
        const pageAfter = (after: string) => storedPeople({ projectId, id }, after, PAGE_SIZE);
        await addPages(facts, factsOf(index).stored, pageAfter, signal);
      }
      await addMembers(projectId, found, facts, signal);
      const all = [...found.keys()].map(factsOf);
      const numbers = all.flatMap(({ now, stored }) => [now, stored]);
      const rows = await engine.query(sizesOf(engine.dialect, numbers, facts.relation), signal);
      const sizes = new Map(sizeRows.parse(rows).map(({ k, size }) => [k, size]));
      for (const [index, { id }] of found.entries()) {
        const own = factsOf(index);
        const members = sizes.get(own.now) ?? 0;
        const differences = differencesOf(own, members + (sizes.get(own.stored) ?? 0), facts, signal);
        await receive(id, members > maxMembers ? { error: tooMany(maxMembers) } : { members, differences });
      }
    } finally {
      await facts.drop();
    }
  };
}

const tooMany = (most: number) =>
  new BadRequest(`The cohort has more than ${most.toLocaleString('en')} members.`);

function faultOf(cohort: CohortOnFile | undefined): Error | undefined {
  if (cohort === undefined) return new BadRequest('The project has no cohort with this id.');
  if (cohort.isTooLarge) return new BadRequest('The cohort is too large.');
  const isMissing = cohort.did !== undefined && cohort.computedAt === undefined;
  return isMissing ? new Unavailable('The list of the cohort is not computed yet.') : undefined;
}

/** Returns a query of the persons of ids, each once. */
function personsOf(ids: Sql, personIds: Sql | undefined): Sql {
  return personIds === undefined
    ? ids
    : sql`select distinct coalesce(own.person_id, ids.p) as p
        from (${ids}) as ids left join ${personIds} as own on own.distinct_id = ids.p`;
}

/** Returns a query of the members of cohorts as facts: the people of events that would fulfill their conditions. */
function membersOf(source: Source, ids: readonly string[], facts: Sql): Sql {
  const { dialect, projectId } = source;
  // One event of each id.
  const events = sql`(select ${text(projectId)} as project_id, '' as event_id, '' as event_name, p as distinct_id,
    ${dialect.instant(0)} as occurred_at from ${facts} as facts where k = ${integer(IDS)})`;
  const choices = ids.map((id) => ({
    event: '',
    where: [{ attribute: 'distinct_id', op: 'in_cohort' as const, value: id }],
  }));
  const selected = selectEvents({ source: { ...source, events }, names: undefined, where: [] }, choices);
  const members = choices.map(
    (choice, index) =>
      sql`case when ${selected.matches(choice)} then ${integer(factsOf(index).now)} else ${integer(-1)} end`,
  );
  return sql`select k, p from (
      select ${dialect.elements(sql`[${join(members, COMMA)}]`)} as k, p from (${selected.relation}) as known) as members
    where k >= 0 group by k, p`;
}

/**
 * Returns a query of the people of whom these differ: whether they are a member, whether their id is stored, and whether
 * any of their ids is.
 */
function differencesIn(
  dialect: Dialect,
  { now, stored, persons }: Numbers,
  within: string | undefined,
  facts: Sql,
): Sql {
  const isWithin = within === undefined ? sql`` : sql` and ${dialect.md5Prefix(sql`p`, 1)} = ${text(within)}`;
  const is = (k: number) => sql`max(case when k = ${whole(k)} then 1 else 0 end)::integer`;
  return sql`select p, is_member as now, is_stored as stored, is_person as person from (
      select p, ${is(now)} as is_member, ${is(stored)} as is_stored, ${is(persons)} as is_person
      from ${facts} as facts where k in (${join([now, stored, persons].map(whole), COMMA)})${isWithin}
      group by p) as people
    where is_member <> is_stored or is_member <> is_person`;
}
