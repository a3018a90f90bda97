export * from './formats.ts';
export * from './notice.ts';
