import { eventually } from '@switchboard/testkit';
import { z } from 'zod';
import type { Call } from '../harness/call.ts';
import type { Manage, TestProject } from '../harness/project.ts';
import type { Live } from './live.ts';
import { type Accepted, within } from './load.ts';

/** Data that was lost or duplicated. Without problems, every list is empty. */
export interface Verification {
  accepted: Record<'events' | 'identified' | 'turns' | 'comments' | 'annotations', number>;
  lostEvents: string[];
  duplicateEvents: string[];
  unarchivedEvents: string[];
  archivedTwice: string[];
  /** Identified people with traits that did not reach flags. */
  lostTraits: string[];
  lostTurns: string[];
  duplicateTurns: string[];
  /** Turns that a visitor neither received nor read. */
  undeliveredTurns: string[];
  lostComments: string[];
  lostAnnotations: string[];
}

interface Verified {
  /** The number of copies of each event on the event log. */
  stored: ReadonlyMap<string, number>;
  /** The number of copies of each event in the archive. */
  archived: ReadonlyMap<string, number>;
  project: TestProject;
  call: Call;
  manage: Manage;
  accepted: Accepted;
  visitors: { conversation: Accepted['conversations'][number]; live: Live }[];
}

const conversation = z.object({ turns: z.array(z.object({ body: z.string() })) });
const threads = z.object({
  threads: z.array(z.object({ comments: z.array(z.object({ body: z.string().nullable() })) })),
});
const annotations = z.object({ annotations: z.array(z.object({ text: z.string() })) });
const flags = z.object({ flags: z.record(z.string(), z.unknown()) });

/** Verifies that everything accepted is stored, archived and delivered exactly once. */
export async function verify({
  stored,
  archived,
  project,
  call,
  manage,
  accepted,
  visitors,
}: Verified): Promise<Verification> {
  const turnsStored = new Map<string, string[]>();
  for (const one of accepted.conversations) {
    const { turns } = conversation.parse((await call('getConversation', within(one))).body);
    turnsStored.set(
      one.id,
      turns.map(({ body }) => body),
    );
  }
  const listed = threads.parse((await call('listThreads')).body).threads;
  const comments = new Set(listed.flatMap((thread) => thread.comments.map(({ body }) => body)));
  const day = { from: '2026-03-01', to: '2026-03-01' };
  const texts = new Set(
    annotations.parse((await call('listAnnotations', { query: day })).body).annotations.map((it) => it.text),
  );
  const turns = accepted.conversations.flatMap((one) => one.turns.map((body) => ({ id: one.id, body })));
  return {
    accepted: {
      events: accepted.eventIds.length,
      identified: accepted.identified.length,
      turns: turns.length,
      comments: accepted.comments.length,
      annotations: accepted.annotations.length,
    },
    lostEvents: accepted.eventIds.filter((id) => !stored.has(id)),
    duplicateEvents: [...stored].filter(([, times]) => times > 1).map(([id]) => id),
    unarchivedEvents: accepted.eventIds.filter((id) => !archived.has(id)),
    archivedTwice: [...archived].filter(([, times]) => times > 1).map(([id]) => id),
    lostTraits: await missingTraits(project, call, manage, accepted.identified),
    lostTurns: turns.filter(({ id, body }) => !turnsStored.get(id)?.includes(body)).map(({ body }) => body),
    duplicateTurns: [...turnsStored.values()].flatMap((bodies) =>
      bodies.filter((body, index) => bodies.indexOf(body) !== index),
    ),
    undeliveredTurns: visitors.flatMap(({ conversation: one, live }) =>
      one.turns.filter((body) => !live.heard().has(body)),
    ),
    lostComments: accepted.comments.filter((body) => !comments.has(body)),
    lostAnnotations: accepted.annotations.filter((body) => !texts.has(body)),
  };
}

/** Finds the identified people with missing traits, using a flag that is on only for identified people. */
async function missingTraits(
  project: TestProject,
  call: Call,
  manage: Manage,
  identified: string[],
): Promise<string[]> {
  await manage('flags', 'PUT', `/projects/${project.id}/flags/identified`, {
    enabled: true,
    rolloutPercentage: 100,
    targeting: [{ attribute: 'cohort', op: 'is_set' }],
  });
  let missing = identified;
  await eventually(
    async () => {
      const still: string[] = [];
      for (const distinct_id of missing) {
        const { body } = await call('evaluateFlags', { query: { distinct_id } });
        if (flags.parse(body).flags['identified'] !== true) still.push(distinct_id);
      }
      missing = still;
      if (missing.length > 0) throw new Error(`${missing.length} people have no traits yet`);
    },
    { withinMs: 30_000 },
  ).catch(() => undefined);
  return missing;
}
