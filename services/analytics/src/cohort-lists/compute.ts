import { BadRequest } from '@switchboard/http';
import type { Clock } from '@switchboard/runtime';
import { z } from 'zod';
import type { Engine, Facts } from '../engine/engine.ts';
import { sql, text } from '../engine/sql.ts';
import type { QueryQueue } from '../query-queue/query-queue.ts';
import {
  type BehaviouralCohort,
  derivationsOf,
  factOf,
  factsOf,
  KNOWN,
  knownPeople,
  membersOf,
  type Plan,
  partsOf,
  planOf,
  type Scan,
  sizesOf,
} from './plan.ts';

/** The members of a cohort by the beginning of their MD5, each a sorted JSON list. */
export interface ComputedList {
  size: number;
  parts: ReadonlyMap<string, string>;
}

export interface ComputeOptions {
  queue: Pick<QueryQueue, 'deadline' | 'find' | 'run'>;
  engine: Pick<Engine, 'createFacts' | 'dialect' | 'query'>;
  /** Returns a page of the ids of a project that sent an event or an identify call, in order. */
  knownIds(projectId: string, after: string, limit: number): Promise<string[]>;
  clock: Clock;
}

/** Receives the list of each cohort, or the error that its computation threw. */
export type Receive = (id: string, result: ComputedList | { error: unknown }) => Promise<void>;

/** Computes the lists of cohorts of a project together. Throws the reason of the signal if it aborts. */
export type Compute = (
  projectId: string,
  cohorts: readonly BehaviouralCohort[],
  receive: Receive,
  signal: AbortSignal,
) => Promise<void>;

const MAX_SIZE = 2_000_000;
const PAGE_SIZE = 20_000;
/** The average bytes of a part, well below the limit of a record. */
const PART_BYTES = 300_000;
const MAX_DEPTH = 3;
/** The bytes of the lists that are read at once. */
const READ_BYTES = 20_000_000;
const HEX = [...'0123456789abcdef'];
/** The `k` of ids before they are named by their person. */
const IDS = -1;

const sizeRows = z.array(z.object({ k: z.number(), size: z.number(), bytes: z.number() }));
const partRows = z.array(z.object({ k: z.number(), prefix: z.string(), members: z.string() }));

interface Sized {
  /** The cohorts with this list. */
  ids: string[];
  k: number;
  size: number;
  bytes: number;
}

/** Computes cohorts, or only the number of people of one, which reads no ids. */
export interface Computation {
  lists: Compute;
  /** Throws BadRequest, Unavailable, and the reason of the signal if it aborts. */
  sizeOf(projectId: string, cohort: Omit<BehaviouralCohort, 'id'>, signal: AbortSignal): Promise<number>;
}

