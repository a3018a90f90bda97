import { csvRows } from '@switchboard/report-content/csv-text';
import { getSession } from './session.ts';

/** Saves the response of a GET of the API as a file of the person. Throws if the API refuses. */
export async function saveFrom(path: string, name: string): Promise<void> {
  const { token, hosts } = await getSession();
  const response = await fetch(hosts.api + path, { headers: { Authorization: `Bearer ${token}` } });
  if (!response.ok) throw new Error(`Downloading failed with status ${response.status}. Try again.`);
  save(await response.blob(), name);
}

/** Saves rows that the page shows as a CSV file. Its first character tells spreadsheets that it is UTF-8. */
export function saveCsv(rows: Parameters<typeof csvRows>[0], name: string): void {
  save(new Blob(['\ufeff', csvRows(rows)], { type: 'text/csv;charset=utf-8' }), name);
}

function save(content: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
