type ScimType =
  | 'invalidFilter'
  | 'invalidPath'
  | 'invalidSyntax'
  | 'invalidValue'
  | 'mutability'
  | 'tooMany'
  | 'uniqueness';

/** An error of the SCIM protocol (RFC 7644, section 3.12). */
export class ScimProblem extends Error {
  override name = 'ScimProblem';
  readonly status: 400 | 401 | 404 | 405 | 409 | 413 | 429;
  readonly scimType: ScimType | undefined;

  constructor(status: ScimProblem['status'], detail: string, scimType?: ScimType) {
    super(detail);
    this.status = status;
    this.scimType = scimType;
  }
}

export const notFound = (kind: string, id: string): ScimProblem =>
  new ScimProblem(404, `${kind} ${id} not found`);
