import { camelCase, isForTests, pascalCase, serviceFile } from './paths.ts';
import type { Rule, Violation } from './rule.ts';
import type { Source } from './source.ts';

const TOP_FILES = ['main.ts', 'service.ts', 'config.ts'];

/** The top of a service's src contains main.ts, service.ts, config.ts, and tests of several features. */
export const topFiles: Rule = {
  name: 'the top of src holds main.ts, service.ts and config.ts, and no other source',
  check(tree) {
    const violations: Violation[] = [];
    const services = new Set<string>();
    for (const path of tree.keys()) {
      const file = serviceFile(path);
      if (file === undefined) continue;
      services.add(file.service);
      if (file.folders.length > 0 || isForTests(path) || TOP_FILES.includes(file.name)) continue;
      violations.push({ file: path, problem: 'move it into the folder of its feature' });
    }
    for (const service of services) {
      for (const name of TOP_FILES) {
        const path = `services/${service}/src/${name}`;
        if (!tree.has(path)) violations.push({ file: path, problem: 'missing' });
      }
    }
    return violations;
  },
};

const MAX_WIRING_LINES = 80;

/** A service.ts is short enough to read, and the files in wiring/ are its continuation. */
export const wiring: Rule = {
  name: `service.ts has at most ${MAX_WIRING_LINES} lines, and it alone imports wiring/`,
  check: (tree) =>
    [...tree.values()].flatMap(({ path, lines, imports }): Violation[] => {
      const file = serviceFile(path);
      if (file === undefined || isForTests(path)) return [];
      const isService = file.folders.length === 0 && file.name === 'service.ts';
      if (isService) return lines > MAX_WIRING_LINES ? [{ file: path, problem: `has ${lines} lines` }] : [];
      if (file.folders[0] === 'wiring') return [];
      const wired = imports.filter(({ target }) => serviceFile(target)?.folders[0] === 'wiring');
      return wired.map(({ target }) => ({ file: path, problem: `imports ${target}` }));
    }),
};

/** The schema folder contains index.ts, and migrations.ts with `<service>Migrations`. */
export const schemaFolder: Rule = {
  name: 'schema/ has index.ts, and migrations.ts that exports <service>Migrations',
  check(tree) {
    const violations: Violation[] = [];
    for (const service of servicesOf(tree.keys())) {
      const folder = `services/${service}/src/schema`;
      if (![...tree.keys()].some((path) => path.startsWith(`${folder}/`))) continue;
      if (!tree.has(`${folder}/index.ts`))
        violations.push({ file: `${folder}/index.ts`, problem: 'missing' });
      const migrations = tree.get(`${folder}/migrations.ts`);
      const name = `${camelCase(service)}Migrations`;
      if (migrations === undefined || !exportsValue(migrations, name))
        violations.push({ file: `${folder}/migrations.ts`, problem: `does not export ${name}` });
    }
    return violations;
  },
};

/** A feature's routes.ts exports only `<feature>Routes` and constants. */
export const routeFunctions: Rule = {
  name: 'routes.ts exports <feature>Routes, and no other file exports a route function',
  check(tree) {
    return [...tree.values()].flatMap((source): Violation[] => {
      const file = serviceFile(source.path);
      if (file === undefined || isForTests(source.path)) return [];
      const names = source.exports
        .filter(({ name, isType }) => !isType && !source.constants.includes(name))
        .map(({ name }) => name);
      if (file.name !== 'routes.ts') {
        const stray = names.filter((name) => /Routes?$/.test(name));
        return stray.map((name) => ({ file: source.path, problem: `${name} belongs in a routes.ts` }));
      }
      const expected = `${camelCase(file.folders.at(-1) ?? '')}Routes`;
      if (names.length === 1 && names[0] === expected) return [];
      return [
        { file: source.path, problem: `exports ${names.join(', ') || 'nothing'}, not ${expected} alone` },
      ];
    });
  },
};

/** A feature's store.ts exports `create<Feature>Store` and the interface `<Feature>Store`. */
export const storeFactories: Rule = {
  name: 'store.ts exports create<Feature>Store and the interface <Feature>Store',
  check(tree) {
    return [...tree.values()].flatMap((source): Violation[] => {
      const file = serviceFile(source.path);
      if (file?.name !== 'store.ts' || isForTests(source.path)) return [];
      const store = `${pascalCase(file.folders.at(-1) ?? '')}Store`;
      const problems = [
        ...(exportsValue(source, `create${store}`) ? [] : [`does not export create${store}`]),
        ...(source.exports.some(({ name, isType }) => isType && name === store)
          ? []
          : [`does not export the interface ${store}`]),
      ];
      return problems.map((problem) => ({ file: source.path, problem }));
    });
  },
};

const SQL_OF_FILES = 'services/analytics/src/engine/sql.ts';

/** A service has SQL only in store.ts and schema/. */
export const sqlInStores: Rule = {
  name: 'SQL stands in store.ts and schema/ alone',
  check(tree) {
    return [...tree.values()].flatMap((source): Violation[] => {
      const file = serviceFile(source.path);
      if (file === undefined || isForTests(source.path)) return [];
      if (file.name === 'store.ts' || file.folders[0] === 'schema') return [];
      const schema = `services/${file.service}/src/schema/`;
      const problems = source.imports.flatMap(({ target }) => {
        if (/^(drizzle-orm|postgres)(\/|$)/.test(target)) return [`imports ${target}`];
        return target.startsWith(schema) && target !== `${schema}migrations.ts` ? ['imports the schema'] : [];
      });
      // Analytics queries run on files, not on the service's database.
      const asksFiles = [source.path, ...source.imports.map(({ target }) => target)].includes(SQL_OF_FILES);
      if (source.hasSqlTemplate && !asksFiles) problems.push('has a template of SQL');
      return problems.map((problem) => ({ file: source.path, problem }));
    });
  },
};

/** Only the feature itself uses its store. */
export const storesAreOwn: Rule = {
  name: 'no store imports the store of another feature',
  check(tree) {
    return [...tree.values()].flatMap((source): Violation[] => {
      const file = serviceFile(source.path);
      if (file?.name !== 'store.ts') return [];
      const others = source.imports.filter(({ target }) => target.endsWith('/store.ts'));
      return others.map(({ target }) => ({ file: source.path, problem: `imports ${target}` }));
    });
  },
};

const servicesOf = (paths: Iterable<string>) =>
  new Set([...paths].flatMap((path) => serviceFile(path)?.service ?? []));

const exportsValue = (source: Source, wanted: string) =>
  source.exports.some(({ name, isType }) => !isType && name === wanted);
