export { applyManifest, diffManifest, type Outcome } from './manifest/apply.ts';
export type { Difference } from './manifest/compare.ts';
export { exportManifest } from './manifest/export.ts';
export { type Manifest, manifest, parseManifest } from './manifest/manifest.ts';
export { ManifestError } from './manifest/yaml.ts';
