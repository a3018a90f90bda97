import { readFile } from 'node:fs/promises';
import { applyManifest, parseManifest } from '@switchboard/cli';
import { createClient, isNotFound } from '@switchboard/management';
import { pause } from '@switchboard/resilience';
import { z } from 'zod';
import { demoFile, readIfExists, writeAtomically } from './files.ts';
import type { Issuer } from './issuer.ts';
import { seedCollaboration } from './seed/collaboration.ts';
import { runComputedReport, shareComputedReport } from './seed/computed-report.ts';
import { seedEvents } from './seed/events.ts';
import { seedMessenger } from './seed/messenger/messenger.ts';
import { seedPeople } from './seed/people.ts';
import { seedReplay } from './seed/replay/replay.ts';
import { PROPAGATION_MS } from './seed/request.ts';

const PROJECT = 'prj_shop';
const OTHER_REGION_PROJECT = 'prj_shop_us';
const REPORT = 'rep_signups';
/** The report that is computed from the demo's events. */
const COMPUTED_REPORT = 'rep_orders';
const MONTH_SECONDS = 30 * 24 * 60 * 60;

const PEOPLE = {
  owner: {
    sub: 'user_ines',
    name: 'Ines Duarte',
    email: 'ines@lumen.example',
    permissions: ['service.annotations.write'],
  },
  teammate: { sub: 'user_tomas', name: 'Tomáš Novák', email: 'tomas@lumen.example', permissions: [] },
  outsider: { sub: 'user_olu', name: 'Olu Adeyemi', email: 'olu@harbour.example', permissions: [] },
  operator: {
    sub: 'user_platform',
    name: 'Platform team',
    email: 'platform@lumen.example',
    permissions: ['service.manage'],
  },
};

/** The people of the demo, for the accounts of identity. */
export const demoPeople = Object.values(PEOPLE).map(({ sub: id, ...person }) => ({ id, ...person }));

/** The keys that the first start creates and later starts keep. */
const keptKeys = z.object({
  project_key: z.string(),
  other_region_key: z.string(),
  identity_secret: z.string(),
});
type KeptKeys = z.infer<typeof keptKeys>;

/** Thrown when the demo cannot be created. The message is one line for the person who started it. */
export class DemoError extends Error {
  override name = 'DemoError';
}

interface DemoAddresses {
  /** The URL of the token issuer. */
  issuer: string;
  api: string;
  events: string;
  replay: string;
  management: string;
  console: string;
}

type InternalUrls = Pick<DemoAddresses, 'api' | 'events' | 'replay' | 'management'>;

interface DemoOptions {
  home: string;
  issuer: Issuer;
  /** The addresses that clients use. */
  urls: DemoAddresses;
  /** The addresses that this process uses. Default: the same. */
  internalUrls?: InternalUrls;
  /** The location of the demo's mails, for demo.json. */
  mail: { mail_dir: string } | { mail_url: string };
}

export interface Demo extends KeptKeys {
  project_id: string;
  tokens: Record<keyof typeof PEOPLE, string>;
}

export interface PreparedDemo {
  demo: Demo;
  /** The address of a report computed from the demo's events. Undefined once its link was turned off. */
  sharedReportUrl: string | undefined;
  /** Runs that report a few seconds later, over all events sent so far. */
  computeReport(signal: AbortSignal): Promise<void>;
}

/**
 * Seeds the demo on the first start through the management API, and writes demo.json. Later starts keep the data
 * and the keys, and mint new tokens.
 */
export async function prepareDemo(options: DemoOptions): Promise<PreparedDemo> {
  const { home, issuer, urls, internalUrls = urls, mail } = options;
  const tokens = {
    owner: await mint(issuer, PEOPLE.owner),
    teammate: await mint(issuer, PEOPLE.teammate),
    outsider: await mint(issuer, PEOPLE.outsider),
    operator: await mint(issuer, PEOPLE.operator),
  };
  const keys = (await readKeptKeys(home)) ?? (await seedDemo(internalUrls, tokens));
  await waitForKey(keys.project_key, internalUrls);
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
      owner: PEOPLE.owner.sub,
      teammate: PEOPLE.teammate.sub,
      outsider: PEOPLE.outsider.sub,
      operator: PEOPLE.operator.sub,
    },
    ...mail,
  };
  await writeAtomically(demoFile(home), `${JSON.stringify(demo, null, 2)}\n`);
  const report = computedReport(internalUrls, tokens);
  return {
    demo,
    sharedReportUrl: await publicLink(internalUrls.api, tokens.owner),
    computeReport: (signal) => runComputedReport(report, signal),
  };
}

const computedReport = (urls: InternalUrls, tokens: Demo['tokens']) => ({
  managementUrl: urls.management,
  apiUrl: urls.api,
  projectId: PROJECT,
  reportId: COMPUTED_REPORT,
  tokens,
});

async function publicLink(url: string, token: string): Promise<string | undefined> {
  const client = createClient({ token, url, retryForMs: PROPAGATION_MS });
  try {
    const link = await client.call('getPublicLink', {
      params: { projectId: PROJECT, reportId: COMPUTED_REPORT },
    });
    return link.url;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

const mint = (issuer: Issuer, { sub, name, permissions }: (typeof PEOPLE)[keyof typeof PEOPLE]) =>
  issuer.mint({ sub, name, permissions, expiresInSeconds: MONTH_SECONDS });

async function readKeptKeys(home: string): Promise<KeptKeys | undefined> {
  const file = await readIfExists(demoFile(home));
  if (file === undefined) return undefined;
  try {
    return keptKeys.parse(JSON.parse(file));
  } catch {
    throw new DemoError(`${demoFile(home)} is damaged. Delete ${home} to start over.`);
  }
}

async function seedDemo(urls: InternalUrls, tokens: Demo['tokens']): Promise<KeptKeys> {
  const client = createClient({
    token: tokens.operator,
    url: urls.management,
    retryForMs: PROPAGATION_MS,
  });
  const manifest = parseManifest(await readFile(new URL('seed/demo.yaml', import.meta.url), 'utf8'));
  await applyManifest(manifest, { client });
  const keyOf = (projectId: string) => client.call('createProjectKey', { params: { projectId } });
  const { key: project_key } = await keyOf(PROJECT);
  const { key: other_region_key } = await keyOf(OTHER_REGION_PROJECT);
  const where = { managementUrl: urls.management, apiUrl: urls.api, projectId: PROJECT };
  await seedCollaboration({ ...where, reportId: REPORT, tokens });
  const messenger = await seedMessenger({ ...where, token: tokens.operator, projectKey: project_key });
  await seedEvents({ eventsUrl: urls.events, projectKey: project_key });
  await seedPeople({ eventsUrl: urls.events, projectKey: project_key });
  await shareComputedReport(computedReport(urls, tokens));
  await seedReplay({ replayUrl: urls.replay, projectKey: project_key });
  return { project_key, other_region_key, ...messenger };
}

/** Waits until every service knows the key, so that the banner's commands work immediately. */
async function waitForKey(key: string, urls: InternalUrls): Promise<void> {
  const headers = { Authorization: `Bearer ${key}` };
  const probes = [
    () => fetch(`${urls.api}/v1/flags?distinct_id=`, { headers }),
    () => fetch(`${urls.api}/v1/messenger/config`, { headers }),
  ];
  const deadline = performance.now() + PROPAGATION_MS;
  for (const probe of probes) {
    while ((await probe()).status === 401) {
      if (performance.now() > deadline)
        throw new DemoError("The demo's project key did not reach every service within 60 s.");
      await pause(20);
    }
  }
}
