export { EmbeddedPostgresError } from './errors.ts';
export { type PostgresOptions, type RunningPostgres, startPostgres } from './start.ts';
