export { applyManifest, diffManifest, type Outcome } from './apply.ts';
export type { Difference } from './compare.ts';
export { exportManifest } from './export.ts';
export { createManagementClient, type ManagementClient, ManagementError } from './management-client.ts';
export { type Manifest, ManifestError, manifest, parseManifest } from './manifest.ts';
