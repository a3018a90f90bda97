import { t } from '../../app/i18n.ts';
import type { Query } from '../insights/draft.ts';

/** The event that the browser SDK sends with each page. */
export const PAGE_VIEW = 'page viewed';

type Trends = Extract<Query, { kind: 'trends' }>;
type Measure = Trends['series'][number]['measure'];

const range = { last: 30, unit: 'day' } as const;

const views = (measure: Measure, more: Partial<Trends> = {}): Trends => ({
  kind: 'trends',
  range,
  series: [{ event: PAGE_VIEW, measure }],
  ...more,
});

const top = (measure: Measure, property: string): Trends =>
  views(measure, { interval: 'week', breakdown: { property, limit: 10 } });

/** A map has all countries. */
const countries = views('people', { breakdown: { property: 'country' }, display: 'map' });

/** The template of a web site, from the properties that the browser SDK sends with a page view. */
export function webTemplate() {
  const rows: { h: number; tiles: { name: string; query: Trends; refresh?: '15m' }[] }[] = [
    {
      h: 3,
      tiles: [
        { name: t('Visitors'), query: views('people', { compare: 'previous' }) },
        { name: t('Sessions'), query: views('sessions', { compare: 'previous' }) },
        { name: t('Page views'), query: views('events', { compare: 'previous' }) },
      ],
    },
    {
      h: 3,
      tiles: [
        {
          name: t('Live now: visitors of the last hours'),
          query: views('people', { range: { last: 3, unit: 'hour' }, interval: 'hour' }),
          refresh: '15m',
        },
        { name: t('Bounce rate'), query: views('bounce_rate') },
        { name: t('Length of a session'), query: views('session_seconds') },
      ],
    },
    {
      h: 4,
      tiles: [
        { name: t('Top pages'), query: top('events', 'path') },
        { name: t('Entry pages'), query: top('sessions', 'path') },
        { name: t('Exit pages'), query: top('exits', 'path') },
      ],
    },
    {
      h: 4,
      tiles: [
        { name: t('Sources'), query: top('sessions', 'referrer') },
        { name: t('Campaigns'), query: top('sessions', 'utm_campaign') },
        { name: t('Countries'), query: countries },
      ],
    },
    {
      h: 4,
      tiles: [
        { name: t('Devices'), query: top('people', 'device') },
        { name: t('Browsers'), query: top('people', 'browser') },
        { name: t('Operating systems'), query: top('people', 'context.os') },
      ],
    },
  ];
  const heightBefore = (row: number) => rows.slice(0, row).reduce((height, { h }) => height + h, 0);
  const tiles = rows.flatMap(({ h, tiles: inRow }, row) =>
    inRow.map((tile, at) => ({ ...tile, x: at * 4, y: heightBefore(row), w: 4, h })),
  );
  return { id: 'web', title: t('Web: visitors, pages, sources and devices'), tiles };
}
