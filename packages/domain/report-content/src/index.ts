export * from './buckets.ts';
export * from './content.ts';
export * from './csv.ts';
export * from './table.ts';
export * from './totals.ts';
