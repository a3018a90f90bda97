import { csvOf, parseContent, tableOf } from '@switchboard/report-content';
import { describe, expect, it } from 'vitest';
import { LANGUAGES, type PageLanguage } from '../texts/languages.ts';
import { createLocale } from './locale.ts';
import { localise } from './localise.ts';

const languages = Object.keys(LANGUAGES).filter((one): one is PageLanguage => one in LANGUAGES);
const translations = languages.filter((language) => language !== 'en');

function localised(report: object, language: PageLanguage) {
  const content = parseContent(report);
  if (content === undefined) throw new Error('not report content');
  return localise(content, LANGUAGES[language]);
}

const bar = (series: object[]) => ({
  kind: 'bar',
  buckets: ['2026-03-02'],
  series: series.map((one) => ({ values: [1], ...one })),
});
const namesIn = (language: PageLanguage, series: object[]) => {
  const content = localised(bar(series), language);
  return 'series' in content ? content.series?.map(({ name }) => name) : [];
};
const weeks = { kind: 'grid', periods: ['Week 0', 'Week 12'], rows: [{ name: 'A', values: [1] }] };
const periodsIn = (language: PageLanguage, more: object) => {
  const content = localised({ ...weeks, ...more }, language);
  return content.kind === 'grid' ? content.periods : [];
};

const BUILT_IN = [
  { name: 'Other', builtIn: 'other' },
  { name: '(none)', builtIn: 'none' },
  { name: '(empty)', builtIn: 'empty' },
  { name: 'New', builtIn: 'new' },
  { name: 'Returning', builtIn: 'returning' },
  { name: 'Resurrecting', builtIn: 'resurrecting' },
  { name: 'Dormant', builtIn: 'dormant' },
];
const ENGLISH = BUILT_IN.map(({ name }) => name);

describe('built-in names', () => {
  it.each(translations)('translates all built-in names into %s', (language) => {
    const names = namesIn(language, BUILT_IN) ?? [];
    expect(new Set(names).size).toBe(ENGLISH.length);
    expect(names).toEqual(ENGLISH.map((name) => expect.not.stringContaining(name)));
    for (const [interval, name] of Object.entries({
      hour: 'Hour',
      day: 'Day',
      week: 'Week',
      month: 'Month',
    })) {
      const periods = periodsIn(language, { interval, periods: [`${name} 0`, `${name} 12`] });
      expect(periods).toEqual([expect.stringContaining('0'), expect.stringContaining('12')]);
      if (`${language} ${interval}` !== 'nl week') expect(periods.join()).not.toContain(`${name} `);
    }
  });

  it('keeps built-in names in English', () => {
    expect(namesIn('en', BUILT_IN)).toEqual(ENGLISH);
    expect(periodsIn('en', { interval: 'week' })).toEqual(['Week 0', 'Week 12']);
  });

  it('translates names only where a computation marks them, since values of events may have these names', () => {
    const values = ENGLISH.map((name) => ({ name }));
    expect(namesIn('de', values)).toEqual(ENGLISH);
    expect(periodsIn('de', {})).toEqual(['Week 0', 'Week 12']);
    expect(periodsIn('de', { interval: 'day' })).toEqual(['Week 0', 'Week 12']);
    expect(periodsIn('de', { interval: 'week', periods: ['Week of Easter', 'Last Week 1'] })).toEqual([
      'Week of Easter',
      'Last Week 1',
    ]);
  });

  it('puts built-in names after the series that they are a part of', () => {
    const other = { builtIn: 'other' };
    expect(
      namesIn('de', [
        { name: 'orders: Other', ...other },
        { name: 'Other: (none)', builtIn: 'none' },
        { name: 'Another', ...other },
        { name: `${'x'.repeat(195)}: Oth`, ...other },
      ]),
    ).toEqual(['orders: Sonstige', 'Other: (kein Wert)', 'Another', `${'x'.repeat(195)}: Oth`]);
  });

  it('numbers a built-in name where another name is the same in the language', () => {
    const other = { name: 'Other (2)', builtIn: 'other' };
    expect(namesIn('de', [{ name: 'Other' }, other])).toEqual(['Other', 'Sonstige']);
    expect(namesIn('en', [{ name: 'Other' }, other])).toEqual(['Other', 'Other (2)']);
    expect(namesIn('de', [other, { name: 'Sonstige' }])).toEqual(['Sonstige (2)', 'Sonstige']);
    expect(namesIn('de', [other, { ...other, name: 'Other (3)' }])).toEqual(['Sonstige', 'Sonstige (2)']);
  });

  it('translates the built-in names of a split funnel and of a file', () => {
    const steps = [{ name: 'Other', count: 3 }];
    const series = [{ name: 'Other', builtIn: 'other', values: [3] }];
    const content = localised({ kind: 'funnel', steps, series }, 'fr');
    expect(csvOf(tableOf(content, LANGUAGES.fr.table))).toBe(
      '"Étape","Nombre","De l’étape précédente","De la première","Autres"\r\n"Other",3,,1,3\r\n',
    );
  });
});

describe('the unit people', () => {
  const counted = (language: PageLanguage, numbers: number[]) => {
    const { value } = createLocale(language);
    return numbers.map((number) => value(number, 'people'));
  };

  it('uses the plural forms of the language for people', () => {
    expect(counted('en', [0, 1, -1, 2, 1.5])).toEqual([
      '0 people',
      '1 person',
      '1 person',
      '2 people',
      '1.5 people',
    ]);
    expect(counted('pl', [1, 2, 5, 22, 1.5])).toEqual([
      '1 osoba',
      '2 osoby',
      '5 osób',
      '22 osoby',
      '1,5 osoby',
    ]);
    expect(counted('fr', [0, 1, 2])).toEqual(['0 personne', '1 personne', '2 personnes']);
    expect(counted('ja', [1, 8])).toEqual(['1人', '8人']);
  });

  it.each(translations)('translates the unit people into %s', (language) => {
    const { unit, value } = createLocale(language);
    expect([unit('people'), ...counted(language, [0, 1, 2, 5, 1e6])].join()).not.toMatch(/people|person\b/);
    expect([unit('persons'), value(1, 'persons')]).toEqual(['persons', '1 persons']);
  });
});
