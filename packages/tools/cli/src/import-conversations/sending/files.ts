import { ATTACHMENT_MAX_BYTES } from '@switchboard/contracts';
import { type Client, ManagementError } from '@switchboard/management';
import { pause } from '@switchboard/resilience';
import { createSender, networkList, SendFailed } from '@switchboard/runtime';
import { UsageError } from '../../terminal/terminal.ts';
import type { SourceFile } from '../sources/source.ts';

interface FilesOptions {
  client: Client;
  projectId: string;
  /** The private networks that files may come from, in CIDR notation. */
  privateNetworks: string | undefined;
}

/** Copies files of another product to conversations. */
export interface Files {
  /** Returns the id of the attachment, or why the file is not kept. */
  copy(conversationId: string, file: SourceFile): Promise<{ id: string } | { reason: string }>;
}

const TIMEOUT_MS = 30_000;
const MAX_REDIRECTS = 5;
const NOT_KEPT = new Set([400, 413, 415]);

/** Throws UsageError. */
export function openFiles({ client, projectId, privateNetworks }: FilesOptions): Files {
  const { success, data: networks } = networkList.safeParse(privateNetworks);
  if (!success) throw new UsageError('--private-networks: give networks such as 10.0.0.0/8,127.0.0.0/8');
  const send = createSender({
    config: {},
    timeoutMs: TIMEOUT_MS,
    maxBytes: ATTACHMENT_MAX_BYTES,
    privateNetworks: { setting: '--private-networks', networks },
  });
  let isStored = true;

  async function download(address: string): Promise<Uint8Array<ArrayBuffer> | { reason: string }> {
    let url = address;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
        return { reason: 'not an http or https address' };
      const response = await send(url);
      const location = response.headers.get('Location');
      if (response.status >= 300 && response.status < 400 && location !== null) {
        if (!URL.canParse(location, url)) return { reason: 'not an http or https address' };
        url = new URL(location, url).href;
      } else if (response.ok) return new Uint8Array(await response.arrayBuffer());
      else return { reason: `its address answers ${response.status}` };
    }
    return { reason: 'too many redirects' };
  }

  async function upload(conversationId: string, name: string, body: Uint8Array<ArrayBuffer>) {
    const params = { projectId, id: conversationId };
    for (;;) {
      try {
        const { id } = await client.call('uploadTeammateAttachment', { params, query: { name }, body });
        return { id };
      } catch (error) {
        if (!(error instanceof ManagementError)) throw error;
        if (error.code === 'ATTACHMENT_STORAGE' && error.status === 503) {
          isStored = false;
          return { reason: 'the deployment stores no files' };
        }
        if (NOT_KEPT.has(error.status ?? 0))
          return { reason: error.code === 'ATTACHMENT_FORMAT' ? 'its type is not kept' : 'it is not valid' };
        // A limit of uploads refills, however long that takes.
        if (error.status !== 429) throw error;
        await pause(error.retryAfterMs ?? 1_000);
      }
    }
  }

  return {
    async copy(conversationId, { name, url }) {
      if (!isStored) return { reason: 'the deployment stores no files' };
      try {
        const found = await download(url);
        return 'reason' in found ? found : await upload(conversationId, name, found);
      } catch (error) {
        if (!(error instanceof SendFailed)) throw error;
        const reasons: Record<SendFailed['kind'], string> = {
          large: `more than ${ATTACHMENT_MAX_BYTES} bytes`,
          late: `no answer within ${TIMEOUT_MS / 1_000} s`,
          refused: 'its address is private; see --private-networks',
          unreachable: 'its address cannot be reached',
        };
        return { reason: reasons[error.kind] };
      }
    },
  };
}
