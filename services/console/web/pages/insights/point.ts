import { nodesOf } from '@switchboard/report-content/paths';
import type { Place, ReportContent } from '../../components/chart.tsx';
import type { Query } from './draft.ts';

/** The value of a result, as the API names it. */
export interface Point {
  metric?: string;
  breakdown?: string[];
  bucket?: string;
  step?: number;
  cohortBucket?: string;
  period?: number;
  daysActive?: number;
  state?: 'new' | 'returning' | 'resurrecting' | 'dormant' | 'dropped' | 'ended';
}

/** Returns the point that names a value of the result. Undefined for values without people, such as a median. */
export function pointOf(query: Query, content: ReportContent, { series, at }: Place): Point | undefined {
  if (content.kind === 'funnel') {
    if (series === 1) return undefined;
    const name = content.series?.[series - 2]?.name;
    return name === undefined ? { step: at } : { step: at, breakdown: [name] };
  }
  if (content.kind === 'paths') {
    // The rows after the events are ways between them.
    const found = nodesOf(content)[at];
    if (found === undefined) return undefined;
    const event = { step: found.level, metric: found.node.name };
    return series === 0 ? event : { ...event, state: 'ended' };
  }
  if (content.kind === 'grid') {
    const name = content.rows[at]?.name;
    if (name === undefined) return undefined;
    const isBroken = query.kind === 'retention' && query.breakdown !== undefined;
    const row = isBroken ? { breakdown: [name] } : { cohortBucket: name };
    return series === 0 ? row : { ...row, period: series - 1 };
  }
  if (content.kind === 'line' && content.display === 'map') {
    const name = content.series[at]?.name;
    const isFormula = query.kind === 'trends' && query.formula !== undefined;
    return name === undefined || isFormula ? undefined : { breakdown: [name] };
  }
  const [bucket, one] = [content.buckets[at], content.series[series]];
  if (bucket === undefined || one === undefined) return undefined;
  if (query.kind === 'stickiness') return { metric: one.name, daysActive: at + 1 };
  if (query.kind === 'lifecycle') {
    const state = (['new', 'returning', 'resurrecting', 'dormant'] as const).find((it) => it === one.builtIn);
    return state === undefined ? undefined : { bucket, state };
  }
  if (query.kind === 'trends' && query.formula !== undefined) return undefined;
  const isBroken = (query.kind === 'trends' || query.kind === 'funnel') && query.breakdown !== undefined;
  return isBroken ? { breakdown: [one.name], bucket } : { metric: one.name, bucket };
}
