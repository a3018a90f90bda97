export { archiveFiles } from './files.ts';
export { savedReports } from './saved-reports.ts';
