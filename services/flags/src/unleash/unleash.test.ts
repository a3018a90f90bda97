import { type FlagUsage, WIRE_USAGE_TOPIC, wireUsageRecord } from '@switchboard/contracts';
import { readTopic } from '@switchboard/event-log';
import { describe, expect, it } from 'vitest';
import { json, useFlags } from '../testing/harness.ts';

const harness = await useFlags();

const ask = (key: string, path: string, { url = harness.url, body }: { url?: string; body?: object } = {}) =>
  fetch(`${url}/unleash/api/${path}`, {
    headers: { Authorization: key },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });

describe('the API of Unleash', () => {
  it('answers 403 to a project without the wire', async () => {
    const { key } = await harness.createProject();
    const answer = await ask(key, 'client/features');
    expect([answer.status, await json(answer)]).toMatchObject([
      403,
      { message: 'wires: unleash is off for this project. Add it to wires of the project.' },
    ]);
  });

  it('counts evaluations that an SDK reports, and ignores those of unknown flags', async () => {
    const project = await harness.createProject({ wires: ['unleash'] });
    await harness.putFlag(project, { key: 'plain', enabled: true, rolloutPercentage: 100 });
    const variations = [{ key: 'blue', value: '#00a', weight: 1 }];
    await harness.putFlag(project, { key: 'colour', enabled: true, rolloutPercentage: 100, variations });
    const { url, stop } = await harness.startInstance();
    const toggles = {
      plain: { yes: 3, no: 1, variants: {} },
      colour: { yes: 2, no: 0, variants: { blue: 2, disabled: 5 } },
      unknown: { yes: 1, no: 'many' },
    };
    for (const path of ['client/metrics', 'frontend/client/metrics']) {
      const { status } = await ask(project.key, path, { url, body: { appName: 'a', bucket: { toggles } } });
      expect(status).toBe(202);
    }
    await stop();
    const answer = await harness.manage('GET', `/projects/${project.id}/flag-usage`);
    const { usage } = (await answer.json()) as { usage: FlagUsage[] };
    const counts = usage.flatMap(({ key, variations: served }) =>
      served.map(({ variation, evaluations }) => `${key} ${variation} ${evaluations}`),
    );
    expect(counts.sort()).toEqual(['colour blue 4', 'plain off 2', 'plain on 6']);
  });

  it('counts its requests by SDK', async () => {
    const { id, key } = await harness.createProject({ wires: ['unleash', 'posthog'] });
    const { url, stop } = await harness.startInstance();
    const from = (path: string, headers: Record<string, string>, body?: object) =>
      fetch(`${url}${path}`, { headers, ...(body && { method: 'POST', body: JSON.stringify(body) }) });
    const unleash = { Authorization: key, 'unleash-sdk': 'unleash-node-sdk:6.12.1' };
    await from('/unleash/api/client/features', unleash);
    await from('/unleash/api/frontend', { Authorization: key });
    const registered = { appName: 'a', sdkVersion: 'unleash-client-go:3.9.2' };
    await from('/unleash/api/client/register', { Authorization: key }, registered);
    await from(
      '/posthog/flags/',
      { 'User-Agent': 'posthog-node/5.70.0' },
      { token: key, distinct_id: 'ada' },
    );
    await from('/v1/flags?distinct_id=ada', { Authorization: `Bearer ${key}` });
    await stop();
    const counts: string[] = [];
    await readTopic(harness.log, WIRE_USAGE_TOPIC, {
      onRecord({ value }) {
        const record = wireUsageRecord.parse(JSON.parse(String(value)));
        if (record.projectId !== id) return;
        for (const { wire, sdk, version, requests } of record.counts)
          counts.push([wire, sdk, version, requests].join(' '));
      },
    });
    expect(counts.sort()).toEqual([
      'posthog posthog-node 5.70.0 1',
      'switchboard   1',
      'unleash   1',
      'unleash unleash-client-go 3.9.2 1',
      'unleash unleash-node-sdk 6.12.1 1',
    ]);
  });

  it('returns the flags that are on for the person of a body', async () => {
    const project = await harness.createProject({ wires: ['unleash'] });
    const targeting = [{ attribute: 'plan', op: 'eq' as const, value: 'pro' }];
    await harness.putFlag(project, { key: 'pro', enabled: true, rolloutPercentage: 100, targeting });
    const togglesOf = async (context: object) =>
      (await json(await ask(project.key, 'frontend', { body: { context } }))).toggles;
    expect(await togglesOf({ userId: 'ada', properties: { plan: 'pro' } })).toMatchObject([
      { name: 'pro', enabled: true, variant: { name: 'disabled', enabled: false } },
    ]);
    expect(await togglesOf({ userId: 'ada' })).toEqual([]);
    expect(await togglesOf({})).toEqual([]);
  });
});
