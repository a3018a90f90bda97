import { t } from '../../app/i18n.ts';
import type { Query } from '../insights/draft.ts';
import { PAGE_VIEW, webTemplate } from './web-template.ts';

/** A tile of a template: a query that becomes a saved report. */
interface TemplateTile {
  name: string;
  query: Query;
  /** How often it is computed. Default: hourly. */
  refresh?: '15m';
  x: number;
  y: number;
  w: number;
  h: number;
}

interface Template {
  id: string;
  title: string;
  tiles: readonly TemplateTile[];
}

/** Returns the templates for a project with these events, most frequent first. */
export function templates(events: readonly string[]): readonly Template[] {
  const [first, second = first] = events;
  const blank = { id: 'blank', title: t('Blank'), tiles: [] };
  if (first === undefined || second === undefined) return [blank];
  const range = { last: 30, unit: 'day' } as const;
  const weeks = { range: { last: 8, unit: 'week' }, interval: 'week' } as const;
  return [
    blank,
    ...(events.includes(PAGE_VIEW) ? [webTemplate()] : []),
    {
      id: 'growth',
      title: t('Growth: active, new and returning people'),
      tiles: [
        {
          name: t('Active people'),
          query: {
            kind: 'trends',
            range,
            series: [{ event: first, measure: 'people' }],
            compare: 'previous',
          },
          ...{ x: 0, y: 0, w: 6, h: 4 },
        },
        {
          name: t('New, returning and dormant people'),
          query: { kind: 'lifecycle', ...weeks },
          ...{ x: 6, y: 0, w: 6, h: 4 },
        },
        {
          name: t('Weekly retention'),
          query: {
            kind: 'retention',
            ...weeks,
            start: { event: first },
            return: { event: first },
            periods: 8,
          },
          ...{ x: 0, y: 4, w: 12, h: 4 },
        },
      ],
    },
    {
      id: 'conversion',
      title: t('Conversion: steps, volume and stickiness'),
      tiles: [
        {
          name: t('From {first} to {second}', { first, second }),
          query: { kind: 'funnel', range, steps: [{ event: first }, { event: second }] },
          ...{ x: 0, y: 0, w: 6, h: 4 },
        },
        {
          name: t('Events per day'),
          query: { kind: 'trends', range, series: events.slice(0, 5).map((event) => ({ event })) },
          ...{ x: 6, y: 0, w: 6, h: 4 },
        },
        {
          name: t('Days active'),
          query: { kind: 'stickiness', range: { last: 7, unit: 'day' }, series: [{ event: first }] },
          ...{ x: 0, y: 4, w: 12, h: 4 },
        },
      ],
    },
  ];
}
