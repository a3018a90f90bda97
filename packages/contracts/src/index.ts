export * from './catalogue.ts';
export * from './fields.ts';
export * from './operation.ts';
