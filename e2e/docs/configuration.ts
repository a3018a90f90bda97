import { archiveService } from '@switchboard/archive';
import { catalogueService } from '@switchboard/catalogue';
import { collaborationService } from '@switchboard/collaboration';
import { flagsService } from '@switchboard/flags';
import { ingestionService } from '@switchboard/ingestion';
import { messengerService } from '@switchboard/messenger';
import { commonSettings, eventLogSettings, tracingSettings } from '@switchboard/service-kit';
import type { z } from 'zod';
import { type Setting, settingOf } from './setting.ts';

type Shape = Readonly<Record<string, z.ZodType>>;

/** Each service with its settings. */
export const ofServices: [name: string, Shape][] = [
  catalogueService,
  collaborationService,
  messengerService,
  flagsService,
  ingestionService,
  archiveService,
].map(({ name, settings }) => [name, settings.shape]);

const shared: Shape = { ...commonSettings, ...eventLogSettings };

const settingsOf = (shape: Shape) => Object.entries(shape).map(([name, schema]) => settingOf(name, schema));

/** Every setting of every service. */
export const allSettings: Setting[] = [shared, ...ofServices.map(([, shape]) => shape)].flatMap(settingsOf);

/** docs/configuration.md. */
export function configurationPage(): string {
  return `${[
    '# Configuration',
    '<!-- Made from the settings of the services by `pnpm run docs`; a test fails when it is stale. -->',
    'Each service reads its settings from environment variables, once, when it starts. With one missing or wrong it ends with exit code 1 and one message that names every bad variable, without its value. An empty variable counts as unset. [operations.md](operations.md) says how to choose; this page is made from what the services check.',
    '🔒 marks a secret: give it from a secret store, never on a command line or in an image.',
    '## Every service',
    table(settingsOf(commonSettings)),
    '## Event log, of every service',
    'Kafka where `KAFKA_BROKERS` is set, else the database of `EVENT_LOG_DATABASE_URL`; one of them is needed, and the same for all services.',
    table(settingsOf(eventLogSettings)),
    '## Traces, of every service',
    'OpenTelemetry’s own variables; [observability.md](observability.md#traces) has those that its exporter reads as well. Nothing is traced unless an endpoint or an exporter is set.',
    table(settingsOf(tracingSettings.shape)),
    ...ofServices.flatMap(([name, shape]) => ownSection(name, shape)),
  ].join('\n\n')}\n`;
}

function ownSection(name: string, shape: Shape): string[] {
  const own = settingsOf(shape).filter((setting) => !(setting.name in shared));
  const heading = `## ${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  return own.length === 0 ? [heading, 'Nothing of its own.'] : [heading, table(own)];
}

function table(settings: Setting[]): string {
  const rows = settings.map(({ name, secret, meaning, values, required, fallback }) => {
    const unset = required ? '**required**' : fallback === undefined ? '' : `\`${fallback}\``;
    return `| \`${name}\`${secret ? ' 🔒' : ''} | ${cell(meaning)} | ${cell(values)} | ${unset} |`;
  });
  return ['| variable | meaning | takes | default |', '|---|---|---|---|', ...rows].join('\n');
}

const cell = (text: string) => text.replaceAll('|', '\\|');
