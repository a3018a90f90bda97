import { Link } from '@tanstack/react-router';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { usePageSearch } from '../../app/search.ts';
import type { Hosts } from '../../app/session.ts';
import { Code } from '../../components/code.tsx';
import { SelectField } from '../../components/field.tsx';
import { Section } from '../../components/layout.tsx';
import styles from './keys.module.css';
import { PLATFORMS, type Platform, search } from './search.ts';

interface SnippetsProps {
  projectKey: string;
  hosts: Hosts;
}

/** Code to paste with the key and the addresses of this deployment. */
export function Snippets({ projectKey, hosts }: SnippetsProps) {
  const { may, pathOf } = usePlace();
  const [{ install = 'page' }, setSearch] = usePageSearch(search);
  const titles = titlesOf();
  const { command, code } = snippetOf(install, projectKey, hosts);
  return (
    <Section title={t('Install')}>
      <div className={styles['platform']}>
        <SelectField
          label={t('Platform')}
          value={install}
          options={PLATFORMS.map((value) => ({ value, title: titles[value] }))}
          onChange={({ target }) => setSearch({ install: PLATFORMS.find((one) => one === target.value) })}
        />
      </div>
      {command === undefined ? null : <Code text={command} name={t('the command')} />}
      <Code text={code} name={t('the snippet')} />
      {may('events.read') ? (
        <p className={styles['next']}>
          <Link to={pathOf('/events')}>{t('Open live events, then run the code')}</Link>
        </p>
      ) : null}
    </Section>
  );
}

const titlesOf = (): Record<Platform, string> => ({
  page: t('Web page, without a bundler'),
  browser: t('Web page, with a bundler'),
  react: 'React',
  node: 'Node.js',
  openfeature: 'OpenFeature',
  shell: t('Shell'),
});

interface Snippet {
  /** Installs the packages. */
  command?: string;
  code: string;
}

function snippetOf(platform: Platform, key: string, hosts: Hosts): Snippet {
  const installOf = (...packages: string[]) =>
    `npm install ${packages.map((name) => `${hosts.api}/sdk/${name}.tgz`).join(' ')}`;
  const options = `{
  key: '${key}',
  host: '${hosts.api}',
  eventsHost: '${hosts.events}',
  replayHost: '${hosts.replay}',
}`;
  switch (platform) {
    case 'page':
      return {
        code: `<script src="${hosts.api}/sdk/browser.js"></script>
<script>
const client = switchboard.init(${options});
client.track('page opened');
switchboard.startReplay(client);
switchboard.startMessenger(client);
</script>`,
      };
    case 'browser':
      return {
        command: installOf('browser', 'replay', 'messenger'),
        code: `import { init } from '@switchboard/browser';

const client = init(${options});
client.track('page opened');
import('@switchboard/replay').then(({ startReplay }) => startReplay(client));
import('@switchboard/messenger').then(({ startMessenger }) => startMessenger(client));`,
      };
    case 'react':
      return {
        command: installOf('browser', 'react'),
        code: `import { init } from '@switchboard/browser';
import { SwitchboardProvider, useFlag } from '@switchboard/react';

const client = typeof window === 'undefined' ? undefined : init(${options});
const Buy = () => <button>{useFlag('buy-label', 'Buy')}</button>;
export const App = () => <SwitchboardProvider client={client}><Buy /></SwitchboardProvider>;`,
      };
    case 'node':
      return {
        command: installOf('node'),
        code: `import { createClient } from '@switchboard/node';

const switchboard = createClient({
  key: '${key}',
  host: '${hosts.api}',
  eventsHost: '${hosts.events}',
});
await switchboard.track('user-1', 'order placed', { total: 42 });
await switchboard.close();`,
      };
    case 'openfeature':
      return {
        command: `${installOf('openfeature-web')} @openfeature/web-sdk`,
        code: `import { OpenFeature } from '@openfeature/web-sdk';
import { SwitchboardProvider } from '@switchboard/openfeature-web';

const provider = new SwitchboardProvider({ key: '${key}', host: '${hosts.api}' });
await OpenFeature.setProviderAndWait(provider, { targetingKey: 'user-1' });
console.log(OpenFeature.getClient().getBooleanValue('payments', false));`,
      };
    case 'shell':
      return {
        code: `now=$(date -u +%Y-%m-%dT%H:%M:%SZ)
curl -sS ${hosts.events}/v1/events \\
  -H 'Authorization: Bearer ${key}' \\
  -d '{"sent_at":"'$now'","events":[{"event_id":"'$(date +%s%N)'","distinct_id":"ada","event_name":"hello","schema_version":1,"timestamp":"'$now'"}]}'`,
      };
  }
}
