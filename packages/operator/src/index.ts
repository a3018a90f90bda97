export { applyManifest } from './apply.ts';
export { createManagementClient, type ManagementClient, ManagementError } from './management-client.ts';
export { type Manifest, ManifestError, manifest, parseManifest } from './manifest.ts';
