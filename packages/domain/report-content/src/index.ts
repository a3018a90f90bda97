export * from './buckets.ts';
export * from './content.ts';
export * from './csv.ts';
export * from './csv-text.ts';
export { countryNames } from './map/countries.ts';
export { drawPaths } from './paths.ts';
export { drawSlices, PIE_RADIUS, type Slice, slicesOf } from './pie.ts';
export * from './table.ts';
export * from './totals.ts';
