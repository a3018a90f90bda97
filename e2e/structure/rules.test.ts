import { describe, expect, test } from 'vitest';
import {
  constantNames,
  folderCycles,
  folderSize,
  importCycles,
  plainEnglish,
  systemClock,
  testHelpers,
} from './everywhere.ts';
import { KIT_ORDER, kitOrder } from './kit.ts';
import type { Rule } from './rule.ts';
import {
  routeFunctions,
  schemaFolder,
  sqlInStores,
  storeFactories,
  storesAreOwn,
  topFiles,
  wiring,
} from './service-template.ts';
import { parseTree } from './source.ts';

const shop = 'services/shop/src';
const kit = 'packages/kit/http/src';
const [lowest, second] = KIT_ORDER[`${kit}/`] ?? [];

/** A tree that every rule accepts. */
const VALID: Record<string, string> = {
  [`${shop}/main.ts`]: `import { shopService } from './service.ts'; await run(shopService);`,
  [`${shop}/service.ts`]: `
    import { shopMigrations } from './schema/migrations.ts';
    import { giftCardsRoutes } from './gift-cards/routes.ts';
    export const shopService = { shopMigrations, giftCardsRoutes };`,
  [`${shop}/config.ts`]: 'export const shopSettings = {};',
  [`${shop}/schema/index.ts`]: `import { pgTable } from 'drizzle-orm/pg-core'; export const cards = pgTable('cards');`,
  [`${shop}/schema/migrations.ts`]: `export const shopMigrations = new URL('../../migrations', import.meta.url);`,
  [`${shop}/gift-cards/routes.ts`]: `
    export const MAX_CARDS = 3;
    export function giftCardsRoutes() {}`,
  [`${shop}/gift-cards/store.ts`]: `
    import { sql } from 'drizzle-orm';
    import { cards } from '../schema/index.ts';
    export interface GiftCardsStore { count(): void }
    export const createGiftCardsStore = (): GiftCardsStore => ({ count: () => sql\`\${cards}\` });`,
  [`${shop}/gift-cards/gift-cards.ts`]: `import type { GiftCardsStore } from './store.ts'; export type X = GiftCardsStore;`,
  [`${shop}/gift-cards/gift-cards.test.ts`]: `import { test } from 'vitest'; import { card } from '../testing/card.ts'; test(card);`,
  [`${shop}/testing/card.ts`]: `import { startKafka } from '@switchboard/testkit'; export const card = startKafka;`,
  [`${kit}/index.ts`]: `export { a } from './${second}/a.ts';`,
  [`${kit}/${second}/a.ts`]: `export { b as a } from '../${lowest}/b.ts';`,
  [`${kit}/${lowest}/b.ts`]: 'export const b = {};',
};

const manyFiles = Object.fromEntries(
  Array.from({ length: 16 }, (_, i) => [`${shop}/gift-cards/file-${i}.ts`, 'export {};']),
);

