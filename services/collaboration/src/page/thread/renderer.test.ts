import { setImmediate } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { createRenderer } from './renderer.ts';

const renderer = createRenderer();
afterAll(() => renderer.stop());

const asked = (name: string, body = '{"report":null}') => ({
  shown: {
    kind: 'report' as const,
    project: name,
    name,
    expiresOn: '2026-03-10',
    notes: [],
    run: { ranAt: new Date('2026-03-01T12:00:00Z'), body: Buffer.from(body) },
  },
  language: 'en' as const,
});
const titleOf = async (name: string, body?: string) =>
  /<h1>(.*)<\/h1>/.exec(await renderer.render(asked(name, body), name))?.[1];

describe('the thread that renders pages', () => {
  it('renders several pages that are requested at once, each as requested', async () => {
    const names = Array.from({ length: 5 }, (_, at) => `Report ${at}`);
    expect(await Promise.all(names.map((name) => titleOf(name)))).toEqual(names);
  });

  it('continues after a page that fails', async () => {
    await expect(titleOf('broken', 'no JSON')).rejects.toThrow(/JSON/);
    expect(await titleOf('next')).toBe('next');
  });

  it('restarts the thread after it ended, and answers 503 for the page in progress', async () => {
    await renderer.stop();
    const lost = renderer.render(asked('lost'), 'lost').catch((error: unknown) => error);
    // Rendering has begun, but the thread has not finished starting.
    await setImmediate();
    await renderer.stop();
    expect(await lost).toMatchObject({ status: 503 });
    expect(await titleOf('again')).toBe('again');
  });
});
