import type { Logger } from '@switchboard/runtime';
import { LRUCache } from 'lru-cache';
import type { ChartPicture } from '../page/thread/calls.ts';
import type { Renderer } from '../page/thread/renderer.ts';
import type { SentReport } from './content.ts';

/** The width of the text of a mail. */
const CHART_WIDTH = 510;
/** The maximum number of pictures in a mail. */
const MAX_CHARTS = 20;
/** Mails of one subscription, which have the same charts, are sent one shortly after the other. */
const MAX_CACHED = 4;
const CACHED_MS = 60_000;

interface ChartsOptions {
  renderer: Pick<Renderer, 'draw'>;
  logger: Logger;
}

/**
 * Draws the charts of each of these reports of a project, the first 20 of them all. A mail is sent without those that
 * cannot be drawn.
 */
export type DrawCharts = (projectId: string, reports: readonly SentReport[]) => Promise<ChartPicture[][]>;

export function createDrawCharts({ renderer, logger }: ChartsOptions): DrawCharts {
  const cached = new LRUCache<string, Promise<ChartPicture[][]>>({ max: MAX_CACHED, ttl: CACHED_MS });

  async function chartsOf(projectId: string, { id, name, report }: SentReport): Promise<ChartPicture[]> {
    try {
      return await renderer.draw({ report, name, width: CHART_WIDTH, language: 'en' }, projectId);
    } catch (error) {
      logger.failed('draw the charts of a mail', error, { project: projectId, report: id });
      return [];
    }
  }

  async function draw(projectId: string, reports: readonly SentReport[]): Promise<ChartPicture[][]> {
    const all: ChartPicture[][] = [];
    let left = MAX_CHARTS;
    for (const report of reports) {
      const charts = left > 0 ? (await chartsOf(projectId, report)).slice(0, left) : [];
      left -= charts.length;
      all.push(charts);
    }
    return all;
  }

  return (projectId, reports) => {
    const key = JSON.stringify([projectId, reports.map(({ id, ranAt }) => [id, ranAt])]);
    const drawing = cached.get(key) ?? draw(projectId, reports);
    cached.set(key, drawing);
    return drawing;
  };
}
