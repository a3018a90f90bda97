import { repartitionUnderLoad } from './scenario.ts';

await repartitionUnderLoad('postgres');
