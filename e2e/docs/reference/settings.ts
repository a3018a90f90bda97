import { commonSettings, eventLogSettings, objectStoreSettings } from '@switchboard/runtime';
import { analyticsService } from '@switchboard/service-analytics';
import { archiveService } from '@switchboard/service-archive';
import { catalogueService } from '@switchboard/service-catalogue';
import { collaborationService } from '@switchboard/service-collaboration';
import { consoleSettings } from '@switchboard/service-console/config';
import { deliveryService } from '@switchboard/service-delivery';
import { flagsService } from '@switchboard/service-flags';
import { identityService } from '@switchboard/service-identity';
import { ingestionService } from '@switchboard/service-ingestion';
import { messengerService } from '@switchboard/service-messenger';
import type { z } from 'zod';
import { type Setting, settingOf } from './setting.ts';

type Shape = Readonly<Record<string, z.ZodType>>;

/** Each service with its settings. */
export const serviceSettings: [name: string, Shape][] = [
  catalogueService,
  collaborationService,
  messengerService,
  flagsService,
  ingestionService,
  archiveService,
  analyticsService,
  identityService,
  deliveryService,
  { name: 'console', settings: consoleSettings },
].map(({ name, settings }) => [name, settings.shape]);

const shared: Shape = { ...commonSettings, ...eventLogSettings, ...objectStoreSettings };

const settingsOf = (shape: Shape) => Object.entries(shape).map(([name, schema]) => settingOf(name, schema));

/** Every setting of every service. */
export const allSettings: Setting[] = [shared, ...serviceSettings.map(([, shape]) => shape)].flatMap(
  settingsOf,
);

/** Returns the text of docs/reference/settings.md. */
export function settingsPage(): string {
  return `${[
    '# Settings',
    '<!-- Generated from the settings by `pnpm run docs`; a test fails when it is stale. -->',
    'Every setting of every service. [Configure](../configure.md) says how to set them. Numbers are whole, URLs are http or https, and lists are comma separated. 🔒 marks a secret.',
    '## Every service',
    table(settingsOf(commonSettings)),
    '## Event log',
    table(settingsOf(eventLogSettings)),
    '## Object store',
    table(settingsOf(objectStoreSettings)),
    ...serviceSettings.flatMap(([name, shape]) => ownSection(name, shape)),
  ].join('\n\n')}\n`;
}

function ownSection(name: string, shape: Shape): string[] {
  const own = settingsOf(shape).filter((setting) => !(setting.name in shared));
  const heading = `## ${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  return own.length === 0 ? [heading, 'None.'] : [heading, table(own)];
}

function table(settings: Setting[]): string {
  const rows = settings.map(({ name, secret, meaning, values, required, fallback }) => {
    const unset = required ? '**required**' : fallback === undefined ? '' : `\`${fallback}\``;
    return `| \`${name}\`${secret ? ' 🔒' : ''} | ${cell(meaning)} | ${cell(values)} | ${unset} |`;
  });
  return ['| variable | meaning | takes | default |', '|---|---|---|---|', ...rows].join('\n');
}

const cell = (text: string) => text.replaceAll('|', '\\|');
