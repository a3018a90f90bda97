import { useEffect, useState } from 'react';
import { getSession } from '../../../app/session.ts';
import type { Upload } from './drafts.ts';
import type { Place } from './sending.ts';

const pathOf = ({ projectId, conversationId }: Place) =>
  `/v1/projects/${encodeURIComponent(projectId)}/conversations/${encodeURIComponent(conversationId)}/attachments`;

async function request(path: string, init: RequestInit = {}): Promise<Response> {
  const { token, hosts } = await getSession();
  const response = await fetch(hosts.api + path, { ...init, headers: { Authorization: `Bearer ${token}` } });
  if (response.ok) return response;
  const { error } = await response.json().catch(() => ({}));
  throw new Error(error?.message ?? `The file failed with status ${response.status}.`);
}

/** Uploads a file for the next reply. */
export async function upload(place: Place, file: File): Promise<Upload> {
  const response = await request(`${pathOf(place)}?name=${encodeURIComponent(file.name)}`, {
    method: 'POST',
    body: file,
  });
  const { id, name } = await response.json();
  return { id, name };
}

async function dataUrl(place: Place, id: string): Promise<string> {
  const blob = await (await request(`${pathOf(place)}/${encodeURIComponent(id)}`)).blob();
  return await new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });
}

/** Reads a picture of a conversation. Undefined until it is read, or if it cannot be read. */
export function usePicture({ projectId, conversationId }: Place, id: string): string | undefined {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    let isGone = false;
    dataUrl({ projectId, conversationId }, id).then(
      (found) => isGone || setUrl(found),
      () => undefined,
    );
    return () => {
      isGone = true;
    };
  }, [projectId, conversationId, id]);
  return url;
}

/** Saves a file of a conversation. */
export async function save(place: Place, { id, name }: Upload): Promise<void> {
  const link = document.createElement('a');
  link.href = await dataUrl(place, id);
  link.download = name;
  link.click();
}
