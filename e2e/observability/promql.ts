/** PromQL keywords, which are not metrics. */
const WORDS = new Set(['and', 'or', 'unless', 'offset', 'bool', 'inf', 'nan']);

/** Returns the metrics that a PromQL expression reads. */
export function metricsOf(expression: string): string[] {
  const bare = expression
    .replaceAll(/"[^"]*"/g, '')
    .replaceAll(/\{[^}]*\}/g, '')
    .replaceAll(/\[[^\]]*\]/g, '')
    .replaceAll(/\b(by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g, '');
  const names = bare.matchAll(/(?<![\w.])([a-zA-Z_:][\w:]*)(?!\s*\(|[\w:])/g);
  return [...new Set([...names].map(([, name = '']) => name))].filter(
    (name) => !WORDS.has(name.toLowerCase()),
  );
}

export interface Exposed {
  /** The names of series, with `_bucket`, `_sum` and `_count` of histograms. */
  series: Set<string>;
  types: Map<string, string>;
}

/** Returns the series and types in several responses to GET /metrics. */
export function exposedBy(answers: readonly string[]): Exposed {
  const types = new Map<string, string>();
  for (const answer of answers) {
    for (const [, name = '', type = ''] of answer.matchAll(/^# TYPE (\S+) (\S+)$/gm)) types.set(name, type);
  }
  const series = new Set<string>();
  for (const [name, type] of types) {
    const suffixes = { histogram: ['_bucket', '_sum', '_count'], summary: ['', '_sum', '_count'] }[type] ?? [
      '',
    ];
    for (const suffix of suffixes) series.add(`${name}${suffix}`);
  }
  return { series, types };
}
