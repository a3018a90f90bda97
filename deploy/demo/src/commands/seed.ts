import { ManagementError } from '@switchboard/management';
import { httpUrl, parseConfig } from '@switchboard/runtime';
import { z } from 'zod';
import { DemoError, prepareDemo } from '../demo.ts';
import { openIssuer } from '../issuer.ts';

const settings = z.object({
  DEMO_HOME: z.string(),
  AUTH_ISSUER: z.string(),
  // The addresses that clients use.
  PUBLIC_API_URL: httpUrl,
  PUBLIC_EVENTS_URL: httpUrl,
  PUBLIC_REPLAY_URL: httpUrl,
  PUBLIC_MANAGEMENT_URL: httpUrl,
  PUBLIC_ISSUER_URL: httpUrl,
  CONSOLE_URL: httpUrl,
  MAIL_URL: httpUrl,
  // The addresses that this process uses.
  API_URL: httpUrl,
  EVENTS_URL: httpUrl,
  REPLAY_URL: httpUrl,
  MANAGEMENT_URL: httpUrl,
});

/** How long to wait for the report. After that, its schedule computes it. */
const REPORT_WITHIN_MS = 60_000;

/** Seeds the demo once. Later runs mint new tokens. Prints all addresses. */
export async function seed(env: NodeJS.ProcessEnv): Promise<void> {
  const config = parseConfig(settings, env);
  const prepared = await prepareDemo({
    home: config.DEMO_HOME,
    issuer: await openIssuer(config.DEMO_HOME, config.AUTH_ISSUER),
    urls: {
      api: config.PUBLIC_API_URL,
      events: config.PUBLIC_EVENTS_URL,
      replay: config.PUBLIC_REPLAY_URL,
      management: config.PUBLIC_MANAGEMENT_URL,
      issuer: config.PUBLIC_ISSUER_URL,
      console: config.CONSOLE_URL,
    },
    internalUrls: {
      api: config.API_URL,
      events: config.EVENTS_URL,
      replay: config.REPLAY_URL,
      management: config.MANAGEMENT_URL,
    },
    mail: { mail_url: config.MAIL_URL },
  }).catch((error: unknown) => {
    throw error instanceof ManagementError ? new DemoError(error.message) : error;
  });
  await prepared.computeReport(AbortSignal.timeout(REPORT_WITHIN_MS)).catch(() => undefined);
  process.stdout.write(`The demo is ready.

  API            ${config.PUBLIC_API_URL}
  Project key    ${prepared.demo.project_key}
  Tokens, keys   ${config.PUBLIC_ISSUER_URL}/demo.json
  Mail           ${config.MAIL_URL}
  Report         ${prepared.sharedReportUrl ?? '(the link is off)'}
`);
}
