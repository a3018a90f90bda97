import type { Throttle } from '@switchboard/management';
import { collect } from '../list-all.ts';
import { openClient } from '../login/session.ts';
import { readArguments } from '../terminal/arguments.ts';
import { COMMON_HELP, type Command, EXIT_CODES } from '../terminal/command.ts';
import { UsageError } from '../terminal/terminal.ts';
import { textColumns } from '../terminal/text-table.ts';

const USAGE =
  'usage: switchboard projects throttle <projectId> --events-per-second <n> or --drop-events, switchboard projects unthrottle <projectId>, or switchboard projects throttled';
const MAX_EVENTS_PER_SECOND = 1_000_000;

export const projects: Command = {
  summary: 'throttle a project, or drop its events',
  help: `switchboard projects throttle <projectId> --events-per-second <n>
switchboard projects throttle <projectId> --drop-events
switchboard projects unthrottle <projectId>
switchboard projects throttled

Protects a deployment from a project that sends too much. Takes effect in every region within seconds, and holds until
it is undone. Events, identify and group calls, and replay chunks count. Above the rate, ingestion answers 429 with
Retry-After, and clients send again later. Instances count together only with Redis. With --drop-events, ingestion
responds as if it accepted the data and stores nothing: the data is lost. throttled lists the projects.

  --events-per-second <n>  1 to ${MAX_EVENTS_PER_SECOND}, in each region
  --drop-events            accept and drop everything
${COMMON_HELP}
`,
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, {
      'events-per-second': { type: 'string' },
      'drop-events': { type: 'boolean' },
    });
    const [verb, projectId, ...rest] = positionals;
    const { 'events-per-second': rate, 'drop-events': drop = false } = values;
    const isThrottle = verb === 'throttle';
    const isList = verb === 'throttled';
    if (!isThrottle && !isList && verb !== 'unthrottle') throw new UsageError(USAGE);
    if (rest.length > 0 || isList !== (projectId === undefined)) throw new UsageError(USAGE);
    if (Number(drop) + Number(rate !== undefined) !== Number(isThrottle)) throw new UsageError(USAGE);
    const show = (value: object, text: string) =>
      terminal.out(values.json ? `${JSON.stringify(value)}\n` : text);
    const eventsPerSecond = rate === undefined ? 0 : rateOf(rate);
    const client = openClient(values, terminal);
    if (projectId === undefined) {
      const throttles = await collect(client.list('listThrottles', {}));
      show(
        { throttles },
        textColumns(throttles.map((one) => [one.createdAt, one.projectId, allowance(one)])),
      );
    } else if (isThrottle) {
      const made = await client.call('putThrottle', { params: { projectId }, body: { eventsPerSecond } });
      show(made, `~ project ${projectId} ${allowance(made)}\n`);
    } else {
      await client.call('deleteThrottle', { params: { projectId } });
      show({ unthrottled: projectId }, `- throttle of project ${projectId}\n`);
    }
    return EXIT_CODES.done;
  },
};

function rateOf(given: string): number {
  const rate = /^\d{1,7}$/.test(given) ? Number(given) : 0;
  if (rate < 1 || rate > MAX_EVENTS_PER_SECOND)
    throw new UsageError(
      `--events-per-second: give a whole number from 1 to ${MAX_EVENTS_PER_SECOND}, or --drop-events`,
    );
  return rate;
}

const allowance = ({ eventsPerSecond }: Throttle): string =>
  eventsPerSecond === 0 ? 'events dropped' : `${eventsPerSecond} events per second`;
