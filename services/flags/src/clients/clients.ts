import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FlagClients } from '@switchboard/contracts';
import type { Database, Listening } from '@switchboard/database';
import { z } from 'zod';
import type { LiveChanges } from '../live/live.ts';
import { createRulesetsStore } from '../rulesets/store.ts';
import { createClientsStore } from './store.ts';

/** Counts the connected clients of projects over all instances. */
export interface Clients {
  /** Answers the questions of instances from now on. May be called again if it throws. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Returns the counts of the instances that answer in time. Calls after the same change share an answer. */
  count(projectId: string): Promise<FlagClients>;
}

interface ClientsOptions {
  database: Pick<Database, 'drizzle' | 'listen'>;
  live: Pick<LiveChanges, 'clients'>;
  onError(error: unknown): void;
}

/** The NOTIFY channel of questions. Each instance answers on the channel that the question names. */
const ASKED_CHANNEL = 'flag_clients_asked';
const ANSWERS_WITHIN_MS = 300;

const question = z.object({
  id: z.string(),
  answerTo: z.string(),
  projectId: z.string(),
  changedAt: z.string(),
});
const answer = z.object({ id: z.string(), connected: z.int(), notified: z.int() });

export function createClients({ database, live, onError }: ClientsOptions): Clients {
  const { changesOf } = createRulesetsStore(database.drizzle);
  const { notify } = createClientsStore(database.drizzle);
  const ownChannel = `flag_clients_${randomUUID()}`;
  /** The sums of open questions. */
  const sums = new Map<string, FlagClients>();
  const counting = new Map<string, Promise<FlagClients>>();
  let asked: Listening | undefined;
  let answered: Listening | undefined;

  const listen = <T>(channel: string, schema: z.ZodType<T>, take: (message: T) => void) =>
    database.listen(
      channel,
      (text) => {
        // Another version may run beside this one, and an error thrown here would end the process.
        const message = schema.safeParse(parsed(text));
        if (message.success) take(message.data);
      },
      () => undefined,
    );

  function onQuestion({ id, answerTo, projectId, changedAt }: z.infer<typeof question>): void {
    const counts = live.clients(projectId, changedAt);
    if (counts.connected > 0) notify(answerTo, { id, ...counts }).catch(onError);
  }

  function onAnswer({ id, connected, notified }: z.infer<typeof answer>): void {
    const sum = sums.get(id);
    if (sum === undefined) return;
    sum.connected += connected;
    sum.notified += notified;
  }

  async function ask(projectId: string, changedAt: string): Promise<FlagClients> {
    const id = randomUUID();
    const sum: FlagClients = { changedAt, connected: 0, notified: 0 };
    sums.set(id, sum);
    try {
      await notify(ASKED_CHANNEL, { id, answerTo: ownChannel, projectId, changedAt });
      await sleep(ANSWERS_WITHIN_MS);
      return sum;
    } finally {
      sums.delete(id);
    }
  }

  return {
    async start() {
      asked ??= await listen(ASKED_CHANNEL, question, onQuestion);
      answered ??= await listen(ownChannel, answer, onAnswer);
    },
    async stop() {
      await Promise.all([asked?.stop(), answered?.stop()]);
    },
    async count(projectId) {
      // Not from memory, where this instance may not have the change yet.
      const [changedAt = ''] = await changesOf([projectId]);
      const key = `${changedAt} ${projectId}`;
      const count = counting.get(key) ?? ask(projectId, changedAt).finally(() => counting.delete(key));
      counting.set(key, count);
      return count;
    },
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
