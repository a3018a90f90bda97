import { type Client, isNotFound } from '@switchboard/management';

const PAUSE_MS = 300;
const ATTEMPTS = 20;

/** Requests a run of a report that was just saved. The service that runs it learns of the report within seconds. */
export async function runSaved(
  client: Client,
  params: { projectId: string; reportId: string },
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await client.call('runReport', { params });
      return;
    } catch (error) {
      if (!isNotFound(error) || attempt === ATTEMPTS) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}
