import { setTimeout as sleep } from 'node:timers/promises';
import type { Deployment } from '../deployment.ts';
import { certainty, type Request } from '../ledger.ts';
import type { Random } from '../random.ts';
import { request } from '../request.ts';
import { callTime, eventId, keyOf, type Numbered, PROJECTS, person } from '../traffic.ts';
import { type FoundReplay, sessionsOf } from './replays.ts';

async function managementOf({ archive, flags, managementToken }: Deployment) {
  const headers = { Authorization: `Bearer ${await managementToken()}` };
  const base = (port: number | undefined) => `http://127.0.0.1:${port}/management/v1/projects`;
  return { headers, archive: base(archive.port), flags: base(flags.port) };
}

/** Reads the recording of every session that has a chunk in the ledger. Skips recordings that do not exist. */
export async function readReplays(
  deployment: Deployment,
  ledger: readonly Request[],
): Promise<FoundReplay[]> {
  const { headers, archive } = await managementOf(deployment);
  const found: FoundReplay[] = [];
  for (const name of sessionsOf(ledger).keys()) {
    const [project = '', session = ''] = name.split(' ');
    const url = `${archive}/${project}/replays/${session}`;
    const manifest = await request(url, { headers }, [200, 404]);
    if (manifest.status === 404) continue;
    const { chunks, conflicts, missing } = Object(manifest.body);
    const recording = await request(`${url}/events`, { headers }, [200]);
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

const SAMPLE_SIZE = 20;

/** Looks up a sample of accepted events, all of which must be archived. */
export async function checkEventLookup(deployment: Deployment, ledger: readonly Request[], random: Random) {
  const { headers, archive } = await managementOf(deployment);
  const accepted = ledger.filter((request) => request.kind === 'events' && certainty(request) === 'yes');
  const faults: string[] = [];
  for (const { project, round, first } of random.shuffle(accepted).slice(0, SAMPLE_SIZE)) {
    const id = eventId({ project, round, number: first });
    const { body } = await request(`${archive}/${project}/events/${id}`, { headers }, [200]);
    const { state, archived } = Object(body);
    if (state !== 'archived' || typeof archived?.row !== 'number') {
      faults.push(`${project} ${id}: accepted, but looked up as ${JSON.stringify(body)}`);
    }
  }
  return { checked: Math.min(SAMPLE_SIZE, accepted.length), faults };
}

const FLAG = 'crash-check';
const CHANGE_WITHIN_MS = 5_000;

/**
 * Evaluates a flag for a sample of people. The result must reflect the newest accepted identify. Skips people who
 * have an identify with an unknown outcome.
 */
export async function checkEvaluations(
  deployment: Deployment,
  ledger: readonly Request[],
  base: number,
  random: Random,
) {
  const { headers, flags } = await managementOf(deployment);
  const faults: string[] = [];
  const newest = random.shuffle([...newestIdentifies(ledger, base)]).slice(0, SAMPLE_SIZE);
  for (const project of PROJECTS) {
    for (const numbered of newest.filter((one) => one.project === project)) {
      const definition = {
        enabled: true,
        rolloutPercentage: 100,
        targeting: [{ attribute: 'last', op: 'eq', value: numbered.number }],
      };
      const body = JSON.stringify(definition);
      await request(`${flags}/${project}/flags/${FLAG}`, { method: 'PUT', headers, body }, [200]);
      if (!(await isOn(deployment, project, person(numbered)))) {
        faults.push(`${project} ${person(numbered)}: an evaluation does not use last = ${numbered.number}`);
      }
    }
  }
  return { checked: newest.length, faults };
}

/** Evaluates the flag. A changed flag takes a moment to reach the instance. */
async function isOn(
  deployment: Deployment,
  project: Numbered['project'],
  distinctId: string,
): Promise<boolean> {
  const url = `http://127.0.0.1:${deployment.flags.port}/v1/flags?distinct_id=${distinctId}`;
  const headers = { Authorization: `Bearer ${keyOf(project)}` };
  const endsAt = performance.now() + CHANGE_WITHIN_MS;
  for (;;) {
    const { body } = await request(url, { headers }, [200]);
    if (Object(body).flags?.[FLAG] === true) return true;
    if (performance.now() > endsAt) return false;
    await sleep(50);
  }
}

function* newestIdentifies(ledger: readonly Request[], base: number): Generator<Numbered> {
  const identifies = ledger.filter((request) => request.kind === 'identify' && certainty(request) !== 'no');
  const numberedOf = (request: Request) => ({ ...request, number: request.first });
  for (const own of Map.groupBy(identifies, (one) => `${one.project} ${person(numberedOf(one))}`).values()) {
    if (own.some((request) => certainty(request) === 'maybe')) continue;
    const [newest] = own.map(numberedOf).sort((a, b) => callTime(b, base) - callTime(a, base));
    if (newest !== undefined) yield newest;
  }
}
