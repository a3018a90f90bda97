/** A distinct id. */
export interface PersonKey {
  projectId: string;
  distinctId: string;
}
