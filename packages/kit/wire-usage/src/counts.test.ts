import { MAX_USED_SDKS } from '@switchboard/contracts';
import { expect, it } from 'vitest';
import { createCounts } from './counts.ts';

it('counts requests and events by project, wire and SDK, and begins at zero after they are taken', () => {
  const counts = createCounts();
  const node = { sdk: '@segment/analytics-node', version: '3.1.0' };
  for (const events of [2, 3]) counts.add('shop', 'segment', { events, ...node });
  counts.add('shop', 'switchboard', undefined);
  counts.add('blog', 'segment', { events: 1, ...node });
  expect(counts.take()).toEqual(
    new Map([
      [
        'shop',
        [
          { wire: 'segment', ...node, requests: 2, events: 5, sdk: node.sdk },
          { wire: 'switchboard', sdk: '', version: '', requests: 1, events: 0 },
        ],
      ],
      ['blog', [{ wire: 'segment', ...node, requests: 1, events: 1 }]],
    ]),
  );
  expect(counts.take().size).toBe(0);
});

it('counts names that are none of an SDK, and further SDKs, as unknown', () => {
  const counts = createCounts();
  for (const sdk of ['<script>', 'a\nb', 'x'.repeat(61)])
    counts.add('shop', 'posthog', { events: 1, sdk, version: '1' });
  for (let n = 0; n < MAX_USED_SDKS + 5; n++)
    counts.add('shop', 'posthog', { events: 1, sdk: 'web', version: `1.${n}` });
  counts.add('shop', 'posthog', { events: 1, sdk: 'web', version: '<1>' });
  const found = counts.take().get('shop') ?? [];
  expect(found).toHaveLength(MAX_USED_SDKS + 1);
  expect(found[0]).toEqual({ wire: 'posthog', sdk: '', version: '', requests: 9, events: 9 });
});