const planted: [Rule, what: string, files: Record<string, string>, found: string[]][] = [
  [topFiles, 'a source at the top', { [`${shop}/ids.ts`]: 'export {};' }, [`${shop}/ids.ts`]],
  [
    topFiles,
    'a service without config.ts',
    { 'services/new/src/main.ts': '', 'services/new/src/service.ts': '' },
    ['services/new/src/config.ts'],
  ],
  [
    wiring,
    'a service.ts of 81 lines',
    { [`${shop}/service.ts`]: 'export {};\n'.repeat(81) },
    [`${shop}/service.ts`],
  ],
  [
    wiring,
    'a feature that imports the wiring',
    {
      [`${shop}/wiring/gift-cards.ts`]: 'export const openGiftCards = {};',
      [`${shop}/gift-cards/gift-cards.ts`]: `import '../wiring/gift-cards.ts';`,
    },
    [`${shop}/gift-cards/gift-cards.ts`],
  ],
  [
    schemaFolder,
    'migrations of another name',
    { [`${shop}/schema/migrations.ts`]: 'export const migrations = 1;' },
    [`${shop}/schema/migrations.ts`],
  ],
  [
    schemaFolder,
    'a schema without index.ts',
    { 'services/new/src/schema/migrations.ts': 'export const newMigrations = 1;' },
    ['services/new/src/schema/index.ts'],
  ],
  [
    routeFunctions,
    'a route function of another name',
    { [`${shop}/gift-cards/routes.ts`]: 'export function routeGiftCards() {}' },
    [`${shop}/gift-cards/routes.ts`],
  ],
  [
    routeFunctions,
    'a second function beside the routes',
    {
      [`${shop}/gift-cards/routes.ts`]: 'export function giftCardsRoutes() {} export function parseCard() {}',
    },
    [`${shop}/gift-cards/routes.ts`],
  ],
  [
    routeFunctions,
    'a route function in another file',
    { [`${shop}/gift-cards/socket.ts`]: 'export const socketRoutes = () => {};' },
    [`${shop}/gift-cards/socket.ts`],
  ],
  [
    storeFactories,
    'a store of functions',
    { [`${shop}/gift-cards/store.ts`]: 'export interface GiftCardsStore {} export function insertCard() {}' },
    [`${shop}/gift-cards/store.ts`],
  ],
  [
    storeFactories,
    'a store without an interface',
    { [`${shop}/gift-cards/store.ts`]: 'export function createGiftCardsStore() {}' },
    [`${shop}/gift-cards/store.ts`],
  ],
  [
    sqlInStores,
    'a rule that imports drizzle-orm',
    { [`${shop}/gift-cards/rows.ts`]: `import { eq } from 'drizzle-orm'; eq();` },
    [`${shop}/gift-cards/rows.ts`],
  ],
  [
    sqlInStores,
    'a rule that imports the types of tables',
    {
      [`${shop}/gift-cards/rows.ts`]: `import type { cards } from '../schema/index.ts'; export type Y = typeof cards;`,
    },
    [`${shop}/gift-cards/rows.ts`],
  ],
  [
    sqlInStores,
    'a route that has SQL of its own',
    { [`${shop}/gift-cards/routes.ts`]: 'export const giftCardsRoutes = (db) => db.sql`select 1`;' },
    [`${shop}/gift-cards/routes.ts`],
  ],
  [
    storesAreOwn,
    'a store that imports another',
    { [`${shop}/orders/store.ts`]: `import '../gift-cards/store.ts';` },
    [`${shop}/orders/store.ts`],
  ],
  [
    testHelpers,
    'a helper beside the sources',
    { [`${shop}/gift-cards/any-card.ts`]: `import fc from 'fast-check'; export const card = fc;` },
    [`${shop}/gift-cards/any-card.ts`],
  ],
  [
    testHelpers,
    'a source that only a test imports',
    {
      [`${shop}/gift-cards/example.ts`]: 'export const example = {};',
      [`${shop}/gift-cards/example.test.ts`]: `import './example.ts';`,
    },
    [`${shop}/gift-cards/example.ts`],
  ],
  [
    testHelpers,
    'a source that imports a helper',
    { [`${shop}/gift-cards/gift-cards.ts`]: `import { card } from '../testing/card.ts'; card();` },
    [`${shop}/gift-cards/gift-cards.ts`],
  ],
  [
    kitOrder,
    'an import of a higher folder',
    { [`${kit}/${lowest}/b.ts`]: `import '../${second}/a.ts'; export const b = {};` },
    [`${kit}/${lowest}/b.ts`],
  ],
  [kitOrder, 'a file at the top', { [`${kit}/app.ts`]: 'export {};' }, [`${kit}/app.ts`]],
  [
    importCycles,
    'a cycle of types',
    {
      'packages/new/src/a.ts': `import type { B } from './b.ts'; export interface A { b: B }`,
      'packages/new/src/b.ts': `import { c } from './c.ts'; export type B = typeof c;`,
      'packages/new/src/c.ts': `export const c = await import('./a.ts');`,
    },
    ['packages/new/src/a.ts'],
  ],
  [
    folderCycles,
    'a cycle of folders through a third one',
    {
      [`${shop}/orders/orders.ts`]: `import type { Card } from '../gift-cards/card.ts'; export type O = Card;`,
      [`${shop}/gift-cards/card.ts`]: `import type { P } from '../prices/price.ts'; export type Card = P;`,
      [`${shop}/prices/price.ts`]: `export type P = number;`,
      [`${shop}/prices/total.ts`]: `import '../orders/limits.ts';`,
      [`${shop}/orders/limits.ts`]: 'export const MAX_ORDERS = 3;',
    },
    [`${shop}/gift-cards`],
  ],
  [
    folderCycles,
    'a cycle of folders of the cli, but none through a test or config.ts',
    {
      'packages/tools/cli/src/login/session.ts': `import '../terminal/terminal.ts';`,
      'packages/tools/cli/src/terminal/terminal.ts': `import '../login/keychain.ts';`,
      'packages/tools/cli/src/login/keychain.ts': 'export {};',
      [`${shop}/config.ts`]: `import './orders/orders.ts'; export const shopSettings = {};`,
      [`${shop}/orders/orders.ts`]: `import '../gift-cards/card.ts';`,
      [`${shop}/gift-cards/card.ts`]: `import '../config.ts';`,
      [`${shop}/gift-cards/card.test.ts`]: `import '../orders/orders.ts';`,
    },
    ['packages/tools/cli/src/login'],
  ],
  [folderSize, 'a folder of 16 more files', manyFiles, [`${shop}/gift-cards`]],
  [
    constantNames,
    'a limit in camelCase',
    { [`${shop}/gift-cards/limits.ts`]: 'export const maxBytes = 60 * 1024;' },
    [`${shop}/gift-cards/limits.ts`],
  ],
  [
    constantNames,
    'a pattern in camelCase, and MOST_',
    {
      [`${shop}/gift-cards/limits.ts`]:
        'const pattern = /x/; const MOST_BYTES = 1; export { pattern, MOST_BYTES };',
    },
    [`${shop}/gift-cards/limits.ts`, `${shop}/gift-cards/limits.ts`],
  ],
  [
    systemClock,
    'an age by the system clock',
    {
      [`${shop}/gift-cards/age.ts`]: 'export const isOld = (at: number) => Date.now() - at > 5;',
      [`${shop}/gift-cards/now.ts`]: 'export const now = () => new Date().getTime();',
      [`${shop}/gift-cards/read.ts`]: 'export const read = (text: string) => new Date(text);',
    },
    [`${shop}/gift-cards/age.ts`, `${shop}/gift-cards/now.ts`],
  ],
  [
    plainEnglish,
    'a comment, a string, a template and a test title that need a second reading',
    {
      [`${shop}/gift-cards/whose.ts`]:
        '/** Whose card it is. */\nexport const owner = (card: Card) => card.owner;',
      [`${shop}/gift-cards/now.ts`]: '// It was replaced meanwhile.\nexport const isOld = true;',
      [`${shop}/gift-cards/card.ts`]:
        '/** Returns the owner of a card. */\nexport const ownerOf = (card: Card) => card.owner;',
      [`${shop}/gift-cards/answer.ts`]: "export const gone = 'The card is used by nobody.';",
      [`${shop}/gift-cards/setting.ts`]: "export const days = 'Of cards, until they expire.';",
      [`${shop}/gift-cards/log.ts`]: 'export const lines = (cards: number) => `so many cards`;',
      [`${shop}/gift-cards/now.test.ts`]: "test('a card whose owner left is removed', check);",
      [`${shop}/gift-cards/plain.ts`]:
        "export const plain = ['nobody', 'the user `nobody`', 'What happened?', 'Of previous step'];",
    },
    [
      `${shop}/gift-cards/whose.ts`,
      `${shop}/gift-cards/now.ts`,
      `${shop}/gift-cards/answer.ts`,
      `${shop}/gift-cards/setting.ts`,
      `${shop}/gift-cards/log.ts`,
      `${shop}/gift-cards/now.test.ts`,
    ],
  ],
];

describe.each([...new Set(planted.map(([rule]) => rule))])('the rule "$name"', ({ name, check }) => {
  test('accepts a tree that follows the rule', () => {
    expect(check(parseTree(VALID))).toEqual([]);
  });

  test.each(planted.filter(([rule]) => rule.name === name).map(([, ...rest]) => rest))(
    'refuses %s',
    (_what, files, found) => {
      const violations = check(parseTree({ ...VALID, ...files }));
      expect(violations.map(({ file }) => file)).toEqual(found);
    },
  );
});
