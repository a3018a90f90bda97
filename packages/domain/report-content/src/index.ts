export * from './buckets.ts';
export * from './content.ts';
export * from './csv.ts';
export { drawPaths } from './paths.ts';
export * from './table.ts';
export * from './totals.ts';
