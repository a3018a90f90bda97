import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { backingsHome } from '@switchboard/testkit';
import { parseAllDocuments } from 'yaml';
import { REPOSITORY } from '../harness/repository.ts';
import { type Rendered, rendered } from './rendered.ts';

const run = promisify(execFile);
const folder = join(REPOSITORY, 'deploy/kubernetes');

/**
 * Helm, from `deploy/backings/install.sh helm` or the PATH. Undefined if it is not installed. With
 * REQUIRE_BACKINGS=1, that is an error.
 */
export const helm = await firstOf([join(backingsHome(), 'bin', 'helm'), 'helm']);

/** Values files of examples/, and individual values. */
export interface Values {
  files?: string[];
  set?: string[];
}

/** Renders a release. Rejects with Helm's message, which includes the chart's own errors. */
export async function template(release: string, values: Values): Promise<Rendered[]> {
  // A Helm built by `go install` assumes Kubernetes 1.20 unless a version is given.
  const { stdout } = await run(
    helm ?? '',
    ['template', release, 'switchboard', '--kube-version', '1.34.0', ...flags(values)],
    { cwd: folder, maxBuffer: 16_000_000 },
  );
  return parseAllDocuments(stdout)
    .map((document) => document.toJS())
    .filter((document) => document !== null)
    .map((document) => rendered.parse(document));
}

/** Checks the chart. Rejects with its problems. */
export async function lint(values: Values): Promise<void> {
  await run(helm ?? '', ['lint', '--strict', 'switchboard', ...flags(values)], { cwd: folder });
}

function flags({ files = [], set = [] }: Values): string[] {
  return [
    ...files.flatMap((file) => ['--values', join('examples', `${file}.yaml`)]),
    ...set.flatMap((one) => ['--set', one]),
  ];
}

async function firstOf(programs: string[]): Promise<string | undefined> {
  for (const program of programs) {
    const found = await run(program, ['version']).catch(() => undefined);
    if (found) return program;
  }
  if (process.env['REQUIRE_BACKINGS'] === '1') {
    throw new Error('Helm is not installed: run deploy/backings/install.sh helm');
  }
  return undefined;
}
