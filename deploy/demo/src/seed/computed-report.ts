import { createClient } from '@switchboard/management';
import { pause } from '@switchboard/resilience';
import { expiryOfLinks, PROPAGATION_MS } from './request.ts';

interface ComputedReportOptions {
  managementUrl: string;
  apiUrl: string;
  projectId: string;
  reportId: string;
  tokens: { operator: string; owner: string };
}

const POLL_MS = 1000;

/** Creates a public link for the report. */
export async function shareComputedReport(options: ComputedReportOptions): Promise<void> {
  const { apiUrl, projectId, reportId, tokens } = options;
  const owner = clientOf(apiUrl, tokens.owner);
  await owner.call('putPublicLink', {
    params: { projectId, reportId },
    body: { expiresOn: expiryOfLinks() },
  });
}

/** Runs the report once all events sent before the call can be queried. It also runs every 15 minutes. */
export async function runComputedReport(options: ComputedReportOptions, signal: AbortSignal): Promise<void> {
  const { managementUrl, apiUrl, projectId, reportId, tokens } = options;
  const owner = clientOf(apiUrl, tokens.owner);
  const sentBy = Date.now();
  const deadline = performance.now() + PROPAGATION_MS;
  for (let asOf = 0; asOf < sentBy; ) {
    await pause(POLL_MS, signal);
    if (signal.aborted || performance.now() > deadline) return;
    const known = await owner.call('listEventNames', { params: { projectId } });
    asOf = Date.parse(known.asOf);
  }
  await clientOf(managementUrl, tokens.operator).call('runReport', { params: { projectId, reportId } });
}

const clientOf = (url: string, token: string) => createClient({ token, url, retryForMs: PROPAGATION_MS });
