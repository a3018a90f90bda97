import type { Result } from '@switchboard/management';
import type { Alert, Definition, Rule } from './words.tsx';

/** An alert while it is edited. Numbers are texts, as typed. */
export interface AlertDraft {
  id: string;
  name: string;
  /** The alert takes the query of this report. Empty keeps the query. */
  reportId: string;
  query: Definition['query'] | undefined;
  /** The index of the series or step. */
  part: number | undefined;
  kind: Rule['kind'];
  side: 'above' | 'below';
  limit: string;
  recoverAt: string;
  direction: 'up' | 'down' | 'both';
  percent: string;
  against: 'previous' | 'day' | 'week';
  sensitivity: string;
  fireAfter: string;
  recoverAfter: string;
  enabled: boolean;
}

/** Returns the form in which an alert is edited. */
export function draftOf(alert: Alert | undefined, reportId: string | undefined): AlertDraft {
  const { rule } = alert ?? {};
  const limit = rule?.kind === 'threshold' ? (rule.above ?? rule.below) : undefined;
  return {
    id: alert?.id ?? '',
    name: alert?.name ?? '',
    reportId: reportId ?? '',
    query: alert?.query,
    part: alert?.series ?? alert?.step,
    kind: rule?.kind ?? 'threshold',
    side: rule?.kind === 'threshold' && rule.above !== undefined ? 'above' : 'below',
    limit: String(limit ?? ''),
    recoverAt: rule?.kind === 'threshold' ? String(rule.recoverAt ?? '') : '',
    direction: rule?.kind === 'change' || rule?.kind === 'anomaly' ? rule.direction : 'down',
    percent: rule?.kind === 'change' ? String(rule.percent) : '50',
    against: rule?.kind === 'change' ? (rule.against ?? 'previous') : 'previous',
    sensitivity: rule?.kind === 'anomaly' ? String(rule.sensitivity ?? 4) : '4',
    fireAfter: String(alert?.fireAfter ?? 1),
    recoverAfter: String(alert?.recoverAfter ?? 1),
    enabled: alert?.enabled ?? true,
  };
}

/** Returns the alert as the API takes it, or undefined while it is incomplete. */
export function definitionOf(draft: AlertDraft): Definition | undefined {
  const { name, query, part, enabled } = draft;
  const rule = ruleOf(draft);
  if (name.trim() === '' || query === undefined || rule === undefined) return undefined;
  const chosen = query.kind === 'funnel' ? { step: part } : { series: part };
  const [fireAfter, recoverAfter] = [Number(draft.fireAfter), Number(draft.recoverAfter)];
  return { name, query, rule, enabled, fireAfter, recoverAfter, ...(part === undefined ? {} : chosen) };
}

function ruleOf({ kind, ...draft }: AlertDraft): Rule | undefined {
  const { side, direction, against } = draft;
  const [limit, recoverAt] = [numberOf(draft.limit), numberOf(draft.recoverAt)];
  const [percent, sensitivity] = [numberOf(draft.percent), numberOf(draft.sensitivity)];
  switch (kind) {
    case 'threshold':
      if (limit === undefined) return undefined;
      return { kind, [side]: limit, ...(recoverAt === undefined ? {} : { recoverAt }) };
    case 'change':
      return percent === undefined ? undefined : { kind, direction, percent, against };
    case 'missing':
      return { kind };
    case 'anomaly':
      return sensitivity === undefined ? undefined : { kind, direction, sensitivity };
  }
}

const numberOf = (text: string) =>
  text.trim() === '' || Number.isNaN(Number(text)) ? undefined : Number(text);

type Query = Definition['query'];
type Report = Pick<Result<'getReport'>, 'query'>;

/** Returns the query of a report as an alert takes it. Undefined for one that no alert evaluates. */
export function alertQuery(query: Report['query']): Query | undefined {
  if (query?.kind !== 'trends' && query?.kind !== 'funnel') return undefined;
  if (query.breakdown !== undefined) return undefined;
  if (query.kind === 'funnel') {
    const { view: _, ...steps } = query;
    return steps;
  }
  const { compare: _, running: __, goal: ___, display: ____, ...rest } = query;
  return rest;
}

/** Returns the names of the series or steps to choose from. */
export function partsOf(query: Query | undefined): { value: string; title: string }[] {
  const named = (list: readonly { event: string; name?: string | undefined }[]) =>
    list.map(({ event, name = event }, index) => ({ value: String(index), title: name }));
  if (query?.kind === 'trends' && query.formula === undefined) return named(query.series);
  return query?.kind === 'funnel' ? named(query.steps).slice(1) : [];
}
