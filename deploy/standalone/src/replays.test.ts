import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { eventually } from '@switchboard/testkit';
import { describe, expect, it } from 'vitest';
import { standaloneForTests } from './testing/launch.ts';

const run = promisify(execFile);

const running = standaloneForTests();

describe('the commands of docs/replays.md, pasted', () => {
  it('list the demo recording, show its manifest, read its events and delete it', async () => {
    const page = await readFile(new URL('../../../docs/replays.md', import.meta.url), 'utf8');
    const [setting = '', ...commands] = [...page.matchAll(/```sh\n([\s\S]*?)```/g)].map(
      ([, code]) => code ?? '',
    );
    // The page assumes the folder that standalone was started in.
    const prepared = setting.replaceAll('.switchboard/', `${running.home}/`);
    const paste = async (command: string) =>
      (await run('bash', ['-c', `${prepared}\n${command}`], { maxBuffer: 10_000_000 })).stdout;
    const [list = '', manifest = '', events = '', remove = ''] = commands;
    expect(commands).toHaveLength(4);

    await eventually(
      async () =>
        expect(JSON.parse(await paste(list))).toMatchObject({
          replays: [{ sessionId: 'visit-1', distinctIds: ['visitor-1'], events: 272, complete: true }],
          nextCursor: null,
        }),
      { withinMs: 30_000 },
    );
    expect(JSON.parse(await paste(manifest))).toMatchObject({
      chunks: 6,
      seqs: [{ from: 0, to: 5 }],
      gaps: [],
      firstAt: '2018-12-14T03:06:06.750Z',
      lastAt: '2018-12-14T03:07:27.830Z',
    });
    const recorded = JSON.parse(await paste(events));
    expect(recorded).toHaveLength(272);
    expect(recorded[0]).toMatchObject({ type: 4 });
    expect(await paste(remove)).toContain('204');
    expect(JSON.parse(await paste(list))).toMatchObject({ replays: [] });
  }, 60_000);
});
