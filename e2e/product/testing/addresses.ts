import type { Host } from '@switchboard/contracts';
import type { DemoJson } from './launch.ts';

/** The address of one of standalone's hosts. */
export const addressOf = (demo: DemoJson, host: Host): string =>
  ({
    api: demo.base_url,
    events: demo.eu_api_url,
    replay: demo.eu_replay_url,
    management: demo.management_url,
  })[host];
