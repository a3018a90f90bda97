const MOST = 10;
const keyOf = (projectId: string) => `recent-reports:${projectId}`;

/** Returns the ids of the reports of a project that were opened in this browser, the latest first. */
export function recentlyOpened(projectId: string): readonly string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(keyOf(projectId)) ?? '[]');
    return Array.isArray(kept) ? kept.filter((id) => typeof id === 'string') : [];
  } catch {
    return [];
  }
}

/** Records that a report was opened. */
export function noteOpened(projectId: string, reportId: string): void {
  const ids = [reportId, ...recentlyOpened(projectId).filter((id) => id !== reportId)].slice(0, MOST);
  localStorage.setItem(keyOf(projectId), JSON.stringify(ids));
}