export function createCompute({ queue, engine, knownIds, clock }: ComputeOptions): Computation {
  async function addKnown(projectId: string, facts: Facts, signal: AbortSignal): Promise<void> {
    for (let after: string | undefined = ''; after !== undefined; ) {
      const page: string[] = await knownIds(projectId, after, PAGE_SIZE);
      if (page.length > 0) await facts.addPeople(IDS, page, signal);
      after = page.length < PAGE_SIZE ? undefined : page.at(-1);
    }
    const bounds = { signal: queue.deadline() };
    const found = await queue.find({ projectId, names: [], readsPersons: true }, bounds);
    await queue.run(
      projectId,
      found,
      ({ personIds }) => facts.add(knownPeople(facts.relation, personIds), bounds.signal),
      bounds,
    );
  }

  /** Each scan waits for a permit, so that questions are answered between scans. */
  async function scan(projectId: string, one: Scan, facts: Facts): Promise<void> {
    const bounds = { signal: queue.deadline() };
    const { event, from, to } = one;
    const found = await queue.find({ projectId, names: [event], from, to, readsPersons: true }, bounds);
    await queue.run(
      projectId,
      found,
      (source) => facts.add(factsOf(one, { ...source, cohorts: new Map() }), bounds.signal),
      bounds,
    );
  }

  /** Adds the facts of a plan. Returns the errors of those that cannot be computed, by number. */
  async function addFacts(projectId: string, plan: Plan, facts: Facts, signal: AbortSignal) {
    const failed = new Map<number, unknown>();
    const attempt = async (numbers: readonly number[], work: () => Promise<void>) => {
      signal.throwIfAborted();
      await work().catch((error: unknown) => {
        for (const k of numbers) failed.set(k, error);
      });
    };
    if (plan.cohorts.some(({ lacks }) => lacks.length > 0))
      await attempt([KNOWN], () => addKnown(projectId, facts, signal));
    for (const one of plan.scans) {
      const numbers = one.counters.flatMap(({ tests }) => tests.map(({ k }) => k));
      await attempt(numbers, () => scan(projectId, one, facts));
    }
    return failed;
  }

  async function sizes(numbers: readonly number[], facts: Facts, signal: AbortSignal) {
    const rows = await engine.query(sizesOf(engine.dialect, numbers, facts.relation), signal);
    return new Map(sizeRows.parse(rows).map((row) => [row.k, row]));
  }

  async function readParts(batch: readonly Sized[], depth: number, facts: Facts, signal: AbortSignal) {
    const numbers = batch.map(({ k }) => k);
    // A list that is larger than a batch is read in sixteenths.
    const isLarge = batch.some(({ bytes }) => bytes > READ_BYTES);
    const parts = new Map(numbers.map((k) => [k, new Map<string, string>()]));
    for (const within of isLarge ? HEX : [undefined]) {
      const limits = { numbers, depth, within: within === undefined ? undefined : sql`${text(within)}` };
      const rows = await engine.query(partsOf(engine.dialect, limits, facts.relation), signal);
      for (const { k, prefix, members } of partRows.parse(rows)) parts.get(k)?.set(prefix, members);
    }
    return parts;
  }

  /** Passes the lists of cohorts that can be computed, and their sizes, while their facts exist. */
  async function withSizes(
    projectId: string,
    cohorts: readonly BehaviouralCohort[],
    onError: (id: string, error: unknown) => Promise<void>,
    signal: AbortSignal,
    use: (lists: readonly Sized[], facts: Facts) => Promise<void>,
  ): Promise<void> {
    const plan = planOf(cohorts, clock.now().getTime());
    const facts = await engine.createFacts(signal);
    try {
      const failed = await addFacts(projectId, plan, facts, signal);
      const byFact = new Map<number, string[]>();
      const causeOf = ({ has, lacks }: Plan['cohorts'][number]) =>
        [...has, ...lacks, ...(lacks.length > 0 ? [KNOWN] : [])].find((k) => failed.has(k));
      const derived = plan.cohorts.filter(
        (cohort) => factOf(cohort) === undefined && causeOf(cohort) === undefined,
      );
      const { byId, derivations } = derivationsOf(derived, plan.next);
      for (const one of derivations) await facts.add(membersOf(engine.dialect, one, facts.relation), signal);
      for (const cohort of plan.cohorts) {
        const { id } = cohort;
        const cause = causeOf(cohort);
        if (cause !== undefined) {
          await onError(id, failed.get(cause));
          continue;
        }
        const k = factOf(cohort) ?? byId.get(id);
        if (k === undefined) continue;
        byFact.set(k, [...(byFact.get(k) ?? []), id]);
      }
      if (byFact.size === 0) return;
      const sized = await sizes([...byFact.keys()], facts, signal);
      const lists = [...byFact].map(([k, ids]) => ({ ids, ...(sized.get(k) ?? { k, size: 0, bytes: 0 }) }));
      await use(lists, facts);
    } finally {
      await facts.drop();
    }
  }

  return {
    lists: (projectId, cohorts, receive, signal) =>
      withSizes(
        projectId,
        cohorts,
        (id, error) => receive(id, { error }),
        signal,
        async (lists, facts) => {
          for (const { ids } of lists.filter(({ size }) => size > MAX_SIZE))
            for (const id of ids) await receive(id, { error: tooMany() });
          for (const { depth, batch } of batchesOf(lists.filter(({ size }) => size <= MAX_SIZE))) {
            const parts = await readParts(batch, depth, facts, signal);
            for (const { ids, k, size } of batch)
              for (const id of ids) await receive(id, { size, parts: parts.get(k) ?? new Map() });
          }
        },
      ),

    async sizeOf(projectId, cohort, signal) {
      let size = 0;
      await withSizes(
        projectId,
        [{ ...cohort, id: '' }],
        (_, error) => Promise.reject(error),
        signal,
        async ([list]) => {
          size = list?.size ?? 0;
        },
      );
      return size;
    },
  };
}

const tooMany = () =>
  new BadRequest(`did: more than ${MAX_SIZE.toLocaleString('en')} people fulfill it; narrow it`);

/** Divides lists by the number of their parts, and into batches. */
function* batchesOf(lists: readonly Sized[]): Generator<{ depth: number; batch: Sized[] }> {
  for (const [depth, all] of Map.groupBy(lists, depthOf)) {
    let batch: Sized[] = [];
    let bytes = 0;
    for (const list of all) {
      if (batch.length > 0 && bytes + list.bytes > READ_BYTES) {
        yield { depth, batch };
        batch = [];
        bytes = 0;
      }
      batch.push(list);
      bytes += list.bytes;
    }
    yield { depth, batch };
  }
}

/** Returns the length of the prefixes: 16 to this power parts. */
function depthOf({ bytes }: Sized): number {
  const parts = bytes / PART_BYTES;
  return parts <= 1 ? 0 : Math.min(MAX_DEPTH, Math.ceil(Math.log(parts) / Math.log(HEX.length)));
}
