import type { FlagEntry } from '@switchboard/management';
import { useQuery } from '@tanstack/react-query';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { usePageSearch } from '../../app/search.ts';
import { getSession, type Hosts } from '../../app/session.ts';
import { Code } from '../../components/code.tsx';
import { SelectField } from '../../components/field.tsx';
import { Section } from '../../components/layout.tsx';
import { Loaded } from '../../components/state.tsx';
import { useProjectKey } from '../flags/use-flags.ts';
import styles from './flag.module.css';
import { PLATFORMS, search } from './search.ts';

const DAY_MS = 86_400_000;

type Platform = (typeof PLATFORMS)[number];

/** Code that reads the flag, with the address of this deployment, and how to generate its types. */
export function Snippets({ flag }: { flag: FlagEntry }) {
  const { project } = usePlace();
  const [{ platform = 'node' }, setSearch] = usePageSearch(search);
  const session = useQuery({ queryKey: ['session'], queryFn: getSession });
  const key = useProjectKey()?.key ?? 'YOUR_PROJECT_KEY';
  return (
    <div className={styles['narrow']}>
      <SelectField
        label={t('Platform')}
        value={platform}
        options={PLATFORMS.map((value) => ({ value, title: TITLES[value] }))}
        onChange={({ target }) => setSearch({ platform: PLATFORMS.find((one) => one === target.value) })}
      />
      <Loaded query={session}>
        {({ hosts }) => {
          const types = typesOf(platform, key, hosts);
          return (
            <>
              <Code
                text={snippetOf(platform, { flag, key, hosts, projectId: project.id })}
                name={t('the snippet')}
              />
              {types === undefined ? null : (
                <Section title={t('Types')}>
                  <p>{t('Checks the key and the values of every flag in your code:')}</p>
                  <Code text={types} name={t('the command')} />
                </Section>
              )}
            </>
          );
        }}
      </Loaded>
    </div>
  );
}

const TITLES: Record<Platform, string> = {
  node: 'Node.js',
  browser: 'Browser',
  react: 'React',
  curl: 'curl',
  switchboard: 'switchboard',
};

/** Returns the value that code gets while the flag is off or unknown. */
function fallbackOf({ type, variations = [] }: FlagEntry): string {
  if (type === undefined || type === 'boolean') return 'false';
  return JSON.stringify(variations[0]?.value ?? (type === 'string' ? '' : type === 'number' ? 0 : {}));
}

interface SnippetOptions {
  flag: FlagEntry;
  key: string;
  hosts: Hosts;
  projectId: string;
}

function snippetOf(platform: Platform, { flag, key, hosts, projectId }: SnippetOptions): string {
  const name = JSON.stringify(flag.key);
  const fallback = fallbackOf(flag);
  const options = `{
  key: '${key}',
  host: '${hosts.api}',
  eventsHost: '${hosts.events}',
}`;
  switch (platform) {
    case 'node':
      return `import { createClient } from '@switchboard/node';

const switchboard = createClient(${options});
await switchboard.flags.ready();
const value = switchboard.flags.get(${name}, ${fallback}, {
  distinctId: 'user-1',
  traits: { plan: 'pro' },
});`;
    case 'browser':
      return `import { init } from '@switchboard/browser';

const client = init(${options});
const value = client.flags.get(${name}, ${fallback});`;
    case 'react':
      return `import { useFlag } from '@switchboard/react';

const value = useFlag(${name}, ${fallback});`;
    case 'curl':
      return `curl -sS '${hosts.api}/v1/flags?distinct_id=user-1&reasons=true' \\
  -H 'Authorization: Bearer ${key}'`;
    case 'switchboard':
      return `switchboard get flags ${projectId}
switchboard promote ${quoted(flag.key)} --from ${projectId} --to OTHER_PROJECT --dry-run
switchboard schedule create ${projectId} ${quoted(flag.key)} \\
  --at ${new Date(Date.now() + DAY_MS).toISOString()} --patch '{"enabled":${!flag.enabled}}'`;
  }
}

const quoted = (text: string) => (/^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

const PACKAGES = {
  node: '@switchboard/node',
  browser: '@switchboard/browser',
  react: '@switchboard/browser',
};

function typesOf(platform: Platform, key: string, hosts: Hosts): string | undefined {
  if (platform === 'curl' || platform === 'switchboard') return undefined;
  return `curl -sS ${hosts.api}/v1/flags/snapshot \\
  -H 'Authorization: Bearer ${key}' \\
  | switchboard generate types - --package ${PACKAGES[platform]} > flags.d.ts`;
}
