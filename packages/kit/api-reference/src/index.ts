export { type ApiReferenceOptions, mountApiReference } from './api-reference.ts';
