import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { applyManifest, createManagementClient, ManagementError, parseManifest } from '@switchboard/cli';
import { createProjectKey, getPublicLink } from '@switchboard/contracts';
import { z } from 'zod';
import { makeCollaborationDemo } from './demo-collaboration.ts';
import { makeEventsDemo } from './demo-events.ts';
import { makeMessengerDemo } from './demo-messenger/demo-messenger.ts';
import { makeReplayDemo } from './demo-replay/demo-replay.ts';
import { demoFile, readIfThere, writeWhole } from './files.ts';
import type { Issuer } from './issuer.ts';

const PROJECT = 'prj_shop';
const OTHER_REGION_PROJECT = 'prj_shop_us';
const REPORT = 'rep_signups';
/** How long services may take to learn of what another of them was told. */
const PATIENCE_MS = 60_000;
const A_MONTH_SECONDS = 30 * 24 * 60 * 60;

const people = {
  owner: { sub: 'user_ines', name: 'Ines Duarte', permissions: ['service.annotations.write'] },
  teammate: { sub: 'user_tomas', name: 'Tomáš Novák', permissions: [] },
  outsider: { sub: 'user_olu', name: 'Olu Adeyemi', permissions: [] },
  operator: { sub: 'user_platform', name: 'Platform team', permissions: ['service.manage'] },
};

/** What a first start makes and a later one keeps. */
const kept = z.object({
  project_key: z.string(),
  other_region_key: z.string(),
  identity_secret: z.string(),
});
type Kept = z.infer<typeof kept>;

/** The demo cannot be made; the message is the one line a person needs. */
export class DemoError extends Error {
  override name = 'DemoError';
}

interface DemoAddresses {
  /** Where tokens are minted. */
  issuer: string;
  api: string;
  events: string;
  replay: string;
  management: string;
  console: string;
}

type Within = Pick<DemoAddresses, 'api' | 'events' | 'replay' | 'management'>;

interface DemoOptions {
  home: string;
  issuer: Issuer;
  /** As clients have them. */
  urls: DemoAddresses;
  /** As this process has them, where that differs. */
  within?: Within;
  /** Where mails of the demo are found: demo.json says it. */
  mail: { mail_dir: string } | { mail_url: string };
}

export interface Demo extends Kept {
  project_id: string;
  tokens: Record<keyof typeof people, string>;
}

export interface PreparedDemo {
  demo: Demo;
  /** Where the demo's public link opens; undefined once somebody has turned it off. */
  sharedReportUrl: string | undefined;
}

/**
 * Makes the demo's data on the first start, through the management API as an operator would, and writes
 * demo.json for clients and checks. Later starts keep the data and the keys; tokens are minted anew.
 */
export async function prepareDemo(options: DemoOptions): Promise<PreparedDemo> {
  const { home, issuer, urls, within = urls, mail } = options;
  const tokens = {
    owner: await mint(issuer, people.owner),
    teammate: await mint(issuer, people.teammate),
    outsider: await mint(issuer, people.outsider),
    operator: await mint(issuer, people.operator),
  };
  const keys = (await keptFrom(home)) ?? (await makeDemo(within, tokens));
  await keyIsKnown(keys.project_key, within);
  const demo = {
    base_url: urls.api,
    eu_api_url: urls.events,
    eu_replay_url: urls.replay,
    management_url: urls.management,
    console_url: urls.console,
    issuer_url: urls.issuer,
    project_id: PROJECT,
    report_id: REPORT,
    ...keys,
    tokens,
    subs: {
      owner: people.owner.sub,
      teammate: people.teammate.sub,
      outsider: people.outsider.sub,
      operator: people.operator.sub,
    },
    ...mail,
  };
  await writeWhole(demoFile(home), `${JSON.stringify(demo, null, 2)}\n`);
  return { demo, sharedReportUrl: await publicLink(within.api, tokens.owner) };
}

async function publicLink(url: string, token: string): Promise<string | undefined> {
  const client = createManagementClient({ token, addressOf: () => url, patienceMs: 0 });
  try {
    const link = await client.call(getPublicLink, { params: { projectId: PROJECT, reportId: REPORT } });
    return z.object({ url: z.string() }).parse(link).url;
  } catch (error) {
    if (error instanceof ManagementError && error.status === 404) return undefined;
    throw error;
  }
}

const mint = (issuer: Issuer, person: { sub: string; name: string; permissions: string[] }) =>
  issuer.mint({ ...person, expiresInSeconds: A_MONTH_SECONDS });

async function keptFrom(home: string): Promise<Kept | undefined> {
  const file = await readIfThere(demoFile(home));
  if (file === undefined) return undefined;
  try {
    return kept.parse(JSON.parse(file));
  } catch {
    throw new DemoError(`${demoFile(home)} is damaged. Delete ${home} to begin anew.`);
  }
}

async function makeDemo(urls: Within, tokens: Demo['tokens']): Promise<Kept> {
  const client = createManagementClient({
    token: tokens.operator,
    addressOf: () => urls.management,
    patienceMs: PATIENCE_MS,
  });
  const manifest = parseManifest(await readFile(new URL('demo.yaml', import.meta.url), 'utf8'));
  await applyManifest(manifest, { client });
  const keyOf = async (projectId: string) => {
    const created = await client.call(createProjectKey, { params: { projectId } });
    return z.object({ key: z.string() }).parse(created).key;
  };
  const project_key = await keyOf(PROJECT);
  const other_region_key = await keyOf(OTHER_REGION_PROJECT);
  const where = { managementUrl: urls.management, apiUrl: urls.api, projectId: PROJECT };
  await makeCollaborationDemo({ ...where, reportId: REPORT, tokens });
  const messenger = await makeMessengerDemo({ ...where, token: tokens.operator, projectKey: project_key });
  await makeEventsDemo({ eventsUrl: urls.events, projectKey: project_key });
  await makeReplayDemo({ replayUrl: urls.replay, projectKey: project_key });
  return { project_key, other_region_key, ...messenger };
}

/** Every service learns of a new key a moment after it is made; the banner's lines must work when pasted. */
async function keyIsKnown(key: string, urls: Within): Promise<void> {
  const headers = { Authorization: `Bearer ${key}` };
  const probes = [
    () => fetch(`${urls.api}/v1/flags?distinct_id=`, { headers }),
    () => fetch(`${urls.api}/v1/messenger/config`, { headers }),
    () => fetch(`${urls.events}/v1/identify`, { method: 'POST', headers, body: '{}' }), // 400, never stored
  ];
  const until = Date.now() + PATIENCE_MS;
  for (const probe of probes) {
    while ((await probe()).status === 401) {
      if (Date.now() > until) throw new DemoError('The demo’s project key did not reach every service.');
      await sleep(20);
    }
  }
}
