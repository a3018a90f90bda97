import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { call, processUsage } from '@switchboard/testkit';
import { compare, printRuns, type Run, ratiosOf, type Target } from '../lib/compare.ts';
import { keepHistory } from '../lib/history.ts';
import { applyLoad, type LoadRequest } from '../lib/load/load.ts';
import { openSockets } from '../lib/load/sockets.ts';
import { OPTIONS, selected } from '../lib/options.ts';
import { AUTHORIZED, PROJECT_KEY } from '../lib/project.ts';
import { decimals, printTable } from '../lib/table.ts';
import { type Deployment, deploy } from './deployment.ts';
import { measureInbox } from './inbox.ts';
import { measureLive } from './live.ts';
import { READS_BY_NAME, REPORTS } from './reads.ts';

/** Sockets run first, in a fresh process: memory left over from other work would hide the memory of sockets. */
const SCENARIOS = ['sockets', 'turns', 'live', ...Object.keys(READS_BY_NAME), 'inbox'];

const CONVERSATIONS = 200;
const TURNS_PER_SECOND = 200;
const END_OF_HEAD = '\r\n\r\n';

/**
 * Measures the memory of idle sockets, turns at a steady rate and on the streams of agents, an inbox of many
 * conversations, and reads of conversations, the configuration, comment threads and shared reports beside ready bytes.
 */
export async function run(args: string[]): Promise<void> {
  const { only, seconds, runs, profile, record, check } = OPTIONS;
  const { values } = parseArgs({
    args,
    options: {
      ...{ only, seconds, runs, profile, record, check },
      sockets: { type: 'string', default: '5000' },
      /** The conversations of the inbox. */
      conversations: { type: 'string', default: '1000000' },
      /** Disables fsync, to show the cost of the disk. */
      volatile: { type: 'boolean', default: false },
    },
  });
  const names = selected(SCENARIOS, values.only, (name) => name);
  const deployment = await deploy({ durable: !values.volatile, reports: REPORTS, profile: values.profile });
  const options = { seconds: Number(values.seconds), runs: Number(values.runs) };
  const measured = new Map<Target, Run>();
  try {
    for (const name of names) {
      if (name === 'sockets') await measureSockets(deployment, Number(values.sockets), options.seconds);
      else if (name === 'live') await measureLive(deployment, options.seconds);
      else if (name === 'inbox')
        await measureInbox(deployment, Number(values.conversations), options.seconds);
      else if (name === 'turns') await measureTurns(deployment, options.seconds, 'without sockets');
      const targets = (await READS_BY_NAME[name]?.(deployment)) ?? [];
      const reads = await compare(targets, {
        ...options,
        prepare: deployment.resetLimits,
        longestBlockMs: deployment.longestDelayMs,
      });
      for (const [target, one] of reads) measured.set(target, one);
    }
  } finally {
    await deployment.stop();
  }
  printRuns(measured);
  await keepHistory('messenger', ratiosOf(measured), values);
}

/** Sends turns at a steady rate, to 200 conversations in turn. */
async function measureTurns({ messenger }: Deployment, seconds: number, name: string): Promise<void> {
  const body = JSON.stringify({ body: 'I was charged twice for the same order. Can you look into it?' });
  const requests: LoadRequest[] = [];
  for (let count = 0; count < CONVERSATIONS; count++) {
    const opened = await call('POST', `${messenger.url}/v1/conversations`, {
      headers: AUTHORIZED,
      body: { distinctId: 'bench' },
    });
    const { conversationId, token } = opened.body;
    const headers = { 'X-Service-Conversation-Token': token };
    requests.push({ path: `/v1/conversations/${conversationId}/turns`, body, headers });
  }
  const plan = { port: messenger.port, headers: AUTHORIZED, connections: CONVERSATIONS, requests };
  await applyLoad({ ...plan, perSecond: TURNS_PER_SECOND, seconds: 2 });
  const { latency, statuses } = await applyLoad({ ...plan, perSecond: TURNS_PER_SECOND, seconds });
  const times = [latency.p50, latency.p99, latency.max].map((ms) => decimals(ms));
  printTable(
    [`turns at ${TURNS_PER_SECOND}/s`, 'p50 ms', 'p99 ms', 'max ms', 'statuses'],
    [[name, ...times, JSON.stringify(statuses)]],
  );
}

/** Measures the memory of idle sockets, and turns beside them. */
async function measureSockets(deployment: Deployment, count: number, seconds: number): Promise<void> {
  const { messenger } = deployment;
  await sleep(2000);
  const usage = processUsage(messenger.pid);
  const before = await usage.residentMb();
  const path = `/v1/messenger/socket?api_key=${PROJECT_KEY}`;
  const sockets = await openSockets({ ports: [messenger.port], path, ready: END_OF_HEAD, count });
  await sleep(5000);
  const after = await usage.residentMb();
  // Waits until every client has been pinged.
  await sleep(35_000);
  const later = await usage.residentMb();
  const row = [before, after, later, later - before].map((value) => decimals(value, 0));
  printTable(
    ['sockets open', 'RSS MB before', 'after', 'after a ping', 'cost MB'],
    [[String(count), ...row]],
  );
  await measureTurns(deployment, seconds, `beside ${count} sockets`);
  sockets.stop();
}
