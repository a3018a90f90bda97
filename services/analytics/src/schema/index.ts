export { archiveFiles } from './files.ts';
