export { favicon, logo } from './logo.ts';
export { ACCENT, colours, properties, scale, series, tokens } from './tokens.ts';
