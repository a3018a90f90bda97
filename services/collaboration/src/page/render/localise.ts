import {
  BUILT_IN_NAMES,
  type BuiltInName,
  type Interval,
  PERIOD_NAMES,
  type ReportContent,
} from '@switchboard/report-content';
import type { PageTexts } from '../texts/texts.ts';

interface Named {
  name: string;
  builtIn?: BuiltInName | undefined;
}

/**
 * Translates the built-in names of the content into the visitor's language. Other names belong to the customer.
 */
export function localise(content: ReportContent, texts: PageTexts): ReportContent {
  if (content.kind === 'grid') {
    const { periods, rows, interval } = content;
    const translated = periods.map((period) => periodIn(texts, period, interval));
    return { ...content, periods: translated, rows: named(rows, texts) };
  }
  if (content.kind === 'paths') {
    return { ...content, levels: content.levels.map((nodes) => named(nodes, texts)) };
  }
  return content.series === undefined ? content : { ...content, series: named(content.series, texts) };
}

const PERIOD = /^(\w+) (\d+)$/;

function periodIn({ periods }: PageTexts, period: string, interval: Interval | undefined): string {
  const [, name, number] = PERIOD.exec(period) ?? [];
  const isBuiltIn = interval !== undefined && number !== undefined && name === PERIOD_NAMES[interval];
  return isBuiltIn ? periods[interval](number) : period;
}

/** Translates and renumbers built-in names, because a translation may equal a name from the data. */
function named<T extends Named>(series: readonly T[], { builtIn: words }: PageTexts): T[] {
  const taken = new Set(series.flatMap(({ name, builtIn }) => (builtIn === undefined ? [name] : [])));
  return series.map((one) => {
    if (one.builtIn === undefined) return one;
    const name = translated(one.name, BUILT_IN_NAMES[one.builtIn], words[one.builtIn]);
    let different = name;
    for (let count = 2; taken.has(different); count++) different = `${name} (${count})`;
    taken.add(different);
    return { ...one, name: different };
  });
}

const NUMBERED = / \(\d+\)$/;

/** Translates the built-in end of a name. A long name may have been cut before that end and stays as it is. */
function translated(name: string, english: string, word: string): string {
  const bare = name.replace(NUMBERED, '');
  const isBuiltIn = bare === english || bare.endsWith(`: ${english}`);
  return isBuiltIn ? bare.slice(0, -english.length) + word : name;
}
