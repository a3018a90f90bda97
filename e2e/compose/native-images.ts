import { execFile } from 'node:child_process';
import { cp, mkdir, readFile } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { promisify } from 'node:util';
import { REPOSITORY } from '../harness/repository.ts';
import { parseDockerfile, type Step } from './dockerfile.ts';

const run = promisify(execFile);

const DOCKERFILE = join(REPOSITORY, 'deploy/docker/Dockerfile');

/** A built image: its folder and its entrypoint. */
export interface NativeImage {
  folder: string;
  entrypoint: string[];
  env: Record<string, string>;
}

/** The entrypoint of an image as a command. Throws if it is empty. */
export function commandOf([program, ...args]: readonly string[]): [string, ...string[]] {
  if (program === undefined) throw new Error('the image has no entrypoint');
  return [program, ...args];
}

export interface NativeImages {
  /** Builds the gateway image. The build arguments set the addresses in its OpenAPI document. */
  buildGateway(args: Record<string, string>): Promise<NativeImage & { publicFolder: string }>;
  /** Runs the build of one program. */
  build(service: string): Promise<NativeImage>;
}

/**
 * Builds images without a container engine: runs the commands of the Dockerfile with folders of `root` in place of
 * paths inside the image. Commands that change the base image are skipped.
 */
export async function nativeImages(root: string): Promise<NativeImages> {
  const stages = new Map(
    parseDockerfile(await readFile(DOCKERFILE, 'utf8')).map((stage) => [stage.name, stage]),
  );
  const stepsOf = (name: string) => stages.get(name)?.steps ?? [];
  const store = dirname(
    (await run('npx', ['-y', 'pnpm@12', 'store', 'path'], { cwd: REPOSITORY })).stdout.trim(),
  );
  const env: Record<string, string> = {
    ...inherited(),
    PATH: `${join(root, 'npm/bin')}:${dirname(process.execPath)}:${process.env['PATH']}`,
    npm_config_prefix: join(root, 'npm'),
    npm_config_prefer_offline: 'true',
  };

  /** Maps a path inside the image to this machine. The pnpm store is this machine's own. */
  function place(path: string, service: string): string {
    if (path === '/pnpm/store') return store;
    return path.startsWith('/app') ? join(root, service, path) : join(root, path);
  }
  const words = (step: Step, service: string) =>
    step.words.map((word) => (isAbsolute(word) ? place(word, service) : word)).join(' ');

  async function runStage(stage: string, service: string, args: Record<string, string> = {}): Promise<void> {
    const stageEnv = { ...env, ...args };
    const cwd = join(root, 'src');
    await mkdir(cwd, { recursive: true });
    for (const step of stepsOf(stage)) {
      if (step.keyword === 'ENV') {
        const [name = '', value = ''] = step.text.split('=');
        env[name] = stageEnv[name] = isAbsolute(value) ? place(value, service) : value;
      }
      if (step.keyword === 'ARG' && step.text === 'SERVICE') stageEnv['SERVICE'] = service;
      if (step.keyword === 'COPY') await copyContext(step.words, cwd);
      if (step.keyword === 'RUN') await run('sh', ['-ec', words(step, service)], { cwd, env: stageEnv });
    }
  }

  await runStage('workspace', '');
  return {
    async buildGateway(args) {
      await runStage('public', '', args);
      const folder = join(root, 'gateway');
      await mkdir(folder, { recursive: true });
      await copyContext(['deploy/gateway/Caddyfile', './'], folder);
      const start = stepsOf('gateway').find(({ keyword }) => keyword === 'CMD')?.list ?? [];
      const entrypoint = start.map((word) => (isAbsolute(word) ? join(folder, basename(word)) : word));
      return { folder, entrypoint, env: {}, publicFolder: place('/public', '') };
    },
    async build(service) {
      await runStage('bundle', service);
      const image: NativeImage = { folder: join(root, service, 'image'), entrypoint: [], env: {} };
      await mkdir(image.folder, { recursive: true });
      for (const { keyword, words, list, from, text } of stepsOf('command')) {
        if (keyword === 'ENTRYPOINT') image.entrypoint = list;
        if (keyword === 'ENV') image.env[text.split('=')[0] ?? ''] = text.split('=')[1] ?? '';
        if (keyword !== 'COPY') continue;
        if (from === undefined) await copyContext(words, image.folder);
        else await cp(place(words[0] ?? '', service), image.folder, { recursive: true });
      }
      return image;
    },
  };
}

/** `COPY` from the build context: files that git lists and .dockerignore does not exclude. */
async function copyContext(words: string[], target: string): Promise<void> {
  const sources = words.slice(0, -1);
  const list = async (...options: string[]) => {
    const { stdout } = await run('git', ['ls-files', '-z', ...options, '--', ...sources], {
      cwd: REPOSITORY,
      maxBuffer: 64_000_000,
    });
    return stdout.split('\0').filter((path) => path !== '');
  };
  const ignoring = `--exclude-from=${DOCKERFILE}.dockerignore`;
  const known = await list('--cached', '--others', '--exclude-standard');
  const ignored = new Set([
    ...(await list('--cached', '--ignored', ignoring)),
    ...(await list('--others', '--ignored', ignoring)),
    ...(await list('--deleted')),
  ]);
  for (const path of known.filter((path) => !ignored.has(path))) {
    // A copied folder keeps its structure; a file named on its own goes to the target folder.
    const isNamed = sources.includes(path);
    const to = isNamed ? basename(path) : path;
    await mkdir(dirname(join(target, to)), { recursive: true });
    await cp(join(REPOSITORY, path), join(target, to));
  }
}

/** The part of this process's environment that commands need, without variables of the test run or package manager. */
function inherited(): Record<string, string> {
  const kept =
    /^(PATH|HOME|LANG|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|https?_proxy|no_proxy|npm_config_registry)$/i;
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      kept.test(name) && value !== undefined ? [[name, value]] : [],
    ),
  );
}
