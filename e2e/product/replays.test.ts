import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { eventually } from '@switchboard/testkit';
import { describe, expect, it } from 'vitest';
import { standaloneForTests } from './testing/launch.ts';

const run = promisify(execFile);

const running = standaloneForTests();

describe('the commands for recordings in the docs', () => {
  it('lists the demo recording, shows its manifest, reads its events, and sends and deletes another recording', async () => {
    const page = await readFile(new URL('../../docs/events-and-archive.md', import.meta.url), 'utf8');
    const [start = '', block = ''] = ['Send events', 'Recordings'].map(
      (heading) => new RegExp(`^## ${heading}$.*?^\`\`\`sh\\n(.*?)^\`\`\``, 'ms').exec(page)?.[1] ?? '',
    );
    const [setting = '', ...commands] = block.split(/^(?=curl )/m);
    const [first = ''] = start.split(/^(?=curl )/m);
    // The documentation assumes the folder in which standalone was started.
    const prepared = (first + setting).replaceAll('.switchboard/', `${running.home}/`);
    const paste = async (command: string) =>
      (await run('bash', ['-c', `${prepared}\n${command}`], { maxBuffer: 10_000_000 })).stdout;
    const [send = '', list = '', manifest = '', events = '', remove = ''] = commands;
    expect(commands).toHaveLength(5);

    await eventually(
      async () =>
        expect(JSON.parse(await paste(list))).toMatchObject({
          replays: [{ sessionId: 'visit-361', distinctIds: ['visitor-68'], events: 51, complete: true }],
          nextCursor: null,
        }),
      { withinMs: 30_000 },
    );
    const read = JSON.parse(await paste(manifest));
    expect(read).toMatchObject({
      chunks: 6,
      seqs: [{ from: 0, to: 5 }],
      gaps: [],
    });
    expect(Date.parse(read.lastAt) - Date.parse(read.firstAt)).toBe(67_674);
    const recorded = JSON.parse(await paste(events));
    expect(recorded).toHaveLength(51);
    expect(recorded[0]).toMatchObject({ type: 4 });
    await paste(send);
    const sessions = async () =>
      JSON.parse(await paste(list)).replays.map(({ sessionId }: { sessionId: string }) => sessionId);
    await eventually(async () => expect(await sessions()).toContain('visit-500'), { withinMs: 30_000 });
    await paste(remove);
    expect(await sessions()).toEqual(['visit-361']);
  });
});

describe('a browser with a clock that is a year fast', () => {
  it('dates the events and the recording of a session to the same time', async () => {
    const { eu_api_url, eu_replay_url, base_url, management_url, project_id, project_key, tokens } =
      running.demo;
    const session = `fast-${randomUUID()}`;
    const now = Date.now() + 365 * 86_400_000;
    const common = { distinct_id: session, session_id: session };
    const timestamp = new Date(now).toISOString();
    const send = async (url: string, body: object) => {
      const headers = { Authorization: `Bearer ${project_key}` };
      expect((await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).status).toBe(202);
    };
    const event = { ...common, event_id: session, event_name: 'seen', schema_version: 1, timestamp };
    await send(`${eu_api_url}/v1/events`, { sent_at: timestamp, events: [event] });
    await send(`${eu_replay_url}/v1/replay`, {
      ...common,
      seq: 0,
      masked: true,
      schema_version: 1,
      timestamp,
      api_key: project_key,
      events: [{ type: 4, data: {}, timestamp: now }],
    });
    const read = async (url: string, token: string) =>
      (await fetch(url, { headers: { Authorization: `Bearer ${token}` } })).json();
    await eventually(
      async () => {
        const list = `${base_url}/v1/projects/${project_id}/events?distinct_id=${session}`;
        const { events } = Object(await read(list, tokens.owner));
        const manifest = `${management_url}/management/v1/projects/${project_id}/replays/${session}`;
        const { firstAt } = Object(await read(manifest, tokens.operator));
        expect(Math.abs(Date.parse(events[0].occurredAt) - Date.parse(firstAt))).toBeLessThan(60_000);
        expect(Math.abs(Date.now() - Date.parse(firstAt))).toBeLessThan(3_600_000);
      },
      { withinMs: 60_000 },
    );
  });
});
