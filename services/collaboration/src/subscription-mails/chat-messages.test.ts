import { describe, expect, it } from 'vitest';
import { createLocale } from '../page/render/locale.ts';
import { composeChatMessage } from './chat-messages.ts';

const locale = createLocale('en');
const KINDS = ['slack', 'discord', 'teams'] as const;

const report = (name: string, rows = 2, series = 1) => ({
  id: name,
  name,
  ranAt: new Date('2026-03-01T12:00:00Z'),
  report: JSON.stringify({
    kind: 'bar',
    title: name,
    buckets: Array.from({ length: rows }, (_, at) => `Value ${at} of ${name}`),
    series: Array.from({ length: series }, (_, at) => ({
      name: `Series ${at}`,
      values: Array.from({ length: rows }, () => 1_234_567.25),
    })),
  }),
});
const compose = (kind: (typeof KINDS)[number], reports: ReturnType<typeof report>[], name = 'Board') =>
  composeChatMessage(
    kind,
    { kind: 'dashboard', name, project: 'Shop', reports, timeZone: 'UTC', link: 'https://console.example/d' },
    locale,
  );

describe('a message to a chat', () => {
  it('mentions no one, and has no link, style or block from the names in it', () => {
    const hostile = '<!channel> [here](https://evil.example) ```@everyone';
    const [slack, discord, teams] = KINDS.map((kind) => compose(kind, [report(hostile)], hostile));
    const { text } = JSON.parse(slack ?? '');
    expect(text).not.toContain('<!');
    expect(text.match(/<[^>]*>/g)).toEqual(['<https://console.example/d|Open the dashboard>']);
    expect(text.split('```')).toHaveLength(3);
    const { embeds, allowed_mentions: mentions } = JSON.parse(discord ?? '');
    expect(mentions).toEqual({ parse: [] });
    const [outside, inside, after] = embeds[0].description.split('```');
    expect(outside).toContain('\\[here\\]\\(https://evil.example\\) \\`\\`\\`@everyone');
    expect([inside, after]).toEqual([expect.stringContaining('Value 0'), expect.any(String)]);
    // Markdown is only in blocks of another type.
    expect(teams).not.toContain('"TextBlock"');
  });

  it.each([
    ['slack', 4_000],
    ['discord', 4_000],
    ['teams', 24_000],
  ] as const)('for %s has at most %i bytes, and says that there are further reports', (kind, bytes) => {
    const large = Array.from({ length: 30 }, (_, at) => report(`Report ${at} ${'ü'.repeat(90)}`, 400, 6));
    const body = compose(kind, large);
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(bytes);
    expect(body).toContain('Report 0');
    expect(body).not.toContain('Report 29');
    expect(body).toContain('The dashboard has further reports.');
    expect(compose(kind, [report('Only')])).not.toContain('further reports');
  });

  it('says of a report without a table to open it', () => {
    const odd = { ...report('Odd'), report: '{"anything":1}' };
    for (const kind of KINDS) expect(compose(kind, [odd])).toContain('Its values have no table.');
  });
});
