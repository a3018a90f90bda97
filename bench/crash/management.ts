import { setTimeout as sleep } from 'node:timers/promises';
import { certainty, type Request } from './books.ts';
import { type FoundReplay, sessionsOf } from './check-replays.ts';
import type { Random } from './random.ts';
import type { Setting } from './setting.ts';
import { callTime, eventId, keyOf, type Numbered, PROJECTS, person } from './traffic.ts';

/** Asks as an operator does. Throws unless the answer has the status. */
async function ask(
  url: string,
  init: RequestInit,
  wanted: number[],
): Promise<{ status: number; body: unknown }> {
  const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(30_000) });
  const text = await answer.text();
  if (!wanted.includes(answer.status)) throw new Error(`${url}: ${answer.status} ${text}`);
  return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) };
}

async function managementOf({ archive, flags, managementToken }: Setting) {
  const headers = { Authorization: `Bearer ${await managementToken()}` };
  const base = (port: number | undefined) => `http://127.0.0.1:${port}/management/v1/projects`;
  return { headers, archive: base(archive.port), flags: base(flags.port) };
}

/** The recording of every session that a chunk was sent of; those that are not there are left out. */
export async function readReplays(setting: Setting, books: readonly Request[]): Promise<FoundReplay[]> {
  const { headers, archive } = await managementOf(setting);
  const found: FoundReplay[] = [];
  for (const name of sessionsOf(books).keys()) {
    const [project = '', session = ''] = name.split(' ');
    const url = `${archive}/${project}/replays/${session}`;
    const manifest = await ask(url, { headers }, [200, 404]);
    if (manifest.status === 404) continue;
    const { chunks, conflicts, missing } = Object(manifest.body);
    const recording = await ask(`${url}/events`, { headers }, [200]);
    const events: { data: { number: number } }[] = Object(recording.body);
    found.push({
      project,
      session,
      chunks,
      conflicts,
      missing,
      numbers: events.map(({ data }) => data.number),
    });
  }
  return found;
}

const SAMPLE = 20;

/** Of some accepted events: does the service itself say that they are archived? Answers what is wrong. */
export async function askWhereEventsAre(setting: Setting, books: readonly Request[], random: Random) {
  const { headers, archive } = await managementOf(setting);
  const accepted = books.filter((request) => request.kind === 'events' && certainty(request) === 'yes');
  const faults: string[] = [];
  for (const { project, round, first } of random.shuffle(accepted).slice(0, SAMPLE)) {
    const id = eventId({ project, round, number: first });
    const { body } = await ask(`${archive}/${project}/events/${id}`, { headers }, [200]);
    const { state, archived } = Object(body);
    if (state !== 'archived' || typeof archived?.row !== 'number') {
      faults.push(`${project} ${id}: accepted, and said to be ${JSON.stringify(body)}`);
    }
  }
  return { asked: Math.min(SAMPLE, accepted.length), faults };
}

const FLAG = 'crash-check';
const WITHIN_MS = 5_000;

/** Of some people: does an evaluation see the newest accepted identify? Those with an unknown one are left out. */
export async function evaluateForPeople(
  setting: Setting,
  books: readonly Request[],
  base: number,
  random: Random,
) {
  const { headers, flags } = await managementOf(setting);
  const faults: string[] = [];
  const newest = random.shuffle([...newestIdentifies(books, base)]).slice(0, SAMPLE);
  for (const project of PROJECTS) {
    for (const numbered of newest.filter((one) => one.project === project)) {
      const definition = {
        enabled: true,
        rolloutPercentage: 100,
        targeting: [{ attribute: 'last', op: 'eq', value: numbered.number }],
      };
      const body = JSON.stringify(definition);
      await ask(`${flags}/${project}/flags/${FLAG}`, { method: 'PUT', headers, body }, [200]);
      if (!(await isOn(setting, project, person(numbered)))) {
        faults.push(`${project} ${person(numbered)}: an evaluation does not see last = ${numbered.number}`);
      }
    }
  }
  return { asked: newest.length, faults };
}

/** A changed flag takes a moment to reach the instance that is asked. */
async function isOn(setting: Setting, project: Numbered['project'], distinctId: string): Promise<boolean> {
  const url = `http://127.0.0.1:${setting.flags.port}/v1/flags?distinct_id=${distinctId}`;
  const headers = { Authorization: `Bearer ${keyOf(project)}` };
  const endsAt = performance.now() + WITHIN_MS;
  for (;;) {
    const { body } = await ask(url, { headers }, [200]);
    if (Object(body).flags?.[FLAG] === true) return true;
    if (performance.now() > endsAt) return false;
    await sleep(50);
  }
}

function* newestIdentifies(books: readonly Request[], base: number): Generator<Numbered> {
  const identifies = books.filter((request) => request.kind === 'identify' && certainty(request) !== 'no');
  const numberedOf = (request: Request) => ({ ...request, number: request.first });
  for (const own of Map.groupBy(identifies, (one) => `${one.project} ${person(numberedOf(one))}`).values()) {
    if (own.some((request) => certainty(request) === 'maybe')) continue;
    const [newest] = own.map(numberedOf).sort((a, b) => callTime(b, base) - callTime(a, base));
    if (newest !== undefined) yield newest;
  }
}
