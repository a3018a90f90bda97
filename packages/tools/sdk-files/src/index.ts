export type { BuiltSdks } from './built.ts';
export { type SdkIndex, sdkIndex } from './files.ts';
export { readSdks } from './read.ts';
export { mountSdks, type SdkOptions } from './routes.ts';
