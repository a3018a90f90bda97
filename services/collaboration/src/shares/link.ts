import { BadRequest } from '@switchboard/http';

interface Place {
  consoleUrl: string;
  projectId: string;
  reportId: string;
}

/**
 * Returns the address for the message. Throws BadRequest unless it is the address of this report in the console,
 * with any query and fragment.
 */
export function requireReportLink(link: string, { consoleUrl, projectId, reportId }: Place): string {
  const base = new URL(consoleUrl);
  const url = parseAddress(link);
  const expected = [...segmentsOf(base), 'projects', projectId, 'reports', reportId];
  const isReport =
    url !== undefined &&
    url.origin === base.origin &&
    url.username === '' &&
    url.password === '' &&
    JSON.stringify(segmentsOf(url)) === JSON.stringify(expected);
  if (isReport) return url.href;
  const address = reportAddress({ consoleUrl, projectId, reportId });
  throw new BadRequest(
    `link: not the address of this report; send ${address}, optionally with a query and a fragment`,
  );
}

/** Returns the address of a report in the console. */
export function reportAddress({ consoleUrl, projectId, reportId }: Place): string {
  return `${consoleUrl}/projects/${encodeURIComponent(projectId)}/reports/${encodeURIComponent(reportId)}`;
}

/** Returns undefined for text that is not a URL, and for a URL from which parsing would strip characters. */
function parseAddress(link: string): URL | undefined {
  return /[\s\p{Cc}\\]/u.test(link) || !URL.canParse(link) ? undefined : new URL(link);
}

function segmentsOf({ pathname }: URL): string[] | undefined[] {
  try {
    const [, ...segments] = pathname.split('/').map(decodeURIComponent);
    return segments.length === 1 && segments[0] === '' ? [] : segments;
  } catch {
    return [undefined]; // Invalid percent-encoding.
  }
}
