import { archivedEvents } from '../upgrade/archived.ts';
import { startUnderLoad, type UnderLoad } from '../upgrade/under-load.ts';
import type { Client } from './cluster.ts';
import { clusterIp } from './pods.ts';

/** Sends requests of every kind to the Service of the gateway until `finish` is called. */
export function underLoad(client: Client): Promise<UnderLoad> {
  return startUnderLoad(client, async (accepted) => {
    const objects = {
      endpoint: `http://${await clusterIp('backings', 's3')}:7070`,
      accessKey: 'switchboard',
      secretKey: 'dev-only-s3',
      bucket: 'switchboard',
      region: 'eu-central-1',
    };
    const database = `postgres://archive:dev-only-archive@${await clusterIp('backings', 'postgres')}/archive`;
    return await archivedEvents(objects, database, accepted);
  });
}
